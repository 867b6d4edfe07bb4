"""ordo.py - algorithms of collective communication as programs of moves, in Python.

A program says what is copied and added, in the order in which one would do it on one machine; it
means what running it from top to bottom means. It says no Notify and no Wait: the command `ordo`
places streams and synchronisation, proves the result, draws it and runs it.

    from ordo import AllReduce, at, copy, phase, reduce

    n = 4
    with AllReduce(ranks=n, chunks=n, in_place=True) as p:
        for step in range(n - 1):
            with phase("reduce-scatter", step):
                for chunk in range(n):
                    rank = (chunk + step) % n
                    reduce(at((rank + 1) % n, "input", chunk), at(rank, "input", chunk))
        for step in range(n - 1):
            with phase("all-gather", step):
                for chunk in range(n):
                    rank = (chunk + step - 1) % n
                    copy(at((rank + 1) % n, "input", chunk), at(rank, "input", chunk))
    print(p.verify())

Errors are of class ProgramError and name the file and line of the author's call; so do the refusals
of the command, which gets every move with its line. The command is the one that the environment
variable ORDO names, or else `ordo` on the PATH. The standard library is all that is needed.
"""
import json
import os
import pathlib
import subprocess
import sys
from typing import NamedTuple

__all__ = [
    "AllGather", "AllReduce", "AllToAll", "Broadcast", "Gather", "Grid", "Place", "Program",
    "ProgramError", "Reduce", "ReduceScatter", "Refused", "Ring", "Scatter", "at", "copy",
    "input_of", "output_of", "phase", "reduce", "stream"
]
BUFFERS = ("input", "output", "scratch")
LIMIT = 2**31 - 1


class ProgramError(Exception):
    """A program that cannot be: `file:line: what, and what was wanted`, of the author's line, and
    below it a hint, if there is one."""

    def __init__(self, text, file=None, line=None, hint=None):
        super().__init__((f"{file}:{line}: {text}" if file else text) +
                         (f"\nhint: {hint}" if hint else ""))
        self.text, self.file, self.line, self.hint = text, file, line, hint


class Refused(ProgramError):
    """What the command said when it refused; `code` is its exit code."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


class Text(str):
    """What the command printed, shown as it is."""

    def __repr__(self):
        return str(self)


class Place(NamedTuple):
    """A slot of a rank's buffer, the first of several where a count goes with it."""
    rank: int
    buffer: str
    slot: int


def at(rank, buffer, chunk):
    """The place of slot `chunk` in a buffer, "input", "output" or "scratch", of a rank. Input and
    output have one slot for each chunk that the operator gives the rank, in ascending order."""
    program = _open()
    for name, number in (("rank", rank), ("chunk", chunk)):
        if type(number) is not int:
            program.fail(f"{name}: found {number!r}, wanted an integer")
    if buffer not in BUFFERS:
        program.fail(f'buffer: found {buffer!r}, wanted "input", "output" or "scratch"')
    if not 0 <= rank < program.ranks:
        program.fail(f"rank: found {rank}, wanted 0..{program.ranks - 1}")
    return Place(rank, buffer, chunk)


def copy(to, source, count=1, stream=None):
    """to = source, for so many consecutive slots; done by the rank that has the source."""
    _open().move("copy", to, source, count, stream)


def reduce(to, source, count=1, stream=None):
    """to = to op source, for so many consecutive slots; done by the rank that has the source."""
    _open().move("reduce", to, source, count, stream)


def phase(name, step=None):
    """`with phase("reduce-scatter", 0):` - the moves below belong to it, in messages and pictures.
    A program that has phases moves in them only."""
    return _Part(_open(), "phase", name, step)


def stream(name, step=None):
    """`with stream("copy"):` - the moves below belong to that stream of the rank that does each.
    Moves of one stream run one after another, streams side by side."""
    return _Part(_open(), "stream", name, step)


def input_of(rank, chunk):
    """Where a rank has a chunk when the call begins, by the number of the chunk."""
    return _open().place_of("input", rank, chunk)


def output_of(rank, chunk):
    """Where a rank must have a chunk when the call ends, by the number of the chunk."""
    return _open().place_of("output", rank, chunk)


class Ring:
    """Ranks in a circle: `Ring(8)`, or `Ring([0, 2, 3, 1])` in an order of their own. Iterating
    gives each rank with the one after it."""

    def __init__(self, ranks):
        self.ranks = list(range(ranks)) if isinstance(ranks, int) else list(ranks)
        self._position = {rank: i for i, rank in enumerate(self.ranks)}

    def __len__(self):
        return len(self.ranks)

    def __iter__(self):
        return ((rank, self.after(rank)) for rank in self.ranks)

    def __getitem__(self, position):
        """The rank at a position, counted round and round."""
        return self.ranks[position % len(self.ranks)]

    def after(self, rank, steps=1):
        """The rank so many steps after one; before it where steps is below 0."""
        if rank not in self._position:
            _open().fail(f"rank: found {rank!r}, which is not in the ring {self.ranks}")
        return self[self._position[rank] + steps]

    def before(self, rank, steps=1):
        return self.after(rank, -steps)


class Grid:
    """Ranks in rows and columns, row by row; both go round."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns

    def rank(self, row, column):
        return row % self.rows * self.columns + column % self.columns

    def row(self, number):
        """A row as a ring."""
        return Ring([self.rank(number, column) for column in range(self.columns)])

    def column(self, number):
        """A column as a ring."""
        return Ring([self.rank(row, number) for row in range(self.rows)])


class _Part:
    """A phase or a stream while moves belong to it."""

    def __init__(self, program, kind, name, step):
        if not isinstance(name, str):
            program.fail(f"{kind}: found {name!r}, wanted a name")
        self.program, self.kind = program, kind
        self.name = name if step is None else f"{name} {step}"
        program.check_waiting()
        program.waiting = self, program.line()

    def __enter__(self):
        self.program.waiting = None
        self.before = getattr(self.program, self.kind)
        self.program.enter(self.kind, self.name)
        return self

    def __exit__(self, *_):
        setattr(self.program, self.kind, self.before)


_programs = []


def _open():
    """The program whose `with` is open."""
    if _programs:
        return _programs[-1]
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    raise ProgramError("there is no program here: moves stand below `with AllReduce(...) as p:`",
                       frame.f_code.co_filename, frame.f_lineno)


class Program:
    """What the classes of the operators share.

    ranks      how many
    chunks     into how many each block is cut
    name       of the algorithm, in the document
    root       of Reduce, Broadcast, Scatter and Gather
    in_place   input and output are one memory
    shards     vectors to be summed, where they are not one for each rank
    accumulate the form in which sums are held: "f32", "exact", "binned(bins=2)", "binned(bins=3)"
    topology   a name or the file of a document, as for `ordo --topology`; it must have a link for
               every move
    fail_links links of it that are down, ["0-1"]; without a topology, of a full mesh
    """
    operator = None
    rooted = False

    def __init__(self, ranks, chunks=1, *, name=None, root=None, in_place=False, shards=None,
                 accumulate=None, topology=None, fail_links=()):
        frame = sys._getframe(1)
        self.source, self._line = frame.f_code.co_filename, frame.f_lineno
        for what, number in (("ranks", ranks), ("chunks", chunks), ("shards", shards)):
            if (type(number) is not int or not 1 <= number <= LIMIT) and \
                    not (what == "shards" and number is None):
                self.fail(f"{what}: found {number!r}, wanted an integer of 1..{LIMIT}")
        if self.rooted and (type(root) is not int or not 0 <= root < ranks):
            self.fail(f"root: found {root!r}, wanted a rank of 0..{ranks - 1}")
        if not self.rooted and root is not None:
            self.fail(f"root: found {root!r}, but {self.operator} has no root")
        self.ranks, self.chunks, self.root, self.in_place = ranks, chunks, root, in_place
        self.shards, self.accumulate = shards or ranks, accumulate
        self.topology, self.fail_links = topology, tuple(fail_links)
        self.name = name or pathlib.Path(self.source).stem
        self.moves, self.phases, self.streams = [], {}, {"main": 0}
        self.phase, self.stream, self.scratch_slots = None, "main", 0
        self.waiting = None

    def __enter__(self):
        _programs.append(self)
        return self

    def __exit__(self, *_):
        _programs.remove(self)

    def fail(self, text, hint=None):
        """An error at the author's line."""
        raise ProgramError(text, self.source, self.line(), hint)

    def line(self):
        """The line of the author's file that is at work: of a call from it, however deep."""
        frame = sys._getframe(1)
        while frame and frame.f_code.co_filename != self.source:
            frame = frame.f_back
        return frame.f_lineno if frame else self._line

    def check_waiting(self):
        """A phase or stream that was named without `with` would have no effect."""
        if self.waiting:
            part, line = self.waiting
            raise ProgramError(f'{part.kind} "{part.name}": wanted `with {part.kind}(...):` and '
                               "moves below it", self.source, line)

    def enter(self, kind, name):
        if kind == "phase" and not self.phases and self.moves:
            self.fail(f'phase "{name}": the moves before it, from line {self.moves[0]["line"]} on, '
                      "are in no phase", "give them a phase of their own: `with phase(...):`")
        names = self.phases if kind == "phase" else self.streams
        names.setdefault(name, len(names))
        setattr(self, kind, name)

    def slots(self, rank, buffer):
        """How many slots a rank's input or output has."""
        every = self.blocks() * self.chunks
        mine = self._first(rank + 1) - self._first(rank)
        at_root = every if rank == self.root else 0
        return {
            "AllReduce": (mine * every, every), "Reduce": (mine * every, at_root),
            "ReduceScatter": (mine * every, self.chunks), "Broadcast": (at_root, every),
            "AllGather": (self.chunks, every), "Scatter": (at_root, self.chunks),
            "Gather": (self.chunks, at_root), "AllToAll": (self.ranks * self.chunks,) * 2
        }[self.operator][buffer == "output"]

    def _first(self, rank):
        return rank * self.shards // self.ranks

    def blocks(self):
        """How many blocks the operator moves."""
        if self.operator in ("AllReduce", "Reduce", "Broadcast"):
            return 1
        return self.ranks**2 if self.operator == "AllToAll" else self.ranks

    def place_of(self, buffer, rank, chunk):
        """Where a rank has a chunk of the operator in its input or output."""
        n, k = self.ranks, self.chunks
        if not 0 <= chunk < self.blocks() * k:
            self.fail(f"chunk: found {chunk}, wanted 0..{self.blocks() * k - 1}")
        slot, own = chunk, chunk // k == rank
        if self.operator == "AllToAll":
            source, target = divmod(chunk // k, n)
            own, other = (source, target) if buffer == "input" else (target, source)
            own, slot = own == rank, other * k + chunk % k
        elif self.slots(rank, buffer) == k and self.blocks() == n:
            slot = chunk % k
        else:
            own = bool(self.slots(rank, buffer))
        if not own:
            self.fail(f"rank {rank} has no chunk {chunk} in its {buffer}")
        return Place(rank, buffer, slot)

    def move(self, kind, to, source, count, where):
        """One move; `copy` and `reduce` call it."""
        self.check_waiting()
        if type(count) is not int or not 1 <= count <= LIMIT:
            self.fail(f"count: found {count!r}, wanted an integer of 1..{LIMIT}")
        for word, place in (("to", to), ("source", source)):
            if not isinstance(place, Place):
                self.fail(f"{word}: found {place!r}, wanted a place, at(rank, buffer, chunk)")
            self._check(place, count)
        if self.phases and self.phase is None:
            self.fail(f"{kind} outside a phase: this program has phases, the last was "
                      f'"{list(self.phases)[-1]}"', "move it below a `with phase(...):`")
        name = self.stream if where is None else where
        move = {"move": kind, "from": list(source), "to": list(to)}
        if count != 1:
            move["count"] = count
        if self.streams.setdefault(name, len(self.streams)):
            move["stream"] = self.streams[name]
        if self.phase is not None:
            move["phase"] = self.phases[self.phase]
        self.moves.append({**move, "line": self.line()})

    def _check(self, place, count):
        """Input and output slots exist; scratch grows."""
        end = place.slot + count
        if place.buffer == "scratch":
            if not 0 <= place.slot < end <= LIMIT:
                self.fail(f"scratch: found slots {place.slot}..{end - 1}, wanted 0..{LIMIT - 1}")
            self.scratch_slots = max(self.scratch_slots, end)
            return
        slots = self.slots(place.rank, place.buffer)
        if place.slot < 0 or end > slots:
            self.fail(f"{place.buffer} slots: found {place.slot}..{end - 1}, "
                      f"rank {place.rank} has {slots}",
                      f"{self.operator} with chunks={self.chunks} has no more; scratch grows")

    def head(self):
        """The members of the document before its moves."""
        head = {"schema": "ordo/moves/1", "operator": self.operator, "algorithm": self.name,
                "ranks": self.ranks}
        if self.rooted:
            head["root"] = self.root
        if self.shards != self.ranks:
            head["shards"] = self.shards
        head.update(chunks_per_block=self.chunks, scratch_slots=self.scratch_slots,
                    in_place=bool(self.in_place))
        if self.accumulate:
            head["accumulate"] = self.accumulate
        inside = os.path.relpath(self.source)
        head["source"] = self.source if inside.startswith("..") else inside
        if self.phases:
            head["phases"] = list(self.phases)
        if len(self.streams) > 1:
            head["streams"] = list(self.streams)
        return head

    def document(self):
        """The program as a document `ordo/moves/1`: text, one move a line."""
        head = json.dumps(self.head(), ensure_ascii=False)[:-1]
        moves = ",".join("\n  " + json.dumps(move) for move in self.moves)
        return f'{head},\n "moves": [{moves}]}}\n'

    def write(self, path):
        """Writes the document, which every command of `ordo` reads."""
        path = pathlib.Path(path)
        beside = path.with_name(path.name + ".new")
        beside.write_text(self.document(), encoding="utf-8")
        os.replace(beside, path)
        return path

    def call(self, command, *words):
        """`ordo COMMAND - WORDS`, with the program on its standard input: what it prints. Refused
        carries what it says where it does not work."""
        if self.topology:
            words += ("--topology", str(self.topology))
        for link in self.fail_links:
            words += ("--fail-link", link)
        try:
            done = subprocess.run([os.environ.get("ORDO", "ordo"), command, "-",
                                   *map(str, words)], input=self.document().encode(),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        except OSError as error:
            raise Refused(f"cannot run the command `ordo`: {error.strerror}; the environment "
                          "variable ORDO may name it", 5) from None
        if done.returncode:
            said = (done.stdout + done.stderr).decode(errors="replace")
            raise Refused(said.strip(), done.returncode)
        return done.stdout

    def compile(self, path):
        """Writes the proved schedule to a file or folder; returns what the command says of it."""
        self.call("compile", "--output", path)
        return self.verify()

    def verify(self, *words):
        """The proof, as `ordo verify` prints it. Refused, with the lines at fault, if there is
        none."""
        return Text(self.call("verify", *words).decode())

    def run(self, size="1MiB", *words):
        """Runs it on threads and compares every bit with the reference: what `ordo run` prints."""
        return Text(self.call("run", "--size", size, "--check", *words).decode())

    def predict(self, size="1MiB", *words):
        """The time on the topology, as `ordo predict` prints it."""
        return Text(self.call("predict", "--size", size, *words).decode())

    def order(self, *words):
        """The trees of all sums, as `ordo order` prints them."""
        return Text(self.call("order", *words).decode())

    def draw(self, path, *words):
        """Draws it to a file, whose ending says the format."""
        self.call("draw", "--output", path, *words)
        return pathlib.Path(path)

    def view(self, path=None):
        """Writes the page of `ordo view`, NAME.html if no path is given; returns its path."""
        path = pathlib.Path(path or f"{self.name}.html")
        self.call("view", "--output", path)
        return path

    def answer(self, command, *words):
        """What a command prints with --json, as a dictionary."""
        return json.loads(self.call(command, "--json", *words))

    def _repr_svg_(self):
        return self.call("draw", "--as", "svg").decode()

    def _repr_html_(self):
        verdict = self.verify().splitlines()[1].strip()
        return f"<figure>{self._repr_svg_()}<figcaption>{verdict}: proved</figcaption></figure>"


class AllReduce(Program):
    """Every rank gets the sum of all vectors; chunks 0..chunks-1, in every input and output."""
    operator = "AllReduce"


class Reduce(Program):
    """The root gets the sum of all vectors."""
    operator, rooted = "Reduce", True


class Broadcast(Program):
    """Every rank gets the root's vector."""
    operator, rooted = "Broadcast", True


class ReduceScatter(Program):
    """Rank r gets block r of the sum: input slots are chunks 0..ranks*chunks-1, output slot k is
    chunk r*chunks+k."""
    operator = "ReduceScatter"


class AllGather(Program):
    """Every rank gets the blocks of all: input slot k is chunk r*chunks+k, outputs have all."""
    operator = "AllGather"


class Scatter(Program):
    """Rank r gets block r of the root's vector."""
    operator, rooted = "Scatter", True


class Gather(Program):
    """The root gets the blocks of all."""
    operator, rooted = "Gather", True


class AllToAll(Program):
    """Rank r sends block (r, j) to each rank j: input slot j*chunks+k holds it, and output slot
    i*chunks+k holds block (i, r)."""
    operator = "AllToAll"
