"""Write the reference of the commands from the commands.

python -m docs._build_tools.commands           write docs/reference/commands.md
python -m docs._build_tools.commands --check   exit with status 1 if it is stale
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from caesura.cli import cli

PAGE = Path(__file__).parents[1] / "reference" / "commands.md"
WIDTH = 96
_HEAD = """# Commands

Results go to stdout; progress and warnings to stderr. Exit status 0: done; 1: the input is bad,
with file and line; 2: the call is wrong; 130: interrupted; 141: the reader of the output has gone.
`caesura VERB --help` prints the same as this page.

"""


def page() -> str:
    """The text of the page."""
    return _HEAD + "\n".join(_section(cli, "caesura", None))


def _section(command: click.Command, path: str, parent: click.Context | None) -> list[str]:
    context = click.Context(
        command,
        info_name=path.split(" ")[-1],
        parent=parent,
        terminal_width=WIDTH,
        help_option_names=["-h", "--help"],
    )
    level = "#" * min(path.count(" ") + 2, 4)
    parts = [f"{level} {path}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            parts += _section(child, f"{path} {name}", context)
    return parts


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page()
        if stale:
            print(f"{PAGE.name} is stale: run python -m docs._build_tools.commands")
        sys.exit(stale)
    PAGE.write_text(page(), encoding="utf-8")
