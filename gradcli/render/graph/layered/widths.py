"""The widths of texts: of a wide sans serif face (DejaVu Sans), so that a text in another one fits, too."""

from __future__ import annotations

import unicodedata

# Hundredths of the size of the face, by the characters that have them.
WIDTHS = {
    28: "'ijlìíîï", 30: "IJÌÍÎÏΙΪ′", 32: " ,.·", 34: "/:;\\|ίι", 36: "f", 37: "-", 40: "()[]t", 41: "!²³¹⁰⁴₀₁₂₃",
    42: "r", 46: '"', 50: "*_`°´¸º", 53: "sz∂", 56: "cçέεζLΓνξ?¿", 58: "FkΰυχTPYτ", 60: "vxyγλκς",
    62: "aeoàáâãäåèéêëðòóôõöθδοΡπÞΤΥΫÝ»«ß", 64: "$0123456789ESbdghnpquñ{}µ¶ÈÉÊËΕΞΣήβημρσ√", 66: "KΚάαφψ", 68: "∇∑",
    69: "ABVXZÀÁÂÃÄÅΑΒΔΖΛΧ", 70: "CRÇ", 75: "UÙÚÛÜNÑΝ", 78: "DGHÐΗΠΩ", 79: "&OQÒÓÔÕÖØΘΟΦΨ",
    84: "w#+<=>^~±×÷ω←→−∞≈≠≤≥⊗⊙", 87: "MΜ", 100: "%mWæÆ@…¼½¾",
}  # fmt: skip
OF = {character: width for width, characters in WIDTHS.items() for character in characters}
OF |= dict.fromkeys("TYPτß", 63)


def text_width(text: str, size: float) -> float:
    """Return the width in pixels of a text in a face of a size; a character that is not in the table is wide."""
    return sum(OF.get(c) or (0 if unicodedata.combining(c) else 100) for c in text) * size / 100
