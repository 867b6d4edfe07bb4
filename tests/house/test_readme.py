#!/usr/bin/env python3
"""test_readme.py ORDO ROOT - the READMEs and the tour show what the commands really print, and
what there really is."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from console import agree, predicted, run_as_typed, steps_of, timeless
from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2]).absolute()
README = (ROOT / "README.md").read_text()
CHINESE = (ROOT / "README.zh.md").read_text()
PAGES = [
    f"examples/tour/{name}.md"
    for name in ("1-proof", "2-order", "3-time", "4-program", "5-proofs")
]
CHINESE_PAGES = [page.replace(".md", ".zh.md") for page in PAGES]
TOUR = "".join((ROOT / page).read_text() for page in PAGES)
# Documents in both languages, and numbers in what they say: a limit that changed in one must change
# in the other.
TRANSLATED = {
    "README.md": ("12 us", "3.5 s", "280,000", "0.51 ms", "2.3 ms", "4.5", "1,100"),
    "INSTALL.md": (),
    "LIMITS.md": ("101", "4,096", "4.4 GiB"),
    "CONTRIBUTING.md": (),
    "compiler/ALGORITHMS.md": ("16", "0-1"),
    "examples/TOUR.md": (),
    "tools/mpi/MPI.md": ("64", "3,000", "3.099", "3.248", "3.007"),
}


def chinese(name):
    return name.replace(".md", ".zh.md")


DOCUMENTS = [*TRANSLATED, *map(chinese, TRANSLATED), "examples/GALLERY.md", *PAGES, *CHINESE_PAGES,
             *(str(path.relative_to(ROOT))
               for floor in ("schedules", "compiler", "runtime", "tests", "tools")
               for path in (ROOT / floor).rglob("*.md") if not path.name.startswith("ALGORITHMS"))]


def steps(text):
    """Every command of the console blocks, with what is shown below it."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from steps_of(block)


def run_document(text, least):
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("examples", "tools"):
            os.symlink(ROOT / name, pathlib.Path(folder) / name)
        for command, shown in steps(text):
            printed = run_as_typed(command, folder, ORDO)
            measured = command.startswith(("ordo run", "ordo probe", "ordo calibrate"))
            wanted(agree(shown, printed, timeless if measured else predicted), command, "shown:",
                   *shown, "printed:", *printed)
            count += 1
    wanted(count >= least, f"only {count} commands found")


@case("README.md: every command prints what is shown below it")
def _():
    run_document(README, 9)


@case("compiler/ALGORITHMS.md: every command prints what is shown below it")
def _():
    run_document((ROOT / "compiler/ALGORITHMS.md").read_text(), 5)


@case("the pages of the tour: every command prints what is shown below it")
def _():
    run_document(TOUR, 20)


def code(text):
    """The blocks, and the commands that stand indented."""
    return re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL) + re.findall(
        r"^    (tools/\S+)", text, re.MULTILINE)


def pictures(text):
    return re.findall(r"^!\[[^]]+\]\(([^)]+)\)", text, re.MULTILINE)


def quantities(text):
    """Of the table of times: what stands in its cells with a unit."""
    return re.findall(r"(?<= )\d[\d.]* (?:s|GB/s|GiB|M tasks/s)(?= \|)", text)


def rows(text):
    """Of what is generated: guarantees and operators, not their titles."""
    return re.findall(r"^\| (?:`.*|[^|]+ \| [^|]+(?: \| x?){8}) \|$", text, re.MULTILINE)


def headings(text):
    return re.findall(r"^(#+) \S",
                      re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL),
                      re.MULTILINE)


def typed(text):
    """The commands in backquotes: of packages, and of Ordo."""
    return sorted(set(re.findall(r"`((?:apt-get|dnf|pacman|ordo|tools/)\b.*?)`", text)))


def links(text):
    return re.findall(r"\]\(([^)]+)\)", text)


@case("Chinese documents have the code, pictures, tables, headings and links of the English ones")
def _():
    for name, numbers in TRANSLATED.items():
        one, other = ((ROOT / page).read_text() for page in (name, chinese(name)))
        for parts in (code, pictures, rows, headings, typed):
            for pair in zip(parts(one), parts(other)):
                wanted(pair[0] == pair[1], name, *pair)
            wanted(len(parts(one)) == len(parts(other)), name, parts.__name__, parts(one),
                   parts(other))
        targets = [sorted(link.replace(".zh.md", ".md") for link in links(text))
                   for text in (one, other)]
        wanted(targets[0] == targets[1], name, *targets)
        base = pathlib.Path(name).name
        wanted(f"]({chinese(base)})" in one and f"]({base})" in other, name)
        least = 1000 if name == "README.md" else 50
        wanted(len(re.findall(r"[\u4e00-\u9fff]", other)) > least, name, "hardly any Chinese")
        for number in numbers:
            wanted(number in one and number in other, name, number)
    for parts in (code, pictures):
        wanted(parts(README), "nothing compared")
    wanted(rows((ROOT / "compiler/ALGORITHMS.md").read_text()), "no table compared")


@case("README.md: its figures of speed are those of runtime/SPEED.md")
def _():
    speed = (ROOT / "runtime/SPEED.md").read_text()
    cell = re.search(r"^\| AllReduce \| 8 \| ordo, one call \| 1 MiB \| (.*?) \| (.*?) \| (.*?) \|",
                     speed, re.MULTILINE)
    mpi, ordo = (float(time.replace(",", "")) / 1000 for time in cell.group(1, 2))
    row = re.search(r"^\| Speed: .*$", README, re.MULTILINE).group(0)
    version = re.search(r"openmpi-bin (\d+\.\d+\.\d+)", speed).group(1)
    for shown in (f"| {ordo:.2g} ms on threads |", f"Open MPI {version}: {mpi:.2g} ms |",
                  f"| {float(cell.group(3)):.2g} |"):
        wanted(shown in row, shown, row)
    # With more ranks than cores MPICH is not measured: it must not stand there.
    wanted("MPICH" not in row, row)


@case("the tour's program is examples/brief.c, and main has fifteen lines")
def _():
    block = re.search(r"^```c\n(/\* brief.c.*?)^```", TOUR, re.MULTILINE | re.DOTALL).group(1)
    source = (ROOT / "examples/brief.c").read_text()
    wanted(block == source, "copy examples/brief.c")
    body = re.search(r"^int main\(void\)\n\{\n(.*)^\}", source, re.MULTILINE | re.DOTALL).group(1)
    wanted(len(body.splitlines()) <= 15, body)


@case("examples/TOUR.md lists the pages of the tour in the order in which they are run")
def _():
    for contents, pages in (("TOUR.md", PAGES), ("TOUR.zh.md", CHINESE_PAGES)):
        listed = re.findall(r"^\d\. \[[^]]+\]\(([^)]+)\)",
                            (ROOT / "examples" / contents).read_text(), re.MULTILINE)
        wanted([f"examples/{page}" for page in listed] == pages, *listed)
    found = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "examples/tour").glob("*.md"))
    wanted(found == sorted([*PAGES, *CHINESE_PAGES]), *found)


@case("the Chinese tour has the commands, outputs, pictures and numbers of the English one")
def _():
    for page, translated in zip(PAGES, CHINESE_PAGES):
        one, other = ((ROOT / name).read_text() for name in (page, translated))
        for parts in (code, pictures, quantities):
            wanted(parts(one) == parts(other), translated, *parts(one), *parts(other))
        wanted(code(one), f"no command in {page}")
        wanted(len(re.findall(r"[\u4e00-\u9fff]", other)) > 200, translated)


@case("the tour's picture is what `ordo draw` draws")
def _():
    draws = [command for command, _ in steps(TOUR) if command.startswith("ordo draw")]
    compiles = [command for command, _ in steps(TOUR) if command.startswith("ordo compile")]
    wanted(draws and compiles, "no picture is drawn")
    with tempfile.TemporaryDirectory() as folder:
        for command in (compiles[0], re.sub(r"-o \S+", "-o picture.svg", draws[0])):
            subprocess.run([ORDO, *command.split()[1:]],
                           cwd=folder,
                           check=True,
                           stderr=subprocess.DEVNULL)
        words = [re.findall(r">([^<>\n]+)</text>", path.read_text()) for path in (
            pathlib.Path(folder) / "picture.svg", ROOT / "examples" / "around-a-dead-link.svg")]
    wanted(words[0] and words[0] == words[1], "run tools/update-docs")


@case("every command there is, is mentioned")
def _():
    listed = subprocess.run([ORDO, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    by_another_name = {"demo": "tools/get-started", "manual": "`man ordo-"}
    for command in re.findall(r"^  (\w+) ",
                              listed.split("commands:\n")[1].split("\n\n")[0], re.MULTILINE):
        for name, text in (("README.md", README), ("README.zh.md", CHINESE)):
            wanted(
                by_another_name.get(command, f"ordo {command}") in text,
                f"{name} does not mention ordo {command}")


def anchors(text):
    """Of the headings of a document, as web pages of repositories make them."""
    headings = re.findall(r"^#+ (.*)$",
                          re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL),
                          re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@case("every link leads to something, and to a heading that is there")
def _():
    wanted(len(DOCUMENTS) > 40, *DOCUMENTS)
    for name in DOCUMENTS:
        text = (ROOT / name).read_text()
        found = links(re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
        wanted(found or name not in TRANSLATED, name)
        for link in found:
            if "://" in link:
                continue
            path, _, anchor = link.partition("#")
            target = (ROOT / name).parent / path if path else ROOT / name
            wanted(target.exists(), name, link)
            wanted(not anchor or anchor in anchors(target.read_text()), name, link)


@case("the lines of the tour's embedding are lines of the header's functions")
def _():
    header = "".join((ROOT / name).read_text()
                     for name in ("runtime/include/ordo/communicator.h",
                                  "runtime/include/ordo/collectives.h",
                                  "schedules/include/ordo/error.h"))
    block = "".join(re.findall(r"^```c\n(.*?)^```", TOUR, re.MULTILINE | re.DOTALL))
    calls = re.findall(r"\b(ordo_\w+)\(", block)
    wanted(calls)
    missing = [call for call in calls if not re.search(rf"\b{call}\(", header)]
    wanted(not missing, missing)


run_cases()
