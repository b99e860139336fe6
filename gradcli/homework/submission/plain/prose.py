"""Words around a number: a prompt or `the answer is` before it, a reason or a remark behind it."""

from __future__ import annotations

import re

TAG = re.compile(r"</?(?:b|i|u|em|strong|code|span|p|br|font)\b[^<>]*>|(?P<power><sup>)(?P<inner>[^<>]*)</sup>", re.I)
PROMPT = re.compile(r"(?:>>>|(?:In|Out)\s*\[\d+\]\s*[:=]?|\[1\](?=\s+[-+.\d]))\s*")
SUBJECT = (
    r"(?:the\s+)?(?:final\s+)?(?:answer|ans|result|value|gradient|derivative|solution|lösung|ergebnis|antwort)(?:\s+is|\s+ist)?"
    r"|it(?:'?s|\s+is)|is|ist|equals|exactly|precisely|genau|(?:the\s+)?(?:matrix|vector|array|list|row|column|shape)(?=\s*[:\[(])|maybe|probably|perhaps|vielleicht|wahrscheinlich"
    r"|(?:i|we)\s+(?:think|get|got|have|find|found)|so|thus|hence|therefore|also|gives?|yields?"
)
BEFORE = re.compile(rf"(?:(?:{SUBJECT})\b\s*[:=,]?|==?>|->|⟹|⟶|↦)\s*(?=[^\s=])", re.IGNORECASE)
REASON = (
    "by|from|since|because|as|using|via|due|see|where|when|after|with|weil|wegen|nach|aus|laut|gemäß|mit|durch|da|denn"
)
AFTER = re.compile(
    rf"(?<=[\d\])}}])(?:\s*[,;:]?\s+(?:{REASON})\s+[^\W\d_].*|\s*,?\s+(?:i|we)\s+(?:think|guess|believe|hope|got|get)"
    rf"|\s+[(\[]\s*\d+\s*(?:points?|pts?|marks?|punkte?)\W*[)\]]|\s*(?://|--)\s*[^\W\d_].*|\s+[(\[]\s*[^\W\d_]{{2,}}[^()\[\]\d]*[)\]]"
    r"|\s+\(\s*[^\W\d_]{2,}\s+[^\W\d_]{2,}[^()\[\]]*\)|\s+\(\s*(?:float\d\d|\d+\s+(?:entries|rows|numbers))\s*\)"
    r"|\s*\[[^\W\d_][^\[\]]*\]|\s+units?)\s*\.?$",
    re.IGNORECASE | re.DOTALL,
)
UNIT_IN_BRACKETS = re.compile(r"(?<=\d)\s*\[[\d\s/]*[^\W\d_][\w\s/^*·²³⁻¹]*\]$")
CALLS = re.compile(r"(?:\.(?:item|numpy|detach|cpu|tolist|clone|squeeze|flatten)\(\))+$")
MINUS = re.compile(r"^minus\s+(?=[\d.])", re.IGNORECASE)
MIXED = re.compile(r"(?P<sign>[-+]?)\s*(?P<whole>\d+)\s+(?P<part>\d+\s*/\s*\d+)")
TENSORFLOW = re.compile(r"<tf\.\w+[^<>]*?numpy=(?P<value>[^<>]*?)>", re.DOTALL)
BARE = re.compile(r"[-+.\d\[(][-+.,;*·×^=≈\s\d\[\]()eE&]*")
ROUNDS = 4


def without_prose(text: str) -> str:
    """Take off words that stand around a number or a tensor, from the outside in."""
    if BARE.fullmatch(text) and not text.startswith("[1] "):
        return text
    if "<" in text:
        text = TENSORFLOW.sub(r"\g<value>", text)
        text = TAG.sub(lambda tag: f"^({tag['inner']})" if tag["power"] else " ", text).strip()
    for _ in range(ROUNDS):
        before = text
        for pattern in (PROMPT, BEFORE):
            found = pattern.match(text)
            text = text[found.end() :] if found and found.end() < len(text) else text
        for pattern in (AFTER, UNIT_IN_BRACKETS, CALLS):
            text = pattern.sub("", text)
        text = text.rstrip("?").rstrip() if text.rstrip("? ") else text
        if text == before:
            break
    return MINUS.sub("-", text)


def unmixed(text: str) -> str:
    """Write a whole number with a fraction, `1 1/2`, as a sum."""
    found = MIXED.fullmatch(text)
    return f"{found['sign']}({found['whole']} + {found['part']})" if found else text
