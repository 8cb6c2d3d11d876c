from .base_model import BaseModel
from .fragments import CatalogState


class Catalog(BaseModel):
    catalog: "CatalogCatalog"


CatalogCatalog = CatalogState
