"""goal.py - reads GOAL, as strictly as LogGOPSim's translator: an operation or dependence is one
line, labels are letters, digits and underscores, and stand above the lines that use them."""
import re

from operations import Operation
from tap import wanted

MESSAGE = re.compile(r"([a-z]\w*): (send|recv) (\d+)b (to|from) (\d+) tag (\d+) cpu (\d+) "
                     r"nic (\d+)")
CALC = re.compile(r"([a-z]\w*): calc (\d+) cpu (\d+)")
REQUIRES = re.compile(r"([a-z]\w*) requires ([a-z]\w*)")
OWN = re.compile(r"t(\d+)_(\d+)")
OTHER = re.compile(r"[ra](\d+)_(\d+)_(\d+)")


def task_of(rank, label):
    """What a label names: (rank, stream, task), and whether it is of a stream of its rank."""
    own, other = OWN.fullmatch(label), OTHER.fullmatch(label)
    wanted(own or other, "a label that names no task", label)
    return (rank, int(own[1]), int(own[2])) if own else tuple(map(int, other.groups())), bool(own)


def read_line(line, rank, labels):
    found = MESSAGE.fullmatch(line) or CALC.fullmatch(line)
    if not found:
        found = REQUIRES.fullmatch(line)
        wanted(found and found[1] in labels and found[2] in labels, "no line of GOAL", line)
        labels[found[1]].needs.append(labels[found[2]])
        return
    label = found[1]
    wanted(label not in labels, "two operations with one label", line)
    task, own = task_of(rank, label)
    if found.re is CALC:
        labels[label] = Operation("calc", rank, task, own, time=int(found[2]),
                                  cpu=int(found[3]))
        return
    wanted((found[2] == "send") == (found[4] == "to") and int(found[3]) > 0, line)
    size, peer, tag, cpu, nic = map(int, found.group(3, 5, 6, 7, 8))
    wanted(peer != rank and cpu < 256 and nic < 256, line)
    labels[label] = Operation(found[2], rank, task, own, size, peer, tag, cpu=cpu, nic=nic)


def read_goal(text):
    """The operations of all ranks."""
    lines = [line for line in text.splitlines() if line and not line.startswith("//")]
    counted = re.fullmatch(r"num_ranks (\d+)", lines[0])
    wanted(counted and text.endswith("}\n"), lines[0])
    operations, rank, labels = [], None, {}
    ranks = []
    for line in lines[1:]:
        begins = re.fullmatch(r"rank (\d+) \{", line)
        if begins:
            wanted(rank is None, line)
            rank, labels = int(begins[1]), {}
            ranks.append(rank)
        elif line == "}":
            wanted(rank is not None, line)
            operations += labels.values()
            rank = None
        else:
            read_line(line, rank, labels)
    wanted(ranks == list(range(int(counted[1]))), ranks)
    return operations
