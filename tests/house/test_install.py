#!/usr/bin/env python3
"""What is installed is enough for programs of somebody else, in C and in C++: they compile and
link by pkg-config alone, and run.

usage: test_install.py MESON BUILD_ROOT COMPILER SOURCE_ROOT LIBRARIES

LIBRARIES is shared, static or both: what this build installs."""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import strict_json
from tap import case, run_cases, wanted

MESON, BUILD, COMPILER = sys.argv[1:4]
SOURCE = pathlib.Path(sys.argv[4])
SHARED, STATIC = sys.argv[5] != "static", sys.argv[5] != "shared"
C = [COMPILER, "-std=c11"]
CXX = [
    re.sub(r"(clang|g(?=cc)|c(?=c))c*(-[\d.]+)?$", lambda found: found[1] + "++" + (found[2] or ""),
           COMPILER), "-std=c++17"
]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
SCHEDULE = SOURCE / "examples" / "allreduce-ring-4.json"
# Compiled apart, with the flags of MPI.
MPI_EXAMPLE = SOURCE / "examples" / "mpi_shards.c"
DETAIL = {path.name for path in SOURCE.glob("*/include/ordo/detail/*.h")}
PUBLIC = {path.name for pattern in ("include", "*/include")
          for path in SOURCE.glob(f"{pattern}/ordo/*.h")} | {"version.h"}
# An internal header is also installed where it was before it was internal, or it was part of a
# header that is public still, and includes it. Some that were internal are public.
MOVED, RAISED = ({
    f"{name}.h"
    for names in re.findall(rf"^foreach name : \[([^\]]*)\]\s+moved \+= {{{where}",
                            (SOURCE / "meson.build").read_text(), re.MULTILINE)
    for name in re.findall(r"'(\w+)'", names)
} for where in ("name", "'detail'"))
PARTS = {
    part
    for path in SOURCE.glob("*/include/ordo/*.h")
    for part in re.findall(r"^#include <ordo/detail/(.*?)>",
                           path.read_text().partition("#ifndef ORDO_EMBEDDER")[2], re.MULTILINE)
}
NEW = {"answers.h", "bound.h", "messages.h", "order_price.h",
       "packed_trees.h", "program_moves.h", "ways.h"}  # internal from the beginning
HEADERS = sorted(PUBLIC | MOVED | {f"detail/{name}" for name in DETAIL | RAISED})
INTERNAL = sorted(path.name for path in SOURCE.glob("*/internal/ordo/*.h"))


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
        return works("pkg-config", *words, env=environment).split()

    def build(self, compiler, sources, package, static):
        """Compiles sources into a program; the archive is named where it should not be the
        shared library."""
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
    names = [
        "ordo", "ordo-check", "ordo.1", "ordo-compile.1", "ordo-check.1", "_ordo", "ordo.fish",
        "libordo.pc"
    ] + ["libordo.a", "libordo-runtime.a", "libordo-runtime.pc"] * STATIC
    wanted(len(HEADERS) > 10, HEADERS)
    missing = [name for name in names if name not in machine.files]
    wanted(not missing, missing)
    folder = next(machine.root.rglob("include/ordo"))
    installed = {str(path.relative_to(folder)) for path in folder.rglob("*.h*")}
    # <ordo/mpi.h> includes <mpi.h>, which is not in every machine's folders.
    wanted(installed == {*HEADERS, "mpi.h"}, installed ^ {*HEADERS, "mpi.h"})


@case("what became internal is found where it was: in a header of its name, or through its part")
def _(machine):
    folder = next(machine.root.rglob("include/ordo"))
    wanted(len(MOVED) > 10 and not PUBLIC & DETAIL and MOVED | PARTS | NEW == DETAIL,
           DETAIL ^ (MOVED | PARTS | NEW))
    wanted(RAISED and RAISED <= PUBLIC, RAISED - PUBLIC)
    for old, new in [(name, f"detail/{name}") for name in MOVED] + [(f"detail/{name}", name)
                                                                   for name in RAISED]:
        lines = (folder / old).read_text().splitlines()
        wanted(lines[0].startswith("/* Deprecated: "), old, lines)
        wanted(lines[1:] == [f"#include <ordo/{new}>"], old, lines)


@case("no header of the floors' own is installed, nor included by one that is")
def _(machine):
    wanted({"arena.h", "divisor.h", "suggest.h"} <= set(INTERNAL), INTERNAL)
    wanted(not set(HEADERS) & set(INTERNAL), set(HEADERS) & set(INTERNAL))
    included = {
        name
        for path in machine.root.rglob("include/ordo/**/*.h")
        for name in re.findall(r"#include <ordo/(.*?)>", path.read_text())
    }
    wanted(included <= set(HEADERS), included - set(HEADERS))


@case("schemas, guides, the licence and examples are installed, as they are here")
def _(machine):
    share = next(machine.root.rglob("share/ordo")).parent
    schemas = [path.name for path in SOURCE.glob("schedules/*.schema.json")]
    wanted(len(schemas) > 5, schemas)
    pairs = {share / "ordo" / "schemas" / name: SOURCE / "schedules" / name for name in schemas}
    pairs[share / "ordo" / "python" / "ordo.py"] = SOURCE / "tools" / "python" / "ordo.py"
    guides = share / "doc" / "ordo"
    pairs |= {
        guides / path.relative_to(SOURCE): path
        for folder in ("compiler", "runtime", "schedules", "tools/mpi", "tools/python")
        for path in SOURCE.glob(f"{folder}/*.md") if path.name != "README.md" or "/" not in folder
    }
    pairs |= {
        guides / path.relative_to(SOURCE): path
        for path in (SOURCE / "examples").rglob("*")
        if path.is_file() and path.name != "meson.build"
    }
    pairs |= {guides / name: SOURCE / name for name in (
        "README.md", "README.zh.md", "INSTALL.md", "INSTALL.zh.md", "LICENSE",
        "CONTRIBUTING.md", "CONTRIBUTING.zh.md", "LIMITS.md", "LIMITS.zh.md")}
    picture = pathlib.Path("compiler/survey.svg")
    pairs[guides / picture] = SOURCE / picture
    for name in ("schedules/FORMAT.md", "examples/TOUR.md", "examples/TOUR.zh.md",
                 "examples/embed.c", "examples/gallery/birs-published.svg"):
        wanted(guides / name in pairs, name)
    wrong = [
        str(path) for path, source in pairs.items()
        if not path.is_file() or path.read_bytes() != source.read_bytes()
    ]
    wanted(not wrong, wrong)
    more = {path for path in guides.rglob("*") if path.is_file()} - set(pairs)
    wanted(not more, "more than there is", more)


@case("pkg-config names our folder of headers alone, and cJSON for archives only")
def _(machine):
    for package in ["libordo"] + ["libordo-runtime"] * STATIC:
        for static in [[], ["--static"]]:
            told = machine.pkg_config("--cflags", *static, package)
            wanted(len(told) <= 1 and not any("cjson" in word for word in told), package, told)
        wanted("-lcjson" in machine.pkg_config("--libs", "--static", package), package)
        wanted(SHARED == ("-lcjson" not in machine.pkg_config("--libs", "libordo")), package)


@case("the command runs, and its version is that of pkg-config and of the shared library")
def _(machine):
    version = machine.run(machine.files["ordo"], "--version").split()
    packages = ["libordo"] + ["libordo-runtime"] * STATIC
    wanted(
        all(version == ["ordo", *machine.pkg_config("--modversion", package)]
            for package in packages), version)
    if SHARED:
        library = machine.files[f"libordo.so.{version[1]}"]
        major = version[1].split(".")[0]
        wanted(f"[libordo.so.{major}]" in works("readelf", "-d", library),
               works("readelf", "-d", library))


@case("every public header compiles alone, as C11 and as C++17, without a warning")
def _(machine):
    def compile_alone(question):
        compiler, language, header = question
        return run(*compiler,
                   *STRICT,
                   *machine.pkg_config("--cflags", "libordo"),
                   "-fsyntax-only",
                   "-x",
                   language,
                   "-",
                   input=f"#include <ordo/{header}>\n").stderr

    questions = [(compiler, language, header) for header in HEADERS
                 for compiler, language in ((C, "c"), (CXX, "c++"))]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        problems = [problem for problem in pool.map(compile_alone, questions) if problem]
    wanted(not problems, *problems)


def declared():
    """The functions that headers say are exported. The floors' own are, for programs that were
    linked when their headers were installed."""
    text = "".join(
        path.read_text()
        for path in [*SOURCE.glob("*/include/ordo/**/*.h*"), *SOURCE.glob("*/internal/ordo/*.h")])
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return set(re.findall(r"^ORDO_API\b[^;(]*?\b(\w+)\(", text, re.MULTILINE))


@case("the shared library exports what the headers declare and nothing else, all of it ordo_")
def _(machine):
    if not SHARED:
        return
    library = next(path for name, path in machine.files.items() if name.startswith("libordo.so"))
    exported = {
        line.split()[-1]
        for line in works("nm", "-D", "--defined-only", library).splitlines()
    }
    wanted(len(exported) > 100, exported)
    strangers = [name for name in exported if not name.startswith("ordo_")]
    wanted(not strangers, strangers)
    wanted(exported == declared(), exported ^ declared())
    once = set((SOURCE / "tests" / "house" / "exported.txt").read_text().split())
    wanted(
        len(once) > 200 and once <= exported, "programs that call these find them no more",
        once - exported)


@case("the static libraries define names that begin with ordo_ and nothing else")
def _(machine):
    for archive in ("libordo.a", "libordo-runtime.a") if STATIC else ():
        defined = {
            line.split()[2]
            for line in works("nm", "-g", "--defined-only", machine.files[archive]).splitlines()
            if len(line.split()) == 3
        }
        wanted(len(defined) > 100, defined)
        strangers = [name for name in defined if not name.startswith("ordo_")]
        wanted(not strangers, strangers)


@case("a C program is built with the shared library, and needs that alone")
def _(machine):
    if SHARED:
        program = machine.build(C, [SOURCE / "examples" / "embed.c"], "libordo", static=False)
        wanted(machine.run(program, SCHEDULE) == "1 + 2 + 3 + 4 = 10\n")
        wanted(
            re.match(r"libordo\.so\.\d+$",
                     needed(program)[0]) and not any("cjson" in name for name in needed(program)),
            needed(program))


@case("a C program is built with the static library, and needs no shared one of ours")
def _(machine):
    for package in ("libordo", "libordo-runtime") if STATIC else ():
        program = machine.build(C, [SOURCE / "examples" / "embed.c"], package, static=True)
        wanted(works(program, SCHEDULE) == "1 + 2 + 3 + 4 = 10\n")
        wanted(not any("ordo" in name for name in needed(program)), needed(program))


@case("so is a C++ program, with both")
def _(machine):
    for static in [False] * SHARED + [True] * STATIC:
        program = machine.build(CXX, [SOURCE / "tests/house/installed.cpp"], "libordo", static)
        printed = machine.run(program, SCHEDULE)
        wanted(printed == "10 by one of many algorithms\n", printed)


@case("an algorithm of somebody else is compiled and proved by a program in C and in C++")
def _(machine):
    source = SOURCE / "examples" / "own_algorithm.c"
    for compiler in (C, [*CXX, "-x", "c++"]):
        for static in [False] * SHARED + [True] * STATIC:
            # What follows is no source.
            program = machine.build(compiler, [source, "-x", "none"], "libordo", static)
            wanted(machine.run(program) == "1 + 2 + 3 + 4 = 10\n")


@case("examples include <ordo/ordo.h>, and <ordo/builder.h> for an algorithm, and nothing else, or "
      "<ordo/plugin.h>")
def _(machine):
    flags = machine.pkg_config("--cflags", "libordo")
    (machine.root / "ring_4.h").write_text("extern const struct ordo_schedule ring_4;\n")
    examples = sorted(set((SOURCE / "examples").glob("*.c")) - {MPI_EXAMPLE})
    wanted(len(examples) > 3, examples)
    for example in examples:
        included = set(re.findall(r"#include <(ordo/.*?)>", example.read_text()))
        wanted(included == {"ordo/plugin.h"} if example.name == "own_plugin.c" else
               "ordo/ordo.h" in included <= {"ordo/ordo.h", "ordo/builder.h"}, example, included)
        works(*C, *STRICT, f"-I{machine.root}", *flags, "-include", "ordo/ordo.h",
              "-fsyntax-only", example)


@case("a program of MPI compiles from what is installed, linked with the library or not")
def _(machine):
    for name in ("openmpi", "mpich"):
        compiler = shutil.which(f"mpicc.{name}")
        if not compiler or f"libordo-{name}.pc" not in machine.files:
            print(f"# not tested: {name}")
            continue
        plain = machine.pkg_config("--cflags", "libordo")
        linked = machine.pkg_config("--cflags", "--libs", f"libordo-{name}")
        for flags, ending in ((plain, "(without the library)"), (linked, "")):
            program = machine.root / "program"
            works(compiler, "-std=c11", MPI_EXAMPLE, "-o", program, *flags)
            found = machine.run(program)
            wanted(found.startswith("3.14159") and found.rstrip().endswith(ending), found)
            wanted(("without" in found) == bool(ending), found)
            wanted((f"libordo_{name}.so" in needed(program)) == (flags is linked), needed(program))


@case("an error of a program is what the command says")
def _(machine):
    program = machine.build(C, [SOURCE / "examples" / "embed.c"], "libordo", static=not SHARED)
    broken = machine.root / "broken.json"
    broken.write_text(SCHEDULE.read_text().replace('"scratch_slots"', '"scratch_slot"'))
    environment = {
        **os.environ, "LD_LIBRARY_PATH": ":".join(
            {str(path.parent)
             for path in machine.root.rglob("libordo*.so*")})
    }
    ours, theirs = run(program, broken, env=environment), run(machine.files["ordo"], "verify",
                                                              broken)
    wanted(ours.returncode == 1 and re.match(rf"{broken}:\d+:\d+: error\[R1\]: ", ours.stderr),
           ours.stderr)
    wanted(ours.stderr == theirs.stderr, ours.stderr, theirs.stderr)


LATER = """
#include <ordo/ordo.h>
int main(int argc, char **argv)
{
	struct ordo_error error;
	struct ordo_communicator_options size = {.nrank = 4};
	if (argc > 2)
		((char *)&size)[sizeof size - 1] = 1;
	struct ordo_communicator *ranks = ordo_communicator_create(&size, &error);
	float in[4] = {1, 2, 3, 4}, out[4];
	const void *inputs[] = {&in[0], &in[1], &in[2], &in[3]};
	void *outputs[] = {&out[0], &out[1], &out[2], &out[3]};
	const bool worked = ranks && ordo_communicator_bind_document(ranks, argv[1], &error) &&
			    ordo_allreduce_all(
				    ranks, inputs, outputs, 1, ORDO_F32, ORDO_SUM, &error);
	if (worked)
		printf("%g, options of %zu bytes, %s, %s\\n", (double)out[0], sizeof size,
			ORDO_VERSION, ordo_version());
	else
		ordo_error_write(&error, stderr);
	return !worked;
}
"""


@case("programs that were compiled for shorter and for longer options run with this library")
def _(machine):
    headers = next(machine.root.rglob("include/ordo"))
    text = (headers / "communicator.h").read_text()
    last = re.search(r"^struct ordo_communicator_options \{.*?(^[^\n]*nkept;.*?\n)\};", text,
                     re.MULTILINE | re.DOTALL)[1]
    version = machine.pkg_config("--modversion", "libordo")[0]
    for name, member in (("older", ""), ("newer", last + "\tuint64_t later[2];\n")):
        folder = machine.root / name / "ordo"
        shutil.copytree(headers, folder)
        (folder / "communicator.h").write_text(text.replace(last, member))
        program, source = machine.root / f"program-{name}", machine.root / f"{name}.c"
        source.write_text(LATER)
        flags = machine.pkg_config("--libs", *([] if SHARED else ["--static"]), "libordo")
        works(*C, *STRICT, f"-I{folder.parent}", source, "-o", program, *flags)
        told = machine.run(program, SCHEDULE)
        size = 16 if name == "older" else 40
        wanted(told == f"10, options of {size} bytes, {version}, {version}\n", told)
    environment = {
        **os.environ, "LD_LIBRARY_PATH": ":".join(
            {str(path.parent)
             for path in machine.root.rglob("libordo*.so*")})
    }
    refused = run(program, SCHEDULE, "ask", env=environment)
    wanted(
        refused.returncode == 1 and refused.stderr.endswith(
            "hint: the program was compiled for a newer libordo than the one that runs\n"),
        refused.stderr)


def write_embedded(machine, document, name):
    """What `ordo embed` makes of a document, compiled as strictly as it may be; the object."""
    source = machine.root / f"{name}.c"
    machine.run(machine.files["ordo"], "embed", document, "-o", source, "--header",
                source.with_suffix(".h"))
    works(*C, *STRICT, "-Wcast-qual", "-Wmissing-prototypes",
          *machine.pkg_config("--cflags", "libordo"), "-c", source, "-o", source.with_suffix(".o"))
    return source.with_suffix(".o")


@case(
    "a schedule that is compiled in runs without cJSON, without a shared library of ours and "
    "without any document"
)
def _(machine):
    if not STATIC:
        return
    table = write_embedded(machine, SCHEDULE, "ring_4")
    flags = machine.pkg_config("--libs", "libordo-runtime")
    wanted(not any("cjson" in flag for flag in flags), flags)
    program = machine.build([*C, f"-I{machine.root}"],
                            [SOURCE / "examples" / "compiled_in.c", table],
                            "libordo-runtime",
                            static=False)
    wanted(works(program) == "1 + 2 + 3 + 4 = 10\n")
    wanted(not any("ordo" in name or "cjson" in name for name in needed(program)), needed(program))


TABLES = """
#include <cstdio>
{includes}
#include <ordo/document.h>
int main()
{{
	const struct ordo_schedule *const all[] = {{{addresses}}};
	for (const struct ordo_schedule *one : all)
		if (!ordo_schedule_print(one, stdout, nullptr))
			return 1;
	return 0;
}}
"""


@case("tables are what was read: C++ prints the same documents of them again")
def _(machine):
    ordo = machine.files["ordo"]
    strange = SCHEDULE.read_text().replace('"algorithm": "ring"',
                                           r'"algorithm": "*/ /* \"??/\\ \u00e9\\n%d"')
    strange = strange.replace('"programs"', '"x": {"mine": "/**/"},\n "programs"', 1)
    documents = {"plain": SCHEDULE.read_text(), "strange": strange}
    for name, words in {
            "scratch": "reduce-scatter -n 5 -a mesh --chunks 2",
            "rooted": "reduce -n 4 -a tree --root 3 --in-place",
            "shards": "allreduce -n 3 -a forest --shards 8",
            "alone": "broadcast -n 1 -a ring --in-place",
            "phases": "allreduce -n 8 -a ring --fail-link 0-1"
    }.items():
        documents[name] = machine.run(ordo, "compile", *words.split())
    for name, text in documents.items():
        (machine.root / f"{name}.json").write_text(text)
    objects = [write_embedded(machine, machine.root / f"{name}.json", name) for name in documents]
    main = machine.root / "tables.cpp"
    main.write_text(TABLES.format(includes="\n".join(f'#include "{name}.h"' for name in documents),
                                  addresses=", ".join(f"&{name}" for name in documents)))
    printed = machine.run(machine.build(CXX, [main, *objects], "libordo", static=not SHARED))
    for name, text in documents.items():
        again, end = json.JSONDecoder().raw_decode(printed)
        wanted(again == strict_json.loads(text), name, printed[:end])
        printed = printed[end:].lstrip()
    wanted(printed == "", printed)


SET = """
#include "fast.h"
#include <ordo/communicator.h>
#include <stdio.h>
enum { NRANK = 8, MOST = 1 << 18 };
int main(void)
{
	static float output[NRANK][MOST], input[NRANK][MOST];
	const uint64_t counts[] = {1, 15062, 15063, 150000};
	const struct ordo_communicator_options ranks = {.nrank = NRANK};
	struct ordo_communicator *communicator = ordo_communicator_create(&ranks, NULL);
	struct ordo_group *group = ordo_group_of_schedules(&fast, fast_schedules, NULL);
	for (int i = 0; i < 4; i++) {
		struct ordo_part parts[NRANK] = {{.collective = NULL}};
		const struct ordo_plan_options options = {
			.type = ORDO_F32, .reduction = ORDO_SUM, .count = counts[i]};
		for (int rank = 0; rank < NRANK; rank++) {
			input[rank][counts[i] - 1] = (float)rank;
			parts[rank].collective = ordo_group_collective(group, &options, NULL);
			parts[rank].input = input[rank];
			parts[rank].output = output[rank];
		}
		if (!ordo_communicator_run_all(communicator, parts, NULL))
			return 1;
		const uint32_t range = ordo_plan_set_find(&fast, counts[i] * sizeof(float));
		printf("%s %s %g\\n", fast.ranges[range].schedule,
			fast_schedules[range]->algorithm,
			(double)output[NRANK - 1][counts[i] - 1]);
	}
	ordo_group_destroy(group);
	ordo_communicator_destroy(communicator);
	return ordo_plan_set_find(&fast, ((uint64_t)1 << 30) + 1) != UINT32_MAX;
}
"""


@case("a plan set that is compiled in is a group: it runs the schedule of each size, without cJSON")
def _(machine):
    if not STATIC:
        return
    machine.run(machine.files["ordo"], "compile", "allreduce", "-n", 8, "--topology", "hypercube",
                "--sizes", "1:1GiB", "-o", machine.root / "fast")
    main = machine.root / "main.c"
    main.write_text(SET)
    tables = write_embedded(machine, machine.root / "fast", "fast")
    program = machine.build(C, [main, tables], "libordo-runtime", static=False)
    found = works(program).splitlines()
    wanted([line.split("-")[1][0] for line in found] == ["0", "0", "1", "1"], found)
    wanted(found[-1] == "range-1.json matching 28", found)


for tool in (COMPILER, CXX[0], "pkg-config", "nm", "readelf"):
    if not shutil.which(tool):
        sys.exit(f"test_install.py: {tool} is missing")
with tempfile.TemporaryDirectory() as folder:
    run_cases(Machine(folder))
