#!/usr/bin/env python3
"""test_gallery.py BUILD ROOT - generated documents and pictures are what tools/update-docs
makes."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from tap import case, run_cases, wanted

BUILD = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2]).absolute()
AGAIN = "run tools/update-docs"


def pictures_of(root):
    return {path.name: path.read_text() for path in (root / "examples/gallery").glob("*.svg")}


def meant(svg):
    """Of a picture: all of it if Ordo wrote it; what it says and in which colours if `dot` set
    it, which does so a little otherwise in each version."""
    if 'class="st"' in svg:
        return svg
    return re.findall(r">([^<>\n]+)</text>",
                      svg), re.findall(r"<title>([^<]+)</title>", svg), sorted(
                          set(re.findall(r'(?:fill|stroke)="(#\w+)"', svg)))


with tempfile.TemporaryDirectory() as folder:
    made = pathlib.Path(folder)
    subprocess.run([ROOT / "tools/update-docs", "--build", BUILD, "--into", folder,
                    "--coverage-ranks", "2"], check=True)
    PAGES = {
        name: (made / name).read_text()
        for name in ("compiler/ALGORITHMS.md", "compiler/ALGORITHMS.zh.md", "examples/GALLERY.md",
                     "schedules/ORDERS.md")
    }
    COVERAGE_IS_OLD = (made / "compiler/COVERAGE.md").exists()
    MADE = pictures_of(made)
KEPT = pictures_of(ROOT)


@case("the gallery, the orders and the tables of algorithms are current")
def _():
    for name, page in PAGES.items():
        wanted((ROOT / name).read_text() == page, name, AGAIN)


@case("compiler/COVERAGE.md has a row for every algorithm and operator")
def _():
    wanted(not COVERAGE_IS_OLD, AGAIN)


@case("ALGORITHMS.md and ALGORITHMS.zh.md have the guarantees and the algorithms")
def _():
    for name in ("compiler/ALGORITHMS.md", "compiler/ALGORITHMS.zh.md"):
        wanted(PAGES[name].count(" x ") > 60, "hardly a table", name)
        wanted(PAGES[name].count("✓") > 60 and PAGES[name].count("✗") > 15, "hardly a table", name)


@case("every picture is current, and those that are shown are all there are")
def _():
    wanted(sorted(KEPT) == sorted(MADE), AGAIN, sorted(set(KEPT) ^ set(MADE)))
    for name, svg in MADE.items():
        wanted(meant(svg) == meant(KEPT[name]), name, AGAIN)
        wanted("<text" in svg, name, "says nothing")
    shown = re.findall(r"\]\(gallery/([^)]+)\)", PAGES["examples/GALLERY.md"])
    wanted(sorted(shown) == sorted(MADE), sorted(set(shown) ^ set(MADE)))


@case("pictures are small, and fetch nothing")
def _():
    wanted(sum(map(len, KEPT.values())) < 2_000_000, sum(map(len, KEPT.values())))
    for name, svg in KEPT.items():
        wanted(
            not re.search(r"<script|(?:href|src)=\"(?!#)|url\((?!#)",
                          svg.replace('xlink:href="#', "")), name)


run_cases()
