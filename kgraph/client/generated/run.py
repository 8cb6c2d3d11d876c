from typing import Optional

from .base_model import BaseModel
from .fragments import RunPage


class Run(BaseModel):
    run: Optional["RunRun"]


RunRun = RunPage
