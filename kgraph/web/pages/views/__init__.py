"""What each kind of page shows, arranged from the answer to its document."""

from kgraph.web.pages.views.card import show_card
from kgraph.web.pages.views.hardware import show_hardware
from kgraph.web.pages.views.missing import show_ambiguous, show_missing, show_refused
from kgraph.web.pages.views.operation import show_operation
from kgraph.web.pages.views.records import show_records
from kgraph.web.pages.views.run import show_run
from kgraph.web.pages.views.search import show_search
from kgraph.web.pages.views.shown import Shown
from kgraph.web.pages.views.start import show_start
from kgraph.web.pages.views.workload import show_workload

__all__ = [
    "Shown",
    "show_ambiguous",
    "show_card",
    "show_hardware",
    "show_missing",
    "show_operation",
    "show_records",
    "show_refused",
    "show_run",
    "show_search",
    "show_start",
    "show_workload",
]
