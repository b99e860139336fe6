"""Hand-ins at random, as students of courses in ten languages write them, with the verdicts that they deserve.

A page draws its language, the form of its headings and parts, that of its labels, separators and order anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

ASSIGNMENT = """program = "z = x**2 + x*y + 3*y"
at = { x = 3, y = 1 }
ask = ["dz/dx", "dz/dy"]
[[question]]
id = "formulas"
program = "z = x**2 + x*y + 3*y"
at = { x = 3, y = 1 }
ask = [{ quantity = "dz/dx", form = "expression" }, { quantity = "dz/dy", form = "expression" }]
[[question]]
id = "power"
program = "w = (3*u + 1)**4"
at = { u = 1.4 }
ask = [{ quantity = "dw/du", form = "expression" }]
[[question]]
id = "resistors"
program = "R = a*b/(a + b)"
at = { a = 1.2, b = 0.4 }
ask = ["R", "dR/da", "dR/db"]
[[question]]
id = "kink"
program = "f = abs(t)"
at = { t = 0 }
ask = [{ quantity = "df/dt", undefined = true }]
"""  # behind the first line, which names the question `q`
WORDS = (  # for a question, an answer to it, the verb, and no derivative
    ("Aufgabe", "Lösung zu", "ist", "nicht differenzierbar"),
    ("Question", "Answer to", "is", "does not exist"),
    ("Exercice", "Réponse à", "vaut", "n'existe pas"),
    ("Ejercicio", "Respuesta a", "es", "no existe"),
    ("Esercizio", "Risposta a", "è", "non esiste"),
    ("Exercício", "Resposta a", "é", "não existe"),
    ("Opgave", "Antwoord op", "is", "bestaat niet"),
    ("Zadanie", "Odpowiedź do", "jest", "nie istnieje"),
    ("Задача", "Ответ на", "равна", "не существует"),
    ("Příklad", "Odpověď k", "je", "neexistuje"),
    ("Uppgift", "Svar till", "är", "existerar inte"),
)
RIGHT: Mapping[str, Mapping[str, tuple[str, str]]] = {  # an answer that is right, and one that is wrong
    "q": {"dz/dx": ("7", "5"), "dz/dy": ("6", "7")},
    "formulas": {"dz/dx": ("2x + y", "2x"), "dz/dy": ("x + 3", "x + 2")},
    "power": {"dw/du": ("12(3u+1)^3", "4(3u+1)^3")},
    "resistors": {"R": ("0.3", "0.4"), "dR/da": ("0.0625", "0.5625"), "dR/db": ("0.5625", "-0.0625")},
    "kink": {"df/dt": ("", "1")},
}
HEADINGS: tuple[Callable[[tuple[str, ...], int], str], ...] = (
    lambda words, number: f"{words[0]} {number}",
    lambda words, number: f"{words[0]} {number}:",
    lambda words, number: f"**{words[0]} {number}.**",
    lambda words, number: f"## {words[0]} {number}",
    lambda words, number: f"{words[0]} {number} (2 points)",
    lambda words, number: f"{words[1]} {number}:",
    lambda words, number: f"{number}. {words[0]}",
    lambda words, number: f"{number}.",
    lambda words, number: f"{number})",
    lambda words, number: f"({number})",
    lambda words, number: rf"\section*{{{words[0]} {number}}}",
    lambda words, number: f"Q{number}.",
    lambda words, number: f"<h2>{words[0]} {number}</h2>",
    lambda words, number: f"{number}:",
)
LABELS: tuple[Callable[[str], str], ...] = (
    lambda label: label,
    lambda label: label.replace("d", "∂"),
    lambda label: f"${label}$" if "/" not in label else rf"\frac{{\partial {label[1]}}}{{\partial {label[-1]}}}",
    lambda label: label if "/" not in label else f"{label[1]}_{label[-1]}",
    lambda label: label if "/" not in label else f"d{label[1]} / d{label[-1]}",
)


def page(draw: Random) -> tuple[str, dict[tuple[str, str], bool | None]]:
    """Return the text of a page, and whether each answer on it is right; None for those that are not."""
    words = draw.choice(WORDS)
    heading, label = draw.choice(HEADINGS), draw.choice(LABELS)
    style = draw.choice(["labels", "labels", "parts", "both", "one line", "numbered", "led"])
    comma = draw.random() < 0.3
    numbers = [number for number in range(1, len(RIGHT) + 1) if draw.random() < 0.8] or [1]
    if draw.random() < 0.3:
        draw.shuffle(numbers)
    lines: list[str] = []
    expected: dict[tuple[str, str], bool | None] = {(id, ask): None for id, asks in RIGHT.items() for ask in asks}
    for number in numbers:
        id = list(RIGHT)[number - 1]
        answers = []
        for place, (ask, (right, wrong)) in enumerate(RIGHT[id].items()):
            is_right = draw.random() < 0.7
            text = (right or words[3]) if is_right else wrong
            text = text.replace(".", ",") if comma else text
            expected[id, ask] = is_right
            answers.append((place, label(ask), text))
        sign = draw.choice([" = ", ": ", "=", f" {words[2]} "])
        letter = draw.choice(["({})", "{})"])
        if style == "led":
            lines += [f"{number}{chr(97 + place)}) {text}" for place, _, text in answers]
            continue
        if style == "one line" and not heading(words, number).startswith(("\\", "<", "#", "(")):
            joint = draw.choice(["; ", f" {draw.choice(['and', 'und', 'et', 'y', 'e', 'en', 'i'])} ", "   "])
            joint = "; " if "^" in str(answers) or "x" in str(answers) else joint
            lines.append(
                f"{heading(words, number).rstrip(':.')}: "
                + joint.join(f"{own}{sign}{text}" for _, own, text in answers)
            )
            continue
        lines.append(heading(words, number))
        for place, own, text in answers:
            part = letter.format(chr(97 + place))
            if len(answers) == 1 and draw.random() < 0.4:
                lines.append(text)
            elif style == "parts" and len(answers) > 1:
                lines.append(f"{part} {text}")
            elif style == "both":
                lines.append(f"{part} {own}{sign}{text}")
            elif style == "numbered" and not heading(words, number)[0].isdigit() and heading(words, number)[0] != "(":
                lines.append(f"{place + 1}. {own}{sign}{text}")
            else:
                lines.append(f"{own}{sign}{text}")
        lines += [""] * (draw.random() < 0.5)
    return "\n".join(lines) + "\n", expected
