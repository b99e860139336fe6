"""The pages of the commands in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.explanation.chain.trace import Trace
from gradcli.explanation.model import Explanation
from gradcli.findings.examination import Ran
from gradcli.render.display_options import Asked
from gradcli.render.findings.text import findings_head
from gradcli.render.graph.mermaid import mermaid
from gradcli.render.lesson.page import sections
from gradcli.render.lesson.trace import trace_sections
from gradcli.render.markdown.layout import code, fenced, laid_out, plain
from gradcli.render.run.timeline import timeline_sections
from gradcli.source import visible


def eval_page(explanation: Explanation, asked: Asked) -> str:
    """Write the whole lesson."""
    found = sections(explanation, asked, all=asked.all, why=asked.why)
    return joined(f"# Gradients of {code(explanation.output)}", *laid_out(found))


def trace_page(explanation: Explanation, traces: Sequence[Trace], asked: Asked) -> str:
    """Write the derivation of each gradient."""
    found = trace_sections(explanation, traces, asked, all=asked.all, why=asked.why)
    return joined(f"# Derivations for {code(explanation.output)}", *laid_out(found))


def graph_page(explanation: Explanation, asked: Asked) -> str:
    """Write the graph as a block that GitHub draws."""
    return f"```mermaid\n{mermaid(explanation, asked)}\n```"


def run_page(ran: Ran, asked: Asked) -> str:
    """Write a snippet, what it printed, and what autograd did."""
    name = ran.snippet.cells[0].name.partition(" cell ")[0]
    return joined(f"# {code(name)}", *run_blocks(ran, asked))


def run_blocks(ran: Ran, asked: Asked) -> Iterator[str]:
    yield from (fenced(cell.text.rstrip("\n"), "python") for cell in ran.snippet.cells)
    if ran.printed.strip():
        yield "## Printed"
        yield fenced(ran.printed.rstrip("\n"))
    if ran.examined.findings:
        yield "## Findings"
        yield fenced(findings_head(ran.examined, asked))
    failed = ran.error is not None
    yield from laid_out(
        timeline_sections(
            ran.timeline, asked, all=asked.all, failed=failed, why=asked.why, torch_nodes=asked.torch_nodes
        )
    )
    if ran.error is not None:
        yield "## Error"
        yield plain(f"{ran.error.code}: {visible(ran.error.message)}")


def joined(*blocks: str) -> str:
    return "\n\n".join(blocks)
