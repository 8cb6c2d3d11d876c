from typing import Optional

from .base_model import BaseModel
from .fragments import SweepPart


class Sweeps(BaseModel):
    operation: Optional["SweepsOperation"]


class SweepsOperation(BaseModel):
    sweeps: list["SweepsOperationSweeps"]


SweepsOperationSweeps = SweepPart
