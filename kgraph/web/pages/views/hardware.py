"""The page of a product: its datasheet, what is measured on it and the records that stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.web.pages.ask import PageMissingError, PageMovedError
from kgraph.web.pages.links import hardware_slug
from kgraph.web.pages.views.shown import PAGE_SIZE, Shown

if TYPE_CHECKING:
    from kgraph.web.pages.ask import Asked, Data

# Longer than any product's name; nothing longer is asked for.
_MAX_NAME = 100


async def show_hardware(asked: Asked) -> Shown:
    """The page of the product that the path names, with or without its maker.

    Raises:
        PageMissingError: no product is known by the name, or several are.
        PageMovedError: the path names it in another way than its address does.
    """
    named = await asked.ask("product", {"text": asked.name[:_MAX_NAME]})
    if named["hardwareProduct"] is None:
        raise PageMissingError("hardware", asked.name)
    product = named["hardwareProduct"]["product"]
    if asked.name != hardware_slug(product):
        raise PageMovedError(asked.links.hardware(product, **dict(asked.query)))
    variables: Data = {"product": product, "first": PAGE_SIZE, "after": asked.given("after")}
    data = await asked.ask("hardware", variables)
    device = data["hardwareProduct"]
    return Shown(
        template="hardware.html",
        document="hardware",
        variables=variables,
        data=data,
        title=product,
        description=_describe(device, data["records"]["totalCount"]),
        path=asked.links.hardware(product),
        extra={"device": device, "measured": device["measured"]},
    )


def _describe(device: Data, record_count: int) -> str:
    measured = device["measured"]
    if measured is None:
        return f"{device['product']}: datasheet figures; nothing is measured on it yet."
    return (
        f"{device['product']}: {record_count:,} records of GPU kernels in "
        f"{measured['familyCount']:,} families, from {measured['eligibleRunCount']:,} eligible "
        "runs."
    )
