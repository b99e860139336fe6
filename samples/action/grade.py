"""Grades a submission: a remark beside each line that is not right, and a table into the summary of the run."""

import json
import os
import subprocess
import sys
from pathlib import Path

SIGNS = {"correct": "✓", "carried": "✓", "precision": "~"}


def escaped(text, more=""):
    """Return a text that ends no command of the workflow."""
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def cell(text):
    """Return a text that neither ends a cell of a table nor is markup."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>()#+-!|~" else c for c in text.replace("\n", " "))


def line_of(answer, file):
    """Return the number of the line on which an answer was typed, 1 where it cannot be found."""
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    for number, line in enumerate(lines, 1):
        if answer["quantity"] in line and answer["given"] and answer["given"] in line:
            return number
    return 1


def main():
    command = ["gradcli", "check", os.environ["ASSIGNMENT"], os.environ["SUBMISSION"]]
    done = subprocess.run([*command, "--reveal", os.environ["REVEAL"], "--json"], capture_output=True, text=True)
    sys.stderr.write(done.stderr)
    document = json.loads(done.stdout)
    if "submissions" not in document:
        print(f"::error::{escaped(document['error']['message'])}")
        return done.returncode
    rows = ["| | question | quantity | answer | points | |", "|---|---|---|---|--:|---|"]
    for submission in document["submissions"]:
        for answer in submission["answers"]:
            told = "; ".join(filter(None, [answer["remark"], *(one["message"] for one in answer["diagnoses"])]))
            points = f"{answer['points']:g} of {answer['max_points']:g}"
            words = (answer["question"], answer["quantity"], answer["given"] or "", points, told)
            rows.append(f"| {SIGNS.get(answer['verdict'], '✗')} | {' | '.join(map(cell, words))} |")
            if answer["verdict"] not in ("correct", "carried"):
                place = f"file={escaped(submission['file'], ':,')},line={line_of(answer, Path(submission['file']))}"
                title = escaped(f"{answer['question']}: {answer['quantity']}", ":,")
                print(f"::error {place},title={title}::{escaped(told or answer['verdict'])}")
        rows += ["", f"**{cell(submission['student'])}: {submission['score']:g} of {submission['max_score']:g} points**", ""]
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as summary:
        summary.write("\n".join([f"## {cell(document['assignment']['title'])}", "", *rows]))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
