from pydantic import Field

from .base_model import BaseModel
from .fragments import PagePart, RecordRow


class Records(BaseModel):
    catalog: "RecordsCatalog"
    records: "RecordsRecords"


class RecordsCatalog(BaseModel):
    snapshot: str


class RecordsRecords(BaseModel):
    total_count: int = Field(alias="totalCount")
    page_info: "RecordsRecordsPageInfo" = Field(alias="pageInfo")
    nodes: list["RecordsRecordsNodes"]


RecordsRecordsPageInfo = PagePart
RecordsRecordsNodes = RecordRow
