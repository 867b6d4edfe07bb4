#!/usr/bin/env python3
"""test_adding.py MESON ROOT [TEST...] - an algorithm is one file and one line.

The algorithm of compiler/WRITING.md, as it stands there, is added to a copy of the tree: its file,
its line of the table, its line of compiler/meson.build. tools/update-docs brings the documents up
to date. Then all tests of the copy (or those named) pass."""
import pathlib
import re
import subprocess
import sys
import tempfile

from tap import case, run_cases, wanted

MESON, ROOT, NAMED = sys.argv[1], pathlib.Path(sys.argv[2]).absolute(), sys.argv[3:]
# The copy compiles the text under its own name already, in the test `writing`.
OLD, NEW = "chain", "convoy"
GENERATED = {
    "compiler/ALGORITHMS.md", "compiler/ALGORITHMS.zh.md", "schedules/ORDERS.md",
    "compiler/COVERAGE.md",
    "examples/GALLERY.md", "examples/gallery/"
}
FOLDER = tempfile.TemporaryDirectory()
COPY = pathlib.Path(FOLDER.name) / "ordo"


def works(*words, folder=COPY):
    done = subprocess.run(list(map(str, words)), cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    wanted(done.returncode == 0, *words, done.stdout[-6000:])
    return done.stdout


def git(*words):
    return works("git", "-c", "user.name=test", "-c", "user.email=test@localhost", *words)


def blocks(kind):
    text = (ROOT / "compiler/WRITING.md").read_text()
    found = re.findall(rf"^```{kind}\n(.*?)^```", text, re.M | re.S)
    wanted(found, f"no block of {kind} in compiler/WRITING.md")
    return "".join(found).replace(OLD, NEW)


def append_line(path, after, line):
    """Puts a line behind the last one that matches."""
    lines = (COPY / path).read_text().splitlines(keepends=True)
    last = max(i for i, one in enumerate(lines) if re.search(after, one))
    (COPY / path).write_text("".join(lines[:last + 1] + [line] + lines[last + 1:]))


@case("the algorithm of WRITING.md is added to a copy, which builds")
def _():
    COPY.mkdir()
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True,
                           stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-C", ROOT, "--null", "--files-from=-", "-cf", f"{FOLDER.name}/tar"],
                   input=files, check=True)
    works("tar", "-xf", f"{FOLDER.name}/tar")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "before")
    (COPY / f"compiler/algorithms/{NEW}.c").write_text(blocks("c"))
    append_line("compiler/algorithms/table.h", r"^ORDO_ALGORITHM", blocks("table"))
    append_line("compiler/meson.build", r"^  'algorithms/", f"  'algorithms/{NEW}.c',\n")
    works(MESON, "setup", "build", "-Doptimization=1", "-Ddebug=false")
    works("ninja", "-C", "build")


@case("tools/update-docs is all that documents need")
def _():
    works(COPY / "tools/update-docs", "--coverage-ranks", 2)
    by_hand = {f"compiler/algorithms/{NEW}.c", "compiler/algorithms/table.h",
               "compiler/meson.build"}
    changed = {line[3:] for line in git("status", "--porcelain", "-uall").splitlines()}
    wanted(by_hand <= changed, by_hand - changed)
    others = {path for path in changed - by_hand
              if not any(path.startswith(made) for made in GENERATED)}
    wanted(not others, others)
    for path in ("compiler/ALGORITHMS.md", "compiler/ALGORITHMS.zh.md", "compiler/COVERAGE.md",
                 "examples/GALLERY.md"):
        wanted(NEW in (COPY / path).read_text(), path, "lacks the algorithm")


@case("all tests of the copy pass")
def _():
    done = subprocess.run([MESON, "test", "-C", "build", "--no-rebuild", "--print-errorlogs", "-q",
                           "--timeout-multiplier", "4", *NAMED], cwd=COPY, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    wanted(done.returncode == 0, done.stdout[-20000:])


run_cases()
