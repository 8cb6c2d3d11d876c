"""Freshness, licences and whether an implementation can be used today; never alters a rank."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kgraph.vocab import DeployabilityReason

if TYPE_CHECKING:
    from datetime import datetime

    from license_expression import Licensing

    from kgraph.facts import ImplementationFact

STALE_AFTER = timedelta(days=180)
"""Age beyond which an observation is shown as stale (`domain.md` §7)."""

PERMISSIVE_LICENSES = frozenset(
    {
        "0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-1-Clause", "BSD-2-Clause",
        "BSD-2-Clause-Patent", "BSD-3-Clause", "BSD-3-Clause-Clear", "BSD-4-Clause", "BSL-1.0",
        "CC0-1.0", "ISC", "MIT", "MIT-0", "NCSA", "PostgreSQL", "PSF-2.0", "Python-2.0",
        "Unlicense", "UPL-1.0", "X11", "Zlib",
    }
)  # fmt: skip
"""SPDX ids whose terms ask for notice at most; no other licence is called permissive."""

# A statement that something was looked at and nothing concluded; valid in an SPDX document in place
# of a licence, but no licence.
_NOT_CONCLUDED = frozenset({"NOASSERTION", "NONE"})

_OUTSIDE_LIST = ("licenseref-", "documentref-")

# Longest expression that is read; real ones stay under 100 characters, and the parser recurses.
_MAX_LENGTH = 400


@dataclass(frozen=True, slots=True)
class LicenseConclusion:
    """What a licence statement amounts to."""

    declared: str | None
    """As the source wrote it."""
    concluded: str | None
    """A valid SPDX expression in its canonical spelling; None where none can be concluded."""
    reason: str
    """SPDX_CONCLUDED, SPDX_DECLARED, NOT_STATED, NOT_ASSERTED, NOT_SPDX or OUTSIDE_SPDX_LIST."""


@dataclass(frozen=True, slots=True)
class Deployability:
    """Whether an implementation can be used today."""

    is_deployable: bool
    reasons: tuple[DeployabilityReason, ...]
    """What keeps it from being used; empty where nothing does."""


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A licence expression that names listed licences only."""

    text: str
    is_permissive: bool


def is_stale(observed_at: datetime, now: datetime) -> bool:
    """Whether the observation lies more than 180 days before `now`."""
    return now - observed_at > STALE_AFTER


def stale_before(now: datetime) -> datetime:
    """Observations before this are stale at `now`: `is_stale`, for many at once."""
    return now - STALE_AFTER


def conclude_license(declared: str | None, concluded: str | None) -> LicenseConclusion:
    """The SPDX expression that a licence statement amounts to, if it does.

    A manifest's own conclusion stands or falls by itself: where it is not SPDX, the declaration is
    not used in its place, since somebody looked and found something else. Without one, a
    declaration that is valid SPDX in any letter case is concluded. A LicenseRef is valid SPDX but
    names terms that this catalogue does not know, so nothing is concluded from it.
    """
    stated = _strip(concluded)
    basis = "SPDX_CONCLUDED"
    if stated is None:
        stated, basis = _strip(declared), "SPDX_DECLARED"
    if stated is None:
        return LicenseConclusion(declared, None, "NOT_STATED")
    if stated.upper() in _NOT_CONCLUDED:
        return LicenseConclusion(declared, None, "NOT_ASSERTED")
    parsed = _parse_expression(stated)
    if parsed is None:
        is_reference = any(prefix in stated.lower() for prefix in _OUTSIDE_LIST)
        return LicenseConclusion(
            declared, None, "OUTSIDE_SPDX_LIST" if is_reference else "NOT_SPDX"
        )
    return LicenseConclusion(declared, parsed.text, basis)


def is_permissive(expression: str | None) -> bool:
    """Whether every way to comply with an SPDX expression leads to a permissive licence's terms.

    Of alternatives one must be permissive, of conjunctions all; an exception only adds permission.
    Unknown and absent licences are not permissive.
    """
    stated = _strip(expression)
    parsed = None if stated is None else _parse_expression(stated)
    return parsed is not None and parsed.is_permissive


def judge_deployability(implementation: ImplementationFact) -> Deployability:
    """Whether the implementation has a public source, an install recipe and a known licence."""
    reasons: list[DeployabilityReason] = []
    if not has_public_source(implementation):
        reasons.append(DeployabilityReason.NO_PUBLIC_SOURCE)
    if _strip(implementation.install_command) is None:
        reasons.append(DeployabilityReason.NO_INSTALL_RECIPE)
    license_ = conclude_license(implementation.license_declared, implementation.license_concluded)
    if license_.concluded is None:
        reasons.append(DeployabilityReason.LICENSE_UNKNOWN)
    return Deployability(not reasons, tuple(reasons))


def has_public_source(implementation: ImplementationFact) -> bool:
    """Whether a public address of the revision, its project or its source leads to the code.

    A content digest alone identifies bytes but leads nowhere.
    """
    project = implementation.project
    addresses = (
        implementation.repository,
        None if project is None else project.repository,
        implementation.source_url,
    )
    return any(_is_web_address(address) for address in addresses)


def _is_web_address(address: str | None) -> bool:
    if address is None:
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc)


def _strip(text: str | None) -> str | None:
    """The text without blanks around it; None where nothing is left."""
    return (text or "").strip() or None


@cache
def _load_licensing() -> Licensing:
    # Imported here: the SPDX list costs tens of milliseconds, spared where no licence is read.
    from license_expression import get_spdx_licensing  # noqa: PLC0415

    return get_spdx_licensing()


@lru_cache(maxsize=1024)
def _parse_expression(text: str) -> _Parsed | None:
    """The expression in canonical spelling; None where it is not one over the SPDX list."""
    from license_expression import ExpressionError  # noqa: PLC0415 - see _load_licensing

    licensing = _load_licensing()
    if len(text) > _MAX_LENGTH:
        return None
    try:
        expression = licensing.parse(text, validate=True, strict=True)
    except ExpressionError:
        return None
    keys = licensing.license_keys(expression)
    # The library knows some LicenseRef keys of one scanner; they are on no SPDX list.
    if any(key.lower().startswith(_OUTSIDE_LIST) for key in keys):
        return None
    return _Parsed(expression.render(), _is_permissive(expression))


def _is_permissive(expression: Any) -> bool:  # noqa: ANN401 - the library ships no types
    """Whether a parsed expression can be met under permissive terms alone."""
    operator = getattr(expression, "operator", None)
    if operator is None:
        # `A WITH B` keeps the licence apart from the exception, which only adds permission.
        symbol = getattr(expression, "license_symbol", expression)
        return symbol.key in PERMISSIVE_LICENSES
    verdicts = [_is_permissive(argument) for argument in expression.args]
    return all(verdicts) if operator.strip() == "AND" else any(verdicts)
