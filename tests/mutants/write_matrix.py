#!/usr/bin/env python3
"""Writes tests/mutants/README.md: which case groups catch each mutant, and what `diagnose` calls it; or with --check compares it.

With --check it also fails if a mutant escapes the cases or is called by another name than its own.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "tests" / "mutants" / "README.md"
PROGRAM = ROOT / "build" / "qassay"
MOST_NAMED = 3
MOST_AT_ONCE = 8
MOST_ELEMENTS = 5000
HEAD = """# Mutants

Backends that are wrong on purpose, each in one way: `--backend mutant:NAME`. A mutant is a row of [mutants.cpp](mutants.cpp): a name, a
sentence, and the choices it makes otherwise than the formula it is asked for, in the words of `tools/diagnosis/aspects.cpp`. It starts
from that formula's own arithmetic, so the mistake is its only one. It claims the formulas in which it is a mistake.

Each must be caught by a group of the cases, and be called by its name by `diagnose`. The table is made by
`tests/mutants/write_matrix.py`; a test compares it. *Caught by* counts the groups of the formula's case file that fail, and names the
first; *diagnose* is the cause it gives, from fewer than 5,000 elements.

"""


def case_file(formula: str) -> Path:
    """Where a formula's cases stand."""
    dialect, op = formula.split(".", 1)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", op).lower()
    return ROOT / "cases" / dialect / f"{words}.json"


def run(*arguments: str | Path) -> str:
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def groups_that_catch(formula: str, names: list[str]) -> dict[str, list[str]]:
    """For each mutant of a formula the groups with a failing case, in the order of the file."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        backends = [word for name in names for word in ("--backend", f"mutant:{name}")]
        run("check", *backends, case_file(formula), "--no-diagnose", "--json", report)
        results = json.loads(report.read_text())
    caught: dict[str, dict[str, None]] = {name: {} for name in names}
    for case in results["cases"]:
        if case["verdict"] not in ("pass", "unspecified", "unsupported"):
            caught[case["backend"].removeprefix("mutant:")][case["group"]] = None
    return {name: list(groups) for name, groups in caught.items()}


def diagnosis(mutant: dict) -> dict:
    settings = ["--set", mutant["shown_with"]] if mutant["shown_with"] else []
    return json.loads(run("diagnose", "--backend", f"mutant:{mutant['name']}", mutant["formula"], *settings, "--format", "json"))


def is_called_right(mutant: dict, found: dict) -> bool:
    told = found["fingerprint"]
    return found["verdict"] == "follows_another" and all(told.get(aspect) == [choice] for aspect, choice in mutant["changes"].items())


def page(mutants: list[dict], caught: dict[str, list[str]], found: dict[str, dict]) -> tuple[str, list[str]]:
    complaints = []
    lines = ["| mutant | of | what it does | caught by | diagnose |", "|---|---|---|---|---|"]
    for mutant in mutants:
        name, groups, told = mutant["name"], caught[mutant["name"]], found[mutant["name"]]
        if not groups:
            complaints.append(f"{name}: no group of {case_file(mutant['formula']).relative_to(ROOT)} catches it")
        if not is_called_right(mutant, told):
            complaints.append(f"{name}: diagnose says {told['verdict']}, {told['fingerprint']}")
        named = ", ".join(groups[:MOST_NAMED]) + (", …" if len(groups) > MOST_NAMED else "")
        if told["elements"] > MOST_ELEMENTS:
            complaints.append(f"{name}: diagnose took {told['elements']} elements")
        cause = told["cause"] or ", ".join(told["formulas"]) or told["verdict"]
        lines.append(f"| `{name}` | `{mutant['formula']}` | {mutant['wrong']} | {len(groups)}: {named} | {cause} |")
    of_formulas = len({mutant["formula"] for mutant in mutants})
    summary = f"\n{len(mutants)} mutants, at home in {of_formulas} formulas.\n"
    return HEAD + "\n".join(lines) + "\n" + summary, complaints


def main() -> int:
    listed = subprocess.run([ROOT / "build" / "qassay-dialect-adapter", "mutants"], capture_output=True, text=True, check=True)
    mutants = json.loads(listed.stdout)
    by_formula: dict[str, list[str]] = {}
    for mutant in mutants:
        by_formula.setdefault(mutant["formula"], []).append(mutant["name"])
    parts = [(formula, names[i : i + MOST_AT_ONCE]) for formula, names in by_formula.items() for i in range(0, len(names), MOST_AT_ONCE)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        checks = list(pool.map(lambda part: groups_that_catch(*part), parts))
        found = dict(zip((mutant["name"] for mutant in mutants), pool.map(diagnosis, mutants), strict=True))
    caught = {name: groups for check in checks for name, groups in check.items()}
    wanted, complaints = page(mutants, caught, found)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if "--check" in sys.argv[1:]:
        return 0 if not complaints and PAGE.exists() and PAGE.read_text() == wanted else 1
    PAGE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
