"""The whole file: a page that needs nothing from elsewhere, and that lets nothing from elsewhere in."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from gradcli.render.page.html import Html, cut, data, element, joined
from gradcli.source import shipped
from gradcli.stream.values import Json

FOLDER = Path(__file__).parent
LIVE = Html("document.documentElement.dataset.live = ''")  # before anything is laid out that the player hides


@cache
def asset(name: str) -> Html:
    """Return the text of a file that stands beside this module."""
    return Html(shipped(FOLDER / name))


@cache
def player() -> Html:
    """Return the script of a page: what computes its formulas, and what plays its steps."""
    return joined(*map(asset, ("answers.js", "formulas.js", "page.js", "what_if.js")))


def digest(text: str) -> str:
    """Return the source expression that allows this text alone, in a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def trainer() -> Html:
    """Return the script of a page of exercises."""
    return joined(*map(asset, ("answers.js", "practice.js")))


def policy(script: Html) -> str:
    """Return the policy: our own style and our own script, and nothing else from anywhere."""
    style, scripts = digest(asset("page.css")), f"{digest(LIVE)} {digest(script)}"
    return f"default-src 'none'; style-src {style}; script-src {scripts}; base-uri 'none'; form-action 'none'"


def page(title: str, main: Html, *, steps: Json, facts: Json) -> str:
    """Return the text of a page: `steps` is for the player, and `facts` the JSON document of the command."""
    return alive(title, main, player(), data(facts, id="gradcli-data"), data(steps, id="gradcli-steps"))


def alive(title: str, main: Html, script: Html, *blocks: Html) -> str:
    """Return the text of a page with a script of ours and blocks of data."""
    body = element("body", main, *blocks, element("script", script, type="module"))
    return whole(title, policy(script), [element("style", asset("page.css")), element("script", LIVE)], body)


def still(title: str, main: Html) -> str:
    """Return the text of a page that holds what it shows and nothing else: no script, no data."""
    style = joined(asset("page.css"), asset("feedback.css"))
    allowed = f"default-src 'none'; style-src {digest(style)}; base-uri 'none'; form-action 'none'"
    return whole(title, allowed, [element("style", style)], element("body", main))


def whole(title: str, policy: str, looks: Sequence[Html], body: Html) -> str:
    """Return the text of a page with its Content-Security-Policy."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content="gradcli"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{cut(title, 80)} · gradcli"),
        *looks,
    )
    return joined(Html("<!DOCTYPE html>\n"), element("html", head, body, lang="en"), Html("\n"))
