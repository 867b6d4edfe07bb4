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
# Every document with the folder its links start from.
DOCUMENTS = {
    "README.md": ROOT, "README.zh.md": ROOT, "INSTALL.md": ROOT, "INSTALL.zh.md": ROOT,
    "examples/TOUR.md": ROOT / "examples",
    "examples/GALLERY.md": ROOT / "examples",
    "examples/TOUR.zh.md": ROOT / "examples",
    **{page: ROOT / "examples/tour"
       for page in [*PAGES, *CHINESE_PAGES]}
}


def steps(text):
    """Every command of the console blocks, with what is shown below it."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from steps_of(block)


def run_document(text, least):
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
        for command, shown in steps(text):
            printed = run_as_typed(command, folder, ORDO)
            measured = command.startswith(("ordo run", "ordo probe", "ordo calibrate"))
            wanted(agree(shown, printed, timeless if measured else predicted), command, "shown:",
                   *shown, "printed:", *printed)
            count += 1
    wanted(count >= least, f"only {count} commands found")


@case("README.md: every command prints what is shown below it")
def _():
    run_document(README, 10)


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


@case(
    "README.zh.md: code, pictures and generated tables are those of README.md, and its headings "
    "correspond"
)
def _():
    for what, parts in (("code", code), ("pictures", pictures), ("tables", rows)):
        one, other = parts(README), parts(CHINESE)
        wanted(one, f"no {what} in README.md")
        for pair in zip(one, other):
            wanted(pair[0] == pair[1], what, *pair)
        wanted(len(one) == len(other), what, len(one), len(other))
    headings = [
        re.findall(r"^(#+) \S", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL),
                   re.MULTILINE) for text in (README, CHINESE)
    ]
    wanted(headings[0] == headings[1] and len(headings[0]) > 5, *headings)
    wanted("](README.zh.md)" in README and "](README.md)" in CHINESE,
           "they do not link to each other")
    wanted(len(re.findall(r"[\u4e00-\u9fff]", CHINESE)) > 1500, "hardly any Chinese in it")
    # Numbers in what is said, too: a limit that changed in one must change in the other.
    for number in ("101", "4,096", "4.4 GiB", "16", "1,100"):
        wanted(number in README and number in CHINESE, number)


@case("INSTALL.zh.md has the commands and packages of INSTALL.md")
def _():
    one, other = ((ROOT / name).read_text() for name in ("INSTALL.md", "INSTALL.zh.md"))
    wanted(code(one) and code(one) == code(other), *code(one), *code(other))
    packages = [re.findall(r"`((?:apt-get|dnf|pacman) .*?)`", text) for text in (one, other)]
    wanted(packages[0] and packages[0] == packages[1], *packages)


@case("README.md: the program is examples/brief.c, and main has fifteen lines")
def _():
    block = re.search(r"^```c\n(.*?)^```", README, re.MULTILINE | re.DOTALL).group(1)
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
    for name, base in DOCUMENTS.items():
        text = (ROOT / name).read_text()
        links = re.findall(r"\]\(([^)]+)\)", text)
        wanted(links, name)
        for link in links:
            if "://" in link:
                continue
            path, _, anchor = link.partition("#")
            target = base / path if path else ROOT / name
            wanted(target.exists(), name, link)
            wanted(not anchor or anchor in anchors(target.read_text()), name, link)


@case("the lines of the tour's embedding are lines of the header's functions")
def _():
    header = "".join((ROOT / f"runtime/include/ordo/{name}.h").read_text()
                     for name in ("communicator", "collectives"))
    block = re.search(r"^```c\n(.*?)^```", TOUR, re.MULTILINE | re.DOTALL).group(1)
    calls = re.findall(r"\b(ordo_\w+)\(", block)
    wanted(calls)
    missing = [call for call in calls if not re.search(rf"\b{call}\(", header)]
    wanted(not missing, missing)


run_cases()
