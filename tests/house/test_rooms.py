#!/usr/bin/env python3
"""test_rooms.py SOURCE_ROOT BUILD_ROOT COMPILER... - the shape of the sources: lines, functions,
structs, folders, and no circle between the rooms (folders) of a floor.

COMPILER compiles C; its objects say by `nm` who calls whom. A fault that remains stands in KNOWN;
the list only shrinks: an entry that no longer occurs fails the test. Each check also runs on a
small tree that has the fault."""
import ast
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from tap import case, run_cases, wanted

SOURCE, BUILD = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
COMPILER = sys.argv[3:]
FLOORS = ("schedules", "compiler", "runtime", "tools", "tests")
# Headers that every room of the tests finds by their name alone.
SHARED = ("tests/support", "tests/oracles")
MOST_COLUMNS, MOST_LINES, MOST_FIELDS, MOST_FILES, MOST_README = 100, 50, 25, 20, 15
NOT_SOURCES = re.compile(r"(^|/)(corpus|reject|rules)/|^build|^\.git/|^subprojects/")
SOURCES = (".c", ".h", ".cpp", ".py", ".js", ".css", ".html", ".bash", ".fish", "meson.build",
           "meson_options.txt", ".h.in", ".c.in")

KNOWN = {
    "lines": [],
    "functions": [],
    "structs": [],
    "folders": [],
    "readmes": [],
    "empty": [],
    "includes": [],
    "calls": [],
}


# Folders that are still larger than MOST_FILES: they do not grow.
LARGER = {}


def files_of(root):
    """Paths from the root, of what git tracks or, without git, of all."""
    if (root / ".git").exists():
        listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True,
                                check=True).stdout.splitlines()
    else:
        listed = [str(path.relative_to(root)) for path in root.rglob("*")]
    return [path for path in sorted(listed)
            if not NOT_SOURCES.search(path) and (root / path).is_file()]


def is_source(root, path):
    if path.endswith(SOURCES):
        return True
    with open(root / path, "rb") as file:
        return "." not in os.path.basename(path) and file.read(2) == b"#!"


def find_lines(root):
    for path in files_of(root):
        if is_source(root, path):
            lines = (root / path).read_text().splitlines()
            yield from (f"{path}:{n}" for n, line in enumerate(lines, 1)
                        if len(line.expandtabs(8)) > MOST_COLUMNS)


def c_functions(text):
    """(name, lines), braces included: they stand in the first column."""
    lines, begin = text.splitlines(), None
    for n, line in enumerate(lines):
        if line == "{":
            begin = n
        elif line == "}" and begin is not None:
            head = next((one for one in reversed(lines[:begin]) if re.match(r"[A-Za-z]", one)), "")
            name = re.search(r"(\w+)\(", head)
            yield name[1] if name else head, n - begin + 1
            begin = None


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.end_lineno - node.lineno + 1


def find_functions(root):
    for path in files_of(root):
        if path.endswith((".c", ".h", ".py")):
            functions = python_functions if path.endswith(".py") else c_functions
            yield from (f"{path}: {name}" for name, length in functions((root / path).read_text())
                        if length > MOST_LINES)


def without_comments(text):
    """Comments become their line ends."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: "\n" * found[0].count("\n"), text,
                  flags=re.DOTALL)


def count_fields(body):
    """Names that a struct declares itself; what is declared inside a struct in it counts once."""
    while (flat := re.sub(r"\{[^{}]*\}|\([^()]*\)|\[[^\[\]]*\]", " ", body)) != body:
        body = flat
    return sum(one.count(",") + 1 for one in body.split(";") if one.strip())


def find_structs(root):
    """A struct may be larger where the comment right above it says why it has these fields."""
    for path in files_of(root):
        if not path.endswith((".c", ".h")):
            continue
        text = (root / path).read_text()
        bare = without_comments(text)
        lines = text.splitlines()
        for found in re.finditer(r"^(?:typedef )?struct (\w+) \{\n(.*?)^\}", bare,
                                 re.DOTALL | re.MULTILINE):
            n = bare.count("\n", 0, found.start())
            above = n - 1
            while above > 0 and lines[above].startswith((" *", "/*")):
                above -= 1
            if count_fields(found[2]) > MOST_FIELDS and "fields" not in " ".join(lines[above:n]):
                yield f"{path}: struct {found[1]}"


def is_outside(folder):
    """A floor's own folder, which has documents of its own, and public headers are no rooms."""
    return folder in FLOORS or "/ordo" in f"{folder}/"


def room_of(path):
    """A folder; in a floor's own folder a source with its header."""
    folder = os.path.dirname(path)
    return os.path.splitext(path)[0] if folder in FLOORS else folder


def by_folder(paths):
    folders = collections.Counter(os.path.dirname(path) for path in paths)
    return {folder: n for folder, n in folders.items() if folder}


def find_folders(root):
    sources = [path for path in files_of(root) if path.endswith((".c", ".h"))]
    yield from (folder for folder, n in by_folder(sources).items()
                if n > LARGER.get(folder, MOST_FILES) or n <= MOST_FILES and folder in LARGER)


def find_readmes(root):
    for folder, n in by_folder(files_of(root)).items():
        readme = root / folder / "README.md"
        if folder.split("/")[0] not in FLOORS or n <= 5 or is_outside(folder):
            continue
        if not readme.exists() or len(readme.read_text().splitlines()) > MOST_README:
            yield folder


def find_empty(root):
    yield from (path for path in files_of(root) if not (root / path).stat().st_size)


def circular(edges):
    """The nodes that some way leads back to."""
    following = collections.defaultdict(set)
    for source, target in edges:
        if source != target:
            following[source].add(target)
    found = set()
    for begin in list(following):
        seen, left = set(), list(following[begin])
        while left:
            node = left.pop()
            if node not in seen:
                seen.add(node)
                left += following[node]
        if begin in seen:
            found.add(begin)
    return sorted(found)


def find_includes(root):
    """Rooms in a circle of includes."""
    edges = set()
    for path in files_of(root):
        floor, folder = path.split("/")[0], os.path.dirname(path)
        if floor not in FLOORS or not path.endswith((".c", ".h")):
            continue
        for name in re.findall(r'^\s*#\s*include "([^"]+)"', (root / path).read_text(),
                               re.MULTILINE):
            for place in (folder, floor, *(SHARED if floor == "tests" else ())):
                if (root / place / name).exists():
                    edges.add((room_of(path), room_of(f"{place}/{name}")))
                    break
    return circular(edges)


def objects_of(root, build):
    """(source, object) of every source of the floors, once each."""
    found = {}
    with open(build / "compile_commands.json") as file:
        for entry in json.load(file):
            source = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
            result = pathlib.Path(entry["directory"]) / entry["output"]
            if source.is_relative_to(root) and result.exists():
                path = str(source.relative_to(root))
                # The tests compile some sources again, with other names in them.
                if path.split("/")[0] in FLOORS and not entry["output"].startswith("tests/"):
                    found.setdefault(path, result)
    return found


def find_calls(root, build):
    """Rooms in a circle of calls (and of data): within a floor, by the symbols of the objects."""
    defined, used = {}, []
    for path, result in objects_of(root, build).items():
        listed = subprocess.run(["nm", "-P", str(result)], capture_output=True, text=True,
                                check=True).stdout
        for line in listed.splitlines():
            name, kind = line.split()[:2]
            if kind in "TDRBVWC":
                defined[name] = path
            elif kind == "U":
                used.append((path, name))
    edges = {(room_of(path), room_of(defined[name]))
             for path, name in used
             if name in defined and defined[name].split("/")[0] == path.split("/")[0]}
    wanted(defined, f"no objects in {build}")
    return circular(edges)


def compare(kind, found):
    found, known = set(found), set(KNOWN[kind])
    new, gone = sorted(found - known), sorted(known - found)
    wanted(not new, f"{len(new)} new:", *new)
    wanted(not gone, "to be taken out of KNOWN, because they no longer occur:", *gone)


@case(f"no line is above {MOST_COLUMNS} columns")
def _():
    compare("lines", find_lines(SOURCE))


@case(f"no function is above {MOST_LINES} lines")
def _():
    compare("functions", find_functions(SOURCE))


@case(f"no struct has more than {MOST_FIELDS} fields without a reason at it")
def _():
    compare("structs", find_structs(SOURCE))


@case(f"no folder has more than {MOST_FILES} sources and headers")
def _():
    compare("folders", find_folders(SOURCE))


@case(f"every room of more than five files has a README.md of at most {MOST_README} lines")
def _():
    compare("readmes", find_readmes(SOURCE))


@case("no file is empty")
def _():
    compare("empty", find_empty(SOURCE))


@case("no circle of includes between the rooms of a floor")
def _():
    compare("includes", find_includes(SOURCE))


@case("no circle of calls between the rooms of a floor")
def _():
    compare("calls", find_calls(SOURCE, BUILD))


@case("a fault that is not known fails a check, and so does a known one that is gone")
def _():
    KNOWN["trial"] = ["a"]
    compare("trial", iter(["a"]))
    for found in (["a", "b"], []):
        try:
            compare("trial", iter(found))
        except AssertionError:
            continue
        wanted(False, "nothing failed", found)


def write_tree(root, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def sees(sentence, find, files, expected):
    """The check finds nothing but the fault in a tree that has it."""
    @case(f"it is noticed: {sentence}")
    def _():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            write_tree(root, files)
            found = sorted(find(root))
            wanted(found == expected, found, "wanted", expected)


sees("a line of 101 columns, tabs and comments included", find_lines,
     {"tools/a.c": f"/*{'a' * 96}*/\n\t/*{'a' * 89}*/\n", "tools/b": f"#!/bin/sh\n#{'b' * 100}\n",
      "tools/b.txt": "b" * 200}, ["tools/a.c:2", "tools/b:2"])
sees("functions of 51 lines", find_functions,
     {"tools/a.c": "int f(int a,\n\tint b)\n{\n" + "\ta();\n" * 49 + "}\nint g(void)\n{\n" +
                   "\ta();\n" * 48 + "}\n",
      "tools/a.py": "def h():\n" + "    pass\n" * 50}, ["tools/a.c: f", "tools/a.py: h"])
sees("a struct of 26 fields without a reason", find_structs,
     {"tools/a.h": "struct a {\n" + "\tint a, b[2];\n" * 13 + "};\n\n/* Many fields, because. */\n"
                   "struct b {\n" + "\tint a;\n" * 26 + "};\nstruct c {\n" +
                   "\tint a; /* x;y */\n" * 24 +
                   "\tstruct {\n\t\tint d, e;\n\t} f;\n};\n"}, ["tools/a.h: struct a"])
sees("a folder of 21 sources", find_folders,
     {f"{folder}/{i}.c": "" for folder in ("tools/a", "tests/b") for i in range(21)} |
     {f"tools/b/{i}.h": "" for i in range(20)}, ["tests/b", "tools/a"])
sees("rooms without a README, and with a long one", find_readmes,
     {f"tools/{room}/{i}.c": "" for room in "abc" for i in range(6)} |
     {"tools/b/README.md": "b\n" * 16, "tools/c/README.md": "c\n" * 15}, ["tools/a", "tools/b"])
sees("a file with nothing in it", find_empty, {"none": "", "some": "1"}, ["none"])
sees("rooms that include each other, also by a third", find_includes,
     {"tools/a/a.h": '#include "b/b.h"\n', "tools/b/b.h": '#include "c/c.h"\n',
      "tools/c/c.h": '#include "a/a.h"\n#include "d.h"\n', "tools/c/d.h": "",
      "tools/e/e.h": '#include "a/a.h"\n', "tests/f/f.h": '#include "s.h"\n',
      "tests/support/s.h": '#include "f/f.h"\n'},
     ["tests/f", "tests/support", "tools/a", "tools/b", "tools/c"])


def compiled_calls(root):
    commands = []
    for path in files_of(root):
        subprocess.run([*COMPILER, "-c", path, "-o", f"{path}.o"], cwd=root, check=True)
        commands.append({"directory": str(root), "file": path, "output": f"{path}.o"})
    (root / "compile_commands.json").write_text(json.dumps(commands))
    return find_calls(root.resolve(), root)


sees("rooms that call each other", compiled_calls,
     {"tools/a/a.c": "void b(void);\nvoid a(void);\nvoid a(void)\n{\n\tb();\n}\n",
      "tools/b/b.c": "void a(void);\nvoid b(void);\nvoid b(void)\n{\n\ta();\n}\n",
      "tools/c/c.c": "void a(void);\nvoid c(void);\nvoid c(void)\n{\n\ta();\n}\n"},
     ["tools/a", "tools/b"])

run_cases()
