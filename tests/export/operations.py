"""operations.py - operations of ranks with dependences, run in random orders and in time.

An operation is named after a task: (rank, stream, place) of the document; so its data are known.
"""
import heapq
import random
from dataclasses import dataclass, field

from document import MOVES, Memory, bytes_of, execute
from tap import wanted


@dataclass
class Operation:
    kind: str  # "send", "recv", "calc"
    rank: int
    task: tuple  # (rank, stream, place)
    own: bool  # of a stream of its rank; else it delivers a message
    size: int = 0
    peer: int = -1
    tag: int = 0
    time: float = 0  # of a calc, in nanoseconds
    cpu: int = 0
    nic: int = 0
    needs: list = field(default_factory=list)


def check_matches(operations):
    """Every send has its receive, of the same size; nothing is named twice."""
    sends = {}
    for operation in operations:
        if operation.kind == "send":
            key = (operation.rank, operation.peer, operation.tag)
            wanted(key not in sends, "two sends with one tag", key)
            sends[key] = operation
    pairs = {}
    for operation in operations:
        if operation.kind == "recv":
            key = (operation.peer, operation.rank, operation.tag)
            wanted(key in sends, "a receive without a send", key)
            send = sends.pop(key)
            wanted(send.size == operation.size and send.task == operation.task, send, operation)
            pairs[id(operation)] = send
    wanted(not sends, "a send without a receive", sends)
    return pairs


def check_moves(document, operations, count):
    """One send and receive for each Send of the document, and so on, with its bytes."""
    found = {}
    for operation in operations:
        found.setdefault(operation.task, []).append(operation)
    for rank, number, place, task in document.tasks():
        parts = found.pop((rank, number, place), [])
        if task["task"] not in MOVES:
            wanted(not parts or [part.size for part in parts] == [1, 1], parts)
            continue
        kinds = sorted(part.kind for part in parts)
        wanted(kinds == {"LocalCopy": ["calc"], "LocalReduce": ["calc"], "Send": ["recv", "send"],
                         "SendReduce": ["calc", "recv", "send"]}[task["task"]], task, parts)
        size = max(1, bytes_of(document, task, count))
        wanted(all(part.size == size for part in parts if part.kind != "calc"), task, size, parts)
    wanted(not found, "operations of no task", found)


def random_order(operations, pairs, chosen, together):
    """All operations in an order that their dependences allow; `together`: a send waits for its
    receive, as if no message were buffered. Yields each as it runs."""
    left = {id(operation): len(operation.needs) for operation in operations}
    after = {}
    for operation in operations:
        for need in operation.needs:
            after.setdefault(id(need), []).append(operation)
    receive_of = {id(send): operation for operation in operations
                  for send in [pairs.get(id(operation))] if send}
    ready, sent, ran = [one for one in operations if not one.needs], set(), 0
    posted = {id(one) for one in ready if one.kind == "recv"}
    while ready:
        able = [place for place, one in enumerate(ready)
                if (one.kind != "recv" or id(pairs[id(one)]) in sent) and
                (one.kind != "send" or not together or id(receive_of[id(one)]) in posted)]
        wanted(able, "a deadlock", ready[:5])
        place = chosen.choice(able)
        ready[place], ready[-1] = ready[-1], ready[place]
        operation = ready.pop()
        sent.add(id(operation))
        ran += 1
        yield operation
        for later in after.get(id(operation), []):
            left[id(later)] -= 1
            if not left[id(later)]:
                ready.append(later)
                posted.add(id(later))
    wanted(ran == len(operations), "a circle of dependences", ran, len(operations))


def check_orders(document, operations, pairs, norder, seed=0):
    """In any order the outputs are those of the document: the same trees of sums."""
    expected = execute(document).outputs()
    for number in range(norder):
        memory, messages = Memory(document), {}
        chosen = random.Random(f"{seed} {number}")
        for operation in random_order(operations, pairs, chosen, number % 2):
            rank, stream, place = operation.task
            task = document.programs[rank][stream][place]
            if task["task"] not in MOVES:
                continue
            run(memory, messages, operation, task)
        wanted(memory.outputs() == expected, "another result in order", number)


def run(memory, messages, operation, task):
    rank, count = operation.rank, task.get("count", 1)
    if operation.kind == "send":
        messages[operation.task] = memory.read(rank, task["src"], count)
    elif operation.kind == "recv" and task["task"] == "Send":
        memory.write(rank, task["dst"], messages[operation.task])
    elif operation.kind == "calc":
        values = (memory.read(rank, task["src"], count) if operation.own
                  else messages[operation.task])
        add = task["task"].endswith("Reduce")
        (memory.add if add else memory.write)(rank, task["dst"], values)


class LogGP:
    """When each operation ends, in nanoseconds: a message takes `latency` and then `gap` for each
    byte, at both ends on the nic of its number; a calc has its cpu alone."""

    def __init__(self, operations, pairs, latency, gap):
        self.latency, self.gap = latency, gap
        self.pairs, self.events, self.free = pairs, [], {}
        self.after, self.left = {}, {}
        self.receive_of = {id(send): one for one in operations
                           for send in [pairs.get(id(one))] if send}
        self.arrived, self.posted = {}, set()
        for one in operations:
            self.left[id(one)] = len(one.needs)
            for need in one.needs:
                self.after.setdefault(id(need), []).append(one)
        for one in operations:
            if not one.needs:
                self.at(0, one, "ready")
        self.end = 0

    def at(self, time, operation, what):
        heapq.heappush(self.events, (time, len(self.free), id(operation), operation, what))

    def take(self, key, time, duration):
        """false: it is not free yet; else it is taken for so long."""
        if self.free.get(key, 0) > time:
            return False
        self.free[key] = time + duration
        return True

    def finish(self, time, operation):
        self.end = max(self.end, time)
        for later in self.after.get(id(operation), []):
            self.left[id(later)] -= 1
            if not self.left[id(later)]:
                self.at(time, later, "ready")

    def land(self, time, operation):
        if not (id(operation) in self.posted and self.arrived.get(id(operation), time + 1) <= time):
            return
        key, duration = ("in", operation.rank, operation.nic), operation.size * self.gap
        if self.take(key, time, duration):
            self.at(time + duration, operation, "end")
        else:
            self.at(self.free[key], operation, "land")

    def step(self, time, operation, what):
        if what == "end":
            self.finish(time, operation)
        elif what == "land":
            self.land(time, operation)
        elif operation.kind == "recv":
            self.posted.add(id(operation))
            self.land(time, operation)
        elif operation.kind == "calc":
            key = ("cpu", operation.rank, operation.cpu)
            ready = self.take(key, time, operation.time)
            self.at(time + operation.time if ready else self.free[key], operation,
                    "end" if ready else "ready")
        else:
            self.send(time, operation)

    def send(self, time, operation):
        key = ("out", operation.rank, operation.nic)
        if not self.take(key, time, operation.size * self.gap):
            self.at(self.free[key], operation, "ready")
            return
        receive = self.receive_of[id(operation)]
        self.arrived[id(receive)] = time + self.latency
        self.at(time + self.latency, receive, "land")
        self.finish(time, operation)

    def run(self):
        while self.events:
            time, _, _, operation, what = heapq.heappop(self.events)
            self.step(time, operation, what)
        return self.end
