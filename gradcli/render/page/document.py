"""The whole file: a page that needs nothing from elsewhere, and that lets nothing from elsewhere in."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from gradcli.source import shipped, visible
from gradcli.stream.values import Json, dump

# Markup: elements around texts. A text from outside is escaped where it is put in, whatever it holds.


ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
VOID = frozenset(("br", "input", "link", "meta"))  # elements without content


class Html(str):
    """A text that is markup already."""

    __slots__ = ()


Content = str | None  # None is left out
Attribute = str | int | float | bool | None  # True is an attribute without a value, False and None are left out


def element(tag: str, *content: Content, **attributes: Attribute) -> Html:
    """Return an element; `data_step=3` is `data-step="3"`, and `class_` is `class`. Texts are escaped."""
    opening = f"<{tag}{''.join(_attribute(name, value) for name, value in attributes.items())}>"
    return Html(opening if tag in VOID else f"{opening}{joined(*content)}</{tag}>")


def joined(*content: Content) -> Html:
    """Return contents one after the other."""
    return Html("".join(map(safe, content)))


def safe(content: Content) -> Html:
    """Return a text as markup: escaped, and with invisible characters written out, unless it is markup already."""
    if content is None:
        return Html()
    return content if isinstance(content, Html) else Html(shown(content).translate(ESCAPED))


def shown(text: str) -> str:
    """Write out the characters of a text that nobody sees, and that may turn the others around; lines stay."""
    return "\n".join(map(visible, text.split("\n")))


def cut(text: str, longest: int) -> str:
    """Return a text with its invisible characters written out; of a long one the beginning."""
    line = visible(text)
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    spelled = name.rstrip("_").replace("_", "-")
    return f" {spelled}" if value is True else f' {spelled}="{safe(str(value))}"'


def data(document: Json, **attributes: Attribute) -> Html:
    """Return a document as a block of data, in which nothing can end the block."""
    text = re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", dump(document))
    return element("script", Html(text), type="application/json", **attributes)


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


# The controls of a step page, which are there for the player alone, and the panel that tells the current step.


BUTTONS = (  # the action, its sign as a path, and what it says
    ("first", "M4 4v12M15 4 9 10l6 6", "First step (Home)"),
    ("previous", "M13 4 7 10l6 6", "Previous step (←)"),
    ("play", "M6 4v12l10-6z", "Play (space)"),
    ("next", "M7 4l6 6-6 6", "Next step (→)"),
    ("last", "M5 4l6 6-6 6M16 4v12", "Last step (End)"),
)
ZOOM = (("zoom-in", "+", "Larger (+)"), ("zoom-out", "−", "Smaller (-)"), ("fit", "⤢", "The whole graph (0)"))
FORWARD = "forward".__eq__
WAYS = 8  # stretches forward and backward that are marked
PAUSE = "M6 4v12M14 4v12"


def controls(phases: Sequence[str], *, predicts: bool, ruler: Html | None = None) -> Html:
    """Return buttons and slider, on which it is marked where the steps, of these phases, go forward and backward."""
    last = len(phases)
    buttons = [
        element("button", sign(path), type="button", data_action=action, **named(text))
        for action, path, text in BUTTONS
    ]
    slider = element(
        "input", type="range", min=0, max=last, step=1, value=last, data_steps_slider=True, aria_label="Step"
    )
    ways = [("forward" if is_forward else "backward", len([*group])) for is_forward, group in groupby(phases, FORWARD)]
    shown = ways if len(ways) <= WAYS else []
    marks = [element("span", element("span", name), class_=f"way {name}", data_share=count) for name, count in shown]
    return element(
        "div",
        element("div", *buttons, class_="buttons"),
        element("div", slider, ruler or element("div", *marks, class_="ways", aria_hidden="true"), class_="slide"),
        element("output", f"{last} of {last}", class_="count", data_count=True),
        predict_switch(is_off=not predicts),
        element("button", "Present", type="button", data_action="present", title="Full screen, step by step (p)"),
        class_="controls",
        role="group",
        aria_label="Steps",
        hidden=True,
    )


def sign(path: str) -> Html:
    """Return the sign of a button, which has also the one to pause if it is the one to play."""
    pause = element("path", d=PAUSE, class_="pause")
    return element("svg", element("path", d=path), pause, viewBox="0 0 20 20", width=20, height=20, aria_hidden="true")


def named(text: str) -> dict[str, str]:
    return {"aria_label": text.partition(" (")[0], "title": text}


def predict_switch(*, is_off: bool) -> Html:
    """Return the switch that has the reader say each number before it is shown; off where there is nothing to ask."""
    return element(
        "button", "Predict first", type="button", data_action="predict", aria_pressed="false", disabled=is_off,
        title="Type each contribution before it is shown",
    )  # fmt: skip


def panel(sentence: str) -> Html:
    """Return the place of the current sentence, and of the question before a contribution is shown."""
    return element(
        "div",
        element("p", class_="phase", data_phase_name=True),
        element("p", sentence, data_sentence=True, aria_live="polite"),
        element(
            "form",
            element("label", element("span", data_question=True), element(
                "input", type="text", inputmode="text", autocomplete="off", spellcheck="false", data_predict=True
            )),
            element("button", "Check", type="submit"),
            element("button", "Show me", type="button", data_action="reveal", class_="quiet"),
            class_="predict",
            hidden=True,
        ),
        element("p", data_verdict=True, role="status"),
        class_="panel",
        hidden=True,
    )  # fmt: skip


def scene(*parts: Html, is_run: bool = False) -> Html:
    """Return what is in the window together: program, controls, graph, sentence and numbers of the step."""
    return element("div", *parts, class_="scene run" if is_run else "scene")


def view(*graphs: Html | None) -> Html:
    """Return the place of the graph, with the buttons that make it larger or smaller."""
    buttons = (element("button", sign, type="button", data_action=action, **named(said)) for action, sign, said in ZOOM)
    return element("div", *graphs, element("div", *buttons, class_="zoom", hidden=True), about(), class_="view")


def numbers_panel(*parts: Html | None) -> Html:
    """Return the place of the numbers of the step, which scrolls where it is too low for them."""
    return element("div", *parts, class_="told", tabindex=0, role="region", aria_label="The numbers of this step")


def about() -> Html:
    """Return the place that tells what is under the pointer or has the focus."""
    hint = "Point at a box or an arrow, or walk with the arrow keys."
    return element("p", hint, data_about=True, data_hint=True, class_="about", hidden=True)
