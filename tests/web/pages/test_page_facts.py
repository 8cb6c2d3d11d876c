"""Every fact of the two reference pages, on pages of the starter catalogue."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from page_catalogs import COSINE, starter
from page_html import Reading, read_page

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 100_000


def get(path: str, status: int = 200) -> httpx.Response:
    response = starter().send("GET", path)
    assert response.status_code == status, response.text[:500]
    return response


def look(path: str) -> Reading:
    reading = read_page(get(path).text)
    assert reading.faults == []
    return reading


def find_run(tokens: int, implementation: str) -> str:
    document = """query ($slug: String!) { operation(slug: $slug) { workloads(first: 50) { nodes {
        axes { name value } cohorts { protocol { timedPass }
        ranking(first: 10) { nodes { run { digest implementation { title } } } } } } } } }"""
    nodes = starter().data(document, {"slug": COSINE})["operation"]["workloads"]["nodes"]
    for workload in nodes:
        if {"name": "tokens", "value": tokens} not in workload["axes"]:
            continue
        for cohort in workload["cohorts"]:
            for entry in cohort["ranking"]["nodes"]:
                run = entry["run"]
                if cohort["protocol"]["timedPass"] == "FORWARD" and (
                    run["implementation"]["title"] == implementation
                ):
                    return str(run["digest"])
    raise AssertionError(implementation)


def test_an_operation_says_what_the_reference_page_says() -> None:
    page = look(f"/o/{COSINE}")

    page.has(
        "Chunked distillation cosine loss",
        "16 eligible runs",
        "Cosine similarity loss",
        # Fastest
        "Fastest reported · usable today",
        "13.8 ms Liger",
        "1.19× faster than the baseline",
        "Liger-Kernel · BSD-2-Clause · triton",
        "Reported by its source; not independently reproduced.",
        "Observed 2025-06-27 stale",
        'pip install "liger-kernel==0.5.10"',
        # By language
        "triton Liger 13.8 ms #1",
        "python PyTorch eager 16.5 ms 1.19×",
        # Records
        "vocab = 128256 · hidden = 4096 · tokens = 8192 · bf16",
        "Not measured for any of these workloads on NVIDIA B200",
        "NVIDIA H100",
        # The comparison
        "Source-native comparison · 2 results",
        "ranking-v1",
        "Liger-Kernel benchmark scripts · forward pass",
        "median latency",
        "PyTorch eager baseline",
        "16.5 ms 1.19× baseline BSD-3-Clause no install recipe Reported",
        # Floor
        "779.1 µs headroom-v1",
        "17.75× the floor",
        "memory bandwidth",
        "5.2 ms headroom-v2",
        "An estimate, not evidence",
        "Every declared input and output tensor crosses device memory exactly once.",
        "2,039 GB/s",
        "NVIDIA A100 Tensor Core GPU datasheet",
        # Scaling and history
        "Scaling by tokens",
        "Record history",
        "1 record change",
        # Semantics
        "student_input float [tokens, student_hidden] in",
        "target int64 [tokens] in",
        "loss float [1] out",
        "student_hidden = hidden // 2",
        "Determinism unspecified",
        "no mutation or aliasing",
        # Identity, sources, citation
        "sha256:3afad1b6dfc5",
        "Liger-Kernel benchmarks BSD-2-Clause · last observed 2025-06-27",
        "(accessed 2026-",
        "how records are decided",
    )
    assert page.address("source") == "https://github.com/linkedin/Liger-Kernel"


def test_a_run_says_what_the_reference_page_says() -> None:
    digest = find_run(4096, "PyTorch eager")

    page = look(f"/r/{digest}")

    page.has(
        "Primary measurement 59.2 ms median latency",
        "Rank 2 of 2 in its comparison",
        "Source-native comparison · observed 2025-06-27 stale",
        "ms_50",
        "Against #1",
        "vocab = 128256 · hidden = 4096 · tokens = 4096 · bf16",
        "distill_cosine_loss/forward/torch/nvidia-a100-sxm4-80gb",
        "Liger-Kernel benchmarks",
        "Marked passed by the source; the correctness policy was not published.",
        "teacher_weight tensor bf16 [128256, 4096]",
        "target tensor int64 [4096]",
        "student_input tensor bf16 [4096, 2048]",
        "hidden axis integer 4096",
        "comparator: not_asserted",
        "latency p20",
        "latency p80",
        "Harness Liger-Kernel benchmark scripts",
        "Timer cuda_events",
        "Primary statistic median",
        "Comparability liger_kernel_bench",
        "NVIDIA A100 sm_80",
        "No artifacts are published with this run.",
        "No attestations yet.",
        "never changes its evidence level",
        "Takes part in ranking under ranking-v1",
        '"externalId"',
        '"kind": "ExecutionEnvironment"',
        "@misc{kgraph-",
        f"Run {digest}",
        "All results for Chunked distillation cosine loss",
    )


def test_the_staircase_and_the_scaling_plot_hold_their_values() -> None:
    text = get(f"/o/{COSINE}").text

    drawn = re.findall(r"<svg class=\"chart\".*?</svg>", text, re.S)
    assert len(drawn) == 2
    history, scaling = drawn
    assert "<title>2025-06-27: 13.8 ms, Liger</title>" in history
    assert "<title>Liger: 13.8 ms at tokens = 1,024</title>" in scaling
    assert "<title>estimated floor: 5.2 ms at tokens = 1,024</title>" in scaling
    assert 'class="floor"' in scaling
    for one in drawn:
        assert 'role="img"' in one
        assert "<desc" in one
    # The same values as tables, for those who cannot point.
    page = read_page(text)
    page.has("tokens Liger PyTorch eager floor (estimate) 1,024 13.8 ms 16.5 ms 5.2 ms")


def test_a_cell_of_the_records_leads_to_its_comparison() -> None:
    page = look(f"/o/{COSINE}")
    address = page.address("111.4 ms")
    assert address.startswith(f"/o/{COSINE}?cohort=sha256:")

    picked = look(address.partition("#")[0])

    picked.has("tokens = 8192", "full pass", "111.4 ms 1.00×")
    assert picked.link("canonical").endswith(address.partition("#")[0])


def test_a_workload_lists_comparisons_and_runs() -> None:
    page = look(f"/o/{COSINE}")
    address = page.address("vocab = 128256 · hidden = 4096 · tokens = 1024 · bf16")
    moved = get(address, 302)
    # Short addresses in tables lead to the one that lasts.
    assert re.fullmatch(r"/w/sha256:[0-9a-f]{64}", moved.headers["location"])

    workload = look(moved.headers["location"])

    workload.has(
        "NVIDIA A100 SXM4-80GB",
        "13.8 ms Liger triton 1.19× faster 2.67×",
        "Not measured for this workload on NVIDIA B200",
        "teacher_weight bf16 [128256, 4096]",
        "Outputs not asserted",
    )
    assert workload.text.count("Liger-Kernel benchmark scripts") >= 4


def test_hardware_shows_its_datasheet_and_its_records() -> None:
    page = look("/hardware/nvidia-a100")

    page.has(
        "400 runs",
        "SXM4-80GB sm_80 80 GB 2,039 GB/s 40.0 MiB 400 W",
        "NVIDIA A100 Tensor Core GPU datasheet",
        "bf16",
        "312.0",
        "Chunked distillation cosine loss",
        "13.8 ms Liger triton 2.67×",
        "Records by project",
        "Liger-Kernel",
    )
    for other in ("NVIDIA%20A100", "a100", "A100%20SXM"):
        moved = get(f"/hardware/{other}", 302)
        assert moved.headers["location"] == "/hardware/nvidia-a100"


def test_hardware_that_nothing_is_measured_on_shows_its_datasheet() -> None:
    page = look("/hardware/nvidia-h200")

    page.has("Nothing is measured on it yet.", "4,800 GB/s", "No record stands on this hardware.")


def test_records_can_be_narrowed() -> None:
    everything = look("/records")
    everything.has("726 records stand", "By hardware", "How records are decided", "Latest changes")

    narrowed = look("/records?family=cosine-similarity-loss&hardware=NVIDIA+A100")

    narrowed.has("8 records stand for family cosine-similarity-loss, hardware NVIDIA A100")
    none = look("/records?family=no-such-family")
    none.has("No record stands that meets all of this.")


def test_a_list_leads_to_its_next_page() -> None:
    first = look("/records")
    second = look(first.address("Next page"))

    assert second.address("First page") == "/records"
    assert second.text != first.text


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("cosine", "Chunked distillation cosine loss"),
        ("cosine", "cosine-similarity-loss 16 runs"),
        ("loss distillation", "Chunked distillation cosine loss"),
        ("a100", "NVIDIA A100 400 runs"),
        ("rms-norm", "liger-rms-norm"),
        ("megatron-core", "Megatron-Core"),
        ("rmsnrom", "rmsnorm nearly"),
    ],
)
def test_a_search_finds_what_is_called_so(words: str, found: str) -> None:
    look(f"/search?q={words}").has(found)


def test_a_line_that_names_a_workload_is_answered() -> None:
    page = look("/search?q=cosine+gpu:A100+tokens%3D1024+pass")
    page.has("Understood as")

    page = look("/search?q=cosine+gpu:A100+tokens%3D1024")

    page.has(
        "Understood as cosine gpu:A100 tokens=1024, family cosine-similarity-loss.",
        "Exact match · fastest 13.8 ms Liger",
        'pip install "liger-kernel==0.5.10"',
        "2 of 2 records meet it.",
    )


def test_a_line_that_nothing_measured_answers_names_what_comes_near() -> None:
    page = look("/search?q=liger-rms-norm+hidden%3D3000+gpu:A100")

    page.has("Measured around hidden = 3000:", "Nothing is interpolated.", "axes.hidden: 3000")


def test_a_line_that_is_not_understood_says_why() -> None:
    look("/search?q=foo:bar").has("Understood as nothing", "No key is known as 'foo'")


def test_an_empty_search_says_what_can_be_searched() -> None:
    look("/search").has("rmsnorm gpu:H100 dtype:bf16 hidden=4096")


def test_a_search_for_a_digest_leads_to_its_page() -> None:
    digest = find_run(1024, "Liger")

    for text in (digest, digest.partition(":")[2][:10]):
        assert get(f"/search?q={text}", 302).headers["location"] == f"/r/{digest}"


def test_a_misspelt_search_still_finds_its_name() -> None:
    page = look("/search?q=liger-distil-cosin-los")
    assert page.address("Chunked distillation cosine loss") == f"/o/{COSINE}"

    look("/search?q=qqqq-zzzz").has("Nothing is called so.", "look through all operations")


def test_the_start_leads_to_every_operation_and_device() -> None:
    page = look("/")

    page.has("Runs 1,649", "Operations 35", "NVIDIA GeForce RTX 4090", "Liger-Kernel benchmarks")
    assert sum(href.startswith("/o/") and "cohort" not in href for href, _ in page.links) == 35


def test_every_operation_has_a_sound_page_under_100_kilobytes() -> None:
    slugs = starter().data("{ operations(first: 200) { nodes { slug } } }")["operations"]["nodes"]
    assert len(slugs) == 35

    for one in slugs:
        response = get(f"/o/{one['slug']}")
        assert len(response.content) < MAX_BYTES, one
        assert read_page(response.text).faults == [], one


@pytest.mark.parametrize("path", ["/", "/records", "/hardware/nvidia-h100", "/search?q=liger"])
def test_lists_weigh_less_than_100_kilobytes(path: str) -> None:
    assert len(get(path).content) < MAX_BYTES
