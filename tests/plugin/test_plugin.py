#!/usr/bin/env python3
"""test_plugin.py ORDO EXAMPLE CC INCLUDE... - an algorithm in a shared object works wherever the
name of one does; what is no such object is refused with the reason."""
import pathlib
import re
import subprocess
import sys

from desk import desk_case
from tap import run_cases, wanted

EXAMPLE = pathlib.Path(sys.argv[2]).read_text()
CC, INCLUDES = sys.argv[3], [f"-I{path}" for path in sys.argv[4:]]


def make(ordo, name="mine.so", text=EXAMPLE, flags=("-Wall", "-Wextra", "-Werror", "-pedantic")):
    (ordo.folder / "mine.c").write_text(text)
    subprocess.run([CC, "-std=c11", "-shared", "-fPIC", *flags, *INCLUDES, "mine.c", "-o", name],
                   cwd=ordo.folder, check=True)


@desk_case("compile, list, explain, run and predict take it, with parameters, maps and shards")
def _(ordo):
    make(ordo)
    for words in ([], ["-t", "ring", "--shards", 8], ["--in-place", "-k", 3], ["--size", "1MiB"],
                  ["--accumulate", "f32"], ["--require", "G3"]):
        done = ordo.works("compile", "allreduce", "-n", 4, "-a", "./mine.so", *words, "-o",
                          "s.json")
        wanted("on 4 ranks by chain-sum" in done.err and "proved" in done.err, words, done.err)
        wanted("bit-equal" in ordo.works("run", "s.json", "--size", "4KiB", "--check").out, words)
    done = ordo.works("compile", "allreduce", "-n", 4, "-a", "mine.so(map=[0,3,2,1])", "-t", "ring",
                      "-o", "t.json")
    wanted("by chain-sum(map=[0,3,2,1])" in done.err, done.err)
    ordo.works("predict", "t.json", "--size", "1MiB")
    done = ordo.works("compile", "allreduce", "-n", 5, "-a", "mine.so(back=star)", "-o", "t.json")
    wanted("by chain-sum(back=star)" in done.err, done.err)
    answer = ordo.answer("run", "t.json", "--size", "4KiB", "--check", "--links")
    wanted(answer["check"]["bits_equal"], answer)
    done = ordo.works("explain", "mine.so")
    wanted("values chain|star; chain if left out" in done.out, done.out)
    ordo.fails(2, r'back of chain-sum: found "ring", wanted chain\|star', "compile", "allreduce",
               "-n", 4, "-a", "mine.so(back=ring)")
    wanted("chain-sum: along a chain" in ordo.works("list", "./mine.so").out)
    wanted("Where only neighbours" in ordo.works("explain", "mine.so").out)
    wanted(ordo.answer("list", "mine.so")["algorithm"] == "chain-sum")
    done = ordo.works("compile", "allreduce", "-n", 4, "-a", "mine.so", "--emit", "moves", "-o",
                      "m.json")
    wanted(": proved" in ordo.works("verify", "m.json").out)


@desk_case("a parameter may be a number")
def _(ordo):
    number = '.least = 0, .most = 1, .fallback = "0"'
    make(ordo, text=re.sub(r'\.words = "chain\|star",\s*\.fallback = "chain"', number, EXAMPLE))
    for setting in ("0", "1"):
        ordo.works("compile", "allreduce", "-n", 4, "-a", f"mine.so(back={setting})", "-o",
                   "s.json")
        answer = ordo.answer("run", "s.json", "--size", "4KiB", "--check")
        wanted(answer["check"]["bits_equal"], answer)
        name = "chain-sum" if setting == "0" else "chain-sum(back=1)"
        wanted(answer["algorithm"] == name, answer)
    ordo.fails(2, r'back of chain-sum: found "2", wanted 0\.\.1', "compile", "allreduce", "-n", 4,
               "-a", "mine.so(back=2)")


@desk_case("tune lets it compete")
def _(ordo):
    make(ordo)
    done = ordo.works("tune", "allreduce", "-n", 3, "--sizes", "1:4KiB", "-a", "mine.so",
                      "--candidates")
    wanted(re.search(r"\n  chain-sum +[\d.]+ us", done.out), done.out)
    ordo.fails(2, "--algorithm: found ring, wanted a shared object", "tune", "allreduce", "-n", 3,
               "-a", "ring")


@desk_case("conditions and topologies refuse it as they refuse others")
def _(ordo):
    make(ordo)
    ordo.fails(1, "dyadic", "compile", "allreduce", "-n", 4, "-a", "mine.so", "--order", "dyadic")
    ordo.fails(2, "needs link 2-1", "compile", "allreduce", "-n", 4, "-a", "mine.so",
               "--fail-link", "1-2")
    ordo.fails(2, "chain-sum has no Broadcast", "compile", "broadcast", "-n", 4, "-a", "mine.so")


# A change of the example, and what is said of it.
BROKEN = (
    ('.name = "chain-sum"', '.version = 7, .name = "chain-sum"',
     r"mine.so: error: ordo_plugin: version: found 7, wanted 2\nhint: compile it with"),
    ('.name = "chain-sum"', '.size = 8, .name = "chain-sum"',
     r"ordo_plugin: size: found 8, wanted \d+"),
    ('.name = "chain-sum"', '.name = "ring"',
     'ordo_plugin: name: found "ring", which is the name of another algorithm'),
    ('.name = "chain-sum"', '.name = "pairwise"', "which is the name of another algorithm"),
    ('.name = "chain-sum"', '.name = "My Chain"',
     'name: found "My Chain", wanted up to 64 lower-case letters'),
    (".source = ", ".name = ", "ordo_plugin: source: found none, but it is needed"),
    (".count_steps = count_steps,", "", "ordo_plugin: count_steps: found none"),
    (".nparameter = 1", ".nparameter = 17", "parameters: found 17, wanted at most 16"),
    (".parameters = parameters, ", "", "parameters: found none of 1, wanted at most 16"),
    ('{.name = "back"', '{.name = "map"', 'parameter 0: name: found "map", wanted a new one'),
    ('{.name = "back"', '{.name = "Back"', 'parameter 0: name: found "Back", wanted a new one'),
    ('{.name = "back",', "{", "parameter 0: found no name, but it is needed"),
    ('.fallback = "chain"', '.fallback = "cha"', 'parameter back: fallback: found "cha", wanted'),
    ('.words = "chain|star"', ".least = 1, .most = 3", 'fallback: found "chain", wanted a value'),
    ("1u << ORDO_ALLREDUCE", "0xfff", "operators: found 0xfff, wanted bits"),
    ("ORDO_PLUGIN(", "#define NOTHING(...) extern int nothing\nNOTHING(",
     r'found no symbol "ordo_plugin", wanted an algorithm\nhint: ORDO_PLUGIN'),
    ("	const uint32_t n =", "	no_such_function();\n	const uint32_t n =",
     "cannot be loaded as a shared object: .*undefined symbol: no_such_function"),
    ('ordo_phase(b, "broadcast", rank - 1);',
     'ordo_phase(b, "broadcast", rank - 1); ordo_builder_fail(b, "not today");',
     'chain-sum: phase "broadcast 0": not today'),
    (".write = write_chain,", ".applicable = never, .write = write_chain,",
     "algorithm: chain-sum: ranks: found 4, wanted 5"),
)
NEVER = """
#include <stdio.h>
static bool never(const struct ordo_problem *problem, const uint32_t *values, char *why,
	size_t size)
{
	(void)values;
	snprintf(why, size, "ranks: found %u, wanted 5", problem->nrank);
	return problem->nrank == 5;
}
void no_such_function(void);
"""


@desk_case("broken objects are refused with the reason, and nothing is written")
def _(ordo):
    for old, new, message in BROKEN:
        text = EXAMPLE.replace("#include <ordo/plugin.h>\n", "#include <ordo/plugin.h>\n" + NEVER)
        wanted(old in text, old)
        make(ordo, text=text.replace(old, new), flags=("-w",))
        ordo.fails(2, message, "compile", "allreduce", "-n", 4, "-a", "./mine.so", "-o", "s.json")
        wanted("s.json" not in ordo.names())


@desk_case("what is no shared object is refused")
def _(ordo):
    (ordo.folder / "text.so").write_text("not an object, but a text of some length\n" * 9)
    (ordo.folder / "folder.so").mkdir()
    for name, message in (("text.so", r"text.so: error: cannot be loaded as a shared object: "
                                      r".*invalid ELF header\nhint: `cc -shared"),
                          ("folder.so", "cannot be loaded as a shared object"),
                          ("none.so", "none.so: error: cannot read: No such file"),
                          ("./none.so(map=auto)", "none.so: error: cannot read: No such file")):
        ordo.fails(2, message, "compile", "allreduce", "-n", 4, "-a", name)
        ordo.fails(2, message, "list", name)
        ordo.fails(2, message, "explain", name)


run_cases()
