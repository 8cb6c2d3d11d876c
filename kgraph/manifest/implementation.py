"""SoftwareProject and ImplementationRevision: who makes the code, and which code was run."""

from __future__ import annotations

from typing import Literal

from kgraph.manifest.base import Manifest, Part, SharedVersion
from kgraph.manifest.fields import (
    AsSet,
    CommitText,
    Line,
    Long,
    Many,
    NameText,
    Positive,
    Short,
    SpecDigestText,
    Word,
)


class Host(Part):
    """Account that holds a project."""

    kind: Literal["github", "huggingface", "gitlab", "other"]
    """Where the account is."""
    id: Short
    """Name of the account or repository there."""


class Package(Part):
    """A name under which a project is distributed."""

    ecosystem: Word
    """E.g. `pypi`."""
    name: Short
    """Name there."""


class Project(Part):
    """Meaning of a SoftwareProject."""

    name: Short
    """As the project calls itself."""
    kind: Literal["library", "individual", "vendor"] | None = None
    """What stands behind it."""
    repository: Long | None = None
    """Address of its source."""
    homepage: Long | None = None
    """Address of its home page."""
    host: Host | None = None
    """Account that holds it."""
    packages: Many[Package] | None = None
    """Names under which it is distributed."""


class SoftwareProject(Manifest):
    """A library, person or vendor that implementations belong to."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["SoftwareProject"]
    """Always SoftwareProject."""
    spec: Project
    """Meaning."""


class ProjectRevision(Part):
    """Which state of a project."""

    repository: Long | None = None
    """Address of the source."""
    commit: CommitText | None = None
    """Commit that was run."""
    version: Short | None = None
    """Release or submission as its source names it."""
    tree_digest: SpecDigestText | None = None
    """SHA-256 of the source tree."""


class OperationRef(Part):
    """The operation that is implemented."""

    spec_digest: SpecDigestText
    """Spec digest of the OperationSpec."""


class Callable(Part):
    """What is called."""

    language: Word
    """Language of the kernel, e.g. `triton`."""
    path: Line | None = None
    """File within the project."""
    symbol: Short | None = None
    """Function or class name."""
    interface: Word | None = None
    """Calling convention."""


class Support(Part):
    """What the implementation is said to run on. Empty lists mean that nothing is stated."""

    hardware_architectures: AsSet[Word]
    """E.g. `sm_90`."""
    products_tested: AsSet[Short] | None = None
    """Hardware it was run on."""
    axes: AsSet[Short] | None = None
    """Constraints on axes, in words."""
    dtypes: AsSet[Word]
    """Element types."""
    layouts: AsSet[Short] | None = None
    """Memory layouts."""


class SourceFile(Part):
    """The text of the implementation, where it is a single file."""

    content_digest: SpecDigestText
    """SHA-256 of the text."""
    file_name: Short | None = None
    """Name that its author gave it."""
    size_bytes: Positive | None = None
    """Length of the text."""


class Install(Part):
    """How to get the implementation."""

    kind: Literal["git", "pip", "package", "container", "source"]
    """Tool it is got with."""
    repository: Long | None = None
    """Address to fetch from."""
    commit: CommitText | None = None
    """Commit to fetch."""
    package: Short | None = None
    """Name of the package."""
    version: Short | None = None
    """Release of the package."""
    command: Long | None = None
    """One line to type."""


class BuildVariant(Part):
    """One way to build or install."""

    name: NameText
    """E.g. `wheel`."""
    install: Install
    """How to get it."""
    requirements: dict[Word, Short] | None = None
    """What it needs, e.g. a CUDA version."""


class LicenseEvidence(Part):
    """Where a licence was read."""

    path: Line
    """File within the project."""
    digest: SpecDigestText | None = None
    """SHA-256 of that file."""


class Licensing(Part):
    """Terms of use. Empty where nothing is known."""

    declared: Line | None = None
    """As the source writes it."""
    concluded: Line | None = None
    """SPDX expression, where one is certain."""
    evidence: LicenseEvidence | None = None
    """Where it was read."""


class Implementation(Part):
    """Meaning of an ImplementationRevision."""

    project_revision: ProjectRevision
    """Which state of which project."""
    operation: OperationRef
    """What it implements."""
    callable: Callable
    """What is called."""
    support: Support
    """What it is said to run on."""
    source: SourceFile | None = None
    """Its text, where that is a single file."""
    build_variants: Many[BuildVariant] | None = None
    """Ways to get it, the best first."""
    licensing: Licensing
    """Terms of use."""


class ImplementationRevision(Manifest):
    """Exactly which code implements an operation."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["ImplementationRevision"]
    """Always ImplementationRevision."""
    spec: Implementation
    """Meaning."""
