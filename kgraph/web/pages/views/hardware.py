"""The page of a product: what is known of it and the records that stand on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.web.pages.ask import PageMissingError
from kgraph.web.pages.links import hardware_slug
from kgraph.web.pages.views.names import load_products
from kgraph.web.pages.views.shown import PAGE_SIZE, Shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.web.pages.ask import Asked, Data


async def show_hardware(asked: Asked) -> Shown:
    """The page of the product that the path names, by its name or the slug of it.

    Raises:
        PageMissingError: nothing is measured on such a product.
    """
    slug = hardware_slug(asked.name)
    products = await load_products(asked)
    product = next((one for one in products if hardware_slug(one) == slug), None)
    if product is None:
        raise PageMissingError("hardware", asked.name)
    variables: Data = {"product": product, "first": PAGE_SIZE, "after": asked.given("after")}
    data = await asked.ask("hardware", variables)
    device = data["hardware"]["nodes"][0]
    count = data["records"]["totalCount"]
    return Shown(
        template="hardware.html",
        document="hardware",
        variables=variables,
        data=data,
        title=product,
        description=(
            f"{product}: {count:,} records of GPU kernels in {device['familyCount']:,} families, "
            f"from {device['eligibleRunCount']:,} eligible runs."
        ),
        path=asked.links.hardware(product),
        extra={"device": device, "variants": _list_variants(data["cohorts"]["nodes"])},
    )


def _list_variants(cohorts: Sequence[Data]) -> tuple[Data, ...]:
    """Each form factor once, with its datasheet where one is known."""
    found: dict[str, Data] = {}
    for cohort in cohorts:
        hardware = cohort["environment"]["hardware"]
        name = hardware["formFactor"] or ""
        sheet = cohort["headroom"] and cohort["headroom"]["hardwareSource"]
        known = found.setdefault(name, {"hardware": hardware, "sheet": sheet})
        known["sheet"] = known["sheet"] or sheet
    return tuple(found[name] for name in sorted(found))
