from .base_model import BaseModel
from .fragments import ResolutionAnswer


class Resolve(BaseModel):
    resolve: "ResolveResolve"


ResolveResolve = ResolutionAnswer
