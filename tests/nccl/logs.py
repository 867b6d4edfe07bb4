"""logs.py - logs as NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING writes them, of rings
and trees made by hand."""


def chain(ranks):
    """The tree of ranks in a line: {rank: (children, parent)}, the first is the root."""
    return {
        rank: (ranks[i + 1:i + 2], ranks[i - 1] if i else -1)
        for i, rank in enumerate(ranks)
    }


def tree(parents):
    """Of {rank: parent}, -1 the root's; children in the order of ranks."""
    return {
        rank: ([child for child in sorted(parents) if parents[child] == rank], parents[rank])
        for rank in parents
    }


def double_binary(n):
    """Two trees over n ranks, one the mirror image of the other."""

    def build(low, high, up, parents):
        if low >= high:
            return
        middle = (low + high) // 2
        parents[middle] = up
        build(low, middle, middle, parents)
        build(middle + 1, high, middle, parents)

    one = {}
    build(0, n, -1, one)
    mirror = {n - 1 - rank: n - 1 - up if up >= 0 else -1 for rank, up in one.items()}
    return [tree(one), tree(mirror)]


class Log:
    """A log of one job; every part can be changed before it is written."""

    def __init__(self, rings, trees=None, version="2.24.3+cuda12.4", nodes=1, pid=100):
        self.rings, self.trees, self.version = rings, trees, version
        self.ranks, self.nodes, self.pid = len(rings[0]), nodes, pid
        self.comm_id, self.calls, self.cut = "0x8a7b6c5d", [], 0

    def call(self, size, algorithm="RING", protocol="LL", channels=None, name="AllReduce"):
        low, high = channels or (0, len(self.rings) - 1)
        self.calls.append(f"{name}: {size} Bytes -> Algo {algorithm} proto {protocol} "
                          f"channel{{Lo..Hi}}={{{low}..{high}}}")
        return self

    def prefix(self, rank):
        host = f"node{rank * self.nodes // self.ranks}"
        return f"{host}:{self.pid + rank}:{self.pid + rank + 50} [{rank}] NCCL INFO "

    def lines_of(self, rank):
        if rank == 0 and self.version:
            yield f"NCCL version {self.version}"
        yield (f"ncclCommInitRank comm 0x55{self.pid + rank:04x} rank {rank} nranks {self.ranks} "
               f"cudaDev {rank} nvmlDev {rank} busId 1000 commId {self.comm_id} - Init START")
        if rank == 0:
            for channel, ring in enumerate(self.rings):
                text = " ".join(f"{one:3}" for one in ring[:self.cut or None])
                yield f"Channel {channel:02}/{len(self.rings):02} : {text}" + (
                    " ..." if self.cut else "")
        for channel, ring in enumerate(self.rings):
            at = ring.index(rank)
            yield (f"Ring {channel:02} : {ring[at - 1]} -> {rank} -> "
                   f"{ring[(at + 1) % self.ranks]}")
        if self.trees:
            yield "Trees " + " ".join(
                "[{}] {}->{}->{}".format(
                    channel, "/".join(str(one) for one in (one_tree[rank][0] + [-1] * 3)[:3]),
                    rank, one_tree[rank][1]) for channel, one_tree in enumerate(self.trees))
        yield f"Channel 00/0 : {rank}[{rank}] -> {(rank + 1) % self.ranks}[1] via P2P/CUMEM"
        yield (f"ncclCommInitRank comm 0x55{self.pid + rank:04x} rank {rank} nranks {self.ranks} "
               f"cudaDev {rank} nvmlDev {rank} busId 1000 commId {self.comm_id} - Init COMPLETE")
        if rank == 0:
            yield from self.calls

    def of_rank(self, rank):
        return "".join(self.prefix(rank) + line + "\n" for line in self.lines_of(rank))

    def text(self):
        return "epoch 1, loss 0.3\n" + "".join(self.of_rank(rank) for rank in range(self.ranks))
