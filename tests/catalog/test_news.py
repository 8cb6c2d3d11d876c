"""What a newer snapshot brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from world import NOON, Shelf, World, retraction

from kgraph.catalog import (
    Catalog,
    CatalogSource,
    find_new_publications,
    find_new_record_events,
    select_record_events,
)
from kgraph.facts import Condition
from kgraph.policy import ranking_v1
from kgraph.vocab import RecordCause

if TYPE_CHECKING:
    from pathlib import Path

    from kgraph.manifest import Identified


class Story:
    """Snapshots of a catalogue that grows, by number of publication."""

    def __init__(self, folder: Path) -> None:
        self.world = World()
        self.shelf = Shelf(folder)
        self.catalogs: list[Catalog] = []
        runs = {item.object_id for item in self.world.runs}
        self.source = CatalogSource(
            self.shelf.log, self.shelf.store, ranking_v1, folder=folder, clock=lambda: NOON
        )
        self.catalogs.append(self.source.current())
        self.publish(*(item for item in self.world.all if item.object_id not in runs))
        # Case 3 is the record of the first cohort; it comes before what it took the record from.
        self.publish(self.world.runs[0], self.world.runs[3])
        self.publish(self.world.runs[1], *self.world.runs[4:9])
        self.publish(retraction(self.world.runs[3]))

    def publish(self, *manifests: Identified) -> None:
        self.shelf.publish(manifests)
        assert self.source.refresh()
        self.catalogs.append(self.source.current())


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return Story(tmp_path_factory.mktemp("story"))


@pytest.mark.parametrize(("before", "after"), [(0, 4), (1, 2), (2, 4), (3, 3), (4, 1)])
def test_publications_behind_a_snapshot_are_new_in_order(
    story: Story, before: int, after: int
) -> None:
    found = find_new_publications(story.catalogs[before], story.catalogs[after])

    assert [each.sequence for each in found] == list(range(before + 1, after + 1))


@pytest.mark.parametrize("before", range(5))
def test_new_record_events_are_those_that_the_earlier_history_lacks(
    story: Story, before: int
) -> None:
    def names(catalog: Catalog) -> set[tuple[object, ...]]:
        return {
            (event.cohort, event.at, event.cause, event.run)
            for chunk in catalog.walk().iter_record_events()
            for event in chunk
        }

    earlier, newest = story.catalogs[before], story.catalogs[-1]

    found = find_new_record_events(earlier, newest)

    assert {(event.cohort, event.at, event.cause, event.run) for event in found} == names(
        newest
    ) - names(earlier)
    assert [event.at for event in found] == sorted(event.at for event in found)


def test_a_record_that_only_has_another_one_before_it_is_no_news(story: Story) -> None:
    holder = story.world.runs[3].digest

    before, after = story.catalogs[2], story.catalogs[3]

    # The run observed in between was published later, so the holder's event has another number.
    ordinals = [
        {e.run: e.ordinal for chunk in catalog.walk().iter_record_events() for e in chunk}[holder]
        for catalog in (before, after)
    ]
    assert ordinals == [2, 3]
    assert holder not in {event.run for event in find_new_record_events(before, after)}


def test_a_correction_that_gives_a_record_back_is_news(story: Story) -> None:
    (event,) = find_new_record_events(story.catalogs[3], story.catalogs[4])

    assert event.cause is RecordCause.RETRACTION
    assert event.previous_run == story.world.runs[3].digest
    assert event.run == story.world.runs[1].digest


def test_nothing_is_new_between_a_snapshot_and_itself(story: Story) -> None:
    newest = story.catalogs[-1]

    assert find_new_record_events(newest, newest) == ()
    assert find_new_publications(newest, newest) == ()


def test_events_are_selected_as_a_list_of_them_would_be(story: Story) -> None:
    newest = story.catalogs[-1]
    events = find_new_record_events(story.catalogs[1], newest)
    run = story.world.runs[5].digest
    hardware = "NVIDIA H100"

    assert select_record_events(newest, events, None) == events
    assert [e.run for e in select_record_events(newest, events, Condition("run", "eq", run))] == [
        run
    ]
    on_h100 = select_record_events(newest, events, Condition("hardware", "eq", hardware))
    assert {e.run for e in on_h100} == {story.world.runs[n].digest for n in (6, 8)}
    assert select_record_events(newest, (), Condition("run", "eq", run)) == ()
