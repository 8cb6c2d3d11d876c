"""Code that computes an operation, and the projects that hold it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgraph.digest import SpecDigest
    from kgraph.vocab import Slug


@dataclass(frozen=True, slots=True)
class ProjectFact:
    """A software project that holds implementations."""

    digest: SpecDigest
    slug: Slug
    name: str
    repository: str | None
    homepage: str | None


@dataclass(frozen=True, slots=True)
class ImplementationFact:
    """One revision of code that computes an operation."""

    digest: SpecDigest
    operation_digest: SpecDigest
    name: str
    title: str
    description: str | None
    language: str
    version: str | None
    """The revision as its source names it: a release, or a commit; None where unknown."""
    commit: str | None
    repository: str | None
    """Of the revision itself, not of its project."""
    project: ProjectFact | None
    license_declared: str | None
    license_concluded: str | None
    """As the manifest states it; what policy concludes is a verdict."""
    install_kind: str | None
    install_command: str | None
    source_content_digest: str | None
    """Digest of the exact source bytes; None where they are not identified."""
    source_url: str | None
    is_baseline: bool
    """Whether its source labels it `role: baseline`."""
    architectures: tuple[str, ...]
    dtypes: tuple[str, ...]
    authors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImplementationVerdict:
    """What policy says of one implementation on its own."""

    digest: SpecDigest
    license: str | None
    """The concluded SPDX expression; None where none can be concluded."""
    is_permissive: bool
    is_deployable: bool
