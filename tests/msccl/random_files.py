"""random_files.py - correct MSCCL XML files with random trees, paths, blocks and channels."""
import random

import generate

COLLECTIVES = ["allreduce", "allreduce", "allreduce", "allgather", "reduce_scatter", "broadcast",
               "reduce", "alltoall"]
# A channel whose blocks serve both directions between two ranks.
DUPLEX = 3


class Draft:
    """A random file in the making. Units are `width` chunks that travel together."""

    def __init__(self, seed, most_ranks=5):
        self.draw = draw = random.Random(seed)
        self.duplex = draw.random() < 0.4
        self.coll, self.n = draw.choice(COLLECTIVES), draw.randint(2, 3 if self.duplex else
                                                                   most_ranks)
        self.width, self.share = draw.choice([1, 1, 2, 3]), draw.randint(1, 2)
        self.root = draw.randrange(self.n)
        divided = self.coll in ("allgather", "reduce_scatter", "alltoall")
        self.units = self.share * self.n * (self.n if self.coll == "alltoall" else 1) \
            if divided else draw.randint(1, 9 if self.duplex else 4)
        in_place = self.coll in ("allreduce", "allgather", "broadcast") and draw.random() < 0.5
        chunks = self.width * (self.share * self.n if divided else self.units)
        self.a = generate.Algorithm(f"random_{seed}", self.coll, self.n, chunks, in_place,
                                    draw.choice(generate.PROTOCOLS))
        self.a.scratch = self.units * self.width * (self.n + 1)
        self.channels = {}
        # The arrivals of a connection that are still to come.
        self.arrivals = {}

    def owner(self, unit):
        return self.root if self.coll in ("reduce", "broadcast", "allreduce") else \
            unit // self.share % self.n

    def source(self, rank, unit):
        """Where a rank's own data of the unit lies."""
        if self.coll == "allgather":
            return "i", unit % self.share * self.width
        if self.coll == "alltoall":
            return "i", unit % (self.n * self.share) * self.width
        return "i", unit * self.width

    def place(self, rank, unit):
        """Where the unit is gathered on a rank: its output slot, if it has one."""
        spare = "s", unit * self.width
        if self.coll in ("reduce", "reduce_scatter") and rank != self.owner(unit):
            return spare
        if self.coll == "reduce_scatter":
            return "o", unit % self.share * self.width
        return "o", unit * self.width

    def channel(self, *path):
        """Paths through a rank have channels of their own, so that no two blocks share an end of
        a connection; others share four."""
        if len(path) == 2:
            return DUPLEX if self.duplex else self.draw.randrange(DUPLEX)
        return self.channels.setdefault(path, DUPLEX + 1 + len(self.channels))

    def ends(self, chan, **peer):
        """Of a block at the end of a path."""
        if chan == DUPLEX:
            peer = {"send": next(iter(peer.values())), "recv": next(iter(peer.values()))}
        return {**peer, "chan": chan}

    def moves(self, unit):
        """Functions that add steps, in an order that is right."""
        if self.coll == "alltoall":
            return [self.swap(unit)]
        ranks = [rank for rank in range(self.n) if rank != self.owner(unit)]
        self.draw.shuffle(ranks)
        ranks.insert(0, self.owner(unit))
        found = []
        if self.coll in ("allreduce", "reduce", "reduce_scatter"):
            found += [self.own(rank, unit) for rank in ranks]
            for path in self.paths(ranks):
                found += self.sum(path, unit)
        else:
            found.append(self.own(ranks[0], unit))
        if self.coll in ("allreduce", "allgather", "broadcast"):
            for path in reversed(self.paths(ranks)):
                found += self.copy(path[::-1], unit)
        return found

    def paths(self, ranks):
        """Paths of a random tree, each from below upwards; a rank is passed when all paths below
        it have been."""
        n = len(ranks)
        parent = {k: self.draw.randrange(k) for k in range(1, n)}
        children = {k: list(parent.values()).count(k) for k in range(n)}
        passed, found = set(), []
        for k in range(n - 1, 0, -1):
            path = [k]
            while path[-1] not in passed | {0}:
                passed.add(path[-1])
                path.append(parent[path[-1]])
                children[path[-1]] -= 1
                if children[path[-1]] or self.draw.random() < 0.4:
                    break
            if len(path) > 1:
                found.append([ranks[one] for one in path])
        return found

    def own(self, rank, unit):
        def steps():
            if not self.a.in_place:
                self.a.step(rank, "cpy", self.source(rank, unit), self.place(rank, unit),
                            self.width, part=f"own {self.draw.randrange(2)}")
        return steps

    def sum(self, path, unit):
        return self.travel(path, unit, ["rrs", "rrcs"], self.add)

    def copy(self, path, unit):
        return self.travel(path, unit, ["rcs"], None)

    def travel(self, path, unit, passing, arrive):
        """Two functions: the way, and the arrival, which comes later, but in the order of the
        messages of a connection; it returns False while it is not its turn."""
        a, w, places = self.a, self.width, [self.place(rank, unit) for rank in path]
        turn = []

        def leave():
            chan = self.channel(*path)
            connection = self.arrivals.setdefault((chan, path[-2], path[-1]), [])
            connection.append(turn)
            turn.extend([chan, connection])
            a.step(path[0], "s", places[0], places[1], w, **self.ends(chan, send=path[1]))
            for k in range(1, len(path) - 1):
                a.step(path[k], self.draw.choice(passing), places[k], places[k], w,
                       send=path[k + 1], recv=path[k - 1], chan=chan)

        def come():
            chan, connection = turn
            if connection[0] is not turn:
                return False
            connection.pop(0)
            ends = self.ends(chan, recv=path[-2])
            if arrive:
                arrive(path[-2], path[-1], unit, ends)
            else:
                a.step(path[-1], "r", places[-2], places[-1], w, **ends)
            return True
        return [leave, come]

    def add(self, source, rank, unit, ends):
        """The sum, in one step or by way of the scratch."""
        place, w = self.place(rank, unit), self.width
        if self.draw.random() < 0.5:
            self.a.step(rank, "rrc", place, place, w, **ends)
        else:
            slot = ("s", (self.units * (1 + source) + unit) * w)
            self.a.step(rank, "r", place, slot, w, **ends)
            self.a.step(rank, "re", slot, place, w, part=f"sum {self.draw.randrange(2)}")

    def swap(self, unit):
        """From one rank to another, or by way of a third."""
        one, other = unit // self.share // self.n, unit // self.share % self.n
        result = ("o", (one * self.share + unit % self.share) * self.width)
        source = self.source(one, unit)
        relays = [rank for rank in range(self.n) if rank not in (one, other)]
        path = [one, self.draw.choice(relays), other] if relays and self.draw.random() < 0.3 \
            else [one, other]

        def steps():
            chan = self.channel(*path)
            if one == other:
                self.a.step(one, "cpy", source, result, self.width, part="own")
                return
            spare = ("s", unit * self.width)
            self.a.step(one, "s", source, result, self.width, **self.ends(chan, send=path[1]))
            if len(path) == 3:
                self.a.step(path[1], "rcs", source, spare, self.width, recv=one, send=other,
                            chan=chan)
            self.a.step(other, "r", source, result, self.width, **self.ends(chan, recv=path[-2]))
        return steps


def random_file(seed, most_ranks=5):
    """The text of a correct file."""
    draft = Draft(seed, most_ranks)
    queues = [draft.moves(unit) for unit in range(draft.units)]
    while any(queues):
        queue = draft.draw.choice([queue for queue in queues if queue])
        if queue[0]() is not False:
            queue.pop(0)
    return draft.a.xml()
