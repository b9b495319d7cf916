#!/usr/bin/env python3
"""Writes the index of formulas into interpreter/README.md, or with --check says whether it is up to date (exit 1 if not)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "interpreter" / "README.md"
BEGIN = "<!-- index: begin; written by 'qassay list --format markdown' -->\n"
END = "<!-- index: end -->"


def page_with_index(page: str) -> str:
    """The page with the table that the program prints between its marks."""
    table = subprocess.run([ROOT / "build" / "qassay", "list", "--format", "markdown"], check=True, capture_output=True, text=True).stdout
    before, rest = page.split(BEGIN)
    return before + BEGIN + table + END + rest.split(END, 1)[1]


def main() -> int:
    page = PAGE.read_text()
    wanted = page_with_index(page)
    if "--check" in sys.argv[1:]:
        return 0 if page == wanted else 1
    PAGE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
