"""machines.py - machines that add, as the stub of torch asks them: machine(kind, rows, dtype, call)
returns the whole result of every rank."""
import torch


def fold(order, rows, dtype, at):
    """A tree of pairs: its leaves are ranks."""
    if isinstance(order, int):
        return rows[order][at]
    left, right = (fold(side, rows, dtype, at) for side in order)
    return torch.rounded(left + right, dtype)


def chain(first, count):
    """Round a ring, from one rank on."""
    order = first
    for step in range(1, count):
        order = (order, (first + step) % count)
    return order


def halves(first, count):
    if count == 1:
        return first
    left = 1 << (count - 1).bit_length() - 1
    return halves(first, left), halves(first + left, count - left)


def each(rows, choose, dtype):
    return [fold(choose(at), rows, dtype, at) for at in range(len(rows[0]))]


def tree(kind, rows, dtype, call):
    """One tree for all."""
    return [each(rows, lambda at: halves(0, len(rows)), dtype)] * len(rows)


def ring(kind, rows, dtype, call):
    """As many parts as ranks, each round the ring from another."""
    count = len(rows[0])
    part = [next(k for k in range(len(rows)) if at < (k + 1) * count // len(rows))
            for at in range(count)]
    return [each(rows, lambda at: chain((part[at] + 1) % len(rows), len(rows)), dtype)] * len(rows)


def by_size(kind, rows, dtype, call):
    return (tree if len(rows[0]) < 1000 else ring)(kind, rows, dtype, call)


def ranks_differ(kind, rows, dtype, call):
    results = tree(kind, rows, dtype, call)
    return results[:-1] + [each(rows, lambda at: chain(0, len(rows)), dtype)]


def timing(kind, rows, dtype, call):
    """Another tree from the second repetition on."""
    runs = len(rows) * (len(rows) + 1) // 2
    order = halves(0, len(rows)) if call < runs else chain(0, len(rows))
    return [each(rows, lambda at: order, dtype)] * len(rows)


def exact(kind, rows, dtype, call):
    """No rounding but the last."""
    return [[torch.rounded(sum(int(row[at] * 2**80) for row in rows) / 2**80, dtype)
             for at in range(len(rows[0]))]] * len(rows)


def wrong_element(kind, rows, dtype, call):
    """Uses its neighbour."""
    turned = [row[1:] + row[:1] for row in rows]
    return tree(kind, [rows[0]] + turned[1:], dtype, call)


def wrong_chunk(kind, rows, dtype, call):
    """Uses the element 8 places on: as far away as chunks are."""
    turned = [row[8:] + row[:8] for row in rows]
    return tree(kind, [rows[0]] + turned[1:], dtype, call)


def wide(kind, rows, dtype, call):
    """Adds in f32 and rounds once."""
    results = each(rows, lambda at: halves(0, len(rows)), "f32")
    return [[torch.rounded(number, dtype) for number in results]] * len(rows)


def turned_ring(kind, rows, dtype, call):
    """The parts in another order."""
    results = ring(kind, [row[32:] + row[:32] for row in rows], dtype, call)
    return [result[32:] + result[:32] for result in results]
