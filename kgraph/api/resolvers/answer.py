"""Root fields that answer a question of one kind each, beyond a thing by its name."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import strawberry

from kgraph.api.connection import build_connection, naming_cursor
from kgraph.api.context import Info
from kgraph.api.enums import SearchKind, ServingObjective
from kgraph.api.errors import BadArgumentError
from kgraph.api.inputs.order import SearchOrder
from kgraph.api.inputs.request import ResolveInput, compile_requests
from kgraph.api.resolvers.page import SlugArgument, ask_list, with_arguments
from kgraph.api.resolvers.question import FIRST_PAGE
from kgraph.api.types.comparison import Comparison
from kgraph.api.types.hardware import HardwareProduct
from kgraph.api.types.project import Project
from kgraph.api.types.question import ParsedQuery, QueryAnswer
from kgraph.api.types.regression import Regression
from kgraph.api.types.resolution import Resolution
from kgraph.api.types.search import SearchHit, SearchHitConnection
from kgraph.api.types.serving import (
    RankedServingRun,
    ServingRankingConnection,
    ServingRun,
    UnrankedServingRun,
)
from kgraph.catalog import ComparisonError, UnknownLineageError, slice_sequence
from kgraph.digest import BadDigestError, parse_spec_digest
from kgraph.policy import ServingStanding
from kgraph.vocab import CohortKey, Slug

MAX_COHORTS = 100
"""Most cohorts that a regression view is limited to."""

MAX_THRESHOLD = 10.0
"""Largest threshold: a value eleven times worse would count as unchanged."""

MAX_UNRANKED = 100
"""Most serving runs without a standing that are listed."""

MAX_TEXT = 1024
"""Longest name that is looked for; longer ones are no names."""


async def _load_hits(
    info: Info,
    query: str,
    kinds: list[SearchKind] | None = None,
    **given: Any,  # noqa: ANN401 - a list's arguments
) -> SearchHitConnection:
    asked, wanted, context = ask_list(info.context, **given), kinds or [], info.context
    with naming_cursor(asked.page):
        found = await context.worker.run(
            lambda: context.catalog.search(
                query, list(dict.fromkeys(wanted)), asked.page, asked.order
            )
        )
    return build_connection(SearchHitConnection, found, SearchHit.from_fact)


resolve_search = with_arguments(
    _load_hits,
    SearchHitConnection,
    order=SearchOrder,
    order_argument=strawberry.argument(
        name="orderBy",
        description="How to sort them, first field first, at most 3; how exact they are where left "
        "out, and within ties.",
    ),
    query=(
        Annotated[
            str, strawberry.argument(description="What to look for; 200 characters are read.")
        ],
        inspect.Parameter.empty,
    ),
    kinds=(
        Annotated[
            list[SearchKind] | None,
            strawberry.argument(description="What is looked for; everything where left out."),
        ],
        None,
    ),
)


async def resolve_ask(
    info: Info,
    query: Annotated[
        str,
        strawberry.argument(
            description="As `rmsnorm gpu:H100 dtype:bf16 hidden=4096 license:permissive`."
        ),
    ],
) -> QueryAnswer:
    """What one line in the query language is understood as, and the answer to that."""
    context = info.context
    fact = await context.worker.run(lambda: context.catalog.answer_query(query, FIRST_PAGE))
    return QueryAnswer(
        query=ParsedQuery.from_fact(fact.query),
        choices=[SearchHit.from_fact(hit) for hit in fact.choices],
        chosen=None if fact.chosen is None else SearchHit.from_fact(fact.chosen),
        resolution=None
        if fact.resolution is None
        else context.loaders.make_resolution(fact.resolution),
        fact=fact,
    )


async def resolve_requests(
    info: Info,
    inputs: Annotated[
        list[ResolveInput], strawberry.argument(description="What is asked for, at most 100.")
    ],
) -> list[Resolution]:
    """How each request for a workload is answered, in order."""
    found = info.context.loaders.resolutions.load_many(compile_requests(inputs))
    return found if isinstance(found, list) else await found


async def resolve_compare(
    info: Info,
    refs: Annotated[
        list[str],
        strawberry.argument(
            description="2 to 8 different runs, each by spec digest, object id or a unique prefix."
        ),
    ],
) -> Comparison:
    """Runs field by field."""
    context = info.context
    try:
        fact = await context.worker.run(lambda: context.catalog.compare_runs(refs))
    except ComparisonError as error:
        raise BadArgumentError("refs", f"found {error.found}, expected {error.expected}") from error
    except BadDigestError as error:
        problem = f"found {error.text[:90]!r}, expected {error.expected}"
        raise BadArgumentError("refs", problem) from error
    return Comparison.from_fact(fact)


async def resolve_hardware_product(
    info: Info,
    product: Annotated[
        str,
        strawberry.argument(
            description="A product, with or without its maker or form factor, as `H100`."
        ),
    ],
) -> HardwareProduct | None:
    """What is known of one product."""
    context = info.context
    if len(product) > MAX_TEXT:
        return None
    fact = await context.worker.run(lambda: context.catalog.find_hardware_page(product))
    return None if fact is None else HardwareProduct.from_fact(fact)


async def resolve_project(info: Info, slug: SlugArgument) -> Project | None:
    """A project by slug."""
    return await info.context.loaders.projects.load(Slug(slug))


async def resolve_regression(
    info: Info,
    *,
    operation: Annotated[
        str, strawberry.argument(description="Slug, alias, spec digest or a unique prefix of one.")
    ],
    implementation: Annotated[
        str,
        strawberry.argument(
            description="A title, `project/title`, or a digest of any revision of it."
        ),
    ],
    threshold: Annotated[
        float,
        strawberry.argument(
            description="Share by which a value may differ and count as unchanged, 0 to 10."
        ),
    ] = 0.05,
    version: Annotated[
        str | None,
        strawberry.argument(
            description="The version that is asked about; the newest measured where left out."
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        strawberry.argument(
            description="The version to compare it with; the one before it where left out."
        ),
    ] = None,
    cohorts: Annotated[
        list[str] | None,
        strawberry.argument(
            description="Cohort keys to look at, at most 100; all where left out or empty."
        ),
    ] = None,
) -> Regression:
    """One implementation over its revisions and dates."""
    if not 0 <= threshold <= MAX_THRESHOLD:
        raise BadArgumentError("threshold", f"found {threshold:g}, expected 0 to 10")
    if len(cohorts or ()) > MAX_COHORTS:
        problem = f"found {len(cohorts or ())} keys, expected at most {MAX_COHORTS}"
        raise BadArgumentError("cohorts", problem)
    keys = [_parse_cohort(f"cohorts[{number}]", text) for number, text in enumerate(cohorts or ())]
    for name, text in (("operation", operation), ("implementation", implementation)):
        if len(text) > MAX_TEXT:
            raise BadArgumentError(name, f"found {len(text)} characters, expected a name")
    context = info.context
    try:
        fact = await context.worker.run(
            lambda: context.catalog.find_regression(
                operation,
                implementation,
                threshold=threshold,
                cohorts=keys,
                version=version,
                baseline=baseline,
            )
        )
    except UnknownLineageError as error:
        problem = f"found {error.found[:90]!r}, expected {error.expected}"
        raise BadArgumentError(error.argument, problem) from error
    return Regression.from_fact(fact)


async def _load_serving_ranking(
    info: Info,
    cohort: str,
    objective: ServingObjective,
    **given: Any,  # noqa: ANN401 - likewise
) -> ServingRankingConnection | None:
    page, key = ask_list(info.context, **given).page, _parse_cohort("cohort", cohort)
    context = info.context
    found = await context.worker.run(lambda: context.catalog.rank_serving_cohort(key, objective))
    if found is None:
        return None
    ranking, runs = found.ranking, found.runs

    def build(standing: ServingStanding) -> RankedServingRun:
        return RankedServingRun(
            rank=standing.rank,
            tied=standing.is_tied,
            position=standing.position,
            value=standing.value,
            statistic=standing.statistic,
            ratio_to_leader=standing.ratio_to_leader,
            run=ServingRun.from_fact(runs[standing.run]),
        )

    extra = {
        "objective": ranking.objective,
        "policy": ranking.policy,
        "direction": ranking.direction,
        "unit": ranking.unit,
        "unranked_count": len(ranking.unranked),
        "unranked": [
            UnrankedServingRun(run=ServingRun.from_fact(runs[one.run]), reasons=list(one.reasons))
            for one in ranking.unranked[:MAX_UNRANKED]
        ],
    }
    with naming_cursor(page):
        shown = slice_sequence(
            ranking.standings, page, (context.catalog.snapshot, "serving", key, objective)
        )
    return build_connection(ServingRankingConnection, shown, build, extra)


# A ranking is an order: it takes no other.
resolve_serving_ranking = with_arguments(
    _load_serving_ranking,
    ServingRankingConnection | None,
    cohort=(
        Annotated[
            str,
            strawberry.argument(description="The `cohortKey` of its runs, written out in full."),
        ],
        inspect.Parameter.empty,
    ),
    objective=(
        Annotated[
            ServingObjective, strawberry.argument(description="What its runs are compared by.")
        ],
        inspect.Parameter.empty,
    ),
)


def _parse_cohort(argument: str, text: str) -> CohortKey:
    try:
        return CohortKey(parse_spec_digest(text))
    except BadDigestError as error:
        raise BadArgumentError(
            argument, f"found {text[:90]!r}, expected {error.expected}"
        ) from error
