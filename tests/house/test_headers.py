#!/usr/bin/env python3
"""What <ordo/ordo.h> and <ordo/builder.h> declare: few functions, each with a comment that names
all of its parameters.

usage: test_headers.py COMPILER SOURCE_ROOT INCLUDE_FOLDER..."""
import pathlib
import re
import subprocess
import sys

from tap import case, run_cases, wanted

COMPILER, SOURCE, FOLDERS = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
# An embedder needs about sixty, and ten for blocks of unequal sizes.
MOST = 80


def headers_of(*headers):
    """The files of ours that a program reads which includes these."""
    done = subprocess.run(
        [COMPILER, "-std=c11", "-E", "-x", "c", "-", *(f"-I{folder}" for folder in FOLDERS)],
        input="".join(f"#include <ordo/{header}>\n" for header in headers),
        stdout=subprocess.PIPE, text=True, check=True)
    paths = re.findall(r'^# \d+ "([^"]*/ordo/[^"]*\.h)"', done.stdout, re.MULTILINE)
    return sorted({pathlib.Path(path).resolve() for path in paths})


def functions_of(text):
    """(name, parameters, the comment directly above) of each function that a header declares. One
    that takes the size of its options is spoken of where the macro of its plain name is."""
    text = re.sub(r"\n/\* Internal functions, .*", "", text, flags=re.DOTALL)
    pattern = (r"(?:/\*((?:(?!\*/).)*)\*/\n)?"
               r"^(?:ORDO_API|static inline)\b[^;{(]*?\b(ordo_\w+)\(([^()]*)\)"
               r"(?:\s*__attribute__\([^;]*\))?\s*[;{]")
    for comment, name, parameters in re.findall(pattern, text, re.MULTILINE | re.DOTALL):
        if name.endswith("_sized") and re.search(rf"#define {name[:-6]}\(", text):
            continue
        names = [re.search(r"(\w+)(\[\w*\])*$", one.strip()) for one in parameters.split(",")]
        yield name, {found[1] for found in names if found} - {"void"}, comment


def missing_words(text):
    """What comments of a header leave out: function: parameters, or all of the comment."""
    for name, parameters, comment in functions_of(text):
        left_out = sorted(one for one in parameters if not re.search(rf"\b{one}\b", comment))
        if not comment:
            yield f"{name} has no comment"
        elif left_out:
            yield f"{name}: the comment does not name {', '.join(left_out)}"


@case("a program that includes <ordo/ordo.h> sees few functions, and no internal header")
def _():
    headers = headers_of("ordo.h")
    count = sum(len(list(functions_of(path.read_text()))) for path in headers)
    wanted(50 < count <= MOST, count)
    internal = [path for path in headers if path.parent.name == "detail"]
    wanted(not internal, *internal)


@case("a header declares its internal functions too, included by its name, even after ordo.h")
def _():
    for path in headers_of("ordo.h"):
        parts = re.findall(r"^#include <ordo/(detail/.*?)>",
                           path.read_text().partition("#ifndef ORDO_EMBEDDER")[2], re.MULTILINE)
        for before in ([], ["ordo.h"]):
            there = {str(one) for one in headers_of(*before, path.name)}
            gone = [part for part in parts if not any(one.endswith(part) for one in there)]
            wanted(not gone, path, *gone)


@case("each internal header says so in its first line")
def _():
    internal = [*SOURCE.glob("*/include/ordo/detail/*.h")]
    wanted(len(internal) > 20, internal)
    wrong = [path for path in internal if not path.read_text().startswith("/* Internal: ")]
    wanted(not wrong, *wrong)


@case("each function of the public headers has a comment that names its parameters")
def _():
    for header in ("ordo.h", "builder.h"):
        found = [(path, name) for path in headers_of(header) if path.parent.name != "detail"
                 for name in missing_words(path.read_text())]
        wanted(not found, *(f"{path.name}: {name}" for path, name in found))


@case("a function without a comment, and a parameter that is left out, are noticed")
def _():
    bare = "ORDO_API bool ordo_do(int rank);\n"
    wanted(list(missing_words(bare)) == ["ordo_do has no comment"], *missing_words(bare))
    wanted(not list(missing_words("/* Does it for `rank`. */\n" + bare)))
    other = "/* Does it for ranks. */\n" + bare
    wanted(len(list(missing_words(other))) == 1, *missing_words(other))
    array = ("/* rank only */\nstatic inline void ordo_do(int rank,\n\tconst char *const *names, "
             "char digest[33])\n{\n}\n")
    wanted(list(missing_words(array)) == ["ordo_do: the comment does not name digest, names"],
           *missing_words(array))
    wanted(list(missing_words("/* a */\nint x;\n" + bare)) == ["ordo_do has no comment"])


run_cases()
