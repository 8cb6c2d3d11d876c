from pydantic import Field

from .base_model import BaseModel
from .fragments import PagePart, RecordEventRow


class RecordHistory(BaseModel):
    catalog: "RecordHistoryCatalog"
    record_history: "RecordHistoryRecordHistory" = Field(alias="recordHistory")


class RecordHistoryCatalog(BaseModel):
    snapshot: str


class RecordHistoryRecordHistory(BaseModel):
    total_count: int = Field(alias="totalCount")
    page_info: "RecordHistoryRecordHistoryPageInfo" = Field(alias="pageInfo")
    nodes: list["RecordHistoryRecordHistoryNodes"]


RecordHistoryRecordHistoryPageInfo = PagePart
RecordHistoryRecordHistoryNodes = RecordEventRow
