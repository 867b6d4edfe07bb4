#!/usr/bin/env python3
"""The manual pages are well-formed, and have all that --help shows: commands, options, examples,
exit codes; prose is about what there is.

usage: test_manual.py ORDO TOOLS_BUILT TOOLS_SOURCE"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import strict_json
from tap import case, run_cases, wanted

ORDO = sys.argv[1]
BUILT, SOURCE = map(pathlib.Path, sys.argv[2:4])


def works(*words):
    done = subprocess.run([ORDO, *words], check=True, capture_output=True, text=True)
    wanted(done.stderr == "", words, done.stderr)
    return done.stdout


def plain(text):
    """mdoc as people read it, without what only sets it."""
    text = re.sub(r"\\f[BIR]|\\&", "", text).replace("\\-", "-").replace("\\e", "\\")
    return " ".join(re.sub(r"^\.(Dl|Pp|Bd.*|Ed)\b ?", "", text, flags=re.M).split())


def same(text):
    """Words alone: not the backquotes that say how something is set, nor where lines end."""
    return " ".join(text.replace("`", "").split())


COMMANDS = re.findall(r"^  (\w+) ", works("--help").split("commands:\n")[1].split("\n\n")[0], re.M)
PAGES = {command: works("manual", command) for command in COMMANDS}
OVERVIEW = works("manual")


def options_of(command):
    """Of --help: the letter or None, the name, what it takes."""
    text = works(command, "--help").split("\noptions:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (?:-(\w), )?--([\w-]+)(?: (?! )(\S+))?", text, re.M)


def items(page):
    """Of a page: what each option is, and what is said of it."""
    listed = page.split(".Sh OPTIONS\n")[1].split("\n.El\n")[0]
    found = re.findall(r"^\.It (.*)\n((?:(?!\.It ).*(?:\n|$))*)", listed, re.M)
    return [(plain(head), plain(text)) for head, text in found]


@case("mandoc finds nothing to warn of, on any page")
def _():
    if not shutil.which("mandoc"):
        return
    with tempfile.TemporaryDirectory() as folder:
        pages = {f"ordo-{name}": page for name, page in PAGES.items()} | {"ordo": OVERVIEW}
        for name, page in pages.items():
            (pathlib.Path(folder) / f"{name}.1").write_text(page)
        shutil.copy(SOURCE / "checker" / "ordo-check.1", folder)
        files = sorted(map(str, pathlib.Path(folder).iterdir()))
        for name, page in pages.items():
            # What is typed stands as it is, however long.
            prose = [
                line for line in re.sub(r"(?ms)^\.Bd.*?^\.Ed$", "", page).splitlines()
                if not re.search(r"^\.|\\f[BI]", line)
            ]
            wanted(max(map(len, prose)) <= 80, name, max(prose, key=len))
            small = re.search(r"^\.It .*\n(a .*)", page, re.M)
            wanted(not small, name, small)
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *files],
                              capture_output=True,
                              text=True)
        wanted(lint.stdout == "" and lint.returncode == 0, lint.stdout)
        for file in files:
            if file.endswith("/ordo-check.1"):
                continue
            shown = subprocess.run(["mandoc", "-T", "ascii", file],
                                   capture_output=True,
                                   text=True,
                                   check=True).stdout
            wanted(not re.search(r"\\f|`\w|\w`", shown), file, shown)


@case("every command has a page, which the build made and which says of it what --help says")
def _():
    wanted(len(COMMANDS) >= 12, COMMANDS)
    wanted((BUILT / "ordo.1").read_text() == OVERVIEW)
    for command, page in PAGES.items():
        wanted((BUILT / f"ordo-{command}.1").read_text() == page, command)
        text = works(command, "--help")
        usage, summary = re.match(r"usage: ordo (.*)\n\n(.*)\n", text).groups()
        wanted(f".Nd {summary}\n" in page and f".It Xr ordo-{command} 1\n" in OVERVIEW, command,
               page)
        wanted(f".Nm ordo\n" in page and usage in plain(page), command, usage)
        described = text.split("\n\n", 2)[2].split("options:\n")[0]
        wanted(same(described) in plain(page), command, described)
        for example in text.split("\nexamples:\n")[1].strip().splitlines():
            wanted(
                same(example) in plain(page.split(".Sh EXAMPLES")[1]).replace("`", ""), command,
                example)


@case("a page refers to those of the commands that it speaks of, by the alphabet")
def _():
    for command, page in PAGES.items():
        related = re.findall(r"^\.Xr ordo-(\w+) 1", page.split(".Sh SEE ALSO\n")[1], re.M)
        wanted(
            related == sorted(set(related)) and command not in related
            and set(related) <= set(COMMANDS), command, related)
        spoken = {
            name
            for name in COMMANDS
            if name != command and re.search(rf"\bordo {name}\b",
                                             works(command, "--help").split("\noptions:")[0])
        }
        wanted(spoken <= set(related), command, spoken, related)


@case("every option is on the page of its command as --help writes it, and nothing else is")
def _():
    for command, page in PAGES.items():
        told = dict(items(page))
        heads = [
            (f"-{letter}, " if letter else "") + f"--{name}" + (f" {argument}" if argument else "")
            for letter, name, argument in options_of(command)
        ]
        wanted(list(told) == heads, command, list(told), heads)
        for head, text in told.items():
            wanted(len(text) > 5 and text[-1] in ".)", command, head, text)


@case("exit codes and what of the environment counts are told")
def _():
    codes = re.findall(r"(\d) (\w+)", works("--help").split("exit codes:\n")[1].split("\n\n")[0])
    wanted([int(code) for code, _ in codes] == list(range(6)), codes)
    for page in [OVERVIEW, *PAGES.values()]:
        told = page.split(".Sh EXIT STATUS\n")[1].split(".El\n")[0]
        wanted(re.findall(r"^\.It (\d)$", told, re.M) == [code for code, _ in codes], told)
    read = set()
    for source in SOURCE.rglob("*.c"):
        read |= set(re.findall(r'getenv\("(\w+)"\)', source.read_text()))
    told = set(re.findall(r"^\.It Ev (\w+)$", OVERVIEW, re.M))
    wanted("NO_COLOR" in read and read <= told, read, told)


@case("what the manual says beside --help is about options there are")
def _():
    told = 0
    for entry in re.split(r"^== ", (SOURCE / "help" / "commands.txt").read_text(), flags=re.M)[1:]:
        command = entry.split("\n")[0]
        wanted(command in [*COMMANDS, "ordo", "every command"], "no command", command)
        having = COMMANDS if command == "every command" else [command]
        for field in re.findall(r"^-- (\S+)", entry, re.M):
            told += 1
            wanted(
                field in ("help", "manual")
                or (command, field) == ("ordo", "examples")
                or any(field == f"--{name}" for one in having for _, name, _ in options_of(one)),
                command, field)
    wanted(told > 60, told)


@case("--json has the page as text; what is no command is refused")
def _():
    answer = strict_json.loads(works("manual", "verify", "--json"))
    wanted(answer["page"] == "verify" and answer["mdoc"] == PAGES["verify"])
    wanted(strict_json.loads(works("manual", "--json"))["mdoc"] == OVERVIEW)
    done = subprocess.run([ORDO, "manual", "verfy"], capture_output=True, text=True)
    wanted(
        done.returncode == 2 and "did you mean `ordo verify`" in done.stderr and done.stdout == "",
        done)
    done = subprocess.run([ORDO, "manual", "verify", "draw"], capture_output=True, text=True)
    wanted(done.returncode == 2 and "one page at a time: found verify and draw" in done.stderr,
           done)


run_cases()
