from pydantic import Field

from .base_model import BaseModel
from .fragments import PagePart, RunRow


class Runs(BaseModel):
    catalog: "RunsCatalog"
    runs: "RunsRuns"


class RunsCatalog(BaseModel):
    snapshot: str


class RunsRuns(BaseModel):
    total_count: int = Field(alias="totalCount")
    page_info: "RunsRunsPageInfo" = Field(alias="pageInfo")
    nodes: list["RunsRunsNodes"]


RunsRunsPageInfo = PagePart
RunsRunsNodes = RunRow
