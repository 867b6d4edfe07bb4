#!/usr/bin/env python3
"""Pictures of refuted schedules, of loads and of two trees, read back with cgraph.

usage: test_pictures.py ORDO REJECT DOT_FACTS [layout]

With `layout` those cases that draw many pictures and look at where things lie."""
import html
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import xml.dom.minidom

import strict_json
from algorithms import applicable
from desk import ORDO, desk_case, wanted
from one_run import Run
from tap import cases, run_cases

REJECT = pathlib.Path(sys.argv[2]).resolve()
DOT_FACTS = str(pathlib.Path(sys.argv[3]).resolve())
RED = "#d02020"
LAYOUT = ("--load: no label covers", "a matrix of 256 ranks", "no text of any picture",
          "every picture has a dark mode")


class Picture:
    """What cgraph reads in DOT."""

    def __init__(self, dot):
        done = subprocess.run([DOT_FACTS], input=dot, capture_output=True, text=True)
        wanted(done.returncode == 0, "cgraph does not read it", done.stderr, dot[:300])
        self.nodes, self.edges, self.clusters, self.graph = {}, [], {}, {}
        for line in done.stdout.splitlines():
            kind, *fields = line.split("\t")
            count = {"graph": 0, "node": 1, "cluster": 1, "edge": 2}[kind]
            names, attributes = fields[:count], dict(
                field.split("=", 1) for field in fields[count:])
            if kind == "graph":
                self.graph = attributes
            elif kind == "edge":
                self.edges.append((*names, attributes))
            else:
                (self.nodes if kind == "node" else self.clusters)[names[0]] = attributes

    def tasks(self, **wanted_attributes):
        """The tooltips of the tasks that look like that."""
        return {
            node["tooltip"]
            for name, node in self.nodes.items() if re.match(r"task\d+$", name) and all(
                node.get(key) == value for key, value in wanted_attributes.items())
        }

    def red(self, **wanted_attributes):
        return [edge for edge in self.edges if edge[2].get("color") == RED and
                all(edge[2].get(key, "") == value for key, value in wanted_attributes.items())]

    def proposed(self):
        """Dashed red arrows; not the sample in the legend, which is wider."""
        return [edge for edge in self.red(style="dashed") if float(edge[2]["penwidth"]) < 2]

    def labels(self):
        return [node.get("label", "") for node in self.nodes.values()]

    def place(self, name):
        x, y = self.nodes[name]["pos"].split(",")
        return float(x), float(y)


def readable(ordo):
    """Reject documents that can be read, with what verify says of them."""
    for path in sorted(REJECT.glob("R*.json")):
        answer = ordo.answer("verify", path)
        if answer["exit code"] == 1:
            yield path, answer["findings"]


def rule_of(finding):
    rule = finding.get("rule")
    return rule if isinstance(rule, str) else f"R{rule}"


@desk_case(
    "every schedule that is refuted is drawn, with the tasks of its findings in red and its rules "
    "in words"
)
def _(ordo):
    rules = set()
    for path, findings in readable(ordo):
        done = ordo.works("draw", path)
        picture = Picture(done.out)
        wanted("refuted by" in done.err, path, done.err)
        at_fault = {
            task
            for finding in findings if rule_of(finding) != "R6" for task in finding["tasks"]
        }
        red = picture.tasks(color=RED, fillcolor="#ff9b94")
        surplus = {task for task in red if task not in at_fault}
        wanted(at_fault <= red, path, at_fault, red)
        # Of a signal that is not balanced those are red that have no partner.
        unbalanced = any(rule_of(finding) == "R6" for finding in findings)
        wanted(
            bool(surplus) == unbalanced
            and all("Notify" in task or "Wait" in task for task in surplus), path, surplus)
        captions = " ".join(node["label"].replace("\\l", "")
                            for name, node in picture.nodes.items() if name.startswith("caption"))
        for finding in findings[:4]:
            rules.add(rule_of(finding))
            first = finding.get("text", finding.get("message", "")).split("\n")[0]
            wanted(f"{rule_of(finding)}: " in captions and first[:60] in captions, path, captions,
                   first)
        title = picture.nodes["title"]["label"]
        wanted(all(rule_of(finding) in title for finding in findings), path, title)
        wanted(ordo.works("draw", path).out == done.out, path, "other bytes")
    wanted({"R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11"} <= rules, rules)


@desk_case(
    "a sound schedule has nothing red; what breaks a rule about links is red with --topology alone")
def _(ordo):
    ordo.compile("ring.json")
    done = ordo.works("draw", "ring.json")
    wanted(done.err == "" and RED not in done.out and "refuted" not in done.out, done.err)
    done = ordo.works("draw", "ring.json", "--topology", "ring", "--fail-link", "1-2")
    red = Picture(done.out).tasks(color=RED)
    # Without the link no task between the two goes, and the first sixteen findings are red.
    wanted(red and all(re.match(r"rank [12],", task) for task in red), red)
    wanted("R12" in Picture(done.out).nodes["title"]["label"])


@desk_case("a deadlock: its circle closes, is numbered, and what never runs is dashed")
def _(ordo):
    for name, length in {"R7-both-wait-first": 2, "R7-circle-of-three": 3}.items():
        picture = Picture(ordo.works("draw", REJECT / f"{name}.json").out)
        numbers = {
            node["label"]
            for node in picture.nodes.values()
            if node.get("fontname") == "Helvetica-Bold" and node.get("fillcolor") == RED
        }
        wanted(numbers == {str(i + 1) for i in range(2 * length)}, name, numbers)
        # From every red Wait bold red lines lead to a Notify, and back along its column to the next
        # one.
        lines = {}
        for tail, head, edge in picture.red(style=""):
            wanted(float(edge["penwidth"]) > 2, edge)
            if not tail.startswith("sample"):
                lines.setdefault(tail, []).append(head)
        waits = [
            node for node, facts in picture.nodes.items()
            if facts.get("fillcolor") == "#ff9b94" and node.startswith("task")
        ]
        at, seen = waits[0], []
        while at not in seen:
            seen.append(at)
            at = lines[at][0]
        wanted(at == waits[0] and set(waits) <= set(seen), name, seen, waits)
        wanted(len(picture.red(style="dashed")) >= 1, "what would open it")
        wanted(picture.tasks(style="filled,rounded,dashed"), "what never runs")
    stuck = Picture(ordo.works("draw", REJECT / "R6-wait-without-notify.json").out)
    wanted(not stuck.tasks(style="filled,rounded,dashed") and stuck.red(style="dashed"),
           "the last task alone waits")


@desk_case(
    "a race: a double arrow between the two with the slot, and where Notify and Wait are missing")
def _(ordo):
    picture = Picture(ordo.works("draw", REJECT / "R8-two-writers-unordered.json").out)
    [race] = [edge for edge in picture.red(dir="both") if edge[0].startswith("task")]
    wanted({picture.nodes[end]["tooltip"][:6] for end in race[:2]} == {"rank 1", "rank 2"}, race)
    wanted("rank 0, output slot 0:\\nnothing orders these" in picture.labels(), picture.labels())
    [missing] = picture.proposed()
    ends = [picture.nodes[end] for end in missing[:2]]
    wanted([end["label"] for end in ends] == ["2", "1"]
           and all("dashed" in end["style"] for end in ends), ends)
    # The one below the first task, the other above the second.
    wanted(
        picture.place(missing[0])[1] < picture.place(race[0])[1]
        and picture.place(missing[1])[1] > picture.place(race[1])[1])


@desk_case(
    "memory touched too early or too late: an arrow from the rank's entering, or to its leaving")
def _(ordo):
    for name, words, early in [("R9-before-entering", "missing: rank 1 has entered", True),
                               ("R9-after-leaving", "missing: rank 1 waits for this", False)]:
        picture = Picture(ordo.works("draw", REJECT / f"{name}.json").out)
        wanted(words in picture.labels(), name, picture.labels())
        [arrow] = picture.proposed()
        task = next(name for name, node in picture.nodes.items()
                    if name.startswith("task") and node.get("color") == RED)
        there, here = (arrow[0], arrow[1]) if early else (arrow[1], arrow[0])
        wanted(
            math.dist(picture.place(here), picture.place(task)) < 0.7 * 72, name, "beside the task")
        wanted(picture.place(there)[0] > picture.place(task)[0], name, "in the columns of rank 1")


@desk_case("where six ranks each lack something, six boxes of words stand beside each other")
def _(ordo):
    picture = Picture(
        ordo.works("draw", REJECT.parents[1] / "examples" / "birs-published-6.json").out)
    words = [(*picture.place(name), 72 * float(node["width"]), 72 * float(node["height"]))
             for name, node in picture.nodes.items()
             if node.get("label", "").startswith("missing: rank")]
    wanted(len(words) == 6, picture.labels())
    for i, (x, y, width, height) in enumerate(words):
        for x2, y2, width2, height2 in words[:i]:
            wanted(
                abs(x - x2) >= (width + width2) / 2 or abs(y - y2) >= (height + height2) / 2,
                "one lies over another", words)


@desk_case("a large refuted schedule is cut around what is at fault")
def _(ordo):
    ordo.compile("large.json", ranks=32)
    document = strict_json.loads((ordo.folder / "large.json").read_text())
    # One rank no longer waits in the middle, and its peer no longer notifies.
    tasks = document["programs"][20]["streams"][0]["tasks"]
    at = [i for i, task in enumerate(tasks) if task["task"] == "Wait"][len(tasks) // 8]
    gone = tasks.pop(at)
    there = document["programs"][gone["peer"]]["streams"][0]["tasks"]
    nth = sum(
        task["task"] == "Wait" and (task["peer"], task["signal"]) == (gone["peer"], gone["signal"])
        for task in tasks[:at])
    notifies = [
        i for i, task in enumerate(there)
        if task["task"] == "Notify" and task["peer"] == 20 and task["signal"] == gone["signal"]
    ]
    there.pop(notifies[nth])
    (ordo.folder / "large.json").write_text(json.dumps(document))
    findings = ordo.answer("verify", "large.json")["findings"]
    wanted(findings, "nothing is wrong with it")
    done = ordo.works("draw", "large.json")
    picture = Picture(done.out)
    at_fault = {task for finding in findings for task in finding["tasks"]}
    wanted(at_fault <= picture.tasks(color=RED), at_fault, picture.tasks(color=RED))
    wanted("around the fault" in done.err and len(picture.tasks()) <= 500, done.err)
    wanted(len(picture.tasks()) > 100, "as much as there is room for")


@desk_case("pictures of refuted schedules are rendered without a complaint, in space as in time")
def _(ordo):
    for name in [
            "R5-two-notifying-streams", "R6-token-left-over", "R7-circle-of-three",
            "R8-two-writers-unordered", "R9-after-leaving", "R11-never-written"
    ]:
        done = ordo.works("draw", REJECT / f"{name}.json", "--as", "svg")
        xml.dom.minidom.parseString(done.out)
        wanted("Warning" not in done.err and "Error" not in done.err and RED in done.out, name,
               done.err)
    for name in [
            "R7-circle-of-three", "R7-waits-for-itself", "R6-wait-without-notify",
            "R8-two-writers-unordered", "R9-after-leaving"
    ]:
        done = ordo.works("draw", REJECT / f"{name}.json", "--space-time")
        xml.dom.minidom.parseString(done.out)
        wanted("red" in done.out or name.startswith("R6"), name)
        wanted(f"refuted, in red: {name[:2]}: " in done.out, name)
        wanted(("wait for ever" in done.out
                or "waits for ever" in done.out) == (name.startswith("R7") or "without" in name),
               name)
        if "for ever" in done.out:
            wanted(
                re.search(r"predicted for \S+ [KM]iB of f32 a rank; \d streams? waits? for ever",
                          done.out), name)


# What depends on what.

def dependences(document):
    """(writer, reader) of all data, moves as (rank, stream, number)."""
    writers, found = {}, set()
    for rank, name, number, task in Run(document).moves():
        for i in range(task.get("count", 1)):
            source = (rank, task["src"][0], task["src"][1] + i)
            target = (task.get("peer", rank), task["dst"][0], task["dst"][1] + i)
            read = [source] + [target] * ("Reduce" in task["task"])
            found |= {(writers[place], (rank, name, number)) for place in read if place in writers}
            writers[target] = (rank, name, number)
    return found


@desk_case(
    "--graph: a node for every move, an arrow for all data, dashed where Notify and Wait only keep "
    "an order"
)
def _(ordo):
    for operator, ranks, algorithm in [("allreduce", 8, "halving-doubling"),
                                       ("reduce-scatter", 6, "birs"), ("alltoall", 3, "mesh"),
                                       *applicable(ORDO, 4)]:
        path = ordo.compile("one.json", operator=operator, algorithm=algorithm, ranks=ranks)
        done = ordo.works("draw", "one.json", "--graph")
        picture = Picture(done.out)
        wanted(done.err == "" and picture.graph["layout"] == "dot", done.err)

        def move(name):
            found = re.match(r'rank (\d+), stream "(.*)", task (\d+) ',
                             picture.nodes[name]["tooltip"])
            return int(found[1]), found[2], int(found[3])

        wanted(
            len(picture.nodes) == ordo.answer("verify", "one.json")["moves"], algorithm,
            len(picture.nodes))
        data = {(move(tail), move(head))
                for tail, head, edge in picture.edges if edge.get("class") == "data"}
        wanted(data == dependences(strict_json.loads(path.read_text())), algorithm, data)
        kinds = {edge.get("class"): edge.get("style", "") for *_, edge in picture.edges}
        wanted(kinds.get("signal", "dashed") == "dashed" and kinds.get("data", "") == "", kinds)
    ordo.fails(1, r"error\[R3\]", "draw", REJECT / "R3-src-beyond-input.json", "--graph")
    ordo.fails(2, "--graph: wanted the file of a schedule", "draw", "--topology", "ring", "--ranks",
               4, "--graph")


@desk_case(
    "--graph of what is refuted: a race that no other arrow decides, a circle that closes, and "
    "what is missing, in red"
)
def _(ordo):
    def drawn(name):
        picture = Picture(ordo.works("draw", REJECT / f"{name}.json", "--graph").out)
        wanted(f"red: refuted by {name.split('-')[0]}" in picture.graph["label"] and picture.red(),
               name, picture.graph)
        return picture

    for name in "R8-two-writers-unordered", "R8-two-streams-of-one-rank":
        race = drawn(name)
        wanted(len(race.tasks(color=RED)) == 2, race.nodes)
        ends = {
            head if tail.startswith("words") else tail
            for tail, head, _ in race.red(dir="back")
        }
        wanted(ends == {node
                        for node, looks in race.nodes.items() if looks.get("color") == RED},
               race.red())
        wanted(not [edge for edge in race.edges if set(edge[:2]) == ends], "an order that is none",
               race.edges)
        wanted(any("nothing orders these" in label for label in race.labels()), race.labels())
    for name, count in ("R7-circle-of-three", 3), ("R7-both-wait-first", 2):
        circle = drawn(name)
        wanted(sum("(Wait " in tip for tip in circle.tasks(color=RED)) == count, circle.nodes)
        after = {tail: head for tail, head, _ in circle.red(dir="forward")}
        at, seen = next(iter(after)), []
        while at not in seen:
            seen.append(at)
            at = after[at]
        wanted(len(seen) == len(after) == 2 * count and at == seen[0], after)
        # A circle is no island: it stands where it is in its streams.
        wanted({tail
                for tail, *_, edge in circle.edges if edge.get("class") == "stream"} >= set(seen),
               circle.edges)
    for name, words in [("R6-token-left-over", "missing: a Wait"),
                        ("R6-wait-without-notify", "missing: a Notify"),
                        ("R9-after-leaving", "missing: rank 1 waits for this"),
                        ("R9-before-entering", "missing: rank 1 has entered")]:
        missing = drawn(name)
        wanted(
            missing.red(style="dashed") and missing.tasks(color=RED) and words in missing.labels(),
            name, missing.labels())


# Loads.

UNITS = {"B": 1, "KiB": 2 ** 10, "MiB": 2 ** 20, "GiB": 2 ** 30}


def load_in(tip):
    """(bytes, use in percent) in a tooltip of a link; None: none."""
    found = re.match(r"(?:switch )?\d+ to (?:switch )?\d+: .*: ([\d.e+-]+) (\w+) in \d+ moves, "
                     r"([\d.e+-]+) % of the time", tip)
    return (float(found[1]) * UNITS[found[2]], float(found[3])) if found else None


def loads(picture):
    """(from, to) -> (bytes, use, width, class) of the links that are loaded."""
    found = {}
    for tail, head, edge in picture.edges:
        load = load_in(edge.get("tooltip", ""))
        if load and edge.get("class") in ("load", "bottleneck"):
            found[(tail, head)] = (*load, float(edge["penwidth"]), edge["class"])
    return found


def bytes_by_document(path, size):
    """(from, to) -> bytes sent directly, of an AllReduce of so many bytes."""
    document = strict_json.loads(path.read_text())
    sent = {}
    for program in document["programs"]:
        for stream in program["streams"]:
            for task in stream["tasks"]:
                if task["task"].startswith("Send"):
                    key = (f"rank{program['rank']}", f"rank{task['peer']}")
                    sent[key] = sent.get(
                        key, 0) + task.get("count", 1) * size / document.get("chunks_per_block", 1)
    return sent


@desk_case(
    "--load: each link's bytes are those sent over it, wider with more of them; the busiest are "
    "marked"
)
def _(ordo):
    # By hand: of these it is known which links are the bottleneck, all or some.
    for algorithm in ["ring", "halving-doubling", "mesh", "tree"]:
        path = ordo.compile("one.json", ranks=8, algorithm=algorithm)
        done = ordo.works("draw", "one.json", "--load", "--topology", "full-mesh", "--bytes",
                          "16MiB")
        picture = Picture(done.out)
        found, sent = loads(picture), bytes_by_document(path, 2 ** 24)
        wanted(found.keys() == sent.keys(), algorithm, found.keys() ^ sent.keys())
        for link, (size, _, _, _) in found.items():
            wanted(abs(size - sent[link]) <= 0.006 * sent[link], algorithm, link, size, sent[link])
        for a in found.values():
            for b in found.values():
                wanted((a[0] < b[0]) <= (a[2] < b[2]) or a[2] == b[2] and a[0] == b[0], algorithm,
                       a, b)
        most = max(size for size, _, _, _ in found.values())
        wanted(all((kind == "bottleneck") == (size == most) for size, _, _, kind in found.values()),
               algorithm, found)
        halos = [edge for edge in picture.edges if edge[2].get("class") == "halo"]
        worst = sum(kind == "bottleneck" for *_, kind in found.values())
        # Where all are the bottleneck, a mark on each would say nothing.
        wanted(len(halos) == (worst if worst < len(found) else 0), algorithm, halos)
        wanted((worst < len(found)) == (algorithm == "halving-doubling"), algorithm)
        wanted(re.match(r"bottleneck [\d.]+ %", picture.nodes["bottleneck"]["label"]),
               picture.nodes["bottleneck"])
        words = " ".join(picture.labels())
        wanted(
            "over the link" in words and "% of the time at full bandwidth" in words
            and "GB/s" in words, words)
        wanted("AllReduce of 16 MiB by" in picture.nodes["title"]["label"], picture.nodes["title"])
        wanted(
            ordo.works("draw", "one.json", "--load", "--topology", "full-mesh", "--bytes",
                       "16MiB").out == done.out)
    for operator, ranks, algorithm in applicable(ORDO, 8):
        if operator != "allreduce":
            continue
        path = ordo.compile("any.json", ranks=ranks, algorithm=algorithm)
        found = loads(Picture(ordo.works("draw", "any.json", "--load", "--topology", "full-mesh",
                                         "--bytes", "16MiB").out))
        sent = bytes_by_document(path, 2 ** 24)
        wanted(found.keys() == sent.keys(), algorithm, found.keys() ^ sent.keys())
        for link, (size, _, _, _) in found.items():
            wanted(abs(size - sent[link]) <= 0.006 * sent[link], algorithm, link, size, sent[link])
    idle = [edge for edge in picture.edges if edge[2].get("class") == "idle"]
    wanted(idle and any("links without a load" in label for label in picture.labels()))


@desk_case("--load: a link that is down stays dashed; routes over switches are loaded")
def _(ordo):
    ordo.compile("ring.json", "--fail-link", "0-1", ranks=8)
    picture = Picture(
        ordo.works("draw", "ring.json", "--load", "--topology", "full-mesh", "--fail-link",
                   "0-1").out)
    down = [
        edge for edge in picture.edges
        if edge[2].get("style") == "dashed" and edge[0].startswith("rank")
    ]
    wanted([edge[:2] for edge in down] == [("rank0", "rank1")], down)
    ordo.compile("star.json", ranks=4)
    picture = Picture(ordo.works("draw", "star.json", "--load", "--topology", "star").out)
    found = loads(picture)
    wanted(len(found) == 8 and all("switch0" in link for link in found), found)


@desk_case(
    "topologies are laid out as what they are: no two vertices on one place, no line through a "
    "third"
)
def _(ordo):
    for topology, words in [("full-mesh", ["--ranks", 8]), ("ring", ["--ranks", 12]),
                            ("star", ["--ranks", 9]), ("torus:4x4", []), ("torus:3x5", []),
                            ("torus:2x3x4", []), ("torus", ["--ranks", 12]),
                            ("hypercube", ["--ranks", 16]), ("hypercube", ["--ranks", 64]),
                            ("a3:8", []), ("a3:2x8", []), ("servers:4x8,spines=2", []),
                            ("servers:6x4", []), ("dgx-a100:1", []), ("dgx-h100:4", []),
                            ("mi300x:2", []), ("dgx-a100:9", [])]:
        picture = Picture(ordo.works("draw", "--topology", topology, *words).out)
        vertices = [name for name in picture.nodes if re.match(r"(rank|switch)\d+$", name)]
        for i, a in enumerate(vertices):
            for b in vertices[:i]:
                wanted(math.dist(picture.place(a), picture.place(b)) > 0.38 * 72, topology, a, b)
        wanted(all(edge[2].get("pos") for edge in picture.edges), topology,
               "a line without a place")
        if topology == "torus:4x4":
            places = [picture.place(f"rank{r}") for r in range(16)]
            wanted(len({x for x, _ in places}) == len({y for _, y in places}) == 4, places)
        if topology.startswith(("full-mesh", "torus:4", "a3:8")):
            for tail, head, edge in picture.edges:
                if not tail.startswith("rank"):
                    continue
                points = [
                    tuple(map(float, pair.split(","))) for pair in edge["pos"].split(" ")
                    if not pair.startswith("e")
                ]
                for step in range(1, 20):
                    s = step / 20
                    x, y = (sum(w * p[i]
                                for w, p in zip(((1 - s)**3, 3 * s * (1 - s)**2, 3 * s * s *
                                                 (1 - s), s**3), points)) for i in (0, 1))
                    for other in vertices:
                        wanted(
                            other in (tail, head) or math.dist(
                                (x, y), picture.place(other)) > 0.21 * 72, topology, tail, head,
                            other)
        if topology.startswith("servers"):
            wanted(len(picture.clusters) == int(topology[8]), picture.clusters)
    large = ordo.works("draw", "--topology", "torus:32x32")
    wanted("drawn: 64 of 1024 ranks" in large.err, large.err)


@desk_case("a topology of any name is laid out by its links, also if a few of them are not there")
def _(ordo):
    def places(topology, *words, change=lambda document: None):
        document = strict_json.loads(ordo.works("draw", "--topology", topology, *words, "--as",
                                                "json").out)
        document["name"] = "ours"
        change(document)
        (ordo.folder / "ours.json").write_text(json.dumps(document))
        return [{
            name: picture.place(name)
            for name in picture.nodes if re.match(r"(rank|switch)\d+$", name)
        } for picture in (Picture(ordo.works("draw", "--topology", *one).out)
                          for one in ([topology, *words], ["./ours.json"]))]

    for topology, *words in [("torus:4x4", ), ("torus:3x5", ), ("torus:2x3x4", ),
                             ("hypercube", "--ranks", 16), ("servers:4x8,spines=2", ),
                             ("servers:6x4", ), ("a3:8", ), ("ring", "--ranks", 9),
                             ("full-mesh", "--ranks", 8), ("star", "--ranks", 6)]:
        named, ours = places(topology, *words)
        wanted(ours == named, topology, named, ours)

    def open_grid(document):
        """No link goes round, and one is missing."""
        document["links"] = [
            one for one in document["links"]
            if abs(one["from"] - one["to"]) in (1, 5) and {one["from"], one["to"]} != {6, 7}
            and not (abs(one["from"] - one["to"]) == 1 and one["from"] // 5 != one["to"] // 5)
        ]

    named, ours = places("torus:3x5", change=open_grid)
    wanted(ours == named, ours)
    # One link too many is another shape.
    named, ours = places("torus:4x4",
                         change=lambda document: document["links"].append(
                             {**document["links"][0], "from": 0, "to": 10}))
    wanted(ours != named, ours)


@desk_case(
    "of hundreds of links none is as wide as of a few; names of servers are away from switches")
def _(ordo):
    ordo.compile("x.json", operator="alltoall", algorithm="mesh", ranks=16)
    picture = Picture(ordo.works("draw", "x.json", "--load", "--topology", "full-mesh").out)
    widths = [width for _, _, width, _ in loads(picture).values()]
    wanted(len(widths) == 240 and 1 < max(widths) < 4, len(widths), widths[:4])
    picture = Picture(ordo.works("draw", "--topology", "servers:8x8").out)
    names = {node["label"]: picture.place(name)[1] for name, node in picture.nodes.items()
             if node.get("label", "").startswith("server ")}
    ranks = {
        server: [picture.place(f"rank{8 * server + r}")[1] for r in range(8)]
        for server in (0, 7)
    }
    wanted(names["server 0"] > max(ranks[0]) and names["server 7"] < min(ranks[7]), names, ranks)


# Topologies of up to so many ranks: (name, ranks).
SMALL = [*(("full-mesh", n) for n in range(3, 17)), *(("ring", n) for n in range(3, 17)),
         *(("star", n) for n in range(3, 17)), *(("hypercube", n) for n in (4, 8, 16)),
         ("torus:2x2", 4), ("torus:3x3", 9), ("torus:4x4", 16), ("torus:2x8", 16),
         ("torus:2x2x4", 16),
         ("a3:4", 4), ("a3:8", 8), ("a3:16", 16), ("a3:2x8", 16), ("a3:4x4", 16),
         *((f"servers:{s}x{r}", s * r)
           for s, r in [(2, 2), (2, 4), (2, 8), (4, 4), (8, 2), (3, 5)])]


def box_of(picture, name):
    """(left, right, low, high) of a node in points."""
    (x, y), node = picture.place(name), picture.nodes[name]
    width, height = 36 * float(node.get("width", 0.42)), 36 * float(node.get("height", 0.42))
    if node.get("fixedsize") != "true":
        width = max(width, float(node["fontsize"]) * ems(node["label"]) / 2)
        height = float(node["fontsize"]) * 0.7
    return x - width, x + width, y - height, y + height


def overlap(a, b):
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


@desk_case("--load: no label covers a rank, a switch or another label, with up to 16 ranks")
def _(ordo):
    marked = 0
    for topology, ranks in SMALL:
        name = f"{ranks}.json"
        if not (ordo.folder / name).exists():
            ordo.compile(name, ranks=ranks, algorithm="rhd")
        picture = Picture(ordo.works("draw", name, "--load", "--topology", topology,
                                     "--route-through-ranks").out)
        vertices = [name for name in picture.nodes if re.match(r"(rank|switch)\d+$", name)]
        labels = [name for name in picture.nodes if name not in vertices and
                  not re.match(r"sample\d+ (left|right)$", name)]
        marked += "bottleneck" in labels
        wanted(len(vertices) >= ranks and len(labels) > 3, topology, labels)
        for i, label in enumerate(labels):
            for other in [*vertices, *labels[:i]]:
                wanted(not overlap(box_of(picture, label), box_of(picture, other)), topology, ranks,
                       label, picture.nodes[label], other, picture.nodes[other])
        for name in labels:
            node = picture.nodes[name]
            needs = ems(node["label"].replace("\\l", "")) * float(node["fontsize"]) / 72
            fits = node.get("fixedsize") != "true" or float(node["width"]) >= needs
            wanted(fits, name, node, needs)
    # Where there is room for it, and there mostly is, the bottleneck is marked where it is.
    wanted(marked > 0.8 * len(SMALL), marked, len(SMALL))


# Many ranks.

def cells(picture):
    """(from, to) -> node of the links in a matrix, vertices as numbers; of runs the first."""
    return {tuple(map(int, found.groups())): node for name, node in picture.nodes.items()
            if (found := re.match(r"link(\d+) to (\d+)$", name))}


def sent_trees(document, root):
    """{(sender of each rank, ...): chunks}, of chunks that every other rank gets into its output,
    and root does not."""
    senders = {}
    for program in document["programs"]:
        for task in (task for stream in program["streams"] for task in stream["tasks"]):
            if task["task"] == "Send" and task["dst"][0] == "output":
                for chunk in range(task["chunk"], task["chunk"] + task.get("count", 1)):
                    senders.setdefault(chunk, {})[task["peer"]] = program["rank"]
    trees = {}
    for one in senders.values():
        if root not in one and len(one) == document["ranks"] - 1:
            trees[tuple(sorted(one.items()))] = trees.get(tuple(sorted(one.items())), 0) + 1
    return trees


@desk_case("--trees-of: the trees of the document, each an own colour, and the load of the links")
def _(ordo):
    dead = ["--fail-link", "0-1,2-3"]
    for operator, load in [("allreduce", "load: all 52 links are equally busy"),
                           ("broadcast", "load: 42 of 52 links are as busy as the busiest"),
                           ("allgather", "links are as busy as the busiest")]:
        ordo.compile("p.json", *dead, operator=operator, ranks=8, algorithm="packing")
        trees = sent_trees(strict_json.loads((ordo.folder / "p.json").read_text()), 0)
        picture = Picture(ordo.works("draw", "p.json", "--trees-of", 0, *dead).out)
        found = {}
        for a, b, edge in picture.edges:
            if edge.get("class") == "tree":
                for colour in edge["color"].split(":"):
                    found.setdefault(colour, []).append((int(b[4:]), int(a[4:])))
        wanted(sorted(tuple(sorted(tree)) for tree in found.values()) == sorted(trees), operator,
               found, trees)
        labels = "\n".join(picture.labels())
        wanted(labels.count(" chunks, height ") == len(trees) > 0 and load in labels, labels)
        for tree, count in trees.items():
            wanted(f"{count} of {sum(trees.values())} chunks" in labels, tree, count, labels)
    # Over switches arrows go from rank to rank; and 17 trees are too many to be told apart.
    ordo.compile("p.json", "-t", "star", operator="allgather", ranks=4, algorithm="mesh")
    picture = Picture(ordo.works("draw", "p.json", "--trees-of", 3, "-t", "star").out)
    wanted(any("the only tree of rank 3" in label for label in picture.labels()), picture.labels())
    wanted({(a, b) for a, b, edge in picture.edges if edge.get("class") == "tree"} ==
           {("rank3", f"rank{rank}") for rank in range(3)}, picture.edges)
    ordo.compile("p.json", operator="broadcast", ranks=18, algorithm="packing")
    labels = "\n".join(Picture(ordo.works("draw", "p.json", "--trees-of", 0).out).labels())
    wanted("the 17 trees of rank 0" in labels and "5 trees more, not drawn" in labels, labels)


@desk_case("--trees-of: what it refuses")
def _(ordo):
    ordo.compile("ring.json")
    ordo.fails(2, r"--trees-of: found 4, wanted one of the ranks 0\.\.3", "draw", "ring.json",
               "--trees-of", 4)
    ordo.compile("r.json", algorithm="recursive-doubling")
    ordo.fails(2, "rank 0 sends no result to all others", "draw", "r.json", "--trees-of", 0)
    ordo.fails(2, "--trees-of: wanted the file of a schedule", "draw", "-t", "ring", "-n", 4,
               "--trees-of", 0)
    ordo.fails(2, "--trees-of: wanted --as dot, svg", "draw", "ring.json", "--trees-of", 0, "--as",
               "text")


def machine(servers):
    """Servers of 8 ranks in two meshes of 4, a bridge for every two ranks, two processors, and a
    card at each bridge, all of which one switch joins."""
    ranks, links = 8 * servers, []
    for server in range(servers):
        first, switch = 8 * server, ranks + 10 * server
        pairs = [(first + a, first + b) for a in range(8) for b in range(a) if a // 4 == b // 4]
        pairs += [(first + rank, switch + rank // 2) for rank in range(8)]
        pairs += [(switch + at, switch + 4 + at // 2) for at in range(4)]
        pairs += [(switch + 4, switch + 5)]
        pairs += [(switch + at, switch + 6 + at) for at in range(4)]
        pairs += [(switch + 6 + at, ranks + 10 * servers) for at in range(4)]
        links += [{"from": x, "to": y, "latency_ns": 1, "bandwidth_gbs": 1}
                  for a, b in pairs for x, y in ((a, b), (b, a))]
    return {"schema": "ordo/topology/1", "name": f"machine:{servers}x8", "ranks": ranks,
            "switches": 10 * servers + 1, "links": links}


@desk_case("machines of many switches: a row for each number of hops, nothing over anything else")
def _(ordo):
    for servers in (1, 2, 4):
        (ordo.folder / "m.json").write_text(json.dumps(machine(servers)))
        picture = Picture(ordo.works("draw", "-t", "./m.json").out)
        vertices = [name for name in picture.nodes if re.match(r"(rank|switch)\d+$", name)]
        wanted(len(vertices) == 18 * servers + 1, vertices)
        for i, one in enumerate(vertices):
            for other in vertices[:i]:
                wanted(not overlap(box_of(picture, one), box_of(picture, other)), servers, one,
                       picture.nodes[one], other, picture.nodes[other])
        rows = [{round(picture.place(f"switch{10 * server + at}")[1], 1)
                 for server in range(servers) for at in part}
                for part in (range(4), range(4, 10))]
        wanted([len(row) for row in rows] == [1, 1], rows)
        # A switch has the number that links and --fail-switch give it.
        wanted(picture.nodes["switch0"]["label"] == f"switch {8 * servers}", picture.nodes)
        wanted(not any("server" in label for label in picture.labels()), picture.labels())


@desk_case("--load of more than 16 ranks is a matrix: a cell for each link, coloured by its use")
def _(ordo):
    for topology, ranks, algorithm in [
            ("full-mesh", 17, "rhd"), ("servers:8x8", 64, "hierarchical"),
            ("torus:8x8", 64, "halving-doubling"), ("star", 32, "ring")]:
        ordo.compile("x.json", ranks=ranks, algorithm=algorithm)
        words = ["--topology", topology, *["--route-through-ranks"] * (topology == "torus:8x8")]
        done = ordo.works("draw", "x.json", "--load", *words, "--bytes", "16MiB")
        told = ordo.answer("draw", "--topology", topology, "--ranks", ranks, "--as", "json")
        links = {(link["from"], link["to"]) for link in json.loads(told["picture"])["links"]}
        picture = Picture(done.out)
        found = cells(picture)
        wanted(found.keys() == links, topology, len(found), len(links), found.keys() ^ links)
        wanted(not any(tail.startswith("rank") for tail, _, _ in picture.edges), "a web")
        # Rows go down and columns to the right, in the order of numbers; switches stand apart.
        places = {key: tuple(map(float, node["pos"].split(","))) for key, node in found.items()}
        wide = max(float(node["width"]) for node in found.values()) * 72
        for (source, target), (x, y) in places.items():
            for (source2, target2), (x2, y2) in places.items():
                if source == source2 and target < target2:
                    apart = 24 if target < ranks <= target2 else 0.9 * wide
                    wanted(x2 - x > apart, topology, source, target, target2)
                if target == target2 and source < source2:
                    wanted(y - y2 > 0.9 * wide, topology, target, source, source2)
        # One use, one colour, darker with more of it; only what is not loaded is grey.
        colours = {}
        for key, node in found.items():
            load = load_in(node["tooltip"])
            wanted((load[0] > 0) == (node["class"] in ("load", "bottleneck")), key, node)
            if load[0] > 0:
                colours.setdefault(load[1], set()).add(node["fillcolor"])
        lightness = [max(map(luminance, colours[use])) for use in sorted(colours)]
        wanted(lightness == sorted(lightness, reverse=True), topology, colours)
        most = max(colours)
        legend = " ".join(picture.labels())
        wanted(f"{most:.3g} % of the time at full bandwidth" in legend and "GB/s" in legend, legend)
        wanted(re.search(r"\d [KMG]?i?B over", legend), legend)
        if ranks == 64:
            kinds = {node["class"] for node in found.values()}
            wanted(kinds == {"load", "bottleneck", "idle"}, topology, kinds)
            wanted("bottleneck: " in legend and "without a load" in legend, legend)


@desk_case("a matrix: a link that is down is crossed out, and where no link is nothing is")
def _(ordo):
    ordo.compile("x.json", "--fail-link", "0-1", ranks=20)
    picture = Picture(ordo.works("draw", "x.json", "--load", "--fail-link", "0-1").out)
    found = cells(picture)
    down = {key for key, node in found.items() if node["class"] == "down"}
    wanted(down == {(0, 1), (1, 0)} and all(found[key]["label"] == "×" for key in down), down)
    wanted("down" in {label.replace("\\l", "") for label in picture.labels()}, picture.labels())
    wanted(not any("no link" in label for label in picture.labels()), "all others are linked")
    done = ordo.works("draw", "x.json", "--load", "--fail-link", "0-1", "-o", "x.svg")
    wanted("Warning" not in done.err, done.err)
    ordo.compile("y.json", ranks=20)
    picture = Picture(ordo.works("draw", "y.json", "--load", "--topology", "ring").out)
    wanted(len(cells(picture)) == 40 and any("no link" in label for label in picture.labels()))
    wanted("down" not in {label.replace("\\l", "") for label in picture.labels()}, picture.labels())


@desk_case("four digits are written out: 1008 B and 1000 KiB, not 1.01e+03 B")
def _(ordo):
    ordo.compile("x.json", ranks=4)
    for size, written in ("1008", "1008 B"), ("1000KiB", "1000 KiB"), ("1023", "1020 B"):
        done = ordo.works("draw", "x.json", "--load", "--topology", "full-mesh", "--size", size)
        titles = [label for label in Picture(done.out).labels() if label.startswith("AllReduce")]
        wanted(len(titles) == 1 and f" of {written} by" in titles[0], size, titles)
        wanted("e+" not in done.out, size)
    # A total between 999.5 and 1000 us.
    done = ordo.works("draw", "x.json", "--load", "--topology", "full-mesh", "--size", "16",
                      "--alpha-ns", "166622")
    titles = [label for label in Picture(done.out).labels() if label.startswith("AllReduce")]
    wanted("e+" not in done.out and titles[0].endswith("us\\l"), titles)


@desk_case("a matrix of 256 ranks is whole, and small; --ranks chooses, and of 16 a web is drawn")
def _(ordo):
    ordo.compile("x.json", ranks=256, operator="alltoall", algorithm="mesh")
    done = ordo.works("draw", "x.json", "--load", "--topology", "full-mesh")
    picture = Picture(done.out)
    found = cells(picture)
    # All cells look alike, so each row is a box before its own rank and one behind it.
    wanted(len(found) == 2 * 256 - 2 and done.err == "", len(found), done.err)
    step = 0.05 * 72
    width = sum(float(node["width"]) * 72 for node in found.values())
    wanted(abs(width - 256 * 255 * step) < 0.02 * width, width)
    wanted("so on to rank 255" in found[(0, 1)]["tooltip"], found[(0, 1)])
    part = ordo.works("draw", "x.json", "--load", "--topology", "full-mesh", "--ranks", "3,200-215")
    rows = {source for source, _ in cells(Picture(part.out))}
    wanted(rows == {3, *range(200, 216)}, rows)
    few = ordo.works("draw", "x.json", "--load", "--topology", "full-mesh", "--ranks", "0-15")
    web = Picture(few.out)
    wanted(len(loads(web)) == 240 and not cells(web), len(loads(web)))


# Of all pictures.

def all_pictures(ordo):
    """(name, SVG) of every kind of picture, small and large, sound and refuted."""
    def drawn(*words):
        done = ordo.works(*words, "--as", "svg")
        wanted("Warning" not in done.err and "Error" not in done.err, words, done.err)
        return done.out

    for ranks in 4, 16, 40:
        for algorithm in "ring", "rhd":
            ordo.compile("x.json", ranks=ranks, algorithm=algorithm)
            yield f"tasks {algorithm} {ranks}", drawn("draw", "x.json")
            yield f"time {algorithm} {ranks}", drawn("draw", "x.json", "--space-time")
            load = drawn("draw", "x.json", "--load", "--topology", "full-mesh")
            yield f"load {algorithm} {ranks}", load
            yield f"order {algorithm} {ranks}", drawn("order", "x.json", "--max-orders", 1)
    ordo.compile("ring.json", ranks=8)
    ordo.compile("levels.json", "--topology", "servers:2x4", ranks=8, algorithm="hierarchical")
    words = ["--space-time", "--topology", "servers:2x4"]
    yield "levels in time", drawn("draw", "levels.json", *words)
    yield "levels", drawn("draw", "levels.json")
    yield "graph", drawn("draw", "levels.json", "--graph")
    yield "why", drawn("order", "ring.json", "--why", "G3")
    for topology in "servers:2x4", "a3:2x8", "torus:4x4":
        yield topology, drawn("draw", "--topology", topology)
    for name in "R7-circle-of-three", "R8-two-writers-unordered", "R9-after-leaving":
        yield name, drawn("draw", REJECT / f"{name}.json")
        yield f"{name} in time", drawn("draw", REJECT / f"{name}.json", "--space-time")
        yield f"{name} as a graph", drawn("draw", REJECT / f"{name}.json", "--graph")


def ems(text):
    """About how wide it is in a wide face, in sizes of the letter."""
    narrow, wide = " iltfjIr.,:;'|!()[]/-", "mwMW%@…"
    return sum(0.34 if one in narrow else 0.92 if one in wide else 0.63 for one in text)


def texts_of(svg):
    """(text, left, right, y) as wide as a wide face has it, in units of the picture."""
    sizes = {"title": 18, "small": 10, "in": 10}
    for found in re.finditer(r"<text ([^>]*)>([^<]*)</text>", svg):
        facts = dict(re.findall(r'([\w-]+)="([^"]*)"', found[1]))
        classes = facts.get("class", "").split()
        of_class = next((sizes[one] for one in classes if one in sizes), 12)
        size = float(facts.get("font-size") or of_class)
        text = html.unescape(found[2])
        width, x = size * ems(text), float(facts["x"])
        anchor = facts.get("text-anchor")
        anchor = anchor or next((one for one in classes if one in ("middle", "end")), "")
        left = x - (width / 2 if anchor == "middle" else width if anchor == "end" else 0)
        yield text, left, left + width, float(facts["y"])


@desk_case("no text of any picture is cut at its edges, legends least")
def _(ordo):
    for name, svg in all_pictures(ordo):
        left, top, width, height = map(float, re.search(r'viewBox="([^"]+)"', svg)[1].split())
        moved = re.search(r'<g id="graph0"[^>]*translate\(([-\d.]+) ([-\d.]+)\)', svg)
        dx, dy = map(float, moved.groups()) if moved else (0, 0)
        texts = list(texts_of(svg))
        wanted(texts, name, "says nothing")
        for text, begin, end, y in texts:
            inside = left <= begin + dx and end + dx <= left + width and top < y + dy < top + height
            wanted(inside, name, text, (begin + dx, end + dx, y + dy), (left, top, width, height))
    # A name that somebody chose, as long as documents allow.
    document = json.loads((ordo.folder / "ring.json").read_text())
    document["phases"][0] = "W" * 400 + " 0"
    document["programs"][0]["streams"][0]["name"] = "stream " + "ä" * 90
    (ordo.folder / "long.json").write_text(json.dumps(document))
    for words in [], ["--space-time"]:
        done = ordo.works("draw", "long.json", "--as", "svg", *words)
        svg, width = done.out, float(re.search(r'viewBox="\S+ \S+ (\S+)', done.out)[1])
        wanted("Warning" not in done.err and re.search("stream ä+…?<", svg), words, done.err)
        [(text, _, end, _)] = [one for one in texts_of(svg) if "WWW" in one[0]]
        wanted("…" in text and len(text) > 60 and end < width, words, text, end, width)


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts))


def contrast(a, b):
    a, b = sorted((luminance(a), luminance(b)))
    return (b + 0.05) / (a + 0.05)


NAMED = {"black": "#000000", "white": "#ffffff"}


@desk_case("every picture has a dark mode: each of its colours, and words can be read")
def _(ordo):
    for name, svg in all_pictures(ordo):
        wanted("@media (prefers-color-scheme:dark)" in svg, name)
        if 'class="st"' in svg:
            continue
        style, rest = svg.split("</style>")
        dark = {(kind, light): to for light, kind, to in re.findall(
            r"\.dot \[\w+\*?=\"(?:stop-color:)?([#\w]+)\"\]\{([\w-]+):(#\w{6})", style)}
        uses = re.findall(r'[ "](fill|stroke|stop-color)(?:="|:)([#\w]+)', rest)
        used = {use for use in uses if use[1] not in ("none", "transparent", "url")}
        wanted(used == set(dark), name, used ^ set(dark))
        text = re.search(r"\.dot text\{fill:(#\w{6})\}", style)[1]
        paper = dark[("fill", "white")]
        wanted(luminance(paper) < 0.02 and contrast(text, paper) > 12, name, paper, text)
        for node in re.findall(r'<g id="node.*?</g>\s*(?=<!--|</g>)', rest, re.S):
            fills = re.findall(r'<(?:polygon|ellipse|path)[^>]* fill="([#\w]+)"', node)
            below = dark[("fill", fills[0])] if fills and ("fill", fills[0]) in dark else paper
            for words in re.findall(r"<text[^>]*>", node):
                colour = re.search(r'fill="([#\w]+)"', words)
                above = dark[("fill", colour[1])] if colour else text
                ground = fills[0] if fills and ("fill", fills[0]) in dark else "white"
                letters = colour[1] if colour else "black"
                light = contrast(NAMED.get(letters, letters), NAMED.get(ground, ground))
                wanted(contrast(above, below) > min(4, 0.7 * light), name, node, above, below)


@desk_case("legends tell of what is seen and of nothing else")
def _(ordo):
    def told(*words):
        return {text for text, *_ in texts_of(ordo.works("draw", *words, "--as", "svg").out)}

    forms = {"Send", "SendReduce", "LocalCopy", "LocalReduce", "waiting", "critical path",
             "Notify to its Wait", "chunk 3 to rank 1", "at fault"}
    # Copies take no time unless a bandwidth of memory is given: nor is their phase seen.
    ordo.compile("bruck.json", algorithm="alltoall(method=bruck)", operator="alltoall", ranks=7)
    seen = told("bruck.json", "--space-time")
    wanted("all-to-all 0-2" in seen, seen)
    wanted(not seen & {"copy in", "LocalCopy", "SendReduce", "at fault"}, seen)
    wanted({"Send", "critical path", "chunk 3 to rank 1"} <= seen, seen)
    seen = told("bruck.json")
    wanted({"copy in", "all-to-all 0-2"} <= seen, seen)
    # Of a part of the phases, those; and no name of others.
    ordo.compile("ring.json", ranks=8)
    for words in [], ["--space-time"]:
        seen = told("ring.json", "--phases", "2-3", *words)
        wanted("reduce-scatter 2-3" in seen and not any("all-gather" in one for one in seen), seen)
        seen = told("ring.json", *words)
        wanted({"reduce-scatter 0-6", "all-gather 0-6"} <= seen, seen)
    ordo.compile("one.json", ranks=1)
    seen = told("one.json", "--space-time")
    wanted(seen & forms <= {"LocalCopy", "critical path"} and "copy in" in seen, seen)
    # Values of a load are those of links.
    for name, topology in [("ring.json", "full-mesh"), ("bruck.json", "full-mesh"),
                           ("ring.json", "servers:2x4")]:
        picture = Picture(ordo.works("draw", name, "--load", "--topology", topology).out)
        found = loads(picture).values()
        words = [label.replace("\\l", "") for label in picture.labels()]
        uses = {float(one[1]) for label in words if (one := re.match(r"([\d.]+) %", label))}
        sizes = {float(one[1]) * UNITS[one[2]] for label in words
                 if (one := re.match(r"([\d.]+) ([KM]?i?B)( over|$)", label))}
        wanted(uses and uses <= {use for _, use, _, _ in found}, name, uses)
        wanted(sizes and sizes <= {size for size, _, _, _ in found}, name, sizes)
        wanted(max(uses) == max(use for _, use, _, _ in found), name, uses)


@desk_case("a name that says what a topology is not, and a schedule that cannot be predicted")
def _(ordo):
    path = ordo.folder / "named.json"
    path.write_text(
        json.dumps({
            "schema": "ordo/topology/1", "name": "torus:99999999x9", "ranks": 3, "switches": 1,
            "links": [{"from": 0, "to": 1, "latency_ns": 1, "bandwidth_gbs": 1}]
        }))
    wanted("rank2" in Picture(ordo.works("draw", "--topology", "./named.json").out).nodes)
    ordo.compile("ring.json")
    ordo.fails(2, "--output: found x.gif, wanted a name in .svg, ", "draw", "ring.json", "-o",
               "x.gif")
    ordo.fails(2, "`ordo view` writes HTML", "draw", "ring.json", "--space-time", "-o",
               "x.html")
    ordo.fails(2, "--load: wanted the file of a schedule", "draw", "--load", "--topology", "ring",
               "--ranks", 4)
    ordo.fails(2, "--load: wanted --as dot, svg", "draw", "ring.json", "--load", "--topology",
               "ring", "--as", "table")
    ordo.fails(2, "--graph, --load, --space-time and --trees-of: give one of them", "draw",
               "ring.json", "--load", "--space-time", "--topology", "ring")
    ordo.fails(1, r"R7", "draw", REJECT / "R7-both-wait-first.json", "--load", "--topology",
               "full-mesh", "-o", "x.svg")
    ordo.fails(2, "torus", "draw", "ring.json", "--load", "--topology", "torus:2x3", "-o", "x.svg")
    wanted(ordo.names() == ["named.json", "ring.json"], ordo.names())


# Trees.


@desk_case(
    "two trees side by side: what differs first is red in both, its leaves are marked, and the "
    "numbers are told"
)
def _(ordo):
    ordo.compile("ring.json", ranks=8)
    ordo.compile("dyadic.json", ranks=8, algorithm="dyadic")
    answer = ordo.answer("diff", "ring.json", "dyadic.json")["comparisons"][0]
    done = ordo("diff", "ring.json", "dyadic.json", "--as", "dot")
    wanted(done.returncode == 1, done.err)
    picture = Picture(done.out)
    red = [name for name, node in picture.nodes.items() if node.get("fillcolor") == "#ff9b94"]
    wanted([name.split()[0] for name in red] == ["0", "1"], red)

    def leaves_of(name):
        below = [head for tail, head, _ in picture.edges if tail == name]
        return sum((leaves_of(head)
                    for head in below), []) if below else [int(picture.nodes[name]["label"])]

    for name, tree in zip(red, answer["node"]["trees"]):
        wanted(sorted(leaves_of(name)) == sorted(map(int, re.findall(r"\d+", tree))), name, tree)
    marked = {
        int(node["label"])
        for node in picture.nodes.values() if node.get("fillcolor") == "#ffe3a3"
    }
    wanted(marked == set(answer["node"]["leaves"]), marked)
    wanted({"ring.json\\l", "dyadic.json\\l"} <= set(picture.labels()), picture.labels())
    wanted(any("first difference" in label for label in picture.labels()))
    side = [picture.place(name)[0] for name in red]
    wanted(side[0] < side[1], "side by side")
    same = ordo.works("diff", "ring.json", "ring.json", "-o", "same.svg")
    wanted("nothing is drawn" in same.err and not (ordo.folder / "same.svg").exists(), same.err)


@desk_case("order --why draws a refuted guarantee; --chunks the trees of single copies")
def _(ordo):
    ordo.compile("ring.json", ranks=8)
    picture = Picture(ordo.works("order", "ring.json", "--why", "G3", "--as", "dot").out)
    wanted(len([1 for node in picture.nodes.values() if node.get("fillcolor") == "#ff9b94"]) == 2)
    wanted("G3 does not hold: chunk 0 on rank 0\\l" in picture.labels(), picture.labels())
    ordo.fails(2, "--why G1: it is not refuted", "order", "ring.json", "--why", "G1", "--as", "dot")
    ordo.fails(2, "--why: found G9", "order", "ring.json", "--why", "G9", "--as", "dot")
    ordo.fails(2, "--why draws: wanted --as or -o", "order", "ring.json", "--why", "G3")
    text = ordo.works("order", "ring.json", "--chunks", "3", "--ranks", "1-2").out
    wanted(text.count("ring from 4") == 2 and "chunk 3 on rank 2" in text, text)
    copies = ordo.answer("order", "ring.json", "--chunks", "0,3")["copies"]
    wanted([(copy["chunk"], copy["rank"]) for copy in copies] == [(0, 0), (3, 0)], copies)
    drawn = Picture(
        ordo.works("order", "ring.json", "--chunks", "3", "--ranks", "1-2", "--as", "dot").out)
    wanted(drawn.labels().count("+") == 14, drawn.labels())
    ordo.fails(2, "--chunks: found 8, wanted numbers of 0..7", "order", "ring.json", "--chunks",
               "8")
    ordo.compile("scatter.json", ranks=4, operator="reduce-scatter")
    ordo.fails(2, "--ranks: none of these ranks has one of these chunks", "order", "scatter.json",
               "--chunks", "1", "--ranks", "0")


@desk_case("a difference that is cut away shows in the box that stands for it")
def _(ordo):
    ordo.compile("ring.json", ranks=64)
    ordo.compile("dyadic.json", ranks=64, algorithm="dyadic")
    picture = Picture(ordo("diff", "ring.json", "dyadic.json", "--as", "dot").out)
    for side in "01":
        red = [
            node for name, node in picture.nodes.items()
            if name.startswith(f"{side} ") and node.get("fillcolor") == "#ff9b94"
        ]
        wanted(len(red) == 1, side, red)


if not shutil.which("dot"):
    print("1..0 # SKIP Graphviz is not installed")
    sys.exit(0)
cases[:] = [one for one in cases if one[0].startswith(LAYOUT) == ("layout" in sys.argv)]
run_cases()
