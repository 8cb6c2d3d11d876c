"""Pages of a GraphQL connection in, one sheet out: CSV, Parquet or Arrow, typed by the schema."""

from kgraph.sheet.column import Column, Kind
from kgraph.sheet.plan import SheetError, SheetPlan, plan_sheet
from kgraph.sheet.writer import FORMS, Form, SheetOptions, SheetWriter, make_writer

__all__ = [
    "FORMS",
    "Column",
    "Form",
    "Kind",
    "SheetError",
    "SheetOptions",
    "SheetPlan",
    "SheetWriter",
    "make_writer",
    "plan_sheet",
]
