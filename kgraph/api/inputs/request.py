"""A workload as somebody asks for it."""

from __future__ import annotations

from typing import TypeVar

import strawberry

from kgraph.api.describe import input_type, optional, plain
from kgraph.api.enums import EvidenceLevel
from kgraph.api.errors import BadArgumentError
from kgraph.api.scalars import BigInt
from kgraph.catalog import ResolveRequest
from kgraph.policy import MatchRequest, TensorRequest

T = TypeVar("T")

MAX_ITEMS = 50
"""Most axes, tensors, dtypes or licences of one request; real operations have fewer than 20."""

MAX_REQUESTS = 100
"""Most workloads resolved at once; a model has fewer distinct shapes."""


@input_type
class AxisInput:
    """The size of one axis."""

    name: str = plain("Name of the axis, as the operation declares it.")
    value: BigInt = plain("Its size, 1 or more.")


@input_type
class TensorInput:
    """What is asked of one tensor; what is left out may be anything."""

    name: str = plain("Name of the operand.")
    shape: list[BigInt] | None = optional("Sizes, outermost first.")
    dtype: str | None = optional("Element type, as `bf16`.")
    layout: str | None = optional("Memory layout.")


@input_type
class SoftwareInput:
    """Software that must be in use."""

    name: str = plain("What it is, as `cuda`.")
    version: str | None = optional("Its version; any where left out.")


@input_type
class ResolveInput:
    """A workload on a device, and what would be accepted as an answer."""

    operation: str = plain("Slug, alias or digest of an operation, or slug of a family.")
    axes: list[AxisInput] | None = optional("Sizes of axes; what is left out may be anything.")
    dtypes: list[str] | None = optional("Element types that must all occur, as `bf16`.")
    tensors: list[TensorInput] | None = optional("What is asked of single tensors.")
    hardware: str | None = optional("Product, device string or architecture; any where left out.")
    software: list[SoftwareInput] | None = optional("Software that must be in use.")
    minimum_evidence: EvidenceLevel | None = optional("Weakest evidence level that is accepted.")
    licenses: list[str] | None = optional(
        "SPDX identifiers, any of which is accepted; all, unknown ones included, where left out."
    )
    languages: list[str] | None = optional(
        "Languages, any of which is accepted; all where left out."
    )
    deployable: bool | None = optional("Whether only what can be used today is accepted.")
    permissive: bool | None = optional("Whether only what has a permissive licence is accepted.")
    installable: bool | None = optional("Whether only what has an install recipe is accepted.")


def compile_request(given: ResolveInput, argument: str = "input") -> ResolveRequest:
    """The request that the catalogue understands.

    Args:
        argument: where it was given, for errors.

    Raises:
        BadArgumentError: an axis is given twice or below 1, or a list is too long.
    """
    axes, tensors, software = _list(given.axes), _list(given.tensors), _list(given.software)
    dtypes, licenses = _list(given.dtypes), _list(given.licenses)
    languages = _list(given.languages)
    for name, items in (
        ("axes", axes),
        ("tensors", tensors),
        ("software", software),
        ("dtypes", dtypes),
        ("licenses", licenses),
        ("languages", languages),
    ):
        if len(items) > MAX_ITEMS:
            raise BadArgumentError(
                f"{argument}.{name}", f"found {len(items)} items, expected at most {MAX_ITEMS}"
            )
    names = [axis.name for axis in axes]
    for number, axis in enumerate(axes):
        if axis.value < 1:
            raise BadArgumentError(
                f"{argument}.axes[{number}].value", f"found {axis.value}, expected 1 or more"
            )
        if axis.name in names[:number]:
            raise BadArgumentError(
                f"{argument}.axes[{number}].name", f"found {axis.name!r} twice, expected once"
            )
    return ResolveRequest(
        operation=given.operation,
        match=MatchRequest(
            axes=tuple((axis.name, int(axis.value)) for axis in axes),
            dtypes=tuple(dtypes),
            tensors=tuple(_compile_tensor(tensor) for tensor in tensors),
            hardware=given.hardware or None,
            software=tuple((item.name, item.version or "") for item in software),
        ),
        minimum_evidence=given.minimum_evidence or EvidenceLevel.REPORTED,
        licenses=tuple(licenses),
        languages=tuple(languages),
        is_deployable=given.deployable is True,
        is_permissive=given.permissive is True,
        is_installable=given.installable is True,
    )


def compile_requests(given: list[ResolveInput]) -> list[ResolveRequest]:
    """The requests that the catalogue understands, in order.

    Raises:
        BadArgumentError: they are more than 100, or one of them means nothing.
    """
    if len(given) > MAX_REQUESTS:
        raise BadArgumentError(
            "inputs", f"found {len(given)} items, expected at most {MAX_REQUESTS}"
        )
    return [compile_request(one, f"inputs[{number}]") for number, one in enumerate(given)]


def _compile_tensor(given: TensorInput) -> TensorRequest:
    return TensorRequest(
        name=given.name,
        shape=tuple(int(size) for size in given.shape) if given.shape else None,
        dtype=given.dtype or None,
        layout=given.layout or None,
    )


def _list(given: list[T] | None) -> list[T]:
    return [] if given is None or given is strawberry.UNSET else given
