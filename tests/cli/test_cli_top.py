"""`kgraph top`, `history` and `scaling`: answers of the public API, drawn in a terminal."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command import LIGER_CSV
from graphql import parse, validate
from live_server import serve_starter

from kgraph.api import Engine, Limits, Request, build_schema
from kgraph.api.schema import core_of
from kgraph.cli.asking import load_query
from kgraph.cli.terminal import measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from command import Command, Outcome

ROOT = Path(__file__).resolve().parents[2]
QUERIES = sorted(path.stem for path in (ROOT / "kgraph" / "cli" / "queries").glob("*.graphql"))
COSINE = "liger-distill-cosine-loss"
ONE = ("--workload", "tokens=1024", "--protocol", "forward")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the index of the starter catalogue is built once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def starter(kgraph: Command, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("KGRAPH_STORE", str(ROOT / "objects"))
    monkeypatch.setenv("KGRAPH_CACHE", str(cache))
    return kgraph


@pytest.fixture(scope="module")
def server(cache: Path) -> Iterator[str]:
    with serve_starter(cache) as address:
        yield address


@pytest.mark.parametrize("name", QUERIES)
def test_every_document_fits_the_schema(name: str) -> None:
    assert validate(core_of(build_schema()), parse(load_query(name))) == []


def test_every_document_is_within_the_limits_of_a_server() -> None:
    engine = Engine(build_schema(), Limits())
    given = {"name": "x", "ref": "x", "cohort": "x", "slug": "x", "first": 200}

    for name in QUERIES:
        document = load_query(name)
        variables = {key: value for key, value in given.items() if f"${key}:" in document}
        assert engine.weigh(Request(document, variables)) <= Limits().cost
    engine.close()
    assert len(QUERIES) == 8


def test_one_comparison_is_ranked(starter: Command) -> None:
    outcome = starter("top", COSINE, *ONE)

    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert lines[0] == f"Chunked distillation cosine loss · {COSINE}"
    assert lines[1] == "vocab = 128256 · hidden = 4096 · tokens = 1024 · bf16"
    assert "floor 5.2 ms by compute, record at 2.67×" in lines
    heading, first, second = lines[-3:]
    assert heading.split() == [
        *("value", "vs", "best", "vs", "baseline", "implementation", "language", "licence"),
        *("evidence", "observed", "run"),
    ]
    assert first.split()[:6] == ["1", "13.8", "ms", "1.00×", "1.19×", "Liger"]
    assert "baseline" in second


def test_a_ranking_is_that_of_the_api(starter: Command) -> None:
    found = starter("top", COSINE, *ONE, "--json").json()

    cohort = found["cohort"]
    assert found["snapshot"].startswith("blake3:")
    assert cohort["operation"]["slug"] == COSINE
    nodes = cohort["ranking"]["nodes"]
    assert [node["rank"] for node in nodes] == [1, 2]
    assert nodes[0]["value"] == 13_828_096.0
    assert nodes[0]["run"]["implementation"]["install"]["command"].startswith("pip install")


def test_several_comparisons_are_shown_by_their_leaders(starter: Command) -> None:
    outcome = starter("top", COSINE)
    found = starter("top", COSINE, "--json").json()

    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert f"operation {COSINE}" in lines
    assert "workload vocab = 128256 · hidden = 4096 · bf16" in lines
    heading = next(place for place, line in enumerate(lines) if line.startswith("   value"))
    rows = [re.split(r"  +", line.strip()) for line in lines[heading + 1 :]]
    assert [row[:4] for row in rows[:2]] == [
        ["13.8 ms", "Liger", "tokens = 1024", "forward pass"],
        ["27.6 ms", "Liger", "tokens = 2048", "forward pass"],
    ]
    assert found["cohortCount"] == len(found["cohorts"]) == len(rows) == 8


def test_no_more_rows_are_shown_than_asked_for(starter: Command) -> None:
    outcome = starter("top", COSINE, "--first", 3)

    assert outcome.out.count(" ms ") == 3
    assert outcome.err == "kgraph: 5 other comparisons; --first shows more\n"


def test_a_family_is_shown_by_its_operations(starter: Command) -> None:
    found = starter("top", "rmsnorm", "--hardware", "h100", "--first", 200, "--json").json()

    slugs = {cohort["operation"]["slug"] for cohort in found["cohorts"]}
    assert "liger-megatron-rms-norm" in slugs
    assert len(slugs) > 1
    assert {cohort["hardware"]["product"] for cohort in found["cohorts"]} == {"NVIDIA H100"}


def test_without_an_operation_standing_records_are_listed(starter: Command) -> None:
    outcome = starter("top", "--hardware", "A100", "--first", 5)
    found = starter("top", "--hardware", "A100", "--first", 5, "--json").json()

    assert outcome.status == 0
    assert "other records; name an operation" in outcome.err
    assert len(found["nodes"]) == 5
    assert "hardware NVIDIA A100" in outcome.out
    since = [node["since"] for node in found["nodes"]]
    assert since == sorted(since, reverse=True)


def test_a_comparison_is_named_by_its_key_or_its_beginning(starter: Command) -> None:
    key = starter("top", COSINE, *ONE, "--json").json()["cohort"]["key"]

    for name in ((key,), (key.removeprefix("sha256:"),)):
        assert starter("top", "--cohort", *name, "--json").json()["cohort"]["key"] == key
    assert starter("top", COSINE, "--cohort", key[7:15], "--json").json()["cohort"]["key"] == key
    assert starter("history", "--cohort", key, "--json").json()["cohort"]["key"] == key


def test_a_workload_is_named_by_sizes_words_or_digest(starter: Command) -> None:
    found = starter("top", COSINE, *ONE, "--json").json()["cohort"]

    digest = found["workload"]["digest"]
    for text in (
        "tokens=1024",
        "tokens = 1024 · hidden = 4096",
        "tokens=1024,bf16",
        "1024 BF16",
        digest,
        digest[7:19],
    ):
        again = starter("top", COSINE, "--workload", text, "--protocol", "Forward", "--json")
        assert again.status == 0, text
        assert again.json()["cohort"]["key"] == found["key"], text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("top", "liger-distil"),
            f"operation: found no 'liger-distil' here; did you mean {COSINE}",
        ),
        (
            ("history", "rmsnorm"),
            "operation: found no 'rmsnorm' here; did you mean liger-fused-add",
        ),
        (("scaling", "zzzzqqqq"), "operation: found no 'zzzzqqqq' here"),
        (("top", COSINE, "--hardware", "H10"), "found no 'H10' here; did you mean NVIDIA A100?"),
        (
            ("top", COSINE, "--workload", "tokens=7"),
            "found no 'tokens=7' here; did you mean vocab =",
        ),
        (("top", COSINE, "--workload", "abcdef12"), "--workload: found no 'abcdef12' here"),
        (("top", COSINE, "--protocol", "backwards"), "--protocol: found no 'backwards' here; did"),
        (("top", COSINE, "--cohort", "00000000"), "--cohort: found no '00000000' here"),
        (("top", "--cohort", "00000000"), "--cohort: found no '00000000' here"),
        (("top", "--cohort", "0" * 64), "--cohort: found no 'sha256:0000"),
        (("history", "--cohort", "0" * 64), "--cohort: found no 'sha256:0000"),
        (
            ("scaling", COSINE, "--axis", "token"),
            "--axis: found no 'token' here; did you mean tokens?",
        ),
        (
            ("scaling", COSINE, "--hardware", "H100"),
            "--hardware: found no 'H100' here; did you mean",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_name_that_nothing_has_is_answered_with_those_like_it(
    starter: Command, arguments: tuple[str, ...], message: str
) -> None:
    outcome = starter(*arguments)

    assert outcome.status == 1
    assert message in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("history",), "found neither OPERATION nor --cohort"),
        (("scaling",), "Missing argument 'OPERATION'"),
        (("top", "--workload", "tokens=1"), "go with OPERATION"),
        (("top", "--first", "0"), "--first"),
        (("top", "--as-of", "yesterday"), "--as-of: found 'yesterday'"),
        (("top", "--as-of", "2026-01-02T03:04:05"), "--as-of: found '2026-01-02T03"),
        (
            ("top", "--as-of", "2026-01-02", "--snapshot", "blake3:00000000"),
            "--as-of: found beside",
        ),
        (("top", "--server", "http://127.0.0.1:9", "--store", "x"), "--store: found beside"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_usage_is_status_2(
    starter: Command, arguments: tuple[str, ...], message: str
) -> None:
    outcome = starter(*arguments)

    assert outcome.status == 2
    assert message in outcome.err


def test_a_history_is_a_table_and_a_staircase(starter: Command) -> None:
    plain = starter("history", "liger-embedding")
    drawn = starter("history", "liger-embedding", "--plot")
    events = starter("history", "liger-embedding", "--json").json()["cohort"]["history"]["nodes"]

    assert plain.status == drawn.status == 0
    assert "latency over time, lower is better" in drawn.out
    assert drawn.out.count("●") == len(events) == 3
    assert "●" not in plain.out
    rows = [line.split() for line in plain.out.splitlines()[-3:]]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert [event["ordinal"] for event in events] == [1, 2, 3]
    assert "other comparisons; --workload" in plain.err


def test_a_history_of_one_record_has_nothing_to_draw(starter: Command) -> None:
    outcome = starter("history", COSINE, "--plot")

    assert outcome.status == 0
    assert "over time" not in outcome.out
    assert "13.8 ms" not in outcome.out.splitlines()[0]


def test_scaling_is_a_table_with_the_floor_and_a_plot(starter: Command) -> None:
    plain = starter("scaling", COSINE)
    drawn = starter("scaling", COSINE, "--plot")

    assert plain.status == drawn.status == 0
    table = plain.out[plain.out.index("tokens  ") :].splitlines()
    assert table[0].split() == ["tokens", "Liger", "PyTorch", "eager", "floor"]
    assert table[1].split() == ["1024", "*", "13.8", "ms", "16.5", "ms", "5.2", "ms"]
    assert "latency by tokens, both axes logarithmic" in drawn.out
    assert "dashed: the floor" in drawn.out
    assert "⣀" not in plain.out
    assert "kgraph: 1 other sweep; --axis" in plain.err


def test_scaling_tells_where_the_lead_passes_on(starter: Command) -> None:
    outcome = starter("scaling", "liger-megatron-swiglu", "--protocol", "forward pass", "--plot")
    sweep = starter(
        "scaling", "liger-megatron-swiglu", "--protocol", "forward pass", "--json"
    ).json()["sweep"]

    assert "thick on the axis: where the lead passes on" in outcome.out
    told = re.findall(r"between ffn (\d+) and (\d+) the lead passes", outcome.out)
    assert told == [(str(one["below"]), str(one["above"])) for one in sweep["crossovers"]]
    assert told


def test_a_sweep_is_chosen_by_what_it_holds(starter: Command) -> None:
    both = starter("scaling", COSINE, "--json").json()
    full = starter("scaling", COSINE, "--protocol", "full", "--json").json()

    assert len(both["otherSweeps"]) == 1
    assert full["otherSweeps"] == []
    assert "full pass" in full["sweep"]["protocol"]["title"]
    held = starter("scaling", COSINE, "--workload", "hidden=4096 bf16", "--axis", "tokens")
    assert held.status == 0


def test_what_is_measured_at_one_size_alone_does_not_scale(kgraph: Command) -> None:
    rows = LIGER_CSV.read_text(encoding="utf-8").splitlines()
    (kgraph.folder / "one.csv").write_text("\n".join(rows[:2]) + "\n", encoding="utf-8")
    assert kgraph("import", "liger", "one.csv").status == 0
    (slug,) = {
        each["operation"]["slug"]
        for node in kgraph("top", "--json").json()["nodes"]
        for each in [node["cohort"]]
    }

    outcome = kgraph("scaling", slug)

    assert outcome.status == 1
    assert outcome.err == f"kgraph: {slug}: nothing is measured at two sizes of one axis\n"


QUESTIONS = (
    ("top", COSINE, *ONE),
    ("top", COSINE),
    ("top", "--first", "3"),
    ("history", "liger-embedding", "--plot"),
    ("scaling", "liger-megatron-swiglu", "--plot"),
)


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_a_server_gives_the_same_as_its_store(
    starter: Command, server: str, question: tuple[str, ...]
) -> None:
    assert starter(*question, "--server", server) == starter(*question)
    asked, own = (starter(*question, "--json", *more) for more in (("--server", server), ()))
    assert asked.json() == own.json()


def test_an_earlier_state_is_asked_for_by_snapshot_or_day(starter: Command, server: str) -> None:
    now = starter("top", COSINE, *ONE, "--json").json()
    day = starter("log", "--json").json()[0]["publishedAt"]
    pins = (
        ("--snapshot", now["snapshot"]),
        ("--snapshot", now["snapshot"][:20]),
        ("--as-of", day[:10]),
        ("--as-of", day),
    )

    for place in ((), ("--server", server)):
        for pin in pins:
            found = starter("top", COSINE, *ONE, "--json", *pin, *place).json()
            assert found["snapshot"] == now["snapshot"]
        missing = starter("top", "--as-of", "2000-01-01", *place)
        assert missing.status == 1
        assert "2000-01-01" in missing.err


def test_a_server_that_does_not_answer_is_said_so(starter: Command) -> None:
    outcome = starter("top", "--server", "http://127.0.0.1:9")

    assert outcome.status == 1
    assert outcome.err.startswith("kgraph: UNREACHABLE: http://127.0.0.1:9/graphql")


class Terminal:
    """A command run in a pseudo-terminal of some width."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def __call__(self, columns: int, *arguments: str, **variables: str) -> str:
        import fcntl  # noqa: PLC0415 - not on every system
        import pty  # noqa: PLC0415
        import termios  # noqa: PLC0415

        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._cache),
            "KGRAPH_STORE": str(ROOT / "objects"),
            "KGRAPH_CACHE": str(self._cache),
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            **variables,
        }
        program = "import sys; from kgraph.cli import main; main(sys.argv[1:])"
        command = [sys.executable, "-c", program, *arguments]
        child, terminal = pty.fork()
        if child == 0:
            # Nothing of the test goes on in here, whatever happens.
            try:
                os.read(0, 1)
                os.execve(sys.executable, command, environment)  # noqa: S606 - ours
            finally:
                os._exit(70)
        size = struct.pack("HHHH", 50, columns, 0, 0)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
        os.write(terminal, b"\n")
        content = b""
        try:
            while part := os.read(terminal, 65_536):
                content += part
        except OSError:
            # So a pseudo-terminal says that its other side is closed.
            pass
        os.close(terminal)
        _, status = os.waitpid(child, 0)
        assert status == 0, content.decode()
        return content.decode().replace("\r\n", "\n").lstrip("\n")


@pytest.fixture
def on_terminal(starter: Command, cache: Path) -> Terminal:
    assert starter("index", "build").status == 0
    return Terminal(cache)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("columns", [60, 100, 200])
def test_output_follows_the_width_of_the_terminal(on_terminal: Terminal, columns: int) -> None:
    for question in (QUESTIONS[1], *QUESTIONS[3:]):
        arguments = [each for each in question if each != "--plot"]
        shown = on_terminal(columns, *arguments, NO_COLOR="1")
        result = shown.partition("\nkgraph:")[0].splitlines()
        assert all(measure(line) <= columns for line in result), shown
        if "--plot" in question:
            (axis,) = (line for line in result if "└" in line)
            assert columns - 2 <= measure(axis) <= columns


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_colours_are_drawn_on_a_terminal_unless_they_are_not_wanted(on_terminal: Terminal) -> None:
    coloured = on_terminal(80, "scaling", COSINE)
    plain = on_terminal(80, "scaling", COSINE, NO_COLOR="1")
    table = on_terminal(80, "scaling", COSINE, "--no-plot")

    assert "\x1b[94m" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain
    assert "logarithmic" not in table
    assert "\x1b" not in plain + table


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_another_encoding_gets_ascii(on_terminal: Terminal) -> None:
    shown = on_terminal(80, "scaling", COSINE, NO_COLOR="1", PYTHONIOENCODING="ascii")

    assert shown.isascii()
    assert "+-" in shown
    assert "A Liger" in shown


def test_hostile_names_obey_nobody(kgraph: Command) -> None:
    folder = ROOT / "examples" / "own-run"
    shutil.copytree(folder, kgraph.folder / "own-run")
    for file in (kgraph.folder / "own-run").glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        file.write_text(
            re.sub(
                r"^  title: .*$",
                '  title: "\\\\e[31m\\\\u202eEvil\\\\nline 漢字"',
                text,
                flags=re.M,
            ),
            encoding="utf-8",
        )
    files = sorted(str(path) for path in (kgraph.folder / "own-run").glob("*.yaml"))
    shutil.copytree(ROOT / "objects", kgraph.store)
    assert kgraph("publish", *files).status == 0
    (run,) = (each["digest"] for each in kgraph("digest", *files, "--json").json() if is_run(each))
    text = f'{{ run(ref: "{run}") {{ cohort {{ key }} }} }}'
    (kgraph.folder / "run.graphql").write_text(text, encoding="utf-8")
    cohort = kgraph("query", "run.graphql").json()["data"]["run"]["cohort"]["key"]

    outcomes: list[Outcome] = []
    for command in ("top", "history"):
        shown, whole = (kgraph(command, "--cohort", cohort, *more) for more in ((), ("--json",)))
        assert "Evil line 漢字" in shown.out
        assert "Evil" in json.dumps(whole.json())
        outcomes += [shown, whole]
    for outcome in outcomes:
        assert outcome.status == 0
        assert "\x1b" not in outcome.out
    assert not any("\u202e" in shown.out for shown in outcomes[::2])


def is_run(named: dict[str, str]) -> bool:
    return named["kind"] == "BenchmarkRun"
