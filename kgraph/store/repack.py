"""Loose objects become one pack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.store.damage import (
    ObjectCorruptError,
    PackCorruptError,
    Problem,
    Severity,
)
from kgraph.store.object import STRAY_AGE_S, loose_key

if TYPE_CHECKING:
    from kgraph.digest import ObjectId
    from kgraph.store.object import ObjectStore


@dataclass(frozen=True, slots=True)
class RepackResult:
    """What a repack did."""

    pack_id: ObjectId | None
    """The pack that was written; None where no loose object needed one."""
    packed: int
    """Loose objects that the pack now holds."""
    already_packed: int
    """Loose objects that an older pack held; only their loose files went."""
    swept: int
    """Leftovers of killed writers that were removed."""
    damaged: tuple[Problem, ...]
    """Loose objects that cannot be read, or whose packed copy cannot; their files stay."""


def repack(store: ObjectStore, *, stray_age_s: float = STRAY_AGE_S) -> RepackResult:
    """Move every intact loose object of `store` into one pack.

    A loose file is removed only after the pack that holds its object has been read back from the
    store and every byte of it verified, so a repack that is killed loses nothing, and the next one
    ends its work.

    Leftovers younger than `stray_age_s` may belong to a writer at work and stay.

    Raises:
        PackCorruptError: the pack does not read back as written; all loose files are still there.
    """
    fresh: dict[ObjectId, bytes] = {}
    already: list[ObjectId] = []
    damaged: list[Problem] = []
    for object_id in store.iter_loose():
        try:
            if store.get_packed(object_id) is not None:
                already.append(object_id)
            else:
                fresh[object_id] = store.get(object_id)
        except (ObjectCorruptError, PackCorruptError) as error:
            damaged.append(Problem(error.where, str(error), object_id, Severity.DAMAGE))

    pack_id = None
    if fresh:
        pack_id = store.put_pack(fresh.values()).pack_id
        for problem in store.check_pack(pack_id):
            raise PackCorruptError(problem.where, problem.what, "the pack just written")
    for object_id in (*already, *fresh):
        store.blobs.remove(loose_key(object_id))

    swept = 0
    for info in list(store.blobs.stray(older_than_s=stray_age_s)):
        store.blobs.remove(info.key)
        swept += 1
    return RepackResult(
        pack_id=pack_id,
        packed=len(fresh),
        already_packed=len(already),
        swept=swept,
        damaged=tuple(damaged),
    )
