"""Answers of several publications, each as it was given when it was the newest."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from asgi import Client
from live_app import Growing

from kgraph.web import WebOptions, build_app
from kgraph.web.pins import Pinner

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

DOCUMENT = """
query Standing {
  catalog { snapshot publishedAt counts { runs recordEvents } }
  records(first: 50) { totalCount nodes { value since cohort { key } run { digest stale } } }
  publications(first: 3) { nodes { sequence at } }
  runs(first: 5) { nodes { digest stale citation { text permalink } } }
}
"""

# Each tells of all records, and so changes with every publication here.
PATHS = ("/", "/records", "/records?format=json")

FOR_GOOD = "public, max-age=31536000, immutable"


class Clock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


class History:
    """What was served while each publication was the newest, and a client that may ask again."""

    def __init__(self, folder: Path) -> None:
        self.growing = Growing(folder)
        self.clock = Clock(self.published())
        options = WebOptions(refresh_seconds=0)
        self.client = Client(build_app(self.growing.source, options=options, clock=self.clock))
        self.served: list[httpx.Response] = []
        self.pages: dict[str, list[list[httpx.Response]]] = {path: [] for path in PATHS}
        self.times: list[datetime] = []
        for start in (2, 5, 8):
            self.serve()
            self.growing.shelf.publish(self.growing.world.runs[start : start + 3])
            assert self.growing.source.refresh()
        self.serve()

    def published(self) -> datetime:
        head = self.growing.source.current().head
        assert head is not None
        return head.published_at

    def serve(self) -> None:
        # Some minutes after it was published, as people ask.
        self.clock.now = self.published() + timedelta(minutes=7)
        self.times.append(self.clock.now)
        self.served.append(self.ask())
        for path in PATHS:
            # The second time without looking at the request again.
            self.pages[path].append([self.client.send("GET", path) for _ in range(3)])

    def ask(self, headers: dict[str, str] | None = None, **params: str) -> httpx.Response:
        return self.client.send(
            "GET", "/graphql", params={"query": DOCUMENT, **params}, headers=headers or {}
        )


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    made = History(tmp_path_factory.mktemp("history"))
    # Long after: by now every run is stale, were the answers of today.
    made.clock.now += timedelta(days=900)
    return made


def test_every_publication_changes_the_answer(history: History) -> None:
    assert len({answer.content for answer in history.served}) == 4
    snapshots = [answer.json()["extensions"]["snapshot"] for answer in history.served]
    assert snapshots == [answer.headers["kgraph-snapshot"] for answer in history.served]


@pytest.mark.parametrize("path", PATHS)
def test_a_page_that_is_asked_for_again_is_the_same_until_the_next_publication(
    history: History, path: str
) -> None:
    for asked in history.pages[path]:
        assert [page.status_code for page in asked] == [200] * 3
        assert len({page.content for page in asked}) == 1
        assert len({page.headers["etag"] for page in asked}) == 1
        assert len({page.headers["x-request-id"] for page in asked}) == 3
    snapshots = [asked[-1].headers["kgraph-snapshot"] for asked in history.pages[path]]
    assert snapshots == [answer.headers["kgraph-snapshot"] for answer in history.served]
    assert len({asked[-1].content for asked in history.pages[path]}) == 4


@pytest.mark.parametrize("way", ["parameter", "header", "as of"])
@pytest.mark.parametrize("number", range(4))
def test_a_pinned_answer_is_what_was_served_then(history: History, number: int, way: str) -> None:
    then = history.served[number]
    snapshot = then.headers["kgraph-snapshot"]

    match way:
        case "parameter":
            again = history.ask(snapshot=snapshot)
        case "header":
            again = history.ask({"kgraph-snapshot": snapshot})
        case _:
            again = history.ask(asOf=history.times[number].isoformat())

    assert again.status_code == 200
    assert again.content == then.content
    assert again.headers["kgraph-snapshot"] == snapshot


def test_a_pinned_answer_is_kept_for_good_by_whoever_has_it(history: History) -> None:
    for then in history.served:
        again = history.ask(snapshot=then.headers["kgraph-snapshot"])
        assert again.headers["cache-control"] == FOR_GOOD


def test_an_instant_is_final_only_once_something_later_was_published(history: History) -> None:
    earlier, newest = history.times[2], history.times[3]
    future = history.clock.now + timedelta(days=1)

    assert history.ask(asOf=earlier.isoformat()).headers["cache-control"] == FOR_GOOD
    for instant in (newest, future):
        open_end = history.ask(asOf=instant.isoformat())
        assert open_end.headers["cache-control"] == "no-cache"
        assert "etag" in open_end.headers


def test_staleness_follows_the_clock_where_nothing_is_pinned(history: History) -> None:
    def count_stale(answer: httpx.Response) -> int:
        return sum(record["run"]["stale"] for record in answer.json()["data"]["records"]["nodes"])

    then, now = history.served[-1], history.ask()

    assert count_stale(then) == 0
    assert count_stale(now) == now.json()["data"]["records"]["totalCount"] > 0
    assert now.headers["etag"] != then.headers["etag"]
    assert now.headers["kgraph-snapshot"] == then.headers["kgraph-snapshot"]


def test_answers_of_one_hour_are_one_answer(history: History) -> None:
    asked: list[Any] = []
    before = history.clock.now
    hour = before.replace(minute=0)
    for minute in (1, 30, 59):
        history.clock.now = hour + timedelta(minutes=minute)
        asked.append(history.ask())
    history.clock.now = before

    assert len({answer.headers["etag"] for answer in asked}) == 1
    assert len({answer.content for answer in asked}) == 1


def test_a_publication_inside_the_hour_is_not_judged_from_before_it(history: History) -> None:
    source = history.growing.source
    published = history.published()
    pinner = Pinner(source, lambda: published + timedelta(seconds=1))

    assert published.minute > 0
    assert pinner.current().now == published
