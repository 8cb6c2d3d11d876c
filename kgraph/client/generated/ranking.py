from typing import Optional

from pydantic import Field

from .base_model import BaseModel
from .fragments import PagePart, RankedRow


class Ranking(BaseModel):
    catalog: "RankingCatalog"
    cohort: Optional["RankingCohort"]


class RankingCatalog(BaseModel):
    snapshot: str


class RankingCohort(BaseModel):
    ranking: "RankingCohortRanking"


class RankingCohortRanking(BaseModel):
    total_count: int = Field(alias="totalCount")
    page_info: "RankingCohortRankingPageInfo" = Field(alias="pageInfo")
    nodes: list["RankingCohortRankingNodes"]


RankingCohortRankingPageInfo = PagePart
RankingCohortRankingNodes = RankedRow
