"""generate.py FOLDER - correct MSCCL XML files, small ones, and some that are wrong in a known way.

A file is written in the order of one sequential program: an Algorithm puts steps into blocks and
adds the dependences that the accesses of one gpu's blocks need."""
import pathlib
import sys

PROTOCOLS = ["Simple", "LL", "LL128"]
READS = {"s": "s", "r": "", "rcs": "", "rrc": "s", "rrs": "s", "rrcs": "s", "cpy": "s", "re": "sd"}
WRITES = {"r", "rcs", "rrc", "rrcs", "cpy", "re"}


class Algorithm:
    def __init__(self, name, coll, ngpus, chunks, in_place=True, proto="Simple", scratch=0):
        self.name, self.coll, self.ngpus, self.chunks = name, coll, ngpus, chunks
        self.in_place, self.proto, self.scratch = in_place, proto, scratch
        # One list of steps for each (gpu, send, recv, chan, part).
        self.blocks = {}
        # (gpu, place) -> the last write, and the reads since: (block, position).
        self.accesses = {}
        self.ordered = True

    def buffer(self, name):
        """In place AllReduce and AllGather files speak of one buffer only."""
        if not self.in_place:
            return name
        return {"allreduce": {"o": "i"}, "allgather": {"i": "o"},
                "broadcast": {"i": "o"}, "reduce_scatter": {"o": "i"},
                "reduce": {"o": "i"}}.get(self.coll, {}).get(name, name)

    def step(self, gpu, kind, src=None, dst=None, cnt=1, send=-1, recv=-1, chan=0, part=0):
        """Adds a step to the block of that gpu with those peers. A step that neither sends nor
        receives may name a block that does. Returns (block, position)."""
        key = (gpu, send, recv, chan, part)
        steps = self.blocks.setdefault(key, [])
        src = (self.buffer(src[0]), src[1]) if src else None
        dst = (self.buffer(dst[0]), dst[1]) if dst else None
        needed = self.needed(key, kind, src, dst, cnt) if self.ordered else {}
        waits = list(needed.items())
        for wait in waits[:-1]:
            steps.append(["nop", None, None, 0, wait, False])
        steps.append([kind, src, dst, cnt, waits[-1] if waits else None, False])
        for block, position in needed.items():
            self.blocks[block][position][5] = True
        self.note(key, len(steps) - 1, kind, src, dst, cnt)
        return key, len(steps) - 1

    def depend(self, block, position, target, target_position):
        self.blocks[block][position][4] = (target, target_position)
        self.blocks[target][target_position][5] = True

    def touched(self, gpu, kind, src, dst, cnt):
        read = [(gpu, src[0], src[1] + one) for one in range(cnt)] if "s" in READS[kind] else []
        read += [(gpu, dst[0], dst[1] + one) for one in range(cnt)] if "d" in READS[kind] else []
        wrote = [(gpu, dst[0], dst[1] + one) for one in range(cnt)] if kind in WRITES else []
        return read, wrote

    def needed(self, key, kind, src, dst, cnt):
        """{block: last position} of the earlier steps of other blocks that must come before."""
        read, wrote = self.touched(key[0], kind, src, dst, cnt)
        needed = {}
        for place in read + wrote:
            writer, readers = self.accesses.get(place, (None, []))
            for block, position in [writer] * (writer is not None) + readers * (place in wrote):
                if block != key:
                    needed[block] = max(needed.get(block, -1), position)
        return needed

    def note(self, key, position, kind, src, dst, cnt):
        read, wrote = self.touched(key[0], kind, src, dst, cnt)
        for place in read:
            self.accesses.setdefault(place, (None, []))[1].append((key, position))
        for place in wrote:
            self.accesses[place] = ((key, position), [])

    def send(self, a, src, b, dst, cnt=1, reduce=False, chan=0, parts=(0, 0)):
        """a's src to b's dst, through blocks that only send and only receive."""
        self.step(a, "s", src, dst, cnt, send=b, chan=chan, part=parts[0])
        self.step(b, "rrc" if reduce else "r", dst if reduce else src, dst, cnt, recv=a, chan=chan,
                  part=parts[1])

    def xml(self):
        both = f'inplace="{int(self.in_place)}" outofplace="{int(not self.in_place)}"'
        channels = 1 + max(key[3] for key in self.blocks)
        lines = [f'<algo name="{self.name}" proto="{self.proto}" nchannels="{channels}" '
                 f'nchunksperloop="{self.chunks}" ngpus="{self.ngpus}" coll="{self.coll}" {both} '
                 'minBytes="0" maxBytes="0">']
        for gpu in range(self.ngpus):
            lines += self.gpu_lines(gpu)
        return "\n".join(lines + ["</algo>", ""])

    def sizes(self):
        """(i_chunks, o_chunks)"""
        share = self.chunks // self.ngpus
        i = {"allgather": 0 if self.in_place else share}.get(self.coll, self.chunks)
        o = {"reduce_scatter": share}.get(self.coll, self.chunks)
        if self.in_place and self.coll in ("broadcast", "allgather"):
            return 0, o
        return (i, 0) if self.in_place else (i, o)

    def gpu_lines(self, gpu):
        i, o = self.sizes()
        keys = [key for key in self.blocks if key[0] == gpu]
        lines = [f'  <gpu id="{gpu}" i_chunks="{i}" o_chunks="{o}" s_chunks="{self.scratch}">']
        for number, key in enumerate(keys):
            lines.append(f'    <tb id="{number}" send="{key[1]}" recv="{key[2]}" chan="{key[3]}">')
            for position, (kind, src, dst, cnt, wait, flag) in enumerate(self.blocks[key]):
                src, dst = src or ("i", -1), dst or ("o", -1)
                depid, deps = (keys.index(wait[0]), wait[1]) if wait else (-1, -1)
                lines.append(f'      <step s="{position}" type="{kind}" srcbuf="{src[0]}" '
                             f'srcoff="{src[1]}" dstbuf="{dst[0]}" dstoff="{dst[1]}" cnt="{cnt}" '
                             f'depid="{depid}" deps="{deps}" hasdep="{int(flag)}"/>')
            lines.append("    </tb>")
        return lines + ["  </gpu>"]


def ring_all_reduce(n, channels=1, in_place=True, proto="Simple", fused=True):
    """Microsoft's form: s, rrs..., rrcs, rcs..., r, each block with both neighbours."""
    a = Algorithm(f"ring_{n}", "allreduce", n, n * channels, in_place, proto)
    for chan in range(channels):
        for hop in range(2 * n - 1):
            for k in range(n):
                chunk, here = chan * n + k, (k + hop) % n
                left, right = (here - 1) % n, (here + 1) % n
                ends = {"send": right, "recv": left, "chan": chan}
                data, result = ("i", chunk), ("o", chunk)
                if hop == 0:
                    a.step(here, "s", data, result, **ends)
                elif hop < n - 1 and fused:
                    a.step(here, "rrs", data, result, **ends)
                elif hop < n - 1:
                    a.step(here, "rrc", data, result, **ends)
                    a.step(here, "s", result, result, **ends)
                elif hop == n - 1:
                    a.step(here, "rrcs", data, result, **ends)
                elif hop < 2 * n - 2:
                    a.step(here, "rcs", result, result, **ends)
                else:
                    a.step(here, "r", result, result, **ends)
    return a


def ring_all_gather(n, parts=1, in_place=True, proto="LL"):
    """Every rank's share goes round the ring, a share in so many channels."""
    a = Algorithm(f"gather_{n}", "allgather", n, n * parts, in_place, proto)
    for part in range(parts):
        for rank in range(n):
            if not in_place:
                a.step(rank, "cpy", ("i", part), ("o", rank * parts + part), part="copy")
        for hop in range(n):
            for rank in range(n):
                here, slot = (rank + hop) % n, ("o", rank * parts + part)
                ends = {"send": (here + 1) % n, "recv": (here - 1) % n, "chan": part}
                own = slot if in_place else ("i", part)
                a.step(here, "s" if hop == 0 else "rcs" if hop < n - 1 else "r",
                       own if hop == 0 else slot, slot, **ends)
    return a


def ring_reduce_scatter(n, share=1, in_place=False, proto="LL128"):
    """Blocks of `share` chunks, moved as one message."""
    a = Algorithm(f"scatter_{n}", "reduce_scatter", n, n * share, in_place, proto)
    for hop in range(n):
        for k in range(n):
            here, block = (k + 1 + hop) % n, ("i", k * share)
            ends = {"send": (here + 1) % n, "recv": (here - 1) % n}
            result = block if in_place else ("o", 0)
            a.step(here, "s" if hop == 0 else "rrs" if hop < n - 1 else "rrc", block,
                   result if hop == n - 1 else block, share, **ends)
    return a


def all_to_all(n, share=1, together=False, proto="LL"):
    """`together`: one block for both directions; else one each."""
    a = Algorithm(f"pairs_{n}", "alltoall", n, n * share, False, proto)
    for rank in range(n):
        a.step(rank, "cpy", ("i", rank * share), ("o", rank * share), share)
    for away in range(1, n):
        for rank in range(n):
            to, chan = (rank + away) % n, (away - 1) % 2
            back = {"recv": to} if together else {}
            a.step(rank, "s", ("i", to * share), ("o", rank * share), share, send=to, chan=chan,
                   **back)
        for rank in range(n):
            source, chan = (rank - away) % n, (away - 1) % 2
            # A block of both directions serves one peer, whose distance either way is its channel.
            if together:
                chan = (away - 1) % 2
            forth = {"send": source} if together else {}
            a.step(rank, "r", ("i", rank * share), ("o", source * share), share, recv=source,
                   chan=chan, **forth)
    return a


def pairs_all_reduce(n, share=1, chained=True, proto="LL"):
    """Every rank sums its share of all, in chained reductions of its scratch, and sends it."""
    a = Algorithm(f"allpairs_{n}", "allreduce", n, n * share, True, proto, scratch=(n - 1) * share)
    places = {(rank, other): [r for r in range(n) if r != rank].index(other) * share
              for rank in range(n) for other in range(n) if other != rank}
    for rank in range(n):
        for other in range(n):
            if other != rank:
                a.send(rank, ("i", other * share), other, ("s", places[other, rank]), share)
    for rank in range(n):
        for one in range(share):
            for other in range(n):
                if other != rank:
                    a.step(rank, "re", ("s", places[rank, other] + one),
                           ("i", rank * share + one), part="sum" if chained else f"sum {other}")
    for rank in range(n):
        for other in range(n):
            if other != rank:
                a.send(rank, ("i", rank * share), other, ("i", rank * share), share)
    return a


def halving_doubling(n, proto="LL"):
    """Recursive halving and doubling in messages of 2^k chunks, one block a pair."""
    a = Algorithm(f"halving_{n}", "allreduce", n, n, True, proto)
    low, size, distance, rounds = [0] * n, n, n // 2, []
    while distance:
        rounds.append((list(low), size, distance))
        for rank in range(n):
            low[rank] += size // 2 if rank & distance else 0
        size, distance = size // 2, distance // 2
    for sums, (low, size, distance) in [(True, one) for one in rounds] + \
            [(False, one) for one in reversed(rounds)]:
        for rank in range(n):
            upper = bool(rank & distance)
            begin = low[rank] + (size // 2 if upper != sums else 0)
            ends = {"send": rank ^ distance, "recv": rank ^ distance}
            a.step(rank, "s", ("i", begin), ("i", begin), size // 2, **ends)
        for rank in range(n):
            upper = bool(rank & distance)
            begin = low[rank] + (size // 2 if upper == sums else 0)
            ends = {"send": rank ^ distance, "recv": rank ^ distance}
            a.step(rank, "rrc" if sums else "r", ("i", begin), ("i", begin), size // 2, **ends)
    return a


def hierarchical(servers, local, proto="Simple"):
    """Sums within servers, between the ranks of one place, and back within servers."""
    n = servers * local
    a = Algorithm(f"hierarchical_{servers}x{local}", "allreduce", n, local, True, proto)
    for chunk in range(local):
        for server in range(servers):
            for other in range(1, local):
                a.send(server * local + (chunk + other) % local, ("i", chunk),
                       server * local + chunk, ("i", chunk), reduce=True)
        for server in range(1, servers):
            a.send(server * local + chunk, ("i", chunk), chunk, ("i", chunk), reduce=True, chan=1)
        for server in range(1, servers):
            a.send(chunk, ("i", chunk), server * local + chunk, ("i", chunk), chan=2)
        for server in range(servers):
            for other in range(1, local):
                a.send(server * local + chunk, ("i", chunk),
                       server * local + (chunk + other) % local, ("i", chunk), chan=3)
    return a


def tree(n, coll="allreduce", chunks=2, root=0, in_place=True, proto="LL"):
    """A binary tree whose inner ranks wait for two children: rrc and rrs, rcs and r."""
    a = Algorithm(f"tree_{coll}_{n}", coll, n, chunks, in_place, proto,
                  scratch=0 if in_place else chunks)
    rank = [(root + one) % n for one in range(n)]
    children = {one: [c for c in (2 * one + 1, 2 * one + 2) if c < n] for one in range(n)}
    for chunk in range(chunks):
        if coll != "broadcast":
            up_the_tree(a, n, rank, children, chunk)
        if coll != "reduce":
            down_the_tree(a, n, rank, children, chunk)
    return a


def up_the_tree(a, n, rank, children, chunk):
    data, result = ("i", chunk), ("o", chunk)
    own = data if a.in_place else ("s", chunk)
    for one in reversed(range(n)):
        up, below = rank[(one - 1) // 2], [rank[child] for child in children[one]]
        if not below:
            a.step(rank[one], "s", data, data, send=up, chan=chunk)
        elif len(below) == 2:
            target = result if one == 0 and not a.in_place else own
            a.step(rank[one], "rrc", data, own, recv=below[0], chan=chunk)
            if one == 0:
                a.step(rank[one], "rrc", own, target, recv=below[1], chan=chunk)
            else:
                a.step(rank[one], "rrs", own, own, send=up, recv=below[1], chan=chunk)
        elif one == 0:
            a.step(rank[one], "rrc", data, result, recv=below[0], chan=chunk)
        else:
            a.step(rank[one], "rrs", data, own, send=up, recv=below[0], chan=chunk)


def down_the_tree(a, n, rank, children, chunk):
    result, chan = ("o", chunk), a.chunks + chunk
    if a.coll == "broadcast" and not a.in_place:
        a.step(rank[0], "cpy", ("i", chunk), result, part="copy")
    for one in range(n):
        up, below = rank[(one - 1) // 2], [rank[child] for child in children[one]]
        if one and below:
            a.step(rank[one], "rcs", result, result, send=below[0], recv=up, chan=chan)
        elif one:
            a.step(rank[one], "r", result, result, recv=up, chan=chan)
        for child in below[1 if one else 0:]:
            a.step(rank[one], "s", result, result, send=child, chan=chan)


def only_a_credit_orders():
    """Rank 1 receives rank 0's own chunk 0 where the sum belongs, and then the sum. Rank 0 sends
    the sum after two more messages of the first connection, so with two slots the first has been
    received by then; with three nothing orders the two writes."""
    a = Algorithm("credit", "allreduce", 2, 3, False, "Simple")
    a.ordered = False
    there, back, last = {"send": 1}, {"recv": 0}, {"chan": 1}
    for chunk in range(3):
        a.step(1, "s", ("i", chunk), ("o", chunk), send=0, chan=2)
        a.step(0, "rrc", ("i", chunk), ("o", chunk), recv=1, chan=2)
    sums = (0, -1, 1, 2, 0)
    for chunk in range(3):
        source = ("o" if chunk else "i", chunk)
        first, position = a.step(0, "s", source, ("o", chunk), **there)
        if chunk:
            a.depend(first, position, sums, chunk)
        a.step(1, "r", source, ("o", chunk), **back)
    second, _ = a.step(0, "s", ("o", 0), ("o", 0), **there, **last)
    a.depend(second, 0, first, 2)
    a.step(1, "r", ("o", 0), ("o", 0), **back, **last)
    return a


def only_whole_messages_order():
    """Two chunks leave rank 0's scratch, pass rank 1 and come back one slot further. If they
    travel as two messages, as large ones do, the first comes back before the second has left."""
    a = Algorithm("pieces", "allgather", 2, 4, False, "Simple", scratch=3)
    a.ordered = False
    a.step(0, "cpy", ("i", 0), ("s", 0), 2, send=1)
    a.step(0, "s", ("s", 0), ("o", 0), 2, send=1)
    a.step(1, "rcs", ("s", 0), ("o", 0), 2, recv=0, send=0)
    a.step(0, "r", ("o", 0), ("s", 1), 2, recv=1)
    a.step(0, "cpy", ("i", 0), ("o", 0), 2, part=1)
    a.step(1, "cpy", ("i", 0), ("o", 2), 2, part=1)
    a.step(1, "s", ("i", 0), ("o", 2), 2, send=0, chan=1)
    a.step(0, "r", ("i", 0), ("o", 2), 2, recv=1, chan=1)
    return a


def head_to_head(messages, proto="Simple", width=1):
    """Two ranks that send so many messages before they receive: it hangs with fewer slots."""
    a = Algorithm(f"head_{messages}_{width}", "alltoall", 2, 2 * messages * width, False, proto)
    half = messages * width
    for rank in range(2):
        for first in range(0, half, width):
            a.step(rank, "cpy", ("i", rank * half + first), ("o", rank * half + first), width)
    for kind in ("s", "r"):
        for rank in range(2):
            for one in range(0, half, width):
                there, mine = (1 - rank) * half + one, rank * half + one
                a.step(rank, kind, ("i", there), ("o", mine if kind == "s" else there), width,
                       send=1 - rank, recv=1 - rank)
    return a


def scattered_broadcast(n, root, in_place):
    """The root gives every rank a chunk, and all gather them in a ring, the root too."""
    a = Algorithm(f"scattered_{n}", "broadcast", n, n, in_place, "LL")
    for chunk in range(n):
        if not in_place:
            a.step(root, "cpy", ("i", chunk), ("o", chunk), part="own")
        if chunk != root:
            a.send(root, ("o", chunk), chunk, ("o", chunk), chan=1)
    for chunk in range(n):
        for hop in range(n - 1):
            one, other = (chunk + hop) % n, (chunk + hop + 1) % n
            a.send(one, ("o", chunk), other, ("o", chunk))
    return a


def gathered_reduce(n, root):
    """Every rank sums a chunk of all, and the root gathers them."""
    a = Algorithm(f"gathered_{n}", "reduce", n, n, False, "LL", scratch=n)
    for chunk in range(n):
        total = ("o" if chunk == root else "s", chunk)
        for away in range(1, n):
            one = (chunk + away) % n
            a.step(one, "s", ("i", chunk), ("i", chunk), send=chunk)
            a.step(chunk, "rrc", ("i", chunk) if away == 1 else total, total, recv=one)
        if chunk != root:
            a.send(chunk, total, root, ("o", chunk), chan=1)
    return a


def correct():
    """All correct files, by name: {name: text}."""
    found = {}

    def add(algorithm, *marks):
        name = "-".join([algorithm.name, algorithm.coll, algorithm.proto,
                         "in" if algorithm.in_place else "out", *marks])
        found[name] = algorithm.xml()
    for n in range(2, 7):
        for in_place in (True, False):
            add(ring_all_reduce(n, 1 + n % 2, in_place, PROTOCOLS[n % 3]))
            add(ring_all_gather(n, 1 + n % 2, in_place, PROTOCOLS[(n + 1) % 3]))
            add(ring_reduce_scatter(n, 1 + n % 3, in_place, PROTOCOLS[n % 3]))
        add(ring_all_reduce(n, 1, True, "Simple", fused=False), "unfused")
        add(all_to_all(n, 1 + n % 3, proto=PROTOCOLS[n % 3]))
        add(pairs_all_reduce(n, 1 + n % 2, n != 4))
    for n in (3, 4):
        add(scattered_broadcast(n, n // 2, n == 4))
        add(gathered_reduce(n, 1))
    for n in (2, 4):
        add(halving_doubling(n, PROTOCOLS[n % 3]))
        add(all_to_all(n, 2, together=True), "together")
    for servers, local in ((2, 2), (2, 3), (3, 2)):
        add(hierarchical(servers, local))
    for n in range(2, 7):
        add(tree(n, "allreduce", 2, 0, n % 2 == 0))
        add(tree(n, "broadcast", 1 + n % 3, n // 2, n % 2 == 0))
        add(tree(n, "reduce", 1 + n % 3, n // 2, False))
    add(head_to_head(2))
    add(head_to_head(8, "LL"))
    add(head_to_head(1, "Simple", 8))
    return found


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in correct().items():
        (folder / f"{name}.xml").write_text(text)
    (folder / "credit.xml").write_text(only_a_credit_orders().xml())
    (folder / "pieces.xml").write_text(only_whole_messages_order().xml())


if __name__ == "__main__":
    main()
