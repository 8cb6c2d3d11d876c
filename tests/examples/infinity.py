"""What Grafana and its Infinity data source make of a dashboard, as both document it.

Neither can be installed from the registries that tests use, so this is their documented behaviour:
how variables are put into text, which request a query becomes, and how an answer becomes a frame.
It knows what the dashboard of `examples/grafana` uses and refuses everything else.

Source: Grafana's "Variable syntax"; the plugin's pages "GraphQL", "JSONata parser" and
"Template variables"; Infinity's columns and root selectors, of which plain paths mean the same in
both of its path languages.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jsonata import Jsonata

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import httpx

Frame = dict[str, list[Any]]
"""Values by column, in the order of the plugin's backend: by name."""

# `$name`, `[[name]]` and `${name.field:format}`; a name that no variable has stays as it is.
_REFERENCE = re.compile(r"\$(\w+)|\[\[(\w+)\]\]|\$\{(\w+)(?:\.([^:}]+))?(?::([^}]+))?\}")
_PLAIN_PATH = re.compile(r"\w+(\.\w+)*")

# Go's default client, and what the plugin sets for GraphQL.
_HEADERS = {
    "User-Agent": "Go-http-client/1.1",
    "Accept": "application/json;q=0.9,text/plain",
    "Content-Type": "application/json",
    "Accept-Encoding": "gzip",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a variable."""

    text: str
    value: str


@dataclass(slots=True)
class Viewer:
    """Somebody who looks at a dashboard through Grafana."""

    server: str
    """What the data source's address is set to."""
    http: httpx.Client
    chosen: dict[str, Option] = field(default_factory=dict)

    def interpolate(self, text: str, fields: Mapping[str, Any] | None = None) -> str:
        """Text with the chosen values in place of variables.

        Args:
            fields: of the row that a data link stands in.
        """

        def replace(match: re.Match[str]) -> str:
            name = match[1] or match[2] or match[3]
            if name == "__data":
                assert fields is not None
                assert match[4].startswith("fields.")
                return quote(str(fields[match[4].removeprefix("fields.")]), safe="")
            if name == "__value":
                assert fields is not None
                return quote(str(fields["__value"]), safe="")
            option = self.chosen.get(name)
            if option is None:
                return match[0]
            return _format(name, option, match[5])

        return _REFERENCE.sub(replace, text)

    def choose(self, variables: Sequence[Mapping[str, Any]], **wanted: str) -> None:
        """Choose in each variable what is wanted, else what the dashboard says, else the first."""
        # What people type is there before anything is asked.
        for variable in sorted(variables, key=lambda variable: variable["type"] != "textbox"):
            name = variable["name"]
            options = self.options(variable)
            asked = wanted.get(name, variable["current"]["value"])
            self.chosen[name] = next(
                (option for option in options if option.value == asked), options[0]
            )

    def options(self, variable: Mapping[str, Any]) -> list[Option]:
        """The choices that a variable offers, in its order."""
        if variable["type"] == "textbox":
            return [Option(variable["query"], variable["query"])]
        assert variable["type"] == "query"
        assert variable["query"]["queryType"] == "infinity"
        assert variable["regex"] == ""
        frame = self.ask(variable["query"]["infinityQuery"])
        rows = zip(frame["__text"], frame["__value"], strict=True)
        found = {value: Option(str(text), str(value)) for text, value in reversed(list(rows))}
        options = list(reversed(found.values()))
        if variable["sort"]:
            options.sort(key=lambda option: _natural(option.text))
        return options

    def ask(self, target: Mapping[str, Any]) -> Frame:
        """The frame of a query."""
        request = self.make_request(target)
        answer = self.http.send(request)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        # A panel would show data beside errors as if nothing were amiss.
        assert "errors" not in body, body["errors"]
        return make_frame(
            select_root(body, self.interpolate(target["root_selector"])), target["columns"]
        )

    def make_request(self, target: Mapping[str, Any]) -> httpx.Request:
        """The request that the plugin's backend sends for a GraphQL query."""
        assert target["type"] == "graphql"
        assert target["source"] == "url"
        assert target["parser"] == "backend"
        options = target["url_options"]
        assert options["method"] == "POST"
        assert options["body_type"] == "graphql"
        assert options["headers"] == []
        address = self.interpolate(target["url"])
        if not address.startswith(self.server):
            address = self.server + address
        parameters = [(each["key"], self.interpolate(each["value"])) for each in options["params"]]
        if parameters:
            address += f"?{urlencode(parameters)}"
        variables = self.interpolate(options["body_graphql_variables"])
        body = {
            "query": self.interpolate(options["body_graphql_query"]),
            "variables": json.loads(variables) if variables else None,
        }
        return self.http.build_request(
            "POST", address, headers=_HEADERS, content=json.dumps(body).encode()
        )


def _format(name: str, option: Option, format_: str | None) -> str:
    if format_ is None:
        return option.value
    if format_ == "text":
        return option.text
    if format_ == "doublequote":
        return '"' + option.value.replace('"', '\\"') + '"'
    if format_ == "queryparam":
        return f"var-{name}={quote(option.value, safe='')}"
    raise AssertionError(f"{name}: format {format_} is not known here")


def _natural(text: str) -> list[tuple[int, str]]:
    return [
        (int(part), "") if part.isdigit() else (0, part.casefold())
        for part in re.split(r"(\d+)", text)
    ]


def select_root(body: Any, selector: str) -> Any:  # noqa: ANN401 - any JSON value
    """What a root selector finds: by path where it is one, else by JSONata."""
    if not _PLAIN_PATH.fullmatch(selector):
        # Through text, as between the plugin and its framer.
        return json.loads(json.dumps(Jsonata(selector).evaluate(body)))
    for name in selector.split("."):
        body = body[name]
    return body


def make_frame(root: Any, columns: Sequence[Mapping[str, str]]) -> Frame:  # noqa: ANN401 - any JSON
    """The columns of rows, or of the one row that an object is."""
    rows = [root] if isinstance(root, dict) else root
    assert isinstance(rows, list), f"no table can be made of {root!r}"
    return {
        column["text"]: [_read(row, column) for row in rows]
        for column in sorted(columns, key=lambda column: column["text"])
    }


def _read(row: Any, column: Mapping[str, str]) -> Any:  # noqa: ANN401 - any JSON value
    value = row
    # A whole key comes before a path, as with names that hold blanks.
    names = [column["selector"]] if column["selector"] in row else column["selector"].split(".")
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    if value is None:
        return None
    assert not isinstance(value, (dict, list)), f"{column['selector']} is no single value"
    match column["type"]:
        case "string":
            return str(value).lower() if isinstance(value, bool) else str(value)
        case "number":
            return float(value)
        case "boolean":
            assert isinstance(value, bool)
            return value
        case "timestamp":
            return datetime.fromisoformat(value)
    raise AssertionError(f"column type {column['type']} is not known here")
