#!/usr/bin/env python3
"""test_python.py ORDO ROOT - programs of moves written in Python: the examples of PYTHON.md, what
the module writes, and errors at the author's line."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

from console import agree, predicted, run_as_typed, steps_of, timeless
from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2]).absolute()
MODULE = ROOT / "tools" / "python"
PAGE = (MODULE / "PYTHON.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
os.environ.update(ORDO=ORDO, PYTHONDONTWRITEBYTECODE="1")
sys.dont_write_bytecode = True
sys.path.insert(0, str(MODULE))
import ordo  # pylint: disable=wrong-import-position


def run(text, name="program.py"):
    """Runs a program in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / name).write_text(textwrap.dedent(text))
        return subprocess.run([sys.executable, name], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(MODULE)}, check=False,
                              timeout=120)


def compiled(program):
    """Its schedule, and that of the moves as `ordo compile` reads them."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "s.json"
        program.compile(path)
        return json.loads(path.read_text())


@case("PYTHON.md: the ring is proved, and the program for a failed link is the example")
def _():
    done = run(BLOCKS[0])
    wanted(done.returncode == 0 and ": proved" in done.stdout, done.stdout, done.stderr)
    wanted(BLOCKS[2] == (ROOT / "examples" / "broken_link.py").read_text())
    ours, theirs = (len(block.split("\n")) - 1 for block in BLOCKS[:2])
    wanted((ours, theirs) == (13, 18) and "thirteen" in PAGE and "eighteen" in PAGE, ours, theirs)


@case("PYTHON.md: programs are as black leaves them")
def _():
    if not shutil.which("black"):
        return
    for block in BLOCKS:
        done = subprocess.run(["black", "-q", "-"], input=block, capture_output=True, text=True,
                              check=True)
        wanted(done.stdout == block, done.stdout)


@case("PYTHON.md: every command prints what is shown below it")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("tools", "examples"):
            os.symlink(ROOT / name, pathlib.Path(folder) / name)
        lines = BLOCKS[0].split("\n")
        lines[7] = lines[7][::-1].replace('"input"'[::-1], '"scratch"'[::-1], 1)[::-1]
        (pathlib.Path(folder) / "wrong.py").write_text("\n".join(lines))
        count = 0
        for block in re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
            for command, shown in steps_of(block):
                printed = run_as_typed(command, folder, ORDO)
                seen = timeless if command.startswith("ordo run") else predicted
                wanted(agree(shown, printed, seen), command, *shown, "printed:", *printed)
                count += 1
        wanted(count == 8, count)


@case("a program for a failed link: one order, faster than three rings and near the bound")
def _():
    sys.path.insert(0, str(ROOT / "examples"))
    from broken_link import p  # pylint: disable=import-outside-toplevel
    wanted("G3 position-invariant   holds" in p.verify())
    seconds = p.answer("predict", "--size", "1GiB")["seconds"]
    wanted(seconds < 1.09 * 7 / 27 * 2**30 / 56e9, seconds)
    wanted("bit-equal" in p.run("64KiB"))
    with tempfile.TemporaryDirectory() as folder:
        rings = pathlib.Path(folder) / "rings.json"
        subprocess.run([ORDO, "compile", "allreduce", "-n", "8", "--fail-link", "0-1", "-a",
                        "ring(directions=2,rings=3)", "-o", rings], check=True,
                       capture_output=True)
        answer = subprocess.run([ORDO, "predict", rings, "--fail-link", "0-1", "--size", "1GiB",
                                 "--json"], check=True, capture_output=True)
        wanted(seconds < 0.6 * json.loads(answer.stdout)["seconds"])
        p.draw(pathlib.Path(folder) / "x.svg", "--ranks", "0,1,2")
        wanted("<svg" in (pathlib.Path(folder) / "x.svg").read_text())


@case("every operator is written, compiled and proved, by the numbers of its chunks")
def _():
    n, k = 4, 2
    for name in ("AllReduce", "Reduce", "Broadcast", "ReduceScatter", "AllGather", "Scatter",
                 "Gather", "AllToAll"):
        root = {"root": 1} if name in ("Reduce", "Broadcast", "Scatter", "Gather") else {}
        with getattr(ordo, name)(n, k, **root) as p:
            chunks = p.blocks() * k

            def have(place, rank, chunk):
                try:
                    return place(rank, chunk)
                except ordo.ProgramError:
                    return None
            for chunk in range(chunks):
                sources = [have(ordo.input_of, rank, chunk) for rank in range(n)]
                sources = [source for source in sources if source]
                for rank in range(n):
                    to = have(ordo.output_of, rank, chunk)
                    if to:
                        ordo.copy(to, sources[0])
                        for source in sources[1:]:
                            ordo.reduce(to, source)
        wanted(": proved" in p.verify(), name)
        wanted(compiled(p)["operator"] == name)


@case("what the module writes is valid by the schema, and canonical but for its lines")
def _():
    import jsonschema  # pylint: disable=import-outside-toplevel
    with ordo.Broadcast(3, 4, root=2, name="tree", in_place=True) as p:
        with ordo.phase("first"), ordo.stream("there", 1):
            ordo.copy(ordo.at(0, "output", 0), ordo.at(2, "input", 0), 4)
        with ordo.phase("second"):
            ordo.copy(ordo.at(1, "output", 0), ordo.at(0, "output", 0), 4)
    schema = json.loads((ROOT / "schedules" / "moves.schema.json").read_text())
    document = json.loads(p.document())
    jsonschema.validate(document, schema)
    wanted(document["phases"] == ["first", "second"], document)
    wanted(document["streams"] == ["main", "there 1"], document)
    wanted(document["moves"][0]["line"] + 2 == document["moves"][1]["line"], document)
    written = p.call("compile", "--emit", "moves").decode()
    wanted(json.loads(written) == document, written)


# A program, its line at fault (from 1), and what is said of it.
HEAD = "from ordo import *\nwith AllReduce(2, 1) as p:\n"
WRONG = (
    (HEAD + "    at(2, 'input', 0)\n", 3, "rank: found 2, wanted 0..1"),
    (HEAD + "    at(0, 'inputs', 0)\n", 3, "buffer: found 'inputs', wanted"),
    (HEAD + "    at(0, 'input', 0.5)\n", 3, "chunk: found 0.5, wanted an integer"),
    (HEAD + "    copy(at(0, 'output', 1), at(0, 'input', 0))\n", 3,
     "output slots: found 1..1, rank 0 has 1"),
    (HEAD + "    copy(at(0, 'output', 0), at(0, 'input', -1))\n", 3,
     "input slots: found -1..-1, rank 0 has 1"),
    (HEAD + "    copy(at(0, 'output', 0), 7)\n", 3, "source: found 7, wanted a place"),
    (HEAD + "    copy(at(0, 'output', 0), at(0, 'input', 0), 2**32)\n", 3,
     "count: found 4294967296, wanted an integer of 1..2147483647"),
    (HEAD + "    with phase('a'):\n        copy(at(0, 'output', 0), at(0, 'input', 0))\n"
     "    copy(at(1, 'output', 0), at(0, 'output', 0))\n", 5,
     'copy outside a phase: this program has phases, the last was "a"'),
    (HEAD + "    copy(at(0, 'output', 0), at(0, 'input', 0))\n    with phase('a'):\n"
     "        pass\n", 4, 'phase "a": the moves before it, from line 3 on, are in no phase'),
    (HEAD + "    phase('a')\n    copy(at(0, 'output', 0), at(0, 'input', 0))\n", 3,
     'phase "a": wanted `with phase(...):` and moves below it'),
    (HEAD + "    Ring(2).after(5)\n", 3, "rank: found 5, which is not in the ring [0, 1]"),
    ("from ordo import *\nAllReduce(0)\n", 2, "ranks: found 0, wanted an integer of 1..2147483647"),
    ("from ordo import *\nAllReduce(2, 2**32)\n", 2, "chunks: found 4294967296, wanted"),
    ("from ordo import *\nBroadcast(2)\n", 2, "root: found None, wanted a rank of 0..1"),
    ("from ordo import *\nAllReduce(2, root=0)\n", 2, "root: found 0, but AllReduce has no root"),
    ("from ordo import *\ncopy(1, 2)\n", 2, "there is no program here: moves stand below"),
    (HEAD + "    copy(at(0, 'output', 0), at(0, 'input', 0))\n"
     "    copy(at(1, 'output', 0), at(0, 'output', 0))\np.verify()\n", 4, "error[R11]: rank 1"),
    (HEAD + "    copy(at(0, 'output', 0),\n         at(1, 'output', 0))\np.verify()\n", 3,
     "error[R10]: reads output slot 0 of rank 1"),
    (HEAD + "    def give(rank):\n        copy(at(rank, 'output', 0), at(0, 'scratch', 0))\n"
     "    give(0)\np.verify()\n", 4, "error[R10]: reads scratch slot 0 of rank 0"),
)


@case("errors name the author's line")
def _():
    for text, line, message in WRONG:
        done = run(text)
        last = done.stderr[done.stderr.rindex("ordo."):]
        wanted(done.returncode == 1 and f"program.py:{line}:" in last and message in last, text,
               f"wanted line {line}: {message}", done.stderr)


@case("errors of phases and slots have a hint below them")
def _():
    move = "    copy(at(0, 'output', 0), at(0, 'input', 0))\n"
    part = "    with phase('a'):\n        pass\n"
    for text, hint in (
        (HEAD + part + move, "move it below a `with phase(...):`"),
        (HEAD + move + part,
         "give them a phase of their own: `with phase(...):`"),
        (HEAD + "    copy(at(0, 'output', 1), at(0, 'input', 0))\n",
         "AllReduce with chunks=1 has no more; scratch grows")):
        said = run(text).stderr
        wanted(said.endswith(f"\nhint: {hint}\n"), text, hint, said)


@case("rings and grids go round")
def _():
    ring = ordo.Ring([0, 2, 3, 1])
    wanted(ring.after(1) == 0 and ring.before(0) == 1 and ring.after(0, 2) == 3 and ring[5] == 2)
    wanted(list(ring) == [(0, 2), (2, 3), (3, 1), (1, 0)] and len(ring) == 4)
    grid = ordo.Grid(2, 3)
    wanted(grid.rank(1, 2) == 5 and grid.rank(2, 3) == 0)
    wanted(grid.row(1).ranks == [3, 4, 5] and grid.column(2).ranks == [2, 5])


@case("a notebook shows the picture and the verdict; the command that is missing is named")
def _():
    with ordo.AllReduce(2, 1) as p:
        ordo.copy(ordo.at(0, "output", 0), ordo.at(0, "input", 0))
        ordo.reduce(ordo.at(0, "output", 0), ordo.at(1, "input", 0))
        ordo.copy(ordo.at(1, "output", 0), ordo.at(0, "output", 0))
    wanted("<svg" in p._repr_svg_() and "proved</figcaption>" in p._repr_html_())
    said = p.verify()
    wanted(repr(said) == str(said) and "proved" in said)
    with tempfile.TemporaryDirectory() as folder:
        page = p.view(pathlib.Path(folder) / "x.html")
        wanted(page.read_text().startswith("<!"))
    try:
        os.environ["ORDO"] = "/nowhere/ordo"
        p.verify()
        wanted(False, "it ran")
    except ordo.Refused as refused:
        wanted("cannot run the command `ordo`" in str(refused) and refused.code == 5)
    finally:
        os.environ["ORDO"] = ORDO


@case("the version is that of the project, and pip installs the module where it is there")
def _():
    version = re.search(r'^version = "(.*)"', (MODULE / "pyproject.toml").read_text(), re.M)[1]
    wanted(f"version : '{version}'" in (ROOT / "meson.build").read_text(), version)
    having = subprocess.run([sys.executable, "-c", "import pip, setuptools, wheel"],
                            capture_output=True, check=False)
    if having.returncode:
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "source"
        shutil.copytree(MODULE, copy)
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index",
                        "--no-build-isolation", "--target", f"{folder}/site", copy], check=True,
                       capture_output=True)
        wanted((pathlib.Path(folder) / "site" / "ordo.py").exists())


run_cases()
