"""Freshness, licences and deployability."""

from __future__ import annotations

from datetime import timedelta

import pytest
from policy_facts import START, digest_of, make_implementation

from kgraph.facts import ProjectFact
from kgraph.policy import (
    conclude_license,
    has_public_source,
    is_permissive,
    is_stale,
    judge_deployability,
)
from kgraph.vocab import DeployabilityReason, Slug

REPOSITORY = "https://github.com/linkedin/Liger-Kernel"


def test_an_observation_is_stale_after_more_than_180_days() -> None:
    assert not is_stale(START, START + timedelta(days=180))
    assert is_stale(START, START + timedelta(days=180, seconds=1))


@pytest.mark.parametrize(
    ("declared", "concluded", "expected", "reason"),
    [
        ("BSD-2-Clause", None, "BSD-2-Clause", "SPDX_DECLARED"),
        ("bsd-2-clause", None, "BSD-2-Clause", "SPDX_DECLARED"),
        (" mit or APACHE-2.0 ", None, "MIT OR Apache-2.0", "SPDX_DECLARED"),
        ("(MIT AND ISC) OR GPL-2.0", None, "(MIT AND ISC) OR GPL-2.0-only", "SPDX_DECLARED"),
        ("Apache License", "apache-2.0", "Apache-2.0", "SPDX_CONCLUDED"),
        (
            "apache-2.0 with llvm-exception",
            None,
            "Apache-2.0 WITH LLVM-exception",
            "SPDX_DECLARED",
        ),
        (None, None, None, "NOT_STATED"),
        ("  ", "", None, "NOT_STATED"),
        ("Apache 2.0", None, None, "NOT_SPDX"),
        ("BSD", None, None, "NOT_SPDX"),
        ("MIT AND", None, None, "NOT_SPDX"),
        ("MIT", "in-house terms", None, "NOT_SPDX"),
        ("MIT", "NOASSERTION", None, "NOT_ASSERTED"),
        ("none", None, None, "NOT_ASSERTED"),
        ("LicenseRef-Reciprocity-1.0", None, None, "OUTSIDE_SPDX_LIST"),
        ("MIT AND LicenseRef-scancode-public-domain", None, None, "OUTSIDE_SPDX_LIST"),
        ("MIT" + " OR MIT" * 100, None, None, "NOT_SPDX"),
    ],
)
def test_a_licence_is_concluded_only_from_valid_spdx(
    declared: str | None, concluded: str | None, expected: str | None, reason: str
) -> None:
    conclusion = conclude_license(declared, concluded)

    assert conclusion.declared == declared
    assert conclusion.concluded == expected
    assert conclusion.reason == reason


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        ("MIT", True),
        ("bsd-3-clause", True),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        ("(MIT AND Apache-2.0) OR GPL-3.0-only", True),
        ("AGPL-3.0-only", False),
        ("NOASSERTION", False),
        ("LicenseRef-Anything", False),
        ("permissive", False),
        ("", False),
        (None, False),
    ],
)
def test_only_known_permissive_terms_are_permissive(expression: str | None, verdict: bool) -> None:
    assert is_permissive(expression) is verdict


def test_an_implementation_with_source_recipe_and_licence_is_deployable() -> None:
    implementation = make_implementation(
        repository=REPOSITORY,
        install_command='pip install "liger-kernel==0.5.10"',
        license_declared="BSD-2-Clause",
    )

    verdict = judge_deployability(implementation)

    assert verdict.is_deployable
    assert verdict.reasons == ()


def test_what_is_missing_is_named() -> None:
    verdict = judge_deployability(make_implementation(source_content_digest="sha256:00"))

    assert not verdict.is_deployable
    assert verdict.reasons == (
        DeployabilityReason.NO_PUBLIC_SOURCE,
        DeployabilityReason.NO_INSTALL_RECIPE,
        DeployabilityReason.LICENSE_UNKNOWN,
    )


def test_a_baseline_without_recipe_lacks_the_recipe_alone() -> None:
    project = ProjectFact(
        digest_of("pytorch"), Slug("pytorch"), "PyTorch", "https://github.com/pytorch/pytorch", None
    )
    baseline = make_implementation(
        is_baseline=True, project=project, license_declared="BSD-3-Clause"
    )

    verdict = judge_deployability(baseline)

    assert verdict.reasons == (DeployabilityReason.NO_INSTALL_RECIPE,)


@pytest.mark.parametrize(
    ("address", "is_public"),
    [
        (REPOSITORY, True),
        ("http://example.org/kernel.py", True),
        ("git@github.com:linkedin/Liger-Kernel.git", False),
        ("file:///home/me/kernel.py", False),
        ("https://", False),
        ("https://[", False),
        (None, False),
    ],
)
def test_a_public_source_is_a_web_address(address: str | None, is_public: bool) -> None:
    assert has_public_source(make_implementation(source_url=address)) is is_public
    assert has_public_source(make_implementation(repository=address)) is is_public
