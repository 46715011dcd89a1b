"""Calls to the site: good ones learned from its pages, spoiled ones made of them, and what an answer must be.

Nothing here names a route. The addresses come from the rules of `app.url_map`, the forms and links from the
pages that the site shows, and the names of headers, query arguments and fields from what the routes look up
while they answer. A new route, or a new header that a route reads, is tried without a change here.
"""

from __future__ import annotations

import gzip
import io
import logging
import random
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, quote, unquote_to_bytes, urlencode, urlsplit

from flask import Flask, Request
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Rule
from werkzeug.test import run_wsgi_app

MARK: Final = '"><b id=attack>'
"""If a page shows this as it is, what was typed became markup."""
SORTS: Final = (
    ("\x00", "a\x00b", "\x1b[31m", "\x7f", "\x85", "\n", "a\r\nX-Evil: 1", "\u202e", "\u2028", "\ufeff"),
    (MARK, f"{MARK}'&<", f"'>{MARK}"),
    (
        "' OR 1=1 --",
        "{{7*7}}",
        "javascript:alert(1)",
        "http://[",
        "?",
        "=",
        "&",
        "#",
        "%",
        "%zz",
    ),
    (
        "",
        " ",
        "..",
        ".",
        "/",
        "//a.example",
        "\\",
        "../../../etc/passwd",
        "e\u0301",
        "é" * 300,
        "A" * 5_000,
        "a;b;c",
    ),
    (
        "-1",
        "--5",
        "1_0",
        "²",
        "٣",
        "１",
        "1e9",
        "0x1",
        "NaN",
        "1.5",
        " 1",
        "+1",
        "9" * 13,
        "9" * 5_000,
        str(2**64),
    ),
    (
        "null",
        "true",
        "[]",
        "{}",
        "[1]",
        '{"kind":"turn_ended"}',
        '{"kind":1}',
        '{"a":1,"a":2}',
        '{"n":NaN}',
        '{"n":1e999}',
        '["\\ud800"]',
        "[" * 14_000,
        '{"a":' * 5_000,
    ),
    (
        "everything",
        "table",
        "p1",
        "p9",
        "hidden",
        "record",
        "insert",
        "0",
        "1",
        "2",
        "2026-09-14",
        "2026-02-30",
        "٢٠٢٦-٠٩-١٤",
    ),
)
"""What is put where a page would put something else: characters, markup, texts, numbers, JSON, words."""
TEXTS: Final = tuple(text for sort in SORTS for text in sort)
BYTES: Final = (
    "%FF%FE",
    "%ED%A0%80",
    "%C0%80",
    "%F5%80%80%80",
    "%00",
    "%0d%0aX-Evil:%201",
    "%",
    "%g1",
    "%u0000",
)
"""The same for addresses: as bytes that no text has."""
HEADER_VALUES: Final = (
    "", " ", "*", ",", ",,;;=", '"', 'W/"', '"a", W/"b', "http://[", "http://[::1", "//[",
    "http://a:99999", "null",
    "http://localhost", "https://localhost", "http://localhost.", "http://elsewhere.example/games?x=[",
    "0", "-1",
    "1", "9" * 30, "٣", "²", "\x00", "\x7f", "\xff\xfe", "A" * 8_000, "bytes=0-", "bytes=5-2,9-", "bytes=--1",
    "bytes=9999999999999999999-", "items=1", "bytes=a-b", "Wed, 99 Foo 2026 25:61:61 GMT", "Mon, 01 Jan 0000",
    "Fri, 31 Dec 99999 23:59:59 +9999", "text/html;q=abc", "application/json", "application/json;q=1e400",
    "text/html;q=-1", "a/b;q=nan", "*/*;q=٣", "gzip;q=0", "gzip, br;q=", "identity;q=0, *;q=0",
    "de-CH, *;q=0.1",
    "text/plain", "text/plain; charset=utf-7", "application/x-www-form-urlencoded; charset=no-such-set",
    "multipart/form-data", "multipart/form-data; boundary=", f"multipart/form-data; boundary={'x' * 300}",
    "multipart/form-data; boundary=\xe9", "application/x-www-form-urlencoded; a*=utf-8''%ff", "chunked",
    "gzip",
    "Basic !!!", "Basic Og==", "Basic /w==", "Bearer x", "Digest a=", "100-continue", "same-origin",
    "cross-site",
    "localhost", "localhost:", "localhost:0", "localhost:99999", "a..b", "xn--a", "xn--", "[::1]", "[::1",
    "[", "a b",
    "@", "a@b", "a/b", "a?b", f"{'a' * 70}.example", ".", "127.0.0.1", "192.168.1.7:8765", "1.2.3.4.5",
    "tabletape=", "tabletape=x", 'tabletape="\\', "tabletape=a.b; tabletape=c", "=; ;;a", "tabletape=%00",
    "DELETE",
    'for="[";proto=https', "Thu, 01 Jan 1970 00:00:00 GMT", "keep-alive, Upgrade", "h2c", "1e5", MARK,
)  # fmt: skip
HEADERS: Final = (
    "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Authorization", "Connection",
    "Content-Length",
    "Content-Type", "Cookie", "Expect", "Forwarded", "Host", "If-Match", "If-Modified-Since", "If-None-Match",
    "If-Range", "If-Unmodified-Since", "Last-Event-ID", "Origin", "Range", "Referer", "Sec-Fetch-Site", "TE",
    "Transfer-Encoding", "Upgrade", "User-Agent", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Prefix",
    "X-Forwarded-Proto", "X-HTTP-Method-Override",
)  # fmt: skip
"""Tried everywhere; what a route looks up is tried there."""
_ADDRESSES: Final = (
    "http://[", "http://[::1", "//[", "http://a:99999", "http://a:٣", "null", "http://localhost",
    "https://localhost",
    "http://localhost/games?text=%00", "http://elsewhere.example/games?x=[", "javascript:alert(1)", "//",
    MARK,
)  # fmt: skip
APT: Final[Mapping[str, tuple[str, ...]]] = {"Origin": _ADDRESSES, "Referer": _ADDRESSES}
"""For headers of one sort, what comes near to a good value."""
METHODS: Final = (
    "GET",
    "HEAD",
    "OPTIONS",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "TRACE",
    "CONNECT",
    "FOO",
    "get",
)
BODIES: Final = (
    b"", b"\x00", b"\xff\xfe=%ff", b"a", b"=&=&", b"a=1;b=2", b"%", b"a=%zz", b"--x", b"--x\r\n",
    b"--x--\r\n",
    b"--x\r\n\r\n\r\n--x--\r\n",
    b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n\xff\r\n--x--\r\n',
    b'--x\r\nContent-Disposition: form-data; name="data"; filename="\x00"\r\n\r\n{}\r\n--x--\r\n',
    b'--x\r\nContent-Disposition: form-data; filename="a"\r\n\r\n{}\r\n--x--\r\n',
    b"--x\r\nContent-Disposition: form-data\r\nContent-Length: 9999\r\n\r\nz", b"[" * 9_000,
    b'{"a":1,"a":NaN}',
    b"&".join(b"f%d=1" % number for number in range(1_500)), b"text=" + b"a" * 70_000,
)  # fmt: skip
COMMON: Final = 15
"""What so many routes look up is tried less often at each of them, and so is what `HEAD` and `OPTIONS` do."""
KEPT: Final = 12
"""Forms of one route that are remembered, and pages that show one."""
CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
WORD: Final = re.compile(r"[a-z]+(?:-[a-z]+)*")
MUST_HAVE: Final = {
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "",
}
MAY_BE_503: Final = frozenset({"no-stream"})
"""The others that the README names need a full disk, a lock or a moved database: no call causes that."""


class Call(NamedTuple):
    """A request, to the byte."""

    site: str
    method: str
    path: str
    """As it is written in the address, with its `%`."""
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    @property
    def address(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path

    def with_header(self, name: str, value: str) -> Call:
        others = tuple(pair for pair in self.headers if pair[0].lower() != name.lower())
        return self._replace(headers=(*others, (name, value)))


class Got(NamedTuple):
    """An answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    logged: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return self.headers.get("Content-Type", "").partition(";")[0]

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")


# --- what pages show -----------------------------------------------------------------------------------


@dataclass
class Field:
    """A field or button of a form."""

    tag: str
    kind: str
    name: str
    value: str
    required: bool = False
    options: list[str] = field(default_factory=list)


@dataclass
class Form:
    """A form of a page."""

    action: str
    method: str
    multipart: bool
    fields: list[Field] = field(default_factory=list)


class Shown(HTMLParser):
    """The forms and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[str] = []
        self._form: Form | None = None
        self._area: Field | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            multipart = found.get("enctype", "").startswith("multipart")
            self._form = Form(found.get("action", ""), found.get("method", "get").upper(), multipart)
            self.forms.append(self._form)
        self.links += [found[name] for name in ("href", "src") if found.get(name, "").startswith("/")]
        self.links += [
            value for name, value in found.items() if name.startswith("data-") and value[:1] == "/"
        ]
        if self._form is None:
            return
        if tag in {"input", "button", "textarea", "select"} and found.get("name"):
            kind = found.get("type", "submit" if tag == "button" else "text")
            self._form.fields.append(
                Field(tag, kind, found["name"], found.get("value", ""), "required" in found)
            )
            self._area = self._form.fields[-1] if tag == "textarea" else None
        if tag == "option" and self._form.fields:
            self._form.fields[-1].options.append(found.get("value", ""))

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area.value += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        if tag == "textarea":
            self._area = None


def filled(form: Form, rng: random.Random, typed: Callable[[Field], str]) -> list[tuple[str, str]]:
    """Fill a form in as a person does: one button, one answer of each group, some of the boxes."""
    sent: list[tuple[str, str]] = []
    buttons = [one for one in form.fields if one.tag == "button" or one.kind == "submit"]
    groups: dict[str, list[Field]] = defaultdict(list)
    open_ones = [one.name for one in form.fields if one.kind not in {"hidden", "submit"}]
    changed = rng.choice(
        ((), rng.sample(open_ones, min(1, len(open_ones))), rng.sample(open_ones, len(open_ones) // 2))
    )
    for one in form.fields:
        if one in buttons or one.kind == "file":
            continue
        if one.kind == "radio":
            groups[one.name].append(one)
        elif one.kind == "checkbox":
            sent += [(one.name, one.value)] if rng.random() < 0.5 else []
        elif one.tag == "select":
            sent.append((one.name, rng.choice(one.options or [""])))
        elif one.kind == "hidden" or not (one.required or one.name in changed):
            sent.append((one.name, one.value))
        else:
            sent.append((one.name, typed(one)))
    sent += [(name, rng.choice(group).value) for name, group in groups.items()]
    if buttons:
        button = rng.choice(buttons)
        sent.append((button.name, button.value))
    return sent


# --- what routes look up ---------------------------------------------------------------------------------


class Asked(NamedTuple):
    """A header (`sort` is `header`), or a query argument or field (`name`), that a route looked up."""

    sort: str
    name: str


def _kind(one: Asked) -> Asked:
    """Take `at:deck`, `at:hand` … for one thing."""
    return one._replace(name=re.split("[:.]", one.name)[0])


class Looked(dict[str, Any]):
    """An environ that notes which headers are looked up in it."""

    def __init__(self, known: Mapping[str, Any], seen: set[Asked]) -> None:
        super().__init__(known)
        self._seen = seen

    def __getitem__(self, name: str) -> Any:
        self._note(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._note(str(name))
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._note(name)
        return super().get(name, default)

    def copy(self) -> Looked:
        return Looked(self, self._seen)

    def _note(self, name: str) -> None:
        if name.startswith("HTTP_"):
            self._seen.add(Asked("header", name.removeprefix("HTTP_").replace("_", "-").title()))
        if name in {"CONTENT_TYPE", "CONTENT_LENGTH"}:
            self._seen.add(Asked("header", name.replace("_", "-").title()))


def noting(seen: set[Asked]) -> type[Request]:
    """Make a request that notes which arguments and fields are looked up in it."""

    class Noted(ImmutableMultiDict[str, str]):
        def __getitem__(self, name: str) -> str:
            seen.add(Asked("name", name))
            return super().__getitem__(name)

        def __contains__(self, name: object) -> bool:
            seen.add(Asked("name", str(name)))
            return super().__contains__(name)

        def get(self, name: str, *args: Any, **more: Any) -> Any:
            seen.add(Asked("name", name))
            return super().get(name, *args, **more)

        def getlist(self, name: str, *args: Any, **more: Any) -> Any:
            seen.add(Asked("name", name))
            return super().getlist(name, *args, **more)

    class Noting(Request):
        parameter_storage_class = Noted

    return Noting


# --- calling -------------------------------------------------------------------------------------------


@dataclass
class Site:
    """A site, as one person reaches it."""

    name: str
    app: Flask
    cookie: Callable[[], str] = str
    """Signs in, and gives the cookie."""
    good: Mapping[tuple[str, str], Callable[[], str]] = field(default_factory=dict)
    """What only a person knows to type into a field of a route."""
    signed_in: str = ""
    looked: set[Asked] = field(default_factory=set)
    """What the last call looked up."""

    def __post_init__(self) -> None:
        self.app.request_class = noting(self.looked)
        self.sign_in()

    def sign_in(self) -> None:
        self.signed_in = self.cookie()

    def send(self, call: Call) -> Got:
        """Send a call, and give the answer with whatever was logged as an error meanwhile."""
        caught = _Caught()
        self.app.logger.addHandler(caught)
        try:
            return self._send(call)._replace(logged=tuple(caught.said))
        finally:
            self.app.logger.removeHandler(caught)

    def _send(self, call: Call) -> Got:
        self.looked.clear()
        body, status, headers = run_wsgi_app(self.app, Looked(environ(call), self.looked))
        try:
            streams = headers.get("Content-Type", "").startswith("text/event-stream")
            found = next(iter(body), b"") if streams else b"".join(body)
        finally:
            close = getattr(body, "close", None)
            if close is not None:
                close()
        if headers.get("Content-Encoding") == "gzip" and found:
            found = gzip.decompress(found)
        return Got(int(status.split()[0]), headers, found)


class _Caught(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(self.format(record))


def environ(call: Call) -> dict[str, Any]:
    """Write a call as a server hands it over."""
    found: dict[str, Any] = {
        "REQUEST_METHOD": call.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(call.path).decode("latin-1"),
        "QUERY_STRING": call.query.encode(errors="replace").decode("latin-1"),
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "localhost",
        "CONTENT_LENGTH": str(len(call.body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(call.body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in call.headers:
        key = name.upper().replace("-", "_")
        plain = key in {"CONTENT_TYPE", "CONTENT_LENGTH"}
        found[key if plain else f"HTTP_{key}"] = value.encode(errors="replace").decode("latin-1")
    return found


def complaints(call: Call, got: Got, codes: frozenset[str]) -> Iterator[str]:
    """Say what is wrong with an answer; nothing where all is well."""
    code = got.headers.get("X-Error-Code")
    if got.status >= 500 and not (got.status == 503 and code in MAY_BE_503):
        yield f"status {got.status}, code {code}"
    yield from (f"logged: {said[-3_000:]}" for said in got.logged)
    for name, begins in MUST_HAVE.items():
        if not got.headers.get(name, "\x00").startswith(begins):
            yield f"header {name} is {got.headers.get(name)!r}"
    if b"Traceback (most recent call last)" in got.body:
        yield "a traceback"
    if got.kind in {"text/html", "image/svg+xml"} and MARK in got.text:
        yield "what was sent stands in the page as markup"
    # A form that is refused gives back what was typed, to the letter.
    shows = got.kind in {"text/html", "image/svg+xml", "text/plain"} and not call.body
    if shows and (found := CONTROL.search(got.text)):
        yield f"the control character {found[0]!r} stands in the page"
    if got.status < 400:
        return
    if code is None or not WORD.fullmatch(code) or code not in codes:
        yield f"no stable code, but {code!r}"
    if (
        got.kind == "application/json"
        and call.method != "HEAD"
        and f'"code":"{code}"' not in _tight(got.text)
    ):
        yield f"JSON without the code {code!r}: {got.text[:200]}"


def _tight(text: str) -> str:
    return text.replace('": "', '":"')


# --- making calls ----------------------------------------------------------------------------------------


Route = tuple[str, str]
"""An endpoint with a method."""


def routes(app: Flask) -> dict[Route, Rule]:
    """Give every route of a site; those that Flask answers by itself (`OPTIONS`) too."""
    return {
        (rule.endpoint, method): rule
        for rule in app.url_map.iter_rules()
        for method in sorted(rule.methods or ())
    }


class Maker:
    """Makes calls, and learns from the answers."""

    def __init__(self, sites: Iterable[Site], rng: random.Random, games: Iterable[str]) -> None:
        self.sites = {site.name: site for site in sites}
        self.rng = rng
        self.games = list(games)
        self.routes = routes(next(iter(self.sites.values())).app)
        self.reached: dict[Route, Call] = {}
        self._asked: set[tuple[str, str]] = set()
        self._known: dict[tuple[Route, Asked], list[str]] = {}
        """What the routes look up, and the sites whose routes did."""
        self._asked_by: Counter[Asked] = Counter()
        self._pairs: list[tuple[Route, Asked]] = []
        self._due: list[tuple[Route, Asked]] = []
        """Those of a turn that are still to be tried, in any order."""
        self._values: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
        """The same for the values of one thing that is looked up."""
        self._onward: dict[str, str] = {}
        self._visits: Counter[tuple[str, str]] = Counter()
        self._links: dict[tuple[str, str], deque[str]] = defaultdict(lambda: deque(maxlen=8 * KEPT))
        self._forms: dict[tuple[str, str], deque[Form]] = defaultdict(lambda: deque(maxlen=KEPT))
        self._pages: dict[tuple[str, str], deque[str]] = defaultdict(lambda: deque(maxlen=KEPT))

    # - learning -

    def send(self, call: Call) -> Got:
        """Send a call and learn from the answer."""
        site = self.sites[call.site]
        self._asked.add((call.site, call.address))
        got = site.send(call)
        endpoint = self._endpoint(site, call.path, call.method)
        if endpoint is not None:
            self._note(site, (endpoint, call.method))
        if endpoint is not None and got.status < 400:
            self.reached.setdefault((endpoint, call.method), call)
            if (call.method == "POST" and got.headers.get("Set-Cookie")) or (endpoint or "").startswith(
                "invite."
            ):
                site.sign_in()
        if got.kind == "text/html":
            self._learn(site, call, Shown(got.text))
        elif "Location" in got.headers:
            self._learn_link(site, got.headers["Location"])
            self._onward[site.name] = got.headers["Location"].partition("#")[0]
        return got

    def _note(self, site: Site, route: Route) -> None:
        """Keep what a route looks up, to try it later; not what was sent as a name and is garbage."""
        for one in sorted(site.looked):
            kind = _kind(one)
            by = self._known.get((route, kind))
            if by is not None and site.name not in by:
                by.append(site.name)
            if by is None and one.name.isascii() and len(one.name) < 40:
                self._known[route, kind] = [site.name]
                self._pairs.append((route, one))
                self._asked_by[one] += 1
                self._due.insert(self.rng.randrange(len(self._due) + 1), (route, one))

    def _learn(self, site: Site, call: Call, shown: Shown) -> None:
        for link in shown.links:
            self._learn_link(site, link)
        for form in shown.forms:
            endpoint = self._endpoint(site, form.action.partition("?")[0], form.method)
            if endpoint is None:
                continue
            self._forms[site.name, endpoint].append(form)
            if call.method == "GET" and form.method == "POST":
                self._pages[site.name, endpoint].append(call.address)

    def _learn_link(self, site: Site, link: str) -> None:
        endpoint = self._endpoint(site, urlsplit(link).path, "GET")
        if endpoint is not None:
            self._links[site.name, endpoint].append(link.partition("#")[0])

    def _endpoint(self, site: Site, path: str, method: str) -> str | None:
        plain = unquote_to_bytes(path).decode(errors="replace")
        try:
            return str(site.app.url_map.bind("localhost").match(plain, method=method)[0])
        except HTTPException:
            return None

    def unseen(self, site: Site) -> Call | None:
        """Give a page that nobody has asked for: where the last answer leads, or one of the rarest sort."""
        onward = self._onward.pop(site.name, None)
        if onward is not None and (site.name, onward) not in self._asked:
            return self._look(site, onward)
        left = {
            endpoint: [link for link in links if (name, link) not in self._asked]
            for (name, endpoint), links in self._links.items()
            if name == site.name and endpoint != "static"
        }
        left = {endpoint: links for endpoint, links in left.items() if links}
        if not left:
            return None
        endpoint = min(left, key=lambda one: (self._visits[site.name, one], one))
        self._visits[site.name, endpoint] += 1
        return self._look(site, self.rng.choice(left[endpoint]))

    def _look(self, site: Site, link: str) -> Call:
        path, _, query = link.partition("?")
        return Call(site.name, "GET", path, query, self._usual(site, "text/html"))

    # - good calls -

    def good(self, site: Site, route: Route) -> Call:
        """Make a call as a page of ours would."""
        endpoint, method = route
        if method == "POST" and (form := self._form(site, endpoint)) is not None:
            return self._sent(site, endpoint, form)
        links = self._links.get((site.name, endpoint))
        if links and method != "POST" and self.rng.random() < 0.6:
            path, _, query = self.rng.choice(links).partition("?")
        else:
            path, query = self._built(site, endpoint), ""
        gets = self._forms.get((site.name, endpoint))
        if (
            method in {"GET", "HEAD"}
            and gets
            and self.rng.random() < 0.3
            and (form := gets[-1]).method == "GET"
        ):
            query = urlencode(filled(form, self.rng, self._typed(site, endpoint)))
        return Call(site.name, method, path, query, self._usual(site))

    def _usual(self, site: Site, accept: str = "") -> tuple[tuple[str, str], ...]:
        cookie = (("Cookie", site.signed_in),) if site.signed_in else ()
        accept = accept or self.rng.choice(("text/html", "text/html", "application/json"))
        origin = self.rng.choice((("Sec-Fetch-Site", "same-origin"), ("Origin", "http://localhost")))
        return (origin, ("Accept", accept), *cookie)

    def _form(self, site: Site, endpoint: str) -> Form | None:
        """Give a form for a route, most often one that a page shows just now."""
        pages, forms = self._pages.get((site.name, endpoint)), self._forms.get((site.name, endpoint))
        if pages and self.rng.random() < 0.7:
            path, _, query = self.rng.choice(pages).partition("?")
            self.send(Call(site.name, "GET", path, query, self._usual(site, "text/html")))
        return forms[-1 if self.rng.random() < 0.7 else self.rng.randrange(len(forms))] if forms else None

    def _sent(self, site: Site, endpoint: str, form: Form) -> Call:
        path, _, query = form.action.partition("?")
        fields = filled(form, self.rng, self._typed(site, endpoint))
        call = Call(site.name, "POST", path, query, self._usual(site))
        return in_parts(call, fields) if form.multipart else plainly(call, fields)

    def _typed(self, site: Site, endpoint: str) -> Callable[[Field], str]:
        def typed(one: Field) -> str:
            known = site.good.get((endpoint, one.name))
            if known is not None:
                return known()
            if one.kind == "number" or one.value.isdigit():
                return self.rng.choice((one.value or "1", "1", "2"))
            if one.kind == "date":
                return "2026-09-14"
            if one.name.startswith("now:"):
                return one.value  # a value of the state that is no number has few others that fit it
            return self.rng.choice(("Ann", "Bold.", "1", "2"))

        return typed

    def _built(self, site: Site, endpoint: str) -> str:
        """Build an address from what arguments are called; what nobody knows is any word."""
        rule = next(rule for rule in self.routes.values() if rule.endpoint == endpoint)
        known = {
            "game": self.rng.choice(self.games),
            "step": self.rng.randrange(12),
            "seq": self.rng.randrange(1, 9),
        }
        fallback = {name: known.get(name, "1") for name in rule.arguments}
        built = site.app.url_map.bind("localhost").build(endpoint, fallback)
        return str(built)

    # - spoiled calls -

    def pointed(self) -> tuple[Call, Route, Asked]:
        """Make a call that is good but for one thing that its route looks up: each such thing in its turn."""
        route, one = self._next()
        while (self._asked_by[one] >= COMMON or route[1] not in {"GET", "POST"}) and self.rng.random() < 0.75:
            route, one = self._next()
        by = self._known[route, _kind(one)]
        site = self.sites[self.rng.choice(by if self.rng.random() < 0.7 else ("open", "table", *self.sites))]
        call = self.good(site, route)
        if one.sort == "header":
            return self._with_header(call, one.name), route, one
        fields = parse_qsl(call.body.decode("latin-1"), keep_blank_values=True)
        if call.method == "POST" and b"\r\n" not in call.body and self.rng.random() < 0.7:
            others = [pair for pair in fields if pair[0] != one.name]
            return plainly(call, [*others, (one.name, self._attack())]), route, one
        others = [pair for pair in parse_qsl(call.query) if pair[0] != one.name]
        query = "&".join(filter(None, (urlencode(others), f"{quote(one.name)}={self._telling(route, one)}")))
        return call._replace(query=query), route, one

    def _telling(self, route: Route, one: Asked) -> str:
        """Give a value that shows most faults at once, or any: for each thing one after the other."""
        return self._in_turn((route, one), (quote(MARK, safe=""), "%00", "")) or self._written()

    def _in_turn(self, what: tuple[object, ...], values: Sequence[str]) -> str:
        """Give each of the values before one comes again, in any order."""
        if not self._values[what]:
            self._values[what] = self.rng.sample(values, len(values))
        return self._values[what].pop()

    def _next(self) -> tuple[Route, Asked]:
        if not self._due:
            self._due = self.rng.sample(self._pairs, len(self._pairs))
        return self._due.pop()

    def _with_header(self, call: Call, name: str) -> Call:
        apt = APT.get(name.title(), ())
        if name.title() == "Origin":  # it is not looked at beside what says more
            call = call._replace(headers=tuple(pair for pair in call.headers if pair[0] != "Sec-Fetch-Site"))
        if apt and self.rng.random() < 0.7:
            return call.with_header(name, self._in_turn(("header", name.title()), apt))
        values = HEADER_VALUES if self.rng.random() < 0.7 else (*HEADER_VALUES, *TEXTS[:30])
        return call.with_header(name, self.rng.choice(values))

    def spoiled(self, call: Call) -> Call:
        """Make something of a call that no page of ours sends."""
        for _ in range(self.rng.choice((1, 1, 1, 2, 3))):
            spoil = self.rng.choice(
                (self._path, self._query, self._query, self._header, self._header, self._fields, self._fields,
                 self._method, self._body)
            )  # fmt: skip
            call = spoil(call)
        return call

    def _attack(self) -> str:
        return self.rng.choice(self.rng.choice(SORTS))

    def _written(self) -> str:
        return self.rng.choice(BYTES) if self.rng.random() < 0.2 else quote(self._attack()[:6_000], safe="")

    def _path(self, call: Call) -> Call:
        parts = call.path.split("/")
        place = self.rng.randrange(1, len(parts)) if len(parts) > 1 else 0
        match self.rng.randrange(4):
            case 0:
                parts[place] = self._written()
            case 1:
                parts[place] += self._written()
            case 2:
                parts.insert(place, self._written())
            case _:
                parts = [part if not part.isdigit() else self._written() for part in parts]
        return call._replace(path="/".join(parts) or "/")

    def _query(self, call: Call) -> Call:
        pairs = [pair for pair in call.query.split("&") if pair]
        names = self._names()
        if pairs and self.rng.random() < 0.4:
            place = self.rng.randrange(len(pairs))
            pairs[place] = f"{pairs[place].partition('=')[0]}={self._written()}"
        else:
            name = self._written() if self.rng.random() < 0.1 else quote(self.rng.choice(names))
            pairs.append(f"{name}={self._written()}")
        if self.rng.random() < 0.1:
            pairs *= 2
        return call._replace(query="&".join(pairs))

    def _header(self, call: Call) -> Call:
        return self._with_header(call, self.rng.choice(HEADERS))

    def _names(self) -> list[str]:
        return sorted({one.name for _, one in self._known if one.sort == "name"}) or ["as"]

    def _method(self, call: Call) -> Call:
        return call._replace(method=self.rng.choice(METHODS)) if self.rng.random() < 0.5 else call

    def _fields(self, call: Call) -> Call:
        """Spoil the fields of a form; a call without one gets a form."""
        fields = parse_qsl(call.body.decode("latin-1"), keep_blank_values=True, max_num_fields=5_000)
        if call.method != "POST" or b"\r\n" in call.body:
            return self._query(call)
        names = self._names()
        place = self.rng.randrange(len(fields)) if fields else 0
        match self.rng.randrange(6):
            case 0 | 1 if fields:
                fields[place] = (fields[place][0], self._attack())
            case 2 if fields:
                del fields[place]
            case 3 if fields:
                fields.append(fields[place])
            case 4 if len(fields) > 1:
                fields[place] = (fields[place][0], self.rng.choice(fields)[1])
            case _:
                fields.append((self.rng.choice(names), self._attack()))
        return in_parts(call, fields) if self.rng.random() < 0.2 else plainly(call, fields)

    def _body(self, call: Call) -> Call:
        body = self.rng.choice(BODIES)
        if self.rng.random() < 0.3:
            cut = self.rng.randrange(len(call.body) + 1)
            body = call.body[:cut] + body
        kinds = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json")
        method = "POST" if self.rng.random() < 0.5 else call.method
        return call._replace(body=body, method=method).with_header("Content-Type", self.rng.choice(kinds))


def plainly(call: Call, fields: list[tuple[str, str]]) -> Call:
    """Send a form as most are sent."""
    body = urlencode(fields, errors="replace").encode()
    return call._replace(body=body).with_header("Content-Type", "application/x-www-form-urlencoded")


def in_parts(call: Call, fields: list[tuple[str, str]]) -> Call:
    """Send a form as those with a file are sent."""
    parts = (
        f'--part\r\nContent-Disposition: form-data; name="{quote(name, safe=":.* ")}"\r\n\r\n{value}\r\n'
        for name, value in fields
    )
    body = "".join((*parts, "--part--\r\n")).encode(errors="replace")
    return call._replace(body=body).with_header("Content-Type", "multipart/form-data; boundary=part")
