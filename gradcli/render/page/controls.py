"""The controls of a step page, which are there for the player alone, and the panel that tells the current step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from gradcli.render.page.document import Html, element

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


def told(*parts: Html | None) -> Html:
    """Return the place of the numbers of the step, which scrolls where it is too low for them."""
    return element("div", *parts, class_="told", tabindex=0, role="region", aria_label="The numbers of this step")


def about() -> Html:
    """Return the place that tells what is under the pointer or has the focus."""
    hint = "Point at a box or an arrow, or walk with the arrow keys."
    return element("p", hint, data_about=True, data_hint=True, class_="about", hidden=True)
