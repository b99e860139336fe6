"""The shapes of reports that their readers describe in words, as JSON Schemas: Gradescope, check50, PrairieLearn."""

from __future__ import annotations

NAME = {"type": "string"}
GRADESCOPE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["score", "output", "output_format", "tests"],
    "properties": {
        "score": {"type": "number"},
        "output": NAME,
        "output_format": {"const": "text"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "number", "score", "max_score", "status", "output", "output_format", "visibility"],
                "properties": {
                    "name": NAME,
                    "number": {"type": "string", "pattern": r"^\d+\.\d+$"},
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "output": NAME,
                    "output_format": {"enum": ["text", "html", "simple_format", "md", "ansi"]},
                    "tags": {"type": "array", "items": NAME},
                    "visibility": {"enum": ["hidden", "after_due_date", "after_published", "visible"]},
                    "extra_data": {"type": "object"},
                },
            },
        },
    },
}
CHECK50 = {
    "type": "object",
    "additionalProperties": False,
    "required": ["slug", "results", "version"],
    "properties": {
        "slug": NAME,
        "version": NAME,
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "description", "passed", "log", "cause", "data", "dependency"],
                "properties": {
                    "name": NAME,
                    "description": NAME,
                    "passed": {"type": ["boolean", "null"]},
                    "log": {"type": "array", "items": NAME},
                    "data": {"type": "object"},
                    "dependency": {"type": ["string", "null"]},
                    "cause": {
                        "type": ["object", "null"],
                        "additionalProperties": False,
                        "required": ["rationale", "help"],
                        "properties": {
                            "rationale": NAME,
                            "help": {"type": ["string", "null"]},
                            "expected": NAME,
                            "actual": NAME,
                        },
                        "dependentRequired": {"expected": ["actual"], "actual": ["expected"]},
                    },
                },
                "if": {"properties": {"passed": {"const": True}}},
                "then": {"properties": {"cause": {"type": "null"}}},
                "else": {"properties": {"cause": {"type": "object"}}},
            },
        },
    },
}
PRAIRIELEARN = {
    "type": "object",
    "additionalProperties": False,
    "required": ["gradable"],
    "if": {"properties": {"gradable": {"const": True}}},
    "then": {"required": ["score"]},
    "properties": {
        "gradable": {"type": "boolean"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "message": NAME,
        "output": NAME,
        "format_errors": {"type": "array", "items": NAME},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "points", "max_points"],
                "properties": {
                    "name": NAME,
                    "description": NAME,
                    "points": {"type": "number"},
                    "max_points": {"type": "number"},
                    "message": NAME,
                    "output": NAME,
                },
            },
        },
    },
}
