"""A typed client of a kgraph server, blocking and async, with frames of pandas or Polars.

Needs `pip install 'kgraph[client]'`; frames need `kgraph[pandas]` or `kgraph[polars]`.
"""

from kgraph.client.async_client import AsyncClient
from kgraph.client.client import Client
from kgraph.client.errors import KgraphClientError
from kgraph.client.generated.enums import (
    EvidenceLevel,
    Match,
    OrderDirection,
    RecordCause,
    RecordEventOrderField,
    RecordOrderField,
    RunOrderField,
    RunStatus,
)
from kgraph.client.generated.fragments import (
    CatalogState,
    OperationPage,
    RankedRow,
    RecordEventRow,
    RecordRow,
    ResolutionAnswer,
    RunPage,
    RunRow,
)
from kgraph.client.generated.input_types import (
    BooleanTest,
    DateTimeTest,
    DigestTest,
    EvidenceTest,
    FloatTest,
    IntTest,
    RecordCauseTest,
    RecordEventOrder,
    RecordEventWhere,
    RecordOrder,
    RecordWhere,
    RunOrder,
    RunStatusTest,
    RunWhere,
    StringTest,
    TensorInput,
)
from kgraph.client.question import SweepRow
from kgraph.client.rows import AsyncRows, Page, Rows, Table

__all__ = [
    "AsyncClient",
    "AsyncRows",
    "BooleanTest",
    "CatalogState",
    "Client",
    "DateTimeTest",
    "DigestTest",
    "EvidenceLevel",
    "EvidenceTest",
    "FloatTest",
    "IntTest",
    "KgraphClientError",
    "Match",
    "OperationPage",
    "OrderDirection",
    "Page",
    "RankedRow",
    "RecordCause",
    "RecordCauseTest",
    "RecordEventOrder",
    "RecordEventOrderField",
    "RecordEventRow",
    "RecordEventWhere",
    "RecordOrder",
    "RecordOrderField",
    "RecordRow",
    "RecordWhere",
    "ResolutionAnswer",
    "Rows",
    "RunOrder",
    "RunOrderField",
    "RunPage",
    "RunRow",
    "RunStatus",
    "RunStatusTest",
    "RunWhere",
    "StringTest",
    "SweepRow",
    "Table",
    "TensorInput",
]
