"""document.py - a schedule's JSON, and what it computes, symbolically."""
import json

# To be exported: operator, ranks, algorithm, more words.
SCHEDULES = [("allreduce", 5, "ring", ()), ("allreduce", 4, "ring", ("--in-place", )),
             ("allreduce", 8, "ring(rings=3,directions=2)", ()), ("allreduce", 6, "dyadic", ()),
             ("allreduce", 5, "mesh", ()), ("allreduce", 8, "tree(shape=double-binary)", ()),
             ("reduce-scatter", 6, "birs", ()), ("alltoall", 5, "bruck", ()),
             ("alltoall", 4, "pairwise", ()), ("broadcast", 5, "chain", ()),
             ("reduce", 7, "tree", ()), ("gather", 4, "star", ()), ("allgather", 6, "ring", ())]

MOVES = {"LocalCopy", "LocalReduce", "Send", "SendReduce"}


class Document:
    def __init__(self, text):
        document = json.loads(text)
        self.nrank = document["ranks"]
        self.operator = document["operator"]
        self.in_place = document["in_place"]
        self.chunks_per_block = document["chunks_per_block"]
        # [rank][stream][task]
        self.programs = [[stream["tasks"] for stream in program["streams"]]
                         for program in sorted(document["programs"], key=lambda p: p["rank"])]

    def tasks(self):
        for rank, streams in enumerate(self.programs):
            for number, stream in enumerate(streams):
                for place, task in enumerate(stream):
                    yield rank, number, place, task


class Memory:
    """Slots hold sums: a contribution is (rank, slot), a sum is a pair. In place, only for
    AllReduce, an input slot is the output slot of the same number."""

    def __init__(self, document):
        self.in_place = document.in_place
        self.slots = {}

    def place(self, rank, buffer, slot):
        return rank, "output" if self.in_place and buffer == "input" else buffer, slot

    def read(self, rank, end, count):
        buffer, first = end
        values = []
        for slot in range(first, first + count):
            place = self.place(rank, buffer, slot)
            start = ("of", rank, slot) if buffer == "input" or self.in_place else None
            values.append(self.slots.get(place, start))
        return values

    def write(self, rank, end, values):
        buffer, first = end
        for slot, value in enumerate(values, first):
            self.slots[self.place(rank, buffer, slot)] = value

    def add(self, rank, end, values):
        own = self.read(rank, end, len(values))
        self.write(rank, end, list(zip(own, values)))

    def outputs(self):
        return {place: value for place, value in self.slots.items() if place[1] == "output"}


def execute(document):
    """The memory after a run of the document as it is written."""
    memory = Memory(document)
    tokens, at = {}, {}
    moved = True
    while moved:
        moved = False
        for rank, streams in enumerate(document.programs):
            for number, stream in enumerate(streams):
                while at.get((rank, number), 0) < len(stream):
                    task = stream[at.get((rank, number), 0)]
                    if not take(memory, tokens, rank, task):
                        break
                    at[rank, number] = at.get((rank, number), 0) + 1
                    moved = True
    assert all(at.get((rank, number), 0) == len(stream)
               for rank, streams in enumerate(document.programs)
               for number, stream in enumerate(streams)), "the document deadlocks"
    return memory


def take(memory, tokens, rank, task):
    kind, peer = task["task"], task.get("peer", rank)
    if kind == "Notify":
        key = (rank, peer, task["signal"])
        tokens[key] = tokens.get(key, 0) + 1
    elif kind == "Wait":
        key = (peer, rank, task["signal"])
        if not tokens.get(key):
            return False
        tokens[key] -= 1
    else:
        values = memory.read(rank, task["src"], task.get("count", 1))
        (memory.add if kind.endswith("Reduce") else memory.write)(peer, task["dst"], values)
    return True


def bytes_of(document, task, count, element=4):
    """Bytes of a move, for blocks of `count` elements."""
    chunks = document.chunks_per_block

    def begin(chunk):
        return chunk // chunks * count + -(-(chunk % chunks * count) // chunks)

    return (begin(task["chunk"] + task.get("count", 1)) - begin(task["chunk"])) * element


def count_blocks(document):
    """Of a rank's larger buffer."""
    return 1 if document.operator in ("AllReduce", "Broadcast", "Reduce") else document.nrank
