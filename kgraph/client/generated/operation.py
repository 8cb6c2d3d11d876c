from typing import Optional

from .base_model import BaseModel
from .fragments import OperationPage


class Operation(BaseModel):
    operation: Optional["OperationOperation"]


OperationOperation = OperationPage
