"""What widgets say while there is nothing to show, when something goes wrong, and what they ask."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import expect
from test_widget_browser import element
from widget_catalogs import COSINE, MARKUP, NEWCOMER, hard, starter_source
from widget_site import (
    DONE,
    SCHEMES,
    Site,
    Visit,
    assert_accessible,
    assert_fits,
    open_browser,
    open_site,
    take_picture,
    visit,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser
    from playwright.sync_api import Route as Interception


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with open_site(starter_source()) as site:
        yield site


@pytest.fixture(scope="module")
def hard_site() -> Iterator[Site]:
    with open_site(hard().source) as site:
        yield site


class Hold:
    """Requests for answers that wait until the test lets them go."""

    def __init__(self, seen: Visit, server: str) -> None:
        self.routes: list[Interception] = []
        self._seen = seen
        seen.page.route(f"{server}/graphql?*", self._hold)

    def _hold(self, route: Interception) -> None:
        self.routes.append(route)

    def wait_for(self, count: int) -> None:
        """Until there are as many requests."""
        for _ in range(500):
            if len(self.routes) >= count:
                return
            self._seen.page.wait_for_timeout(10)
        pytest.fail(f"{len(self.routes)} requests came, expected {count}")

    def let_go(self) -> None:
        """Each request goes on to the server."""
        for route in self.routes:
            route.continue_()
        self.routes.clear()


def listen(seen: Visit) -> None:
    """Keeps the widgets' events for `heard`."""
    seen.page.add_init_script(
        """window.heard = [];
        for (const type of ['kgraph-load', 'kgraph-error'])
            document.addEventListener(type, event => heard.push(
                {type, from: event.target.localName, ...event.detail}));"""
    )


def heard(seen: Visit) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = seen.page.evaluate("window.heard")
    return events


# Loading


def test_a_widget_says_that_it_loads(browser: Browser, site: Site) -> None:
    with visit(browser, site) as seen:
        hold = Hold(seen, site.server)
        frame = seen.open(site.write(element("ranking", operation=COSINE)), wait=False)
        hold.wait_for(1)

        expect(frame).to_have_attribute("aria-busy", "true")
        expect(frame).to_contain_text("Loading ranking")
        assert seen.page.locator("kgraph-ranking").evaluate("one => one.state") == "loading"
        assert_accessible(seen.page)
        take_picture(seen.page, "loading")

        hold.let_go()
        seen.page.locator(DONE).wait_for()
        expect(frame).to_have_attribute("aria-busy", "false")
        expect(seen.page.get_by_role("status")).to_have_text(re.compile("loaded"))


def test_widgets_that_ask_the_same_share_one_request(browser: Browser, site: Site) -> None:
    body = element("record", operation=COSINE) * 3 + element("record", operation="liger-jsd")
    with visit(browser, site) as seen:
        seen.open(site.write(body))
        expect(seen.page.locator(DONE)).to_have_count(4)

        assert len(seen.asked) == len(set(seen.asked)) == 2


def test_a_request_is_given_up_once_nobody_waits_for_it(browser: Browser, site: Site) -> None:
    body = element("record", operation=COSINE) * 2
    with visit(browser, site) as seen:
        failed: list[str] = []
        seen.page.on("requestfailed", lambda request: failed.append(request.url))
        hold = Hold(seen, site.server)
        seen.open(site.write(body), wait=False)
        hold.wait_for(1)

        seen.page.evaluate(
            """() => {
                document.querySelector('kgraph-record').remove();
                return new Promise(resolve => setTimeout(resolve));
            }"""
        )
        assert failed == []

        with seen.page.expect_event("requestfailed"):
            seen.page.evaluate("document.querySelector('kgraph-record').remove()")
        assert len(failed) == 1


def test_only_the_last_of_several_questions_is_shown(browser: Browser, site: Site) -> None:
    with visit(browser, site) as seen:
        hold = Hold(seen, site.server)
        seen.open(site.write(element("record", operation=COSINE)), wait=False)
        hold.wait_for(1)
        seen.page.locator("kgraph-record").evaluate("one => { one.operation = 'liger-jsd'; }")
        hold.wait_for(2)

        hold.routes[1].continue_()
        expect(seen.page.locator(".title")).to_have_text("Jensen-Shannon divergence loss")
        hold.routes.clear()


def test_a_change_of_several_attributes_is_one_request(browser: Browser, site: Site) -> None:
    with visit(browser, site) as seen:
        seen.open(site.write(element("ranking", operation=COSINE)))
        with seen.page.expect_request(lambda request: "liger-rms-norm" in request.url):
            seen.page.locator("kgraph-ranking").evaluate(
                """one => Object.assign(
                    one, {operation: 'liger-rms-norm', hardware: 'A100', limit: 1})"""
            )
        expect(seen.page.locator(".title")).to_have_text("RMSNorm")
        expect(seen.page.locator("tbody tr")).to_have_count(1)

        assert len(seen.asked) == 2
        seen.page.locator("kgraph-ranking").evaluate("one => { one.theme = 'dark'; }")
        seen.page.locator("kgraph-ranking").evaluate("one => { one.limit = 2; }")
        expect(seen.page.locator("tbody tr")).to_have_count(2)
        assert len(seen.asked) == 3


def test_a_hidden_widget_asks_nothing_until_it_is_seen(browser: Browser, site: Site) -> None:
    hidden = f"<kgraph-record hidden operation='{COSINE}'></kgraph-record>"
    with visit(browser, site) as seen:
        # The other one comes later in the page, so the hidden one had its time.
        seen.open(site.write(hidden + element("record", operation="liger-jsd")))
        assert len(seen.asked) == 1
        assert COSINE not in seen.asked[0]

        seen.page.locator("kgraph-record").first.evaluate("one => { one.hidden = false; }")
        expect(seen.page.locator(DONE)).to_have_count(2)
        assert len(seen.asked) == 2


def test_properties_that_were_set_before_the_script_came_count(
    browser: Browser, site: Site
) -> None:
    address = site.write("<p></p>", policy=None, script=False)
    with visit(browser, site) as seen:
        seen.page.goto(address)
        seen.page.evaluate(
            """([server, operation]) => {
                const one = document.createElement('kgraph-record');
                one.operation = operation;
                document.querySelector('main').append(one);
                const script = document.createElement('script');
                script.type = 'module';
                script.src = `${server}/widgets/kgraph.js`;
                document.head.append(script);
            }""",
            [site.server, COSINE],
        )
        seen.page.locator(DONE).wait_for()

        assert seen.page.locator("kgraph-record").get_attribute("operation") == COSINE


def test_two_copies_of_the_script_are_one(browser: Browser, site: Site) -> None:
    kept = '<script type="module" src="{server}/widgets/kgraph.js?again"></script>'
    with visit(browser, site) as seen:
        seen.open(site.write(kept + element("record", operation=COSINE)))
        expect(seen.page.locator(".figure")).to_contain_text("13.8 ms")


def test_a_page_may_check_the_script_by_its_hash(browser: Browser, site: Site) -> None:
    told = httpx.get(f"{site.server}/widgets/manifest.json").json()["files"]["kgraph.js"]
    address = f"{{server}}/widgets/{told['path']}"
    loaded = f'<script type="module" src="{address}" crossorigin="anonymous" integrity="{{}}">'
    right = loaded.format(told["integrity"], server="{server}") + "</script>"
    wrong = loaded.format("sha384-" + "A" * 64, server="{server}") + "</script>"
    record = element("record", operation=COSINE)
    with visit(browser, site) as seen:
        seen.open(site.write(right + record, script=False))
        # The address is below the version, the server is not.
        assert seen.asked[0].startswith(f"{site.server}/graphql?")
    with visit(browser, site, expected="integrity") as seen:
        seen.open(site.write(wrong + record, script=False), wait=False)
        seen.page.wait_for_load_state()
        assert seen.page.evaluate("customElements.get('kgraph-record') === undefined")


# Events


def test_events_tell_what_came(browser: Browser, site: Site) -> None:
    body = (
        element("record", operation=COSINE)
        + element("ranking", operation="nobody")
        + element("history", operation="liger-rms-norm", hardware="H200")
    )
    with visit(browser, site) as seen:
        listen(seen)
        seen.open(site.write(body))
        expect(seen.page.locator(DONE)).to_have_count(3)

        events = {event["from"]: event for event in heard(seen)}
        assert len(heard(seen)) == 3
        loaded = events["kgraph-record"]
        assert (loaded["type"], loaded["state"]) == ("kgraph-load", "ready")
        assert loaded["operation"] == COSINE
        assert re.fullmatch(r"sha256:[0-9a-f]{64}", loaded["cohort"])
        assert loaded["snapshot"].startswith("blake3:")
        unknown = events["kgraph-ranking"]
        assert (unknown["type"], unknown["code"]) == ("kgraph-error", "UNKNOWN_NAME")
        empty = events["kgraph-history"]
        assert (empty["type"], empty["state"], empty["cohort"]) == ("kgraph-load", "empty", None)


# Unknown and empty


@pytest.mark.parametrize(
    ("attributes", "words", "meant"),
    [
        (
            {"operation": "liger-rms-nrm"},
            "No operation is known as liger-rms-nrm.",
            "liger-rms-norm",
        ),
        ({"operation": COSINE, "hardware": "H10"}, "No device is known as H10.", "NVIDIA H100"),
        ({"workload": "ffffffffffff"}, "No workload is known as ffffffffffff.", None),
        ({"cohort": "sha256:" + "0" * 64}, "No comparison has the key sha256:000", None),
    ],
    ids=["operation", "hardware", "workload", "cohort"],
)
def test_an_unknown_name_is_said_with_what_was_meant(
    browser: Browser,
    site: Site,
    attributes: dict[str, str],
    words: str,
    meant: str | None,
) -> None:
    with visit(browser, site, width=320) as seen:
        frame = seen.open(site.write(element("ranking", **attributes)))
        expect(frame).to_contain_text(words)
        expect(frame).to_have_attribute("data-state", "unknown")
        if meant is not None:
            link = seen.page.get_by_role("link", name=meant)
            expect(link).to_be_visible()
            link.click()
            expect(seen.page.locator("h1")).to_be_visible()
            assert seen.page.url.startswith(site.server)
            seen.page.go_back()
            seen.page.locator(DONE).wait_for()
        assert_fits(seen.page)
        for scheme in SCHEMES:
            seen.page.emulate_media(color_scheme=scheme)
            assert_accessible(seen.page)
            take_picture(seen.page, f"unknown-{'-'.join(attributes)}-{scheme}")


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"operation": "liger-rms-norm", "hardware": "H200"}, "it is on NVIDIA A100"),
        ({"operation": "bare"}, "takes part in a ranking"),
        ({"workload": "empty"}, "is not measured"),
    ],
    ids=["not on this device", "no run", "not measured"],
)
def test_nothing_to_show_is_said_with_where_there_is_something(
    browser: Browser, site: Site, hard_site: Site, attributes: dict[str, str], words: str
) -> None:
    chosen = site if attributes.get("operation", "").startswith("liger") else hard_site
    given = {name: str(hard().names.get(value, value)) for name, value in attributes.items()}
    with visit(browser, chosen) as seen:
        frame = seen.open(chosen.write(element("ranking", **given)))
        expect(frame).to_have_attribute("data-state", "empty")
        expect(frame).to_contain_text(words)
        expect(seen.page.get_by_role("link", name="What there is, on kgraph")).to_be_visible()
        assert_accessible(seen.page)


def test_a_workload_of_another_operation_is_not_shown_for_this_one(
    browser: Browser, hard_site: Site
) -> None:
    workload = hard().names["lonely"]
    with visit(browser, hard_site) as seen:
        frame = seen.open(hard_site.write(element("ranking", workload=workload, operation="bare")))
        expect(frame).to_contain_text(f"is one of {MARKUP}, not of")


# Errors


def test_an_error_says_what_was_asked_and_what_came_back(browser: Browser, site: Site) -> None:
    with visit(browser, site) as seen:
        listen(seen)
        frame = seen.open(site.write(element("ranking", cohort="nonsense")))
        expect(frame).to_contain_text(f"Asked for: ranking of cohort nonsense from {site.server}")
        expect(frame).to_contain_text("Came back: key: found 'nonsense', expected sha256:")
        expect(frame).to_contain_text("BAD_USER_INPUT")
        assert_accessible(seen.page)
        [event] = heard(seen)
        assert (event["type"], event["code"]) == ("kgraph-error", "BAD_USER_INPUT")


@pytest.mark.parametrize(
    ("attributes", "code", "words"),
    [
        ({}, "NOT_ASKED", "Give this element an operation"),
        ({"operation": COSINE, "server": "javascript:alert(1)"}, "BAD_SERVER", "http or https"),
        ({"operation": COSINE, "server": "http://["}, "BAD_SERVER", "expected an address"),
    ],
    ids=["nothing", "another scheme", "no address"],
)
def test_what_cannot_be_asked_is_not_asked(
    browser: Browser, site: Site, attributes: dict[str, str], code: str, words: str
) -> None:
    with visit(browser, site) as seen:
        frame = seen.open(site.write(element("record", **attributes)))
        expect(frame).to_contain_text(words)
        expect(frame).to_contain_text(code)
        assert seen.asked == []


def test_trying_again_works_and_keeps_the_place(browser: Browser, site: Site) -> None:
    with visit(browser, site, expected="ERR_FAILED|CORS") as seen:
        seen.page.route(f"{site.server}/graphql?*", lambda route: route.abort("failed"))
        seen.open(site.write(element("record", operation=COSINE)))
        button = seen.page.get_by_role("button", name="Try again")
        expect(button).to_be_visible()
        take_picture(seen.page, "error")
        seen.page.unroute(f"{site.server}/graphql?*")

        button.focus()
        seen.page.keyboard.press("Enter")

        expect(seen.page.locator(".figure")).to_contain_text("13.8 ms")
        # Whoever pressed the button is still in the widget, not at the start of the page.
        assert seen.page.evaluate("document.activeElement.localName") == "kgraph-record"


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (502, "<h1>Bad gateway</h1>", "HTTP 502 with text/html"),
        (200, "[]", "HTTP 200 with text/html, expected JSON with data"),
        (200, '{"errors":[{"message":"<b>no</b>"}]}', "<b>no</b>"),
    ],
    ids=["gateway", "no answer", "no code"],
)
def test_what_is_no_answer_is_told(
    browser: Browser, site: Site, status: int, body: str, words: str
) -> None:
    with visit(browser, site, expected="502" if status == 502 else None) as seen:
        seen.page.route(
            f"{site.server}/graphql?*",
            lambda route: route.fulfill(
                status=status,
                body=body,
                content_type="text/html",
                headers={"access-control-allow-origin": "*"},
            ),
        )
        frame = seen.open(site.write(element("record", operation=COSINE)))
        expect(frame).to_contain_text(words)
        assert seen.page.locator('main b >> text="no"').count() == 0


def test_a_server_of_another_release_is_asked_in_words(browser: Browser, site: Site) -> None:
    with visit(browser, site) as seen:

        def forget(route: Interception) -> None:
            if "documentId" not in route.request.url:
                route.fallback()
                return
            error = {"message": "?", "extensions": {"code": "PERSISTED_DOCUMENT_NOT_FOUND"}}
            route.fulfill(
                body=json.dumps({"errors": [error]}),
                content_type="application/json",
                headers={"access-control-allow-origin": "*"},
            )

        seen.page.route(f"{site.server}/graphql?*", forget)
        seen.open(site.write(element("record", operation=COSINE)))

        expect(seen.page.locator(".figure")).to_contain_text("13.8 ms")
        [asked] = seen.asked
        assert parse_qs(urlsplit(asked).query)["query"][0].startswith("query KgraphRecord(")


def test_a_server_that_lets_no_other_site_read_is_named(browser: Browser) -> None:
    with (
        open_site(starter_source(), cors=()) as closed,
        visit(browser, closed, expected="CORS|ERR_FAILED") as seen,
    ):
        frame = seen.open(closed.write(element("record", operation=COSINE)))
        expect(frame).to_contain_text(f"does not let pages of {closed.origin} read its answers")
        expect(frame).to_contain_text("KGRAPH_CORS_ORIGINS")
        take_picture(seen.page, "cors")


def test_one_site_may_be_let_in_and_another_not(browser: Browser) -> None:
    with (
        open_site(starter_source(), cors=("http://127.0.0.1:1",)) as closed,
        visit(browser, closed, expected="CORS|ERR_FAILED") as seen,
    ):
        frame = seen.open(closed.write(element("record", operation=COSINE)))
        expect(frame).to_have_attribute("data-state", "error")


# Stale


def test_a_pinned_snapshot_is_shown_as_such(browser: Browser, hard_site: Site) -> None:
    workload, pin = hard().names["hostile"], hard().first_snapshot
    pinned = element("ranking", workload=workload, snapshot=pin)
    newest = element("ranking", workload=workload)
    with visit(browser, hard_site) as seen:
        seen.open(hard_site.write(pinned + newest))
        expect(seen.page.locator(DONE)).to_have_count(2)
        old, new = seen.page.locator("kgraph-ranking").all()
        expect(old).to_contain_text("Pinned to the snapshot of 2026-08-02 00:00 UTC")
        expect(old).to_contain_text("the newest is of 2026-08-31 00:00 UTC")
        expect(old).not_to_contain_text(NEWCOMER)
        expect(new).to_contain_text(NEWCOMER)
        expect(new).not_to_contain_text("Pinned")
        # Its links stay in that snapshot.
        addresses = old.locator("tbody th a").evaluate_all("all => all.map(one => one.href)")
        ours = [one for one in addresses if one.startswith(hard_site.server)]
        assert ours
        assert [one for one in ours if "snapshot=blake3" not in one] == []
        take_picture(seen.page, "pinned")
        assert_accessible(seen.page)


def test_the_newest_snapshot_as_a_pin_is_not_stale(browser: Browser, site: Site) -> None:
    snapshot = str(starter_source().current().snapshot)
    with visit(browser, site) as seen:
        frame = seen.open(site.write(element("record", operation=COSINE, snapshot=snapshot[:20])))
        expect(frame).to_contain_text("13.8 ms")
        expect(frame).not_to_contain_text("Pinned")


def test_an_unknown_snapshot_is_an_error(browser: Browser, site: Site) -> None:
    with visit(browser, site, expected="400") as seen:
        frame = seen.open(
            site.write(element("record", operation=COSINE, snapshot="blake3:" + "0" * 64))
        )
        expect(frame).to_contain_text("UNKNOWN_SNAPSHOT")


def test_old_evidence_is_marked(browser: Browser, hard_site: Site) -> None:
    workload = hard().names["hostile"]
    with visit(browser, hard_site) as seen:
        seen.open(hard_site.write(element("ranking", workload=workload)))
        rows = seen.page.locator("tbody tr")
        # Twice in a row: one of them is for narrow tables.
        stale = rows.filter(has=seen.page.locator(".badge", has_text="stale"))
        expect(stale).to_have_count(1)
        expect(stale).to_contain_text("old")


def test_what_was_shown_stays_when_the_network_goes(browser: Browser, site: Site) -> None:
    with visit(browser, site, expected="ERR_INTERNET_DISCONNECTED") as seen:
        frame = seen.open(site.write(element("record", operation=COSINE)))
        seen.context.set_offline(True)

        expect(frame).to_contain_text("it may be out of date. This device is offline.")
        expect(frame).to_contain_text("13.8 ms")
        assert_accessible(seen.page)
        take_picture(seen.page, "offline")

        seen.page.get_by_role("button", name="Try again").click()
        expect(frame).to_have_attribute("aria-busy", "false")
        expect(frame).to_contain_text("13.8 ms")
        assert seen.page.locator("kgraph-record").evaluate("one => one.state") == "ready"

        seen.context.set_offline(False)
        expect(frame).not_to_contain_text("out of date")
        expect(frame).to_contain_text("13.8 ms")


def test_a_widget_asks_again_when_it_is_told_to(browser: Browser, site: Site) -> None:
    with visit(browser, site) as seen:
        seen.page.clock.install()
        seen.open(site.write(element("record", operation=COSINE, refresh="30")))
        seen.page.locator("kgraph-record").evaluate(
            "one => { window.drawn = one.shadowRoot.querySelector('.card'); }"
        )
        assert len(seen.asked) == 1

        seen.page.clock.fast_forward(29_000)
        assert len(seen.asked) == 1
        with seen.page.expect_response(f"{site.server}/graphql?*"):
            seen.page.clock.fast_forward(2_000)

        assert len(seen.asked) == 2
        # The same answer draws nothing anew, so that nobody loses their place.
        assert seen.page.locator("kgraph-record").evaluate(
            "one => one.shadowRoot.contains(window.drawn)"
        )


def test_reload_resolves_once_it_is_shown(browser: Browser, site: Site) -> None:
    with visit(browser, site) as seen:
        seen.open(site.write(element("record", operation="nobody")))
        state = seen.page.locator("kgraph-record").evaluate(
            """async (one, operation) => {
                one.operation = operation;
                await one.reload();
                return [one.state, one.shadowRoot.textContent.includes('13.8 ms')];
            }""",
            COSINE,
        )
        assert state == ["ready", True]
