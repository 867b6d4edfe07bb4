#!/usr/bin/env python3
"""What is installed is enough for programs of somebody else, in C and in C++: they compile and link by pkg-config alone, and run.

usage: test_install.py MESON BUILD_ROOT COMPILER SOURCE_ROOT LIBRARIES

LIBRARIES is shared, static or both: what this build installs."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tap import case, run_cases, wanted

MESON, BUILD, COMPILER = sys.argv[1:4]
SOURCE = pathlib.Path(sys.argv[4])
SHARED, STATIC = sys.argv[5] != "static", sys.argv[5] != "shared"
C = [COMPILER, "-std=c11"]
CXX = [re.sub(r"(clang|g(?=cc)|c(?=c))c*(-[\d.]+)?$", lambda found: found[1] + "++" + (found[2] or ""), COMPILER), "-std=c++17"]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
SCHEDULE = SOURCE / "examples" / "allreduce-ring-4.json"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)


def works(*words, **options):
    done = run(*words, **options)
    wanted(done.returncode == 0, " ".join(map(str, words)), done.stdout, done.stderr)
    return done.stdout


class Machine:
    """A machine on which it is installed: a folder that stands for its root."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        works(MESON, "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", root)
        self.files = {path.name: path for path in self.root.rglob("*") if path.is_file()}

    def pkg_config(self, *words):
        environment = {**os.environ, "PKG_CONFIG_SYSROOT_DIR": str(self.root),
                       "PKG_CONFIG_PATH": str(next(self.root.rglob("pkgconfig")))}
        told = works("pkg-config", *words, env=environment).split()
        # cJSON is the machine's, not under our root.
        return [word.replace(f"{self.root}/usr/include", "/usr/include") if "cjson" in word else word for word in told]

    def build(self, compiler, sources, package, static):
        """Compiles sources into a program; the archive is named where it should not be the shared library."""
        flags = self.pkg_config("--cflags", "--libs", *(["--static"] if static else []), package)
        if static:
            flags = [f"-l:lib{word[2:]}.a" if word.startswith("-lordo") else word for word in flags]
        program = self.root / "program"
        works(*compiler, *STRICT, *sources, "-o", program, *flags)
        return program

    def run(self, *words):
        folders = {str(path.parent) for path in self.root.rglob("libordo*.so*")}
        return works(*words, env={**os.environ, "LD_LIBRARY_PATH": ":".join(folders)})


def needed(program):
    return re.findall(r"NEEDED.*\[(.*?)\]", works("readelf", "-d", program))


@case("commands, manual, libraries, pkg-config files and every public header are installed")
def _(machine):
    names = ["ordo", "ordo-check", "ordo.1", "libordo.pc"] + ["libordo.a", "libordo-runtime.a", "libordo-runtime.pc"] * STATIC
    headers = [path.name for path in SOURCE.glob("*/include/ordo/*.h")]
    wanted(len(headers) > 10, headers)
    missing = [name for name in names + headers if name not in machine.files]
    wanted(not missing, missing)
    installed = {path.name for path in machine.root.rglob("include/ordo/*")}
    wanted(installed == set(headers), installed ^ set(headers))


@case("the command runs, and its version is that of pkg-config and of the shared library")
def _(machine):
    version = machine.run(machine.files["ordo"], "--version").split()
    packages = ["libordo"] + ["libordo-runtime"] * STATIC
    wanted(all(version == ["ordo", *machine.pkg_config("--modversion", package)] for package in packages), version)
    if SHARED:
        library = machine.files[f"libordo.so.{version[1]}"]
        major = version[1].split(".")[0]
        wanted(f"[libordo.so.{major}]" in works("readelf", "-d", library), works("readelf", "-d", library))


@case("every public header compiles alone, as C11 and as C++17, without a warning")
def _(machine):
    def compile_alone(question):
        compiler, language, header = question
        return run(*compiler, *STRICT, *machine.pkg_config("--cflags", "libordo"), "-fsyntax-only", "-x", language, "-",
                   input=f"#include <ordo/{header}>\n").stderr

    questions = [(compiler, language, path.name) for path in SOURCE.glob("*/include/ordo/*.h")
                 for compiler, language in ((C, "c"), (CXX, "c++"))]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        problems = [problem for problem in pool.map(compile_alone, questions) if problem]
    wanted(not problems, *problems)


def declared():
    """The functions that the public headers declare."""
    text = "".join(path.read_text() for path in SOURCE.glob("*/include/ordo/*.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return set(re.findall(r"^ORDO_API\b[^;(]*?\b(\w+)\(", text, re.MULTILINE))


@case("the shared library exports what the headers declare and nothing else, all of it ordo_")
def _(machine):
    if not SHARED:
        return
    library = next(path for name, path in machine.files.items() if name.startswith("libordo.so"))
    exported = {line.split()[-1] for line in works("nm", "-D", "--defined-only", library).splitlines()}
    wanted(len(exported) > 100, exported)
    strangers = [name for name in exported if not name.startswith("ordo_")]
    wanted(not strangers, strangers)
    wanted(exported <= declared(), exported - declared())


@case("a C program is built with the shared library, and needs that alone")
def _(machine):
    if SHARED:
        program = machine.build(C, [SOURCE / "examples" / "embed.c"], "libordo", static=False)
        wanted(machine.run(program, SCHEDULE) == "1 + 2 + 3 + 4 = 10\n")
        wanted(re.match(r"libordo\.so\.\d+$", needed(program)[0]) and not any("cjson" in name for name in needed(program)), needed(program))


@case("a C program is built with the static library, and needs no shared one of ours")
def _(machine):
    for package in ("libordo", "libordo-runtime") if STATIC else ():
        program = machine.build(C, [SOURCE / "examples" / "embed.c"], package, static=True)
        wanted(works(program, SCHEDULE) == "1 + 2 + 3 + 4 = 10\n")
        wanted(not any("ordo" in name for name in needed(program)), needed(program))


@case("so is a C++ program, with both")
def _(machine):
    for static in [False] * SHARED + [True] * STATIC:
        program = machine.build(CXX, [SOURCE / "tests" / "installed.cpp"], "libordo", static)
        printed = machine.run(program, SCHEDULE)
        wanted(printed == "10 by one of many algorithms\n", printed)


for tool in (COMPILER, CXX[0], "pkg-config", "nm", "readelf"):
    if not shutil.which(tool):
        sys.exit(f"test_install.py: {tool} is missing")
with tempfile.TemporaryDirectory() as folder:
    run_cases(Machine(folder))
