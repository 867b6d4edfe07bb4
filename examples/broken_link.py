"""AllReduce on eight cards with a link between every two, of which 0-1 is down.

One order of sums, ((0+1)+(2+3))+((4+5)+(6+7)), for every element, and all links that
are left carry nearly as much. Of 60 chunks, ranks 0 and 1 sum up six each and the others
eight: what goes between 0 and 1 takes two links, over each of the others in turn.
"""
from ordo import AllReduce, at, copy, phase, reduce, stream

n, rounds = 8, 4
relays = [2, 3, 4, 5, 6, 7]
owners = ([0, 1] + relays) * 6 + relays * 2


def send(name, source, target):
    with stream(name, target.rank):
        copy(target, source)


with AllReduce(ranks=n, chunks=len(owners) * rounds, fail_links=["0-1"]) as p:
    for chunk in range(p.chunks):
        owner = owners[chunk % len(owners)]
        relay = relays[chunk // n % len(relays)]
        far = {0: 1, 1: 0}.get(owner)
        result = [at(r, "output", chunk) for r in range(n)]
        part = [at(owner, "scratch", n * chunk + r) for r in range(n)]
        part[owner] = result[owner]
        with phase("parts"):
            for r in range(n):
                own = at(r, "input", chunk)
                if r == far:
                    send("part", own, result[relay])
                    send("relayed part", result[relay], part[r])
                else:
                    send("part", own, part[r])
        with phase("add"), stream("add"):
            for width in 1, 2, 4:
                for left in range(0, n, 2 * width):
                    sides = [left, left + width]
                    sides = [owner if s <= owner < s + width else s for s in sides]
                    sides.sort(key=lambda side: side != owner)
                    reduce(part[sides[0]], part[sides[1]])
        with phase("sums"):
            for r in range(n):
                if r not in (owner, far):
                    send("sum", result[owner], result[r])
            if far is not None:
                send("relayed sum", result[relay], result[far])

if __name__ == "__main__":
    print(p.write("broken_link.json"))
