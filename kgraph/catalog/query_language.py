r"""One line of text to a typed request: what a person types to ask for a workload.

    rmsnorm gpu:H100 dtype:bf16 hidden=4096 tokens=2048 license:permissive installable:true

* A bare word names the operation or family; several words are read as one text.
* `key:value` states a key of `KEYS`; `key:a,b` accepts either, where the key takes several.
* `axis=4096` states an axis; `x.shape=1024x4096`, `x.dtype=bf16` and `x.layout=…` a tensor.
* Double quotes keep blanks and signs in a value; inside them `\"` is a quote, `\\` a backslash.
* `true` requires, `false` does not require, which is what leaving the key out says.

Every token is either understood or named by a problem; a line with a problem states nothing that
may be guessed. Keys are read in any letter case.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from kgraph.catalog.query_intent import (
    KEYS,
    PERMISSIVE,
    KnownValues,
    ParsedQuery,
    ProblemCode,
    QueryIntent,
    QueryProblem,
    QueryToken,
    TokenRole,
    write_query,
)
from kgraph.catalog.query_text import QueryWord, quote_word, split_words
from kgraph.policy import (
    PERMISSIVE_LICENSES,
    MatchRequest,
    TensorRequest,
    conclude_license,
    find_dtypes,
)
from kgraph.vocab import EvidenceLevel

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

MAX_QUERY = 1000
"""Longest line that is read, in characters."""
_MAX_TOKENS = 60
# The largest length that JSON carries exactly; no axis is near it.
_MAX_LENGTH = 2**53 - 1
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DIGEST = re.compile(r"(?:sha256|blake3):[0-9a-f]{8,64}")
_WHOLE = re.compile(r"[0-9]{1,16}")

_ALIASES = {
    "operation": "op", "kernel": "op", "hardware": "gpu", "device": "gpu", "dtypes": "dtype",
    "software": "with", "framework": "with", "toolkit": "with", "licence": "license",
    "language": "lang", "languages": "lang", "trust": "evidence", "usable": "deployable",
}  # fmt: skip
_SOFTWARE_KEYS = {
    "cuda": "cudaToolkit", "torch": "pytorch", "pytorch": "pytorch", "triton": "triton",
    "driver": "driver",
}  # fmt: skip
"""Software that is asked for often enough to have a key of its own: `torch:2.9`."""


@dataclass(slots=True)
class _Reading:
    """What has been understood so far."""

    known: KnownValues
    words: list[str] = field(default_factory=list)
    operation: str | None = None
    family: str | None = None
    hardware: str | None = None
    axes: dict[str, int] = field(default_factory=dict)
    tensors: dict[str, dict[str, str]] = field(default_factory=dict)
    dtypes: list[str] = field(default_factory=list)
    software: dict[str, str] = field(default_factory=dict)
    licenses: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    evidence: EvidenceLevel | None = None
    flags: dict[str, bool] = field(default_factory=dict)


class _Refusal(Exception):  # noqa: N818 - control flow of this module, never seen outside
    """One token cannot be understood."""

    def __init__(self, code: ProblemCode, message: str, nearest: Iterable[str] = ()) -> None:
        self.code, self.message, self.nearest = code, message, tuple(nearest)
        super().__init__(message)


def parse_query(text: str, known: KnownValues | None = None) -> ParsedQuery:
    """What a line of text asks for; the same for the same text and known values.

    Nothing is raised: what cannot be understood is a problem with its place in the text.
    """
    reading = _Reading(known or KnownValues())
    problems: list[QueryProblem] = []
    tokens: list[QueryToken] = []
    words = split_words(text[:MAX_QUERY])
    if len(text) > MAX_QUERY or len(words) > _MAX_TOKENS:
        limit = f"at most {MAX_QUERY} characters and {_MAX_TOKENS} parts"
        found = f"{len(text)} characters and {len(words)} parts"
        message = f"The query has {found}; expected {limit}."
        start = words[_MAX_TOKENS].start if len(words) > _MAX_TOKENS else MAX_QUERY
        problems.append(QueryProblem(ProblemCode.TOO_LONG, start, len(text), message, ()))
        words = words[:_MAX_TOKENS]
    for word in words:
        role, name = _find_role(word)
        is_understood = False
        try:
            if not word.is_closed:
                message = f"A quote is opened and never closed: {word.text}"
                raise _Refusal(ProblemCode.UNCLOSED_QUOTE, message)
            _READERS[role](reading, word)
            is_understood = True
        except _Refusal as refusal:
            problems.append(
                QueryProblem(refusal.code, word.start, word.end, refusal.message, refusal.nearest)
            )
        tokens.append(
            QueryToken(word.text, word.start, word.end, role, name, word.value, is_understood)
        )
    intent = _make_intent(reading)
    problems.sort(key=lambda problem: (problem.start, problem.end))
    return ParsedQuery(text, intent, write_query(intent), tuple(tokens), tuple(problems))


def _make_intent(reading: _Reading) -> QueryIntent:
    text = reading.operation or reading.family or " ".join(reading.words) or None
    return QueryIntent(
        text=text,
        is_family=reading.family is not None,
        match=MatchRequest(
            axes=tuple(sorted(reading.axes.items())),
            dtypes=tuple(sorted(set(reading.dtypes))),
            tensors=tuple(
                TensorRequest(
                    name,
                    _keep_shape(stated.get("shape")),
                    stated.get("dtype"),
                    stated.get("layout"),
                )
                for name, stated in sorted(reading.tensors.items())
            ),
            hardware=reading.hardware,
            software=tuple(sorted(reading.software.items())),
        ),
        minimum_evidence=reading.evidence or EvidenceLevel.REPORTED,
        licenses=tuple(sorted(set(reading.licenses) - {PERMISSIVE})),
        languages=tuple(sorted(set(reading.languages))),
        is_permissive=PERMISSIVE in reading.licenses,
        is_installable=reading.flags.get("installable", False),
        is_deployable=reading.flags.get("deployable", False),
    )


# --- one token -------------------------------------------------------------------------------


def _find_role(word: QueryWord) -> tuple[TokenRole, str | None]:
    """What a token states, and the name that it states it of."""
    if word.sign is None or _DIGEST.fullmatch(word.raw):
        return TokenRole.WORD, None
    if word.sign == ":":
        return TokenRole.KEY, _find_key(word.name)
    if "." in word.name:
        return TokenRole.TENSOR, word.name
    return TokenRole.AXIS, word.name


def _find_key(name: str) -> str | None:
    folded = name.casefold()
    folded = _ALIASES.get(folded, folded)
    return folded if folded in KEYS or folded in _SOFTWARE_KEYS else None


def _read_word(reading: _Reading, word: QueryWord) -> None:
    named = reading.operation or reading.family
    if named is not None:
        message = f"The operation is named already, by {named}; found {word.raw} too."
        raise _Refusal(ProblemCode.REPEATED, message)
    if not word.raw:
        raise _Refusal(ProblemCode.BAD_VALUE, "Nothing stands between the quotes.")
    reading.words.append(word.raw)


def _read_key(reading: _Reading, word: QueryWord) -> None:
    key = _find_key(word.name)
    if key is None:
        raise _refuse_key(word)
    if not word.value or not all(word.items):
        raise _Refusal(
            ProblemCode.BAD_VALUE, f"{word.name} has no value; expected {_say_expected(key)}."
        )
    if key in _SOFTWARE_KEYS:
        _state_software(reading, [(_SOFTWARE_KEYS[key], word.value)])
    else:
        _KEY_READERS[key](reading, word)


_EXPECTED = {
    "op": "a slug, an alias or a digest",
    "family": "the slug of a family",
    "gpu": "a product, device string or architecture, as H100 or sm_90",
    "dtype": "a dtype of some workload, as bf16",
    "with": "name or name@version, as pytorch@2.9",
    "license": "permissive, or an SPDX identifier, as MIT",
    "lang": "a language of some implementation, as triton",
    "evidence": "reported, reproducible, verified or replicated",
    "installable": "true or false",
    "deployable": "true or false",
}


def _say_expected(key: str) -> str:
    return _EXPECTED.get(key, "a version, as 2.9")


def _refuse_key(word: QueryWord) -> _Refusal:
    known = sorted({*KEYS, *_ALIASES, *_SOFTWARE_KEYS})
    near = _find_near(word.name, known)
    named = list(dict.fromkeys(_find_key(name) or name for name in near))
    hint = f" Nearest: {', '.join(named)}." if named else ""
    if _NAME.fullmatch(word.name) and _WHOLE.fullmatch(word.value):
        hint += f" An axis is written {word.name}={word.value}."
    message = f"No key is known as {word.name!r}; keys are {', '.join(KEYS)}.{hint}"
    return _Refusal(ProblemCode.UNKNOWN_KEY, message, named)


def _read_axis(reading: _Reading, word: QueryWord) -> None:
    key = _find_key(word.name)
    if key is not None:
        written = f"{key}:{quote_word(word.value)}"
        message = f"{key} is no axis; it is written {written}."
        raise _Refusal(ProblemCode.UNKNOWN_KEY, message, [written])
    if not _NAME.fullmatch(word.name):
        message = f"{word.name!r} is no name of an axis; expected letters, digits and _."
        raise _Refusal(ProblemCode.UNKNOWN_KEY, message)
    length = _read_length(word.value)
    if length is None:
        message = f"{word.name} is {word.value!r}; expected a whole number, as {word.name}=4096."
        raise _Refusal(ProblemCode.BAD_VALUE, message)
    if word.name in reading.axes:
        raise _refuse_repeated(word.name, str(reading.axes[word.name]), word.value)
    reading.axes[word.name] = length


def _read_tensor(reading: _Reading, word: QueryWord) -> None:
    name, _, attribute = word.name.rpartition(".")
    if attribute not in _ATTRIBUTES or not _NAME.fullmatch(name):
        near = [f"{name}.{other}" for other in _find_near(attribute, _ATTRIBUTES)]
        expected = ", ".join(f"NAME.{other}" for other in _ATTRIBUTES)
        message = f"{word.name!r} states nothing of a tensor; expected {expected}."
        raise _Refusal(ProblemCode.UNKNOWN_KEY, message, near)
    if not word.value:
        raise _Refusal(ProblemCode.BAD_VALUE, f"{word.name} has no value.")
    if attribute == "shape" and None in _read_shape(word.value):
        message = f"{word.name} is {word.value!r}; expected whole numbers, as 1024x4096."
        raise _Refusal(ProblemCode.BAD_VALUE, message)
    value = _name_dtype(reading, word.value) if attribute == "dtype" else word.value
    stated = reading.tensors.setdefault(name, {})
    if attribute in stated:
        raise _refuse_repeated(word.name, stated[attribute], word.value)
    stated[attribute] = value


def _keep_shape(value: str | None) -> tuple[int, ...] | None:
    """The shape of a text that was read before, so that each length is one."""
    if value is None:
        return None
    return tuple(length for length in _read_shape(value) if length is not None)


_ATTRIBUTES = ("shape", "dtype", "layout")


def _read_length(value: str) -> int | None:
    """A length from 1; None where the text is none."""
    if not _WHOLE.fullmatch(value):
        return None
    return int(value) if 1 <= int(value) <= _MAX_LENGTH else None


def _read_shape(value: str) -> tuple[int | None, ...]:
    lengths = re.split(r"[x,]", value.strip("[]()"))
    return tuple(_read_length(length.strip()) for length in lengths)


def _refuse_repeated(name: str, before: str, now: str) -> _Refusal:
    return _Refusal(
        ProblemCode.REPEATED, f"{name} is stated twice, as {before} and as {now}; expected it once."
    )


def _find_near(text: str, names: Collection[str]) -> list[str]:
    return difflib.get_close_matches(text.casefold(), sorted(names), n=3, cutoff=0.5)


# --- values of keys --------------------------------------------------------------------------


def _read_operation(reading: _Reading, word: QueryWord) -> None:
    _state_name(reading, word)
    reading.operation = word.value


def _read_family(reading: _Reading, word: QueryWord) -> None:
    _state_name(reading, word)
    reading.family = word.value


def _state_name(reading: _Reading, word: QueryWord) -> None:
    named = reading.operation or reading.family or " ".join(reading.words)
    if named:
        raise _refuse_repeated("the operation", named, word.value)


def _read_hardware(reading: _Reading, word: QueryWord) -> None:
    if reading.hardware is not None:
        raise _refuse_repeated("gpu", reading.hardware, word.value)
    reading.hardware = word.value


def _read_dtypes(reading: _Reading, word: QueryWord) -> None:
    reading.dtypes += [_name_dtype(reading, item) for item in word.items]


def _name_dtype(reading: _Reading, value: str) -> str:
    """The catalogue's own name of a dtype, or the word for a width that several share."""
    known, answers = reading.known.dtypes, find_dtypes(value)
    if known is not None and known.isdisjoint(answers):
        _refuse_value("dtype", value, known)
    return min(answers) if len(answers) == 1 else value.casefold()


def _read_software(reading: _Reading, word: QueryWord) -> None:
    stated: list[tuple[str, str]] = []
    for item in word.items:
        name, _, version = item.partition("@")
        if not name:
            message = f"with is {item!r}; expected {_say_expected('with')}."
            raise _Refusal(ProblemCode.BAD_VALUE, message)
        stated.append((name, version))
    _state_software(reading, stated)


def _state_software(reading: _Reading, stated: list[tuple[str, str]]) -> None:
    software = dict(reading.software)
    for name, version in stated:
        if name in software:
            shown = (version or "any version" for version in (software[name], version))
            raise _refuse_repeated(name, *shown)
        software[name] = version
    reading.software = software


def _read_licenses(reading: _Reading, word: QueryWord) -> None:
    found = []
    for item in word.items:
        if item.casefold() == PERMISSIVE:
            found.append(PERMISSIVE)
            continue
        concluded = conclude_license(item, None).concluded
        if concluded is None:
            _refuse_value("license", item, {PERMISSIVE, *PERMISSIVE_LICENSES})
        found.append(concluded)
    reading.licenses += found


def _read_languages(reading: _Reading, word: QueryWord) -> None:
    known = reading.known.languages
    found = [item.casefold() for item in word.items]
    for item in found:
        if known is not None and item not in known:
            _refuse_value("lang", item, known)
    reading.languages += found


def _read_evidence(reading: _Reading, word: QueryWord) -> None:
    levels = {level.value.casefold(): level for level in EvidenceLevel}
    level = levels.get(word.value.casefold())
    if level is None:
        _refuse_value("evidence", word.value, levels)
    if reading.evidence is not None:
        raise _refuse_repeated("evidence", reading.evidence.value, word.value)
    reading.evidence = level


def _read_flag(reading: _Reading, word: QueryWord) -> None:
    key = _find_key(word.name) or word.name
    value = _TRUTH.get(word.value.casefold())
    if value is None:
        _refuse_value(key, word.value, ("true", "false"))
    if key in reading.flags:
        raise _refuse_repeated(key, str(reading.flags[key]).lower(), word.value)
    reading.flags[key] = value


_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def _refuse_value(key: str, value: str, known: Collection[str]) -> NoReturn:
    folded = {name.casefold(): name for name in known}
    near = [folded[name] for name in _find_near(value, folded)]
    hint = f" Nearest: {', '.join(near)}." if near else ""
    message = f"{key} is {value!r}; expected {_say_expected(key)}.{hint}"
    raise _Refusal(ProblemCode.BAD_VALUE, message, near)


_READERS: dict[TokenRole, Callable[[_Reading, QueryWord], None]] = {
    TokenRole.WORD: _read_word,
    TokenRole.KEY: _read_key,
    TokenRole.AXIS: _read_axis,
    TokenRole.TENSOR: _read_tensor,
}
_KEY_READERS: dict[str, Callable[[_Reading, QueryWord], None]] = {
    "op": _read_operation,
    "family": _read_family,
    "gpu": _read_hardware,
    "dtype": _read_dtypes,
    "with": _read_software,
    "license": _read_licenses,
    "lang": _read_languages,
    "evidence": _read_evidence,
    "installable": _read_flag,
    "deployable": _read_flag,
}
