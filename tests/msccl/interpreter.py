"""interpreter.py [FILE.xml...] - what an MSCCL XML file does, by running it.

It knows the notes about the format and its runtimes, and nothing of Ordo. `judge(text)` returns a
Judgement: faults are what makes results wrong, hangs or touches memory of others; refusals are
what a runtime does not accept, or reads in its own way."""
import collections
import random
import re
import sys
import xml.etree.ElementTree as ElementTree

SENDS = {"s", "rcs", "rrs", "rrcs"}
RECEIVES = {"r", "rcs", "rrc", "rrs", "rrcs"}
READS_SRC = {"s", "rrc", "rrs", "rrcs", "cpy", "re"}
WRITES_DST = {"r", "rcs", "rrc", "rrcs", "cpy", "re"}
TYPES = SENDS | RECEIVES | {"cpy", "re", "nop"}
CAPACITY = {"Simple": 2, "LL": 8, "LL128": 8}
PIECE_BYTES = {"Simple": 2 << 20, "LL": 32 << 10, "LL128": 576000}
MAX_CNT = 71
FUSED_REDUCTIONS = 16
SUMS = {"allreduce", "reduce", "reduce_scatter"}


class Malformed(Exception):
    """No runtime can do anything with the file that the notes define."""


class Step:
    """One step as it runs: a chain of `re` is one, nops have become its dependences."""

    def __init__(self, gpu, block, position, element):
        self.gpu, self.block, self.position = gpu, block, position
        self.type = element.get("type")
        self.src = (element.get("srcbuf"), number(element, "srcoff"))
        self.dst = (element.get("dstbuf"), number(element, "dstoff"))
        self.cnt = number(element, "cnt")
        self.depends = (number(element, "depid"), number(element, "deps"))
        self.flag = number(element, "hasdep") != 0
        self.sources = [self.src]
        self.waits = []
        self.lines = []

    def __str__(self):
        return f"gpu {self.gpu} tb {self.block} step {self.position} ({self.type})"


def number(element, name, default=None):
    word = element.get(name, default)
    if word is None:
        raise Malformed(f"<{element.tag}> without {name}")
    try:
        return int(word)
    except ValueError:
        raise Malformed(f"{name}={word!r} is no number") from None


def step_lines(text):
    """The lines of all steps, in the order of the text."""
    bare = re.sub("<!--.*?-->", lambda found: re.sub("[^\n]", " ", found[0]), text, flags=re.S)
    for found in re.finditer("<step\\b", bare):
        yield bare.count("\n", 0, found.start()) + 1


class Block:
    def __init__(self, gpu, element):
        self.gpu, self.id = gpu, number(element, "id")
        self.send, self.recv = number(element, "send"), number(element, "recv")
        self.chan = number(element, "chan")
        self.steps = []


class File:
    """A file as read. in_place: which of the calls it serves; refusals: see above."""

    def __init__(self, text, in_place=None):
        try:
            algo = ElementTree.fromstring(text)
        except (ElementTree.ParseError, ValueError) as error:
            raise Malformed(str(error)) from None
        if algo.tag != "algo":
            raise Malformed("no <algo>")
        self.refusals = []
        self.lines = step_lines(text)
        self.coll = algo.get("coll", "").replace("reducescatter", "reduce_scatter")
        self.proto = algo.get("proto")
        self.chunks = number(algo, "nchunksperloop")
        self.ngpus = number(algo, "ngpus")
        self.channels = number(algo, "nchannels")
        self.in_place = number(algo, "inplace") != 0 if in_place is None else in_place
        if self.proto not in CAPACITY:
            raise Malformed(f"proto={self.proto!r}")
        self.blocks, self.scratch, self.declared = {}, {}, {}
        for gpu in algo.findall("gpu"):
            self.read_gpu(gpu)
        if sorted(self.scratch) != list(range(self.ngpus)):
            raise Malformed(f"gpus {sorted(self.scratch)}, wanted 0 to {self.ngpus - 1}")
        for (gpu, _), block in self.blocks.items():
            for step in block.steps:
                self.check_step(gpu, block, step)
        self.check_connections()

    def refuse(self, *words):
        self.refusals.append(" ".join(map(str, words)))

    def read_gpu(self, element):
        gpu = number(element, "id")
        if gpu in self.scratch:
            raise Malformed(f"gpu {gpu} twice")
        self.scratch[gpu] = number(element, "s_chunks")
        self.declared[gpu] = {"i": number(element, "i_chunks"), "o": number(element, "o_chunks"),
                              "s": self.scratch[gpu]}
        for child in element.findall("tb"):
            block = Block(gpu, child)
            if (gpu, block.id) in self.blocks:
                raise Malformed(f"gpu {gpu} tb {block.id} twice")
            self.blocks[gpu, block.id] = block
            for peer in (block.send, block.recv):
                if peer == gpu or not -1 <= peer < self.ngpus:
                    raise Malformed(f"gpu {gpu} tb {block.id}: peer {peer}")
            if not 0 <= block.chan < self.channels:
                self.refuse(f"gpu {gpu} tb {block.id}: chan {block.chan} of {self.channels}")
            self.read_steps(block, child)
        ids = sorted(block for owner, block in self.blocks if owner == gpu)
        if ids != list(range(len(ids))):
            raise Malformed(f"gpu {gpu}: tb ids {ids}")

    def read_steps(self, block, element):
        pending, chained, reductions = [], False, 0
        for position, child in enumerate(element.findall("step")):
            step = Step(block.gpu, block.id, position, child)
            step.lines.append(next(self.lines))
            if number(child, "s") != position:
                raise Malformed(f"{step}: s={child.get('s')}")
            if step.type not in TYPES:
                raise Malformed(f"{step}: unknown type")
            if step.type == "nop":
                if step.depends[0] < 0:
                    self.refuse(f"{step} without a dependence")
                else:
                    pending.append(step.depends)
                continue
            last = block.steps[-1] if block.steps else None
            merges = (chained and step.type == "re" and step.depends[0] < 0
                      and step.dst == last.dst and step.src[0] == last.src[0])
            if pending and step.depends[0] < 0:
                self.refuse(f"{step}: nops before it, and no dependence of its own")
            if merges:
                self.merge(last, step)
            else:
                step.waits = pending + [step.depends] * (step.depends[0] >= 0)
                block.steps.append(step)
            pending = []
            reductions += step.type == "re"
            chained = step.type == "re" and not step.flag and reductions != FUSED_REDUCTIONS

    def merge(self, first, step):
        """The loader's: the last cnt counts for all, and the flag's number is the last's. (A nop
        between the two has been lost.)"""
        if step.cnt != first.cnt:
            self.refuse(f"{step}: a chain of reductions of {first.cnt} and {step.cnt} chunks")
        first.sources.append(step.src)
        first.lines += step.lines
        first.cnt, first.flag, first.position = step.cnt, step.flag, step.position

    def check_step(self, gpu, block, step):
        if step.type in SENDS and block.send < 0:
            raise Malformed(f"{step}: nobody to send to")
        if step.type in RECEIVES and block.recv < 0:
            raise Malformed(f"{step}: nobody to receive from")
        if step.cnt < 1:
            raise Malformed(f"{step}: cnt {step.cnt}")
        if step.cnt > MAX_CNT:
            self.refuse(f"{step}: cnt {step.cnt}")
        for target, position in step.waits:
            if (gpu, target) not in self.blocks:
                raise Malformed(f"{step} waits for tb {target}")
            if position < 0:
                self.refuse(f"{step} waits for step {position}")
        for name, offset in reads(step) + writes(step):
            if name not in self.declared[gpu]:
                raise Malformed(f"{step}: buffer {name}")
            if offset < 0 or offset >= self.declared[gpu][name]:
                self.refuse(f"{step}: {name}[{offset}] of {self.declared[gpu][name]}")

    def check_connections(self):
        """Two blocks must not share a connection's end."""
        ends = collections.defaultdict(list)
        for (gpu, _), block in self.blocks.items():
            uses = {"s": any(step.type in SENDS for step in block.steps),
                    "r": any(step.type in RECEIVES for step in block.steps)}
            if block.send >= 0:
                ends["s", block.chan, gpu, block.send].append(uses["s"])
            if block.recv >= 0:
                ends["r", block.chan, block.recv, gpu].append(uses["r"])
        for end, used in ends.items():
            if sum(used) > 1:
                raise Malformed(f"{sum(used)} blocks at one end of a connection: {end}")
            if len(used) > 1:
                self.refuse(f"{len(used)} blocks declare one end of a connection: {end}")

    # The memory

    def share(self):
        """Chunks of one rank, where the collective divides the chunks among the ranks."""
        if self.coll in ("allgather", "reduce_scatter", "alltoall") and self.chunks % self.ngpus:
            raise Malformed(f"{self.chunks} chunks over {self.ngpus} gpus")
        return self.chunks // self.ngpus

    def size(self, gpu, name):
        """Chunks that the caller's buffer really has, or the scratch that is asked for."""
        if name == "s" or self.coll == "custom":
            return self.declared[gpu][name]
        if (self.coll, name) in (("allgather", "i"), ("reduce_scatter", "o")):
            return self.share()
        return self.chunks

    def place(self, gpu, slot):
        """The memory that a name means: in place, input and output are one, but that nobody says
        how they lie in a collective of the file's own."""
        name, offset = slot
        if self.coll == "custom":
            return gpu, name, offset
        if self.in_place and name == "i" and self.coll == "allgather":
            return gpu, "o", gpu * self.share() + offset
        if self.in_place and name == "o" and self.coll == "reduce_scatter":
            return gpu, "i", gpu * self.share() + offset
        return gpu, "o" if self.in_place and name == "i" and self.coll != "reduce_scatter" \
            else name, offset


def span(slot, cnt):
    return [(slot[0], slot[1] + one) for one in range(cnt)]


def reads(step):
    found = []
    if step.type in READS_SRC:
        for source in step.sources:
            found += span(source, step.cnt)
    return found + (span(step.dst, step.cnt) if step.type == "re" else [])


def writes(step):
    return span(step.dst, step.cnt) if step.type in WRITES_DST else []


class Values:
    """Symbolic values, each made once: a leaf, or the sum of two with the left operand first."""

    def __init__(self):
        self.numbers, self.parts, self.sums, self.plain = {}, [], {}, {}

    def make(self, part):
        if part not in self.numbers:
            self.numbers[part] = len(self.parts)
            self.parts.append(part)
        return self.numbers[part]

    def add(self, left, right):
        return self.make(("+", left, right))

    def leaves(self, value):
        """Counter of leaves. Operands are made before sums, so their leaves are known."""
        for one in range(len(self.sums), value + 1):
            part = self.parts[one]
            if part[0] == "+":
                self.sums[one] = self.sums[part[1]] + self.sums[part[2]]
            else:
                self.sums[one] = collections.Counter([part])
        return self.sums[value]

    def tree(self, value, leaf=lambda part: part[1]):
        """The value's tree with the operands of each sum unordered; leaves are named by rank."""
        part = self.parts[value]
        if part[0] != "+":
            return leaf(part)
        key = leaf, value
        if key not in self.plain:
            pair = [self.tree(part[1], leaf), self.tree(part[2], leaf)]
            self.plain[key] = self.node(pair)
        return self.plain[key]

    def node(self, pair):
        left, right = sorted(pair, key=str)
        table = self.plain.setdefault("nodes", {})
        return ("node", table.setdefault((left, right), len(table)))


class Run:
    """One execution, one whole message a step, or messages of `pieces` chunks.

    capacity: messages that a connection holds, None for all. order: a random.Random, or None."""

    def __init__(self, file, capacity=None, pieces=None, order=None):
        self.file, self.capacity, self.order = file, capacity, order
        self.values = Values()
        self.memory, self.garbage = {}, []
        self.queues = collections.defaultdict(collections.deque)
        self.sent, self.received = collections.Counter(), collections.Counter()
        self.flags = {key: -1 for key in file.blocks}
        self.units = {key: split(block, pieces) for key, block in file.blocks.items()}
        self.at = {key: 0 for key in file.blocks}
        self.done = []
        self.written = set()
        self.mismatched = []
        self.fill()

    def fill(self):
        file = self.file
        for gpu in range(file.ngpus):
            for offset in range(file.size(gpu, "i")):
                self.memory[file.place(gpu, ("i", offset))] = self.values.make(
                    ("in", gpu, offset))

    def load(self, step, slot):
        place = self.file.place(step.gpu, slot)
        if place not in self.memory:
            self.garbage.append(f"{step} reads {slot}, which nobody wrote")
            return self.values.make(("undefined", *place))
        return self.memory[place]

    def may(self, key):
        """Whether the block's next unit can run."""
        if self.at[key] == len(self.units[key]):
            return False
        step, first, _, _ = self.units[key][self.at[key]]
        block = self.file.blocks[key]
        if first and not all(self.flags[step.gpu, target] >= position
                             for target, position in step.waits):
            return False
        if step.type in RECEIVES and not self.queues[block.chan, block.recv, step.gpu]:
            return False
        out = (block.chan, step.gpu, block.send)
        return not (step.type in SENDS and self.capacity is not None
                    and self.sent[out] - self.received[out] >= self.capacity)

    def go(self, key):
        """Runs the block's next unit: chunks [begin, end) of its step."""
        step, _, begin, end = self.units[key][self.at[key]]
        block = self.file.blocks[key]
        self.at[key] += 1
        self.done.append((step, begin, end))
        message = [None] * (end - begin)
        if step.type in RECEIVES:
            queue = (block.chan, block.recv, step.gpu)
            message = self.queues[queue].popleft()
            self.received[queue] += 1
            if len(message) != end - begin:
                self.mismatched.append(f"{step} takes {end - begin} chunks of {len(message)}")
                message = (message + [self.values.make(("undefined", "message"))] * MAX_CNT)
        # All of a step is read before any of it is written.
        results = [self.compute(step, one, message[one - begin]) for one in range(begin, end)]
        for one, result in zip(range(begin, end), results):
            if step.type in WRITES_DST:
                place = self.file.place(step.gpu, (step.dst[0], step.dst[1] + one))
                self.memory[place] = result
                self.written.add((place, result))
        if step.type in SENDS:
            out = (block.chan, step.gpu, block.send)
            self.queues[out].append(results)
            self.sent[out] += 1
        if step.flag and end == step.cnt:
            self.flags[key] = step.position

    def compute(self, step, one, arrived):
        local = [self.load(step, (name, offset + one))
                 for name, offset in (step.sources if step.type in READS_SRC else [])]
        if step.type in ("r", "rcs"):
            return arrived
        if step.type in ("rrc", "rrs", "rrcs"):
            return self.values.add(local[0], arrived)
        if step.type == "re":
            total = self.load(step, (step.dst[0], step.dst[1] + one))
            for value in local:
                total = self.values.add(total, value)
            return total
        return local[0]

    def finish(self):
        """Runs what can run. Nothing that runs keeps another block from running."""
        awake = list(self.file.blocks)
        asleep = set()
        while awake:
            number_ = self.order.randrange(len(awake)) if self.order else len(awake) - 1
            awake[number_], awake[-1] = awake[-1], awake[number_]
            key = awake[-1]
            if not self.may(key):
                awake.pop()
                asleep.add(key)
                continue
            self.go(key)
            for other in self.woken(key) & asleep:
                asleep.remove(other)
                awake.append(other)
        return self

    def woken(self, key):
        """Blocks that may have waited for this one."""
        if not hasattr(self, "neighbours"):
            ends, self.neighbours = collections.defaultdict(set), collections.defaultdict(set)
            for (gpu, one), block in self.file.blocks.items():
                ends["r", block.chan, block.recv, gpu].add((gpu, one))
                ends["s", block.chan, gpu, block.send].add((gpu, one))
                for step in block.steps:
                    for target, _ in step.waits:
                        self.neighbours[gpu, target].add((gpu, one))
            for (gpu, one), block in self.file.blocks.items():
                for end in (("r", block.chan, gpu, block.send), ("s", block.chan, block.recv, gpu)):
                    self.neighbours[gpu, one] |= ends[end]
        return self.neighbours[key]

    def stuck(self):
        return [unit[0] for key, units in self.units.items() for unit in units[self.at[key]:]]

    def left_over(self):
        return [queue for queue, messages in self.queues.items() if messages]


def split(block, pieces):
    """(step, whether it is the first piece, begin, end) of every piece of every step."""
    found = []
    for step in block.steps:
        size = min(pieces or step.cnt, step.cnt)
        for begin in range(0, step.cnt, size):
            found.append((step, begin == 0, begin, min(begin + size, step.cnt)))
    return found


def races(run):
    """Pairs of accesses of one slot, one of them a write, that nothing but a free slot of a
    connection could order. The run must be complete."""
    before, last, sends, flags = [], {}, collections.defaultdict(list), {}
    taken, accesses, found = collections.Counter(), {}, []
    for index, (step, begin, end) in enumerate(run.done):
        key = (step.gpu, step.block)
        block = run.file.blocks[key]
        causes = [last[key]] if key in last else []
        if step.type in RECEIVES:
            queue = (block.chan, block.recv, step.gpu)
            causes.append(sends[queue][taken[queue]])
            taken[queue] += 1
        if begin == 0:
            causes += [flag_of(flags, step.gpu, *wait) for wait in step.waits if wait[1] >= 0]
        mask = 0
        for cause in causes:
            mask |= before[cause] | 1 << cause
        before.append(mask)
        last[key] = index
        if step.type in SENDS:
            sends[block.chan, step.gpu, block.send].append(index)
        if step.flag and end == step.cnt:
            flags.setdefault(key, []).append((step.position, index))
        found += conflicts(run, accesses, index, mask)
    return found


def flag_of(flags, gpu, target, position):
    """The first step that raises the block's flag so far."""
    return next(index for reached, index in flags[gpu, target] if reached >= position)


def conflicts(run, accesses, index, mask):
    step, begin, end = run.done[index]
    if is_idle(step):
        return []
    if step.type == "re" or step.type in READS_SRC:
        read = {slot for slot in reads(step) if inside(step, slot, begin, end)}
    else:
        read = set()
    written = set(span((step.dst[0], step.dst[1] + begin), end - begin)) \
        if step.type in WRITES_DST else set()
    place = run.file.place
    read, written = ({place(step.gpu, slot) for slot in some} for some in (read, written))
    found = []
    for slot in read | written:
        old_reads, old_writes = accesses.setdefault(slot, [0, 0])
        loose = (old_writes | (old_reads if slot in written else 0)) & ~mask
        while loose:
            other = loose.bit_length() - 1
            loose &= ~(1 << other)
            found.append((run.done[other][0], step, slot))
        accesses[slot][0] |= (slot in read) << index
        accesses[slot][1] |= (slot in written) << index
    return found


def inside(step, slot, begin, end):
    bases = step.sources + ([step.dst] if step.type == "re" else [])
    return any(slot[0] == name and begin <= slot[1] - offset < end for name, offset in bases)


def overlaps(file):
    """Steps whose own source and destination overlap but are not the same: the threads of a block
    copy them in no order."""
    found = []
    for block in file.blocks.values():
        for step in block.steps:
            if step.type not in READS_SRC or step.type not in WRITES_DST:
                continue
            target = [file.place(step.gpu, slot) for slot in writes(step)]
            for source in step.sources:
                read = [file.place(step.gpu, slot) for slot in span(source, step.cnt)]
                if read != target and set(read) & set(target):
                    found.append(f"{step} overlaps itself")
    return found


def self_sums(file):
    """Reductions of a slot into itself, which a document cannot have."""
    return [f"{step} adds a slot to itself" for block in file.blocks.values()
            for step in block.steps if step.type == "re"
            and file.place(step.gpu, step.dst) in [file.place(step.gpu, one)
                                                   for one in step.sources]]


def outside(file):
    """Slots past the end of the buffers that callers have."""
    return [f"{step} touches {slot} of {file.size(step.gpu, slot[0])}"
            for block in file.blocks.values() for step in block.steps
            for slot in reads(step) + writes(step)
            if not 0 <= slot[1] < file.size(step.gpu, slot[0])]


def demanded(file, gpu, root):
    """(slot, leaves) of every output slot: leaves (rank, slot of its input)."""
    share = file.share() if file.coll in ("allgather", "reduce_scatter", "alltoall") else None
    everybody = range(file.ngpus)
    if file.coll == "allreduce" or (file.coll == "reduce" and gpu == root):
        return [(c, [(rank, c) for rank in everybody]) for c in range(file.chunks)]
    if file.coll == "broadcast":
        return [(c, [(root, c)]) for c in range(file.chunks)]
    if file.coll == "allgather":
        return [(c, [(c // share, c % share)]) for c in range(file.chunks)]
    if file.coll == "reduce_scatter":
        return [(c, [(rank, gpu * share + c) for rank in everybody]) for c in range(share)]
    if file.coll == "alltoall":
        return [(c, [(c // share, gpu * share + c % share)]) for c in range(file.chunks)]
    return []


def wrong_contents(run, root):
    found = []
    for gpu in range(run.file.ngpus):
        for offset, leaves in demanded(run.file, gpu, root):
            value = run.memory.get(run.file.place(gpu, ("o", offset)))
            wanted = collections.Counter(("in", *leaf) for leaf in leaves)
            if value is None:
                found.append(f"gpu {gpu} o[{offset}]: nobody wrote it")
            elif run.values.leaves(value) != wanted:
                found.append(f"gpu {gpu} o[{offset}]: {describe(run.values.leaves(value))}")
    return found


def describe(leaves):
    return " + ".join(f"{count}*{leaf}" if count > 1 else str(leaf)
                      for leaf, count in list(leaves.items())[:6])


def outputs(run, root=0):
    """The values of all output slots, as trees; equal trees are equal objects within one run."""
    return {(gpu, offset): run.values.tree(run.memory[run.file.place(gpu, ("o", offset))])
            for gpu in range(run.file.ngpus) for offset, _ in demanded(run.file, gpu, root)
            if run.file.place(gpu, ("o", offset)) in run.memory}


class Judgement:
    """faults: a list of (kind, sentence), kind one of malformed, memory, input, deadlock, messages,
    race, overlap, contents. doubts: nothing that results show, but a proof may stop at
    it. refusals: of runtimes."""

    def __init__(self):
        self.faults, self.doubts, self.refusals = [], [], []
        self.root, self.run, self.race_pairs = None, None, []

    def kinds(self):
        return {kind for kind, _ in self.faults}

    def add(self, kind, sentences):
        self.faults += [(kind, sentence) for sentence in sentences]


def judge(text, capacity="protocol", pieces=None, seed=0, in_place=None):
    """The Judgement of a file: of its run with all the slots it wants (races and contents: in
    pieces of so many chunks), and whether it hangs with the capacity (by default its protocol's),
    in whole messages."""
    found = Judgement()
    try:
        file = File(text, in_place)
        found.refusals = file.refusals
        beyond = outside(file)
    except Malformed as error:
        found.faults.append(("malformed", str(error)))
        return found
    found.add("memory", beyond)
    found.add("overlap", overlaps(file))
    if beyond:
        return found
    found.doubts += self_sums(file)
    order = random.Random(seed)
    found.run = run = Run(file, None, None, order).finish()
    slots = CAPACITY[file.proto] if capacity == "protocol" else capacity
    found.add("deadlock",
              [f"{step} never runs" for step in Run(file, slots, None, order).finish().stuck()])
    found.add("messages", run.mismatched +
              [f"nobody receives a message of connection {queue}" for queue in run.left_over()])
    found.add("input", written_inputs(file))
    if not run.stuck():
        if pieces and not run.mismatched:
            run = Run(file, None, pieces, order).finish()
        found.race_pairs = races(run)
        found.add("race", [f"{one} and {two} at {slot}" for one, two, slot in found.race_pairs])
        judge_contents(found, run)
    return found


def is_idle(step):
    """A copy of slots onto themselves."""
    return step.type == "cpy" and step.src == step.dst


def written_inputs(file):
    if file.in_place:
        return []
    return [f"{step} writes the input" for block in file.blocks.values() for step in block.steps
            if any(name == "i" for name, _ in writes(step))
            and not is_idle(step)]


def judge_contents(found, run):
    roots = range(run.file.ngpus) if run.file.coll in ("reduce", "broadcast") else [0]
    wrong = {root: wrong_contents(run, root) for root in roots}
    found.root = next((root for root in roots if not wrong[root]), None)
    if found.root is None:
        found.add("contents", wrong[0][:20])
    found.doubts += run.garbage
    found.doubts += strangers(run, found.root or 0)


def strangers(run, root):
    """Values that no output should ever be made of: of two chunks at once, or twice of one; and
    values in output slots that belong elsewhere."""
    found = []
    homes = {run.file.place(gpu, ("o", offset)): collections.Counter(("in", *one) for one in leaves)
             for gpu in range(run.file.ngpus) for offset, leaves in demanded(run.file, gpu, root)}
    for place, value in sorted(run.written):
        if place in homes and run.values.leaves(value) - homes[place]:
            found.append(f"{place} holds " + describe(run.values.leaves(value)))
        elif place not in homes and place[1] == "o" and run.file.coll != "custom":
            found.append(f"{place} is no output")
    for value, part in enumerate(run.values.parts):
        if part[0] != "+":
            continue
        leaves = run.values.leaves(value)
        if run.file.coll not in SUMS | {"custom"}:
            found.append("a sum where nothing is to be added")
        elif any(leaf[0] == "undefined" for leaf in leaves) or max(leaves.values()) > 1 \
                or len({leaf[2] for leaf in leaves}) > 1:
            found.append("a sum that no output holds: " + describe(leaves))
    return found


def least_capacity(text, most=80):
    """The least messages that a connection must hold for the file not to hang; None: it hangs with
    any."""
    file = File(text)
    if Run(file).finish().stuck():
        return None
    return next(slots for slots in range(1, most + 10**6)
                if not Run(file, slots).finish().stuck())


def safe_size(text):
    """The largest size in bytes at which the pieces of messages find room; None: no limit, 0: it
    hangs whole."""
    file = File(text)
    largest = max([step.cnt for block in file.blocks.values() for step in block.steps], default=1)
    rooted = file.proto == "Simple" and file.coll in ("reduce", "broadcast")
    room = 512 << 10 if rooted else PIECE_BYTES[file.proto]
    for pieces in range(min(largest, MAX_CNT), 0, -1):
        if Run(file, CAPACITY[file.proto], pieces).finish().stuck():
            # m chunks fit into a message up to room / m bytes a chunk.
            return 0 if pieces >= largest else file.chunks * (room // (pieces + 1))
    return None


def guarantees(found):
    """(G1, G3) of a sound file: one tree on every rank, one tree for all chunks."""
    trees = outputs(found.run, found.root or 0)
    by_chunk = collections.defaultdict(set)
    for (gpu, offset), tree in trees.items():
        chunk = offset + (gpu * found.run.file.chunks if found.run.file.coll == "reduce_scatter"
                          else 0)
        by_chunk[chunk].add(tree)
    return (all(len(some) == 1 for some in by_chunk.values()), len(set(trees.values())) == 1)


def every_end(text, limit=100000, capacity=None, pieces=None):
    """The final memories of all orders of steps, each as a set of (place, value); None: there are
    more states than the limit."""
    file = File(text)
    first = Run(file, capacity, pieces)
    seen, ends, todo = set(), set(), [first]
    values = first.values
    while todo:
        run = todo.pop()
        ready = [key for key in file.blocks if run.may(key)]
        if not ready:
            ends.add(frozenset(run.memory.items()))
        for key in ready:
            after = fork(run, values)
            after.go(key)
            state = (tuple(after.at.values()), frozenset(after.memory.items()),
                     tuple(sorted((queue, tuple(map(tuple, some)))
                                  for queue, some in after.queues.items() if some)))
            if state not in seen:
                seen.add(state)
                todo.append(after)
        if len(seen) > limit:
            return None
    return ends


def fork(run, values):
    twin = Run.__new__(Run)
    twin.__dict__.update(run.__dict__)
    twin.memory, twin.garbage, twin.done, twin.written = dict(run.memory), [], [], set()
    twin.queues = collections.defaultdict(collections.deque,
                                          {queue: collections.deque(messages)
                                           for queue, messages in run.queues.items()})
    twin.sent, twin.received = run.sent.copy(), run.received.copy()
    twin.flags, twin.at, twin.values = dict(run.flags), dict(run.at), values
    twin.mismatched = []
    return twin


def main():
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as stream:
            text = stream.read()
        found = judge(text)
        sound = f"sound, G1 and G3 {guarantees(found)}" if not found.faults else \
            dict(collections.Counter(kind for kind, _ in found.faults))
        print(name, sound, f"root {found.root}", f"{len(found.doubts)} doubts",
              *[] if "malformed" in found.kinds() else
              [f"slots {least_capacity(text)}, safe up to {safe_size(text)}"],
              *found.refusals[:2], *[f"\n  {kind}: {what}" for kind, what in found.faults[:4]])


if __name__ == "__main__":
    main()
