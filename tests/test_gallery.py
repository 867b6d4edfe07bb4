#!/usr/bin/env python3
"""test_gallery.py ORDO ROOT - examples/GALLERY.md, its pictures and the guarantees in the READMEs are what tools/make-gallery makes."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2]).absolute()
AGAIN = "run tools/make-gallery"


def pictures_of(root):
    return {path.name: path.read_text() for path in (root / "examples/gallery").iterdir()}


def meant(svg):
    """Of a picture: all of it if Ordo wrote it; what it says and in which colours if `dot` set it, which does so a little otherwise in each version."""
    if 'class="st"' in svg:
        return svg
    return re.findall(r">([^<>\n]+)</text>",
                      svg), re.findall(r"<title>([^<]+)</title>", svg), sorted(
                          set(re.findall(r'(?:fill|stroke)="(#\w+)"', svg)))


with tempfile.TemporaryDirectory() as folder:
    made = pathlib.Path(folder)
    subprocess.run([ROOT / "tools/make-gallery", "--ordo", ORDO, "--into", folder], check=True)
    PAGES = {
        name: (made / name).read_text()
        for name in ("README.md", "README.zh.md", "examples/GALLERY.md")
    }
    MADE = pictures_of(made)
KEPT = pictures_of(ROOT)


@case("the page of the gallery is current")
def _():
    wanted((ROOT / "examples/GALLERY.md").read_text() == PAGES["examples/GALLERY.md"], AGAIN)


@case("the guarantees in both READMEs are those that are proved")
def _():
    for name in ("README.md", "README.zh.md"):
        wanted((ROOT / name).read_text() == PAGES[name], name, AGAIN)
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
    wanted(sum(map(len, KEPT.values())) < 1_200_000, sum(map(len, KEPT.values())))
    for name, svg in KEPT.items():
        wanted(
            not re.search(r"<script|(?:href|src)=\"(?!#)|url\((?!#)",
                          svg.replace('xlink:href="#', "")), name)


run_cases()
