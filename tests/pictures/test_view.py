#!/usr/bin/env python3
"""test_view.py ORDO REJECT EXAMPLES - the page of `ordo view`, as a headless Chromium shows it,
held against the document it shows.

What slots hold is evaluated here once more, from the document alone. Without Chromium the whole
test is skipped.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import strict_json
import browser
from one_run import Run
from tap import case, run_cases, wanted

if browser.missing():
    print(f"1..0 # SKIP {browser.missing()}: nothing shows the page")
    sys.exit(0)

ORDO = os.path.abspath(sys.argv[1])
HERE = pathlib.Path(__file__).absolute().parent
REJECT, EXAMPLES = (pathlib.Path(path).absolute() for path in sys.argv[2:4])
AT_LENGTH = os.environ.get("ORDO_TESTS") == "long"
FOLDER = tempfile.TemporaryDirectory()
os.chdir(FOLDER.name)
BROWSER = browser.Browser()


def ordo(*words):
    done = subprocess.run([ORDO, *map(str, words)], capture_output=True, text=True, timeout=120)
    wanted(done.returncode == 0, words, done.returncode, done.stderr)
    return done


def compiled(name, operator, ranks, algorithm, *words):
    """The path of a document, made once."""
    if not os.path.exists(name):
        ordo("compile", operator, "--ranks", ranks, "--algorithm", algorithm, "-o", name, *words)
    return name


def viewed(document, *words, where=""):
    """Opens the page of a document, made once for its options; returns how long that took.
    Nothing may be logged."""
    page = re.sub(r"\W+", "-", "-".join(map(str, [pathlib.Path(document).name, *words]))) + ".html"
    if not os.path.exists(page):
        ordo("view", document, "-o", page, *words)
    took = BROWSER.open(page, where)
    wanted(
        BROWSER.run("return document.documentElement.dataset.ready") == "yes", page, BROWSER.log())
    quiet()
    return took


def quiet():
    log = BROWSER.log()
    wanted(not log, "logged:", *log)


def browser_case(sentence):
    def register(function):
        def run():
            BROWSER.size(1440, 900)
            BROWSER.emulate(prefers_color_scheme="light", prefers_reduced_motion="reduce")
            function()
            quiet()
        return case(sentence)(run)
    return register


def ring8():
    return compiled("ring.json", "allreduce", 8, "ring", "--fail-link", "0-1")


class Machine:
    """What slots hold, from the document alone: of every sum its smallest shard and its text."""

    def __init__(self, document):
        self.document = document
        self.ranks, self.chunks = document["ranks"], document["chunks_per_block"]
        self.one_run = Run(document)
        self.slots = {(rank, "input", slot): (shard, str(shard))
                      for rank in range(self.ranks) for slot, shard in enumerate(self.inputs(rank))}
        self.chunk = {(rank, "input", slot): self.input_chunk(rank, slot)
                      for rank, _, slot in self.slots}

    def inputs(self, rank):
        n, k = self.ranks, self.chunks
        return {
            "AllReduce": [rank] * k, "Reduce": [rank] * k, "ReduceScatter": [rank] * n * k,
            "AllGather": [rank] * k, "AllToAll": [rank] * n * k,
            "Broadcast": [rank] * k if rank == self.document.get("root") else []
        }[self.document["operator"]]

    def input_chunk(self, rank, slot):
        n, k = self.ranks, self.chunks
        return {"AllGather": rank * k + slot, "AllToAll": rank * n * k + slot}.get(
            self.document["operator"], slot)

    def letters(self, place):
        """What a cell says: its letters, and of a sum the chunk."""
        if place not in self.slots:
            return ["", None]
        n, k, chunk, tree = self.ranks, self.chunks, self.chunk[place], self.slots[place][1]
        if "+" in tree:
            return [f"Σ{tree.count('+') + 1}", f"c{chunk}"]
        if self.document["operator"] in ("AllReduce", "ReduceScatter", "Reduce"):
            return [f"r{tree}", f"c{chunk}"]
        if self.document["operator"] == "AllToAll":
            return [f"{chunk // k // n}→{chunk // k % n}" + (f".{chunk % k}" if k > 1 else ""),
                None]
        return [f"c{chunk}", None]

    def take(self, stream):
        """The next task of a stream, which must be able to go."""
        rank, _, tasks = self.one_run.streams[stream]
        task = tasks[self.one_run.at[stream]]
        self.one_run.at[stream] += 1
        if task["task"] in ("Notify", "Wait"):
            wanted(self.one_run.signal(rank, task), "waited for nothing", rank, task)
            return
        for k in range(task.get("count", 1)):
            source, target = (rank, task["src"][0],
                              task["src"][1] + k), (task.get("peer", rank), task["dst"][0],
                                                    task["dst"][1] + k)
            tree = self.slots[source]
            if task["task"].endswith("Reduce"):
                first, second = sorted([self.slots[target], tree])
                tree = first[0], f"({first[1]}+{second[1]})"
            self.slots[target] = tree
            self.chunk[target] = task["chunk"] + k


LETTERS = """page.buffers.open = page.buffers.most.map(most => most > 0);
page.buffers.build(); page.buffers.showAll();
return [...document.querySelectorAll('.cell[data-slot]')]
  .map(node => [node.dataset.slot, node.textContent, node.dataset.chunk ?? null]);"""


CONTENTS = """const found = {}; const model = page.model;
for (const [rank, memory] of model.memory)
for (let buffer = 0; buffer < 3; buffer++)
for (let slot = 0; slot < memory.slots[buffer]; slot++) {
  const tree = model.contents(model.cell(rank, buffer, slot));
  if (tree >= 0) found[`${rank} ${BUFFERS[buffer]} ${slot}`] = model.trees.text(tree, 1000); }
return found;"""


def compare(document, steps):
    """Contents of the page after so many steps against those of a machine that takes the same
    steps."""
    machine = Machine(strict_json.loads(pathlib.Path(document).read_text()))
    order = BROWSER.run("return [...page.model.order].map(task => page.model.streamOf[task])")
    wanted(
        len(order) == sum(len(tasks) for *_, tasks in machine.one_run.streams),
        "not all tasks are steps")
    for step in range(len(order) + 1):
        if step in steps:
            BROWSER.run("page.go(arguments[0])", step)
            expected = {
                f"{rank} {buffer} {slot}": tree[1]
                for (rank, buffer, slot), tree in machine.slots.items()
            }
            found = BROWSER.run(CONTENTS)
            wanted(
                found == expected, f"step {step}", {
                    key: (found.get(key), expected.get(key))
                    for key in found.keys() | expected.keys() if found.get(key) != expected.get(key)
                })
            for slot, *said in BROWSER.run(LETTERS):
                rank, buffer, number = map(int, slot.split())
                right = machine.letters((rank, ("input", "output", "scratch")[buffer], number))
                wanted(said == right, f"step {step}: {slot} says {said}, holds {right}")
        if step < len(order):
            machine.take(order[step])
    return machine


@browser_case("the page says what it shows, is proved, and tells the command that made it")
def _():
    viewed(ring8(), "--fail-link", "0-1")
    wanted(BROWSER.run("return document.title") == "AllReduce on 8 ranks by ring")
    wanted(
        BROWSER.text("#verdict") == "Proved" and BROWSER.text("#algorithm") == "ring",
        BROWSER.text("header"))
    facts = BROWSER.text("#facts")
    wanted(
        "8 ranks" in facts and "366 tasks" in facts and "full-mesh" in facts
        and " for 1 MiB" in facts, facts)
    wanted(
        BROWSER.text("#command") ==
        "ordo view ring.json -o ring-json-fail-link-0-1.html --fail-link 0-1",
        BROWSER.text("#command"))
    wanted(not BROWSER.seen("#sample"), "all of it is shown")


@browser_case("the page needs nothing from outside, and may ask for nothing")
def _():
    viewed(ring8(), "--fail-link", "0-1")
    text = pathlib.Path("ring-json-fail-link-0-1.html").read_text()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text).group(1)
    wanted(policy.startswith("default-src 'none';") and "unsafe" not in policy, policy)
    wanted(not re.search(r"https?:|\bsrc=|\bhref=|@import|url\(", text),
           "something outside is named")
    blocked = BROWSER.run(
        """const script = document.createElement('script');
        script.textContent = 'window.escaped = 1'; document.body.append(script);
        return window.escaped === undefined""")
    wanted(blocked and any("Content Security Policy" in line for line in BROWSER.log()),
           "a script of somebody else ran")


@browser_case("after every step every slot holds, and says, what a machine of its own finds")
def _():
    for document in [
            ring8(),
            compiled("birs.json", "reducescatter", 8, "birs"),
            compiled("place.json", "allreduce", 6, "ring(directions=2)", "--in-place"),
            compiled("gather.json", "allgather", 5, "ring"),
            compiled("cast.json", "broadcast", 4, "mesh", "--root", 2),
            compiled("all.json", "alltoall", 4, "alltoall(method=bruck)", "--chunks", 2)
    ]:
        viewed(document)
        steps = BROWSER.run("return page.model.nstep")
        if document == "place.json":
            # In place there is one memory: what the input is called is what the output is.
            last = BROWSER.run(
                "page.go(page.model.nstep); const m = page.model; return m.contents(m.cell(1, 0, "
                "3)) === m.contents(m.cell(1, 1, 3)) && m.cell(1, 0, 3) === m.cell(1, 1, 3)"
            )
            wanted(last, "input and output differ in place")
            continue
        compare(document, set(range(0, steps, max(1, steps // 4))) | {steps})


@browser_case(
    "the last step has the trees that `ordo order` names, and the page says that they are the "
    "proved ones"
)
def _():
    viewed(ring8())
    BROWSER.click("#last")
    orders = strict_json.loads(ordo("order", ring8(), "--json").stdout)
    trees = {one["tree"] for one in orders["orders"]}
    outputs = BROWSER.run(
        "const m = page.model; return m.shown.flatMap(rank => "
        "[...m.memory.get(rank).outputChunk].map((chunk, slot) => "
        "m.trees.text(m.contents(m.cell(rank, 1, slot)), 1000)))"
    )
    wanted(set(outputs) == trees and len(outputs) == 64, set(outputs) ^ trees)
    wanted("all 64 output slots hold the trees that were proved" in BROWSER.text("#proof"),
           BROWSER.text("#proof"))
    # A page that steps wrongly would say so.
    wrong = BROWSER.run(
        "const m = page.model; m.final[0]; m.seek(m.nstep - 40); const found = "
        "m.compareWithProof(m.data); m.seek(m.nstep); return found.different"
    )
    wanted(wrong > 0, "forty steps before the end all was right already")


@browser_case("steps go forwards and back, by task, by time and by phase, and back is where it was")
def _():
    viewed(ring8())
    position = lambda: BROWSER.run("return page.step")
    BROWSER.click("#first")
    before = BROWSER.run(CONTENTS)
    BROWSER.click("[data-unit=task]")
    for wished in 1, 2, 3:
        BROWSER.click("#forward")
        wanted(position() == wished, position())
    BROWSER.click("#back")
    wanted(position() == 2 and BROWSER.text("#step") == "2 / 366", BROWSER.text("#step"))
    BROWSER.click("[data-unit=moment]")
    BROWSER.click("#forward")
    ends = BROWSER.run(
        "return [page.model.end[page.model.order[page.step - 1]], "
        "page.model.end[page.model.order[page.step]]]"
    )
    wanted(ends[0] < ends[1], "time did not go on", ends)
    BROWSER.click("[data-unit=phase]")
    BROWSER.click("#forward")
    wanted(position() in BROWSER.run("return page.model.phaseEnds"))
    BROWSER.run(
        "let seed = 7; for (let i = 0; i < 60; i++) { seed = seed * 48271 % 2147483647; "
        "page.go(seed % 367); } page.go(0)"
    )
    wanted(BROWSER.run(CONTENTS) == before, "after a walk the first step is another")


@browser_case(
    "a slot that is pressed shows its tree, as text and as a picture, and how it came there")
def _():
    viewed(ring8())
    BROWSER.click("#last")
    BROWSER.click('[data-slot="3 1 4"]')
    wanted(BROWSER.seen("#slot") and not BROWSER.seen("#tasks"))
    tree = BROWSER.text("#slot-tree")
    found = {one["tree"] for one in strict_json.loads(ordo("order", ring8(),
                                                           "--json").stdout)["orders"]}
    wanted(tree in found, tree, found)
    wanted(
        BROWSER.run("return document.querySelectorAll('#slot .tree-sum').length") == 7
        and BROWSER.run("return document.querySelectorAll('#slot .tree-leaf').length") == 8)
    # Its history leads back: before the first write it was empty.
    BROWSER.click("#slot .history button")
    wanted(BROWSER.run("return page.step < page.model.nstep"), "the history went nowhere")
    BROWSER.click("#first")
    wanted(BROWSER.text("#slot-tree") == "undefined", BROWSER.text("#slot-tree"))


@browser_case("the arrow at a Wait leads to the Notify whose token it takes, on its rank, and back")
def _():
    viewed(ring8())
    BROWSER.press("Home")
    wait = BROWSER.run(
        "return [...page.model.kind].findIndex((kind, task) => kind === WAIT && "
        "page.model.rankOf[task] === 0)"
    )
    BROWSER.run(
        "window.flashed = []; new MutationObserver(() => document.querySelectorAll('.flash')"
        ".forEach(row => window.flashed.push(row.id))).observe(document.body, "
        "{attributes: true, childList: true, subtree: true})")
    BROWSER.click(f"#task-{wait} .jump")
    notify, rank, text = BROWSER.run(
        "const task = page.task, m = page.model; return [task, m.rankOf[task], m.taskText(task)]")
    wanted(text.startswith("Notify 0 signal") and BROWSER.run("return page.rank") == rank, text)
    wanted(
        BROWSER.run("return window.flashed.includes('task-' + arguments[0])", notify),
        "nothing marks it")
    wanted(
        BROWSER.seen(f"#task-{notify}") and BROWSER.text("#tasks h3") == f"Rank {rank}",
        BROWSER.text("#tasks h3"))
    BROWSER.click(f"#task-{notify} .jump")
    wanted(BROWSER.run("return page.task") == wait and BROWSER.run("return page.rank") == 0)


@browser_case("search finds tasks by all their words, whole numbers, and goes there")
def _():
    viewed(ring8())
    document = strict_json.loads(pathlib.Path(ring8()).read_text())
    tasks = [(program["rank"], task) for program in document["programs"]
             for stream in program["streams"] for task in stream["tasks"]]
    for question, holds in [
        ("sendreduce", lambda rank, task: task["task"] == "SendReduce"),
        ("rank 3 wait", lambda rank, task: rank == 3 and task["task"] == "Wait"),
        ("send 2 chunk 7",
         lambda rank, task: task["task"] == "Send" and task["peer"] == 2 and task["chunk"] == 7),
        ("nothing like that", lambda rank, task: False)
    ]:
        BROWSER.type("#search", question)
        count = sum(holds(rank, task) for rank, task in tasks)
        wanted(
            BROWSER.text("#results .facts") ==
            f"{count} task{'' if count == 1 else 's'} found, by time", question,
            BROWSER.text("#results .facts"), count)
    BROWSER.type("#search", "rank 3 task 4")
    wanted(
        BROWSER.text("#results .facts") == "1 task found, by time", "tasks 40 to 44 are no task 4",
        BROWSER.text("#results .facts"))
    BROWSER.type("#search", "rank 3 wait")
    BROWSER.press("ArrowDown", "Enter")
    wanted(
        BROWSER.run(
            "const m = page.model; return m.rankOf[page.task] === 3 && m.kind[page.task] === WAIT "
            "&& page.step === m.doneAt[page.task]"
        ))
    wanted(not BROWSER.seen("#results"))
    BROWSER.type("#search", "rank 5 send 6 chunk 1")
    BROWSER.click("#found-0")
    wanted(
        BROWSER.run("const m = page.model; return m.taskText(page.task)").startswith(
            "Send 6 chunk 1 ") and not BROWSER.seen("#results"))
    wanted(
        BROWSER.run("return page.rank") == 5
        and BROWSER.run("return page.step === page.model.doneAt[page.task]"))


@browser_case("filters leave ranks and phases out, and can be cleared")
def _():
    viewed(ring8())
    BROWSER.type("#ranks", "2-3,6")
    wanted(
        BROWSER.run(
            "return [...page.buffers.rows].filter(([, row]) => !row.hidden).map(([rank]) => rank)")
        == [2, 3, 6])
    wanted(BROWSER.run("return document.querySelectorAll('.rank.faint').length") == 5)
    BROWSER.type("#ranks", "2-x")
    wanted(
        BROWSER.run("return document.querySelector('#ranks').getAttribute('aria-invalid')") ==
        "true")
    BROWSER.click("#unfilter") if BROWSER.seen("#unfilter") else BROWSER.type("#ranks", " ")
    wanted(BROWSER.run("return page.ranks") is None)
    BROWSER.click(".phase")
    faint = BROWSER.run(
        "const m = page.model; return [...Array(m.ntask).keys()].filter(task => "
        "!page.hasTask(task)).every(task => !m.phaseName(task).startsWith('reduce-scatter')) && "
        "page.phases !== null"
    )
    wanted(faint, "another phase than the one pressed")
    BROWSER.click("#unfilter")
    wanted(BROWSER.run("return page.phases") is None and not BROWSER.seen("#unfilter"))


@browser_case(
    "keys: arrows, space, Home, End, slash, question mark, digits and d; in a field they are "
    "letters"
)
def _():
    viewed(ring8())
    at = lambda: BROWSER.run("return page.step")
    BROWSER.press("Home", "ArrowRight", "ArrowRight")
    second = at()
    wanted(second == BROWSER.run("return page.model.moments[2]"), second)
    BROWSER.press("ArrowLeft")
    wanted(at() == BROWSER.run("return page.model.moments[1]"), at())
    BROWSER.press("End")
    wanted(at() == 366, at())
    BROWSER.press("Home", "1", "ArrowRight")
    wanted(at() == 1, at())
    BROWSER.press("Space")
    wanted(
        BROWSER.run("return page.playing") and
        BROWSER.run("return document.querySelector('#play').getAttribute('aria-label')") == "pause")
    BROWSER.press("Space")
    wanted(not BROWSER.run("return page.playing"))
    BROWSER.press("?")
    wanted(BROWSER.run("return document.querySelector('#keys').open"))
    BROWSER.press("Escape", "/")
    wanted(BROWSER.run("return document.activeElement.id") == "search")
    here = at()
    BROWSER.press("d", "1", "ArrowRight")
    wanted(
        BROWSER.run("return document.activeElement.value") == "d1" and at() == here,
        "letters typed were keys")
    BROWSER.press("Escape", "d")
    wanted(BROWSER.run("return document.documentElement.dataset.theme") == "dark")
    # In the grid arrows go from slot to slot.
    BROWSER.run("document.querySelector('.grid').focus()")
    BROWSER.press("ArrowDown", "ArrowDown", "ArrowRight")
    wanted(
        BROWSER.run("return page.slot") == [1, 0, 1] and at() == here,
        BROWSER.run("return page.slot"))


@browser_case("it plays to its end, and the strip goes to the time that is pressed")
def _():
    viewed(ring8())
    BROWSER.run("page.speed = 40; page.play()")
    for _ in range(60):
        if not BROWSER.run("return page.playing"):
            break
        BROWSER.run("return new Promise(done => setTimeout(done, 50))")
    wanted(BROWSER.run("return page.step") == 366, BROWSER.run("return page.step"))
    middle = BROWSER.run(
        """const box = document.querySelector('#strip'), at = box.getBoundingClientRect();
        const event = new PointerEvent('pointerdown',
          {clientX: at.left + page.strip.xOf(page.strip.ticks() / 2), clientY: at.top + 20,
          pointerId: 1});
        box.setPointerCapture = () => {}; box.dispatchEvent(event);
        return [page.step, page.model.timeAt(page.step), page.strip.ticks()]""")
    wanted(0 < middle[0] < 366 and middle[2] * 0.35 < middle[1] <= middle[2] / 2 + 1, middle)
    wanted(
        BROWSER.run("return document.querySelector('#strip').getAttribute('aria-valuetext')").
        startswith(f"step {middle[0]} of 366"))


def luminance(colour):
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = [
        one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055)**2.4 for one in channels
    ]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@browser_case("dark where the reader's machine is, or by the button; letters stand out in both")
def _():
    ground = lambda: luminance(BROWSER.run("return getComputedStyle(document.body).backgroundColor")
                               )
    for scheme, dark in ("light", False), ("dark", True):
        BROWSER.emulate(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
        viewed(ring8(), where="#step=100")
        wanted((ground() < 0.05) == dark, scheme, ground())
        pairs = BROWSER.run(
            """const behind = node => {
              for (; node; node = node.parentElement) {
                const colour = getComputedStyle(node).backgroundColor;
                if (colour !== 'rgba(0, 0, 0, 0)') return colour; } };
            page.showTab('proof'); const found = [];
            for (const node of document.querySelectorAll('h1, .facts, .badge, ' +
                '.cell, .task .words, .hint, .state, .part-range, #time, .made, ' +
                '[role=tab], .unit, .phase, .toggle, .task .number'))
              if (node.textContent.trim() && !node.classList.contains('faint'))
                found.push([getComputedStyle(node).color, behind(node),
                  node.className + ': ' + node.textContent.slice(0, 20)]);
            return found""")
        for ink, paper, what in pairs:
            light, deep = sorted([luminance(ink), luminance(paper)], reverse=True)
            wanted((light + 0.05) / (deep + 0.05) >= 4.5, f"{scheme}: {what}: {ink} on {paper}",
                   (light + 0.05) / (deep + 0.05))
        wanted(len(pairs) > 100, len(pairs))
    BROWSER.click("#theme")
    wanted(ground() > 0.5)


@browser_case("everything that can be pressed has a name, and nothing is wider than a telephone")
def _():
    viewed(ring8())
    nameless = BROWSER.run(
        """return [...document.querySelectorAll('button, input, select, ' +
          '[role=slider], [role=grid], [role=listbox], [role=img], [tabindex]')]
        .filter(node => !(node.getAttribute('aria-label') || node.getAttribute('aria-labelledby') ||
          node.textContent.trim() || node.closest('label')?.textContent.trim())).map(node =>
          node.outerHTML.slice(0, 80))"""
    )
    wanted(not nameless, *nameless)
    for width in 390, 820, 1440:
        BROWSER.size(width, 844)
        wanted(
            BROWSER.run("return document.scrollingElement.scrollWidth") <= width, width,
            BROWSER.run("return document.scrollingElement.scrollWidth"))
        wanted(BROWSER.seen("#stage svg") and BROWSER.seen(".cell") and BROWSER.seen("#forward"))


@browser_case("the proof: rules, guarantees, and the two trees and the numbers that refute one")
def _():
    viewed(ring8(), "--fail-link", "0-1", "--max-streams", 4)
    BROWSER.click("#verdict")
    rules = BROWSER.run(
        "return Object.fromEntries([...document.querySelectorAll('[data-rule]')].map(node => "
        "[node.dataset.rule, node.dataset.state]))"
    )
    wanted(rules == {f"R{i}": "holds" for i in range(1, 14)}, rules)
    states = BROWSER.run(
        "return Object.fromEntries([...document.querySelectorAll('[data-guarantee]')].map(node => "
        "[node.dataset.guarantee, node.dataset.state]))"
    )
    judged = strict_json.loads(ordo("verify", ring8(), "--fail-link", "0-1",
                                    "--json").stdout)["guarantees"]
    wanted(
        states == {name: one["verdict"]
                   for name, one in judged.items()} and states["G3"] == "does not hold", states)
    example = BROWSER.text("[data-guarantee=G3] .counterexample")
    for element in judged["G3"]["counterexample"]["elements"]:
        wanted(element["tree"] in example and f"chunk {element['chunk']}" in example, example)
    viewed(ring8())
    wanted(
        BROWSER.run("return document.querySelector('[data-rule=R12]').dataset.state") ==
        "not checked: no topology was given")


@browser_case("G4 and G5 are judged against another schedule: what differs, here and there")
def _():
    around = compiled("whole.json", "allreduce", 8, "ring", "--topology", "full-mesh")
    viewed(ring8(), "--fail-link", "0-1", "--against", around)
    states = BROWSER.run(
        "return Object.fromEntries([...document.querySelectorAll('[data-guarantee]')].map(node => "
        "[node.dataset.guarantee, node.dataset.state]))"
    )
    between = strict_json.loads(subprocess.run([ORDO, "diff", ring8(), around, "--json"],
                                               capture_output=True,
                                               text=True).stdout)["comparisons"][0]
    wanted(
        states["G4"] == between["G4"]["verdict"] == "does not hold"
        and states["G5"] == between["G5"]["verdict"], states, between)
    example = BROWSER.text("[data-guarantee=G4] .counterexample")
    wanted("here: rank 0, chunk 1" in example and "whole.json: rank 0, chunk 1" in example, example)
    wanted(all(tree in example for tree in between["differing"][0]["trees"]), example,
           between["differing"][0])


@browser_case(
    "a guarantee says what it means where it holds, and what it would mean where it does not")
def _():
    said = lambda name: BROWSER.text(f"[data-guarantee={name}]")
    viewed(ring8())
    wanted("If it held, an element's bits would depend neither" in said("G3"), said("G3"))
    wanted("67108864 from rank 2" in said("G3"), said("G3"))
    wanted("copy of a chunk has the same bits" in said("G1") and "would" not in said("G1"),
        said("G1"))
    for name in "G4", "G5":
        wanted("--against" in said(name) and "If it held" in said(name), said(name))
    # Sums of integers have no order that matters, and still many trees.
    viewed(ring8(), "--type", "i32")
    wanted("i32 sum is associative" in said("G3"), said("G3"))
    wanted("An element's bits depend neither" in said("G3") and "All chunks" not in said("G3"),
        said("G3"))
    viewed(compiled("dyadic.json", "allreduce", 8, "dyadic"))
    wanted("All chunks are summed in one order. An element's bits depend" in said("G3").replace(
        ".A", ". A"), said("G3"))
    viewed(compiled("gather.json", "allgather", 5, "ring"))
    wanted("AllGather adds nothing: it has no order" in BROWSER.text("#proof"),
        BROWSER.text("#proof"))
    wanted(all("would" in said(f"G{i}") for i in range(1, 6)), said("G1"))
    viewed(compiled("shards.json", "allreduce", 4, "ring", "--shards", 8))
    wanted("from shard" in said("G3") and "from rank" not in said("G3"), said("G3"))
    viewed(REJECT / "R8-notify-before-its-data.json")
    wanted(not BROWSER.seen("[data-guarantee]") and "Not checked" in BROWSER.text("#proof"),
        BROWSER.text("#proof"))


@browser_case("it opens in the middle with data in flight, unless the address names a step")
def _():
    under_way = "return document.querySelectorAll('.token:not(.notify)').length"
    for document in [ring8(), compiled("birs.json", "reducescatter", 8, "birs"),
                     compiled("cast.json", "broadcast", 4, "mesh", "--root", 2),
                     compiled("pairs.json", "alltoall", 8, "alltoall")]:
        viewed(document)
        part = BROWSER.run("return page.time / page.model.timeAt(page.model.nstep)")
        wanted(0.25 <= part <= 0.75 and BROWSER.run(under_way) > 0, document, part,
            BROWSER.run(under_way))
        wanted(re.match(r"In progress: .*\d Send", BROWSER.text("#caption")),
            BROWSER.text("#caption"))
    BROWSER.press("ArrowLeft")
    wanted(BROWSER.run("return page.time === page.model.timeAt(page.step)"),
        "back is not to the last step that is done")
    viewed(ring8(), where="#step=0")
    caption = BROWSER.text("#caption")
    wanted(BROWSER.run("return page.step") == 0 and "Nothing has happened yet" in caption, caption)


@browser_case("of what is refuted it opens at the fault, R6 to R11: its step, tasks and slot")
def _():
    state = "return [page.step, page.model.nstep, page.slot, page.task]"
    done = "return page.model.data.verdict.findings[0].tasks.map(task => page.model.doneAt[task])"
    early = ["R6-token-left-over", "R8-notify-before-its-data", "R8-two-writers-unordered",
             "R9-before-entering", "R10-reads-another-chunk"]
    late = ["R7-circle-of-three", "R7-both-wait-first", "R11-adds-twice", "R11-never-written"]
    rejected = [REJECT / f"{name}.json" for name in early + late]
    for path in [EXAMPLES / "birs-published-6.json", *rejected]:
        end = path.stem in late
        viewed(path)
        step, nstep, slot, task = BROWSER.run(state)
        tasks, caption = BROWSER.run(done), BROWSER.text("#caption")
        wanted(step == (nstep if end else max(tasks)), path.name, step, nstep, tasks)
        wanted(not tasks or BROWSER.run("return page.model.witnesses.has(page.task)"), path.name,
            task)
        rule = "R9" if "birs" in path.name else path.name.split("-")[0]
        wanted(caption.startswith("Here it is stuck" if rule == "R7" else f"At fault, {rule}: "),
            path.name, caption)
        named = re.search(r"rank (\d+), (\w+) slot (\d+)",
            BROWSER.run("return page.model.data.verdict.findings[0].text"))
        right = named and [int(named[1]), ("input", "output", "scratch").index(named[2]),
            int(named[3])]
        wanted(slot == right, path.name, slot, right)
    # Both tasks of a race are drawn red, whichever came first.
    viewed(REJECT / "R8-two-writers-unordered.json")
    red = BROWSER.run(
        "return document.querySelector('.active.witness').getAttribute('d').split('M').length - 1")
    wanted(red == 2, red)
    viewed(REJECT / "R11-adds-twice.json")
    cell = BROWSER.run("""const node = document.querySelector('[data-slot="0 1 0"]');
        return [node.textContent, node.className]""")
    wanted(cell[0] == "Σ3" and "twice" in cell[1] and "whole" not in cell[1], cell)


@browser_case("the legends list what is seen and no more; a cell tells in words what it holds")
def _():
    kinds = "return [...document.querySelectorAll('.key')].map(node => node.dataset.kind)"
    viewed(ring8(), where="#step=0")
    wanted(BROWSER.run(kinds) == ["own", "empty", "bare"], BROWSER.run(kinds))
    BROWSER.press("End")
    wanted(BROWSER.run(kinds) == ["own", "whole", "bare", "coloured", "fresh"], BROWSER.run(kinds))
    tell = """const over = new PointerEvent('pointerover', {bubbles: true});
        document.querySelector(arguments[0]).dispatchEvent(over);
        return document.querySelector('.cell-tip').textContent"""
    BROWSER.run("page.go(0)")
    told = BROWSER.run(tell, '[data-slot="3 0 5"]')
    wanted(told == "rank 3, input 5: chunk 5: what rank 3 contributes, alone", told)
    told = BROWSER.run(tell, '[data-slot="3 1 5"]')
    wanted(told == "rank 3, output 5: nothing has been written yet: undefined", told)
    BROWSER.run("page.go(page.model.nstep)")
    told = BROWSER.run(tell, '[data-slot="3 1 5"]')
    wanted(told.startswith("rank 3, output 5: chunk 5: the whole sum, all 8 contributions: (("),
        told)
    viewed(compiled("pairs.json", "alltoall", 8, "alltoall"), where="#step=288")
    told = BROWSER.run(tell, '[data-slot="3 1 5"]')
    wanted(told == "rank 3, output 5: chunk 43, from rank 5 to rank 3", told)
    viewed(compiled("shards.json", "allreduce", 4, "ring", "--shards", 8), where="#step=0")
    BROWSER.run(LETTERS)
    wanted(BROWSER.text('[data-slot="1 0 0"]') == "s2", BROWSER.text('[data-slot="1 0 0"]'))
    # A phase that no task is in is not listed.
    document = json.loads(pathlib.Path(ring8()).read_text())
    document["phases"].append("unheard of")
    pathlib.Path("phases.json").write_text(json.dumps(document))
    viewed("phases.json")
    listed = BROWSER.text("#legend") + BROWSER.text("#phases")
    wanted(BROWSER.seen(".phase") and "unheard" not in listed, listed)


@browser_case("nothing is cut off, nothing lies over anything: 2 to 64 ranks, wide and narrow")
def _():
    clipped = (HERE / "clipped.js").read_text()
    servers = ("--topology", "servers:2x4")
    ring64 = compiled("ring64.json", "allreduce", 64, "ring")
    # Each letter is compared with each: a mesh of 64 ranks, and a narrow ring, take half a minute.
    ranks = 64 if AT_LENGTH else 20
    mesh = compiled(f"mesh{ranks}.json", "allreduce", ranks, "mesh(shots=2)")
    pages = [(ring64, (), (1400, 900)), (mesh, (), (1920, 1080))]
    shown = [(ring8(), ()), (compiled("birs.json", "reducescatter", 8, "birs"), ()),
             (compiled("pairs.json", "alltoall", 8, "alltoall"), ()),
             (compiled("levels.json", "allreduce", 8, "hierarchical", *servers), servers),
             (EXAMPLES / "birs-published-6.json", ()),
             (REJECT / "R8-notify-before-its-data.json", ())]
    pages += [(*one, size) for one in shown for size in ((1400, 900), (800, 700))]
    pages += [(compiled("dyadic16.json", "allreduce", 16, "dyadic"), (), (1400, 900))]
    pages += [(ring64, (), (800, 1000))] if AT_LENGTH else []
    for document, words, size in pages:
        BROWSER.size(*size)
        viewed(document, *words)
        for step in (None, "0", "page.model.nstep"):
            if step:
                BROWSER.run(f"page.go({step})")
            BROWSER.run("""return new Promise(done => requestAnimationFrame(
                () => requestAnimationFrame(done)))""")
            found = BROWSER.run(clipped)
            wanted(not found, document, size, step, *found[:8])
    # Where slots are too small for letters, they can be had, and the names of ranks stay in sight.
    BROWSER.size(1400, 900)
    viewed(ring64)
    size = "return parseFloat(getComputedStyle(document.querySelector('.cell')).fontSize)"
    wanted(BROWSER.run(size) == 0)
    BROWSER.run("page.buffers.enlarge.click()")
    legend = BROWSER.text(".grid-legend")
    wanted("its part of the whole" in legend and ": of which" not in legend, legend)
    wanted(BROWSER.run(size) >= 10)
    BROWSER.run("document.querySelector('.grid-scroll').scrollLeft = 400")
    wanted(BROWSER.run(
        """const name = document.querySelector('button.row-name').getBoundingClientRect();
        return document.elementFromPoint(name.left + 20, name.top + 6).classList.contains(
            'row-name')"""))


@browser_case("the help is a table of keys; all keys that do something are in it, and it fits")
def _():
    for scheme in "light", "dark":
        BROWSER.emulate(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
        BROWSER.size(1400, 900)
        viewed(ring8())
        BROWSER.press("?")
        heads = BROWSER.run(
            "return [...document.querySelectorAll('#keys thead th')].map(node => node.textContent)")
        wanted(heads == ["Key", "What it does"], heads)
        keys = BROWSER.run(
            "return [...document.querySelectorAll('#keys kbd')].map(node => node.textContent)")
        wanted(set(keys) == {"→", "←", "↑", "↓", "Home", "End", "space", "1", "2", "3", "/", "Tab",
            "Enter", "Esc", "d", "?"}, keys)
        empty = BROWSER.run("""return [...document.querySelectorAll('#keys tbody tr')]
            .filter(row => row.children.length !== 2 || !row.children[1].textContent).length""")
        fits = BROWSER.run("""const box = document.querySelector('#keys');
            return box.scrollHeight <= box.clientHeight && box.getBoundingClientRect().top >= 0""")
        wanted(empty == 0 and fits, empty, fits)
        BROWSER.press("Escape")
        wanted(not BROWSER.run("return document.querySelector('#keys').open"))


@browser_case("where the focus is can be seen, wherever it goes")
def _():
    viewed(ring8())
    BROWSER.run("document.activeElement.blur()")
    been = set()
    for _ in range(40):
        BROWSER.press("Tab")
        name, outlined = BROWSER.run("""const node = document.activeElement;
            const style = getComputedStyle(node), ring = node.querySelector('.rank-ring');
            const own = ring && getComputedStyle(ring).strokeWidth === '5px';
            return [node.id || node.getAttribute('aria-label') || node.textContent.slice(0, 20),
              own || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1)]""")
        wanted(outlined or BROWSER.run("return document.activeElement === document.body"), name)
        been.add(name)
    wanted({"search", "theme", "help", "play", "strip", "what every slot holds",
        "rank 0: show its tasks"} <= been, been)


@browser_case(
    "a link that is down is dashed, and torus, servers and hypercube stand as they are joined")
def _():
    viewed(ring8(), "--fail-link", "0-1")
    wanted(BROWSER.run("return document.querySelectorAll('.link.down').length") == 1)
    places = "return Object.fromEntries([...page.stage.places])"
    viewed(compiled("torus.json", "allreduce", 16, "ring", "--topology", "torus:4x4"), "--topology",
           "torus:4x4")
    at = BROWSER.run(places)
    wanted(
        all(at[str(r)] == [r % 4 * at["1"][0], r // 4 * at["4"][1]] for r in range(16))
        and at["1"][0] > 0, at)
    viewed(compiled("servers.json", "allreduce", 8, "hierarchical", "--topology", "servers:2x4"),
           "--topology", "servers:2x4")
    at = BROWSER.run(places)
    near = lambda a, b: sum((x - y) ** 2 for x, y in zip(at[str(a)], at[str(b)])) ** 0.5
    wanted(
        max(near(0, r) for r in (1, 2, 3)) < min(near(a, b) for a in range(4) for b in range(4, 8)),
        at)
    wanted(BROWSER.run("return document.querySelectorAll('.switch').length") == 6)
    viewed(compiled("cube.json", "allreduce", 8, "halving-doubling", "--topology", "hypercube"),
           "--topology", "hypercube")
    at = BROWSER.run(places)
    wanted(len({tuple(place) for place in at.values()}) == 8, at)


@browser_case("a link tells what it is and carries, where the pointer is on it; a rank does not")
def _():
    over = """const [from, to] = arguments, {stage} = page, m = stage.picture.getScreenCTM(),
          [x, y] = stage.way(from, to).at(arguments[2]);
        stage.picture.dispatchEvent(new PointerEvent('pointermove', {bubbles: true,
          clientX: m.a * x + m.e, clientY: m.a * y + m.f}));
        return document.querySelector('.link-tip').checkVisibility() ?
          document.querySelector('.link-tip').textContent : null"""
    viewed(ring8(), "--fail-link", "0-1")
    links = strict_json.loads(ordo("predict", ring8(), "--fail-link", "0-1",
                                   "--json").stdout)["links"]
    share = next(100 * one["utilisation"] for one in links if (one["from"], one["to"]) == (0, 2))
    told = BROWSER.run(over, 0, 2, 0.3)
    wanted(told == f"HCCS, 56 GB/s, 1 µs\n0 → 2: 1.75 MiB, at work {share:.3g} %\n2 → 0: nothing",
           told)
    wanted(BROWSER.run("return document.querySelector('.link.under').getAttribute('d')") != "")
    wanted(
        "0 → 1: down" in BROWSER.run(over, 0, 1, 0.5) and "1 link down" in BROWSER.text("#facts"),
        BROWSER.text("#facts"))
    away = BROWSER.run(
        "const box = page.stage.picture.getBoundingClientRect(); "
        "page.stage.picture.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: "
        "box.left + 2, clientY: box.top + 2})); return document.querySelector('.link-tip').hidden"
    )
    wanted(away, "there is no link in the corner")
    # A line that goes aside is where it is drawn; without a topology what goes over it is counted.
    viewed(compiled("servers.json", "allreduce", 8, "hierarchical", "--topology", "servers:2x4"),
           "--topology", "servers:2x4")
    bowed = BROWSER.run("return page.model.links.find(link => link[6])")
    wanted(f"{bowed[0]} → " in BROWSER.run(over, bowed[0], bowed[1], 0.5), bowed)
    viewed(ring8())
    wanted(
        BROWSER.run(over, 0, 2, 0.5) == "0 → 2: 14 moves, 14 chunks", BROWSER.run(over, 0, 2, 0.5))


@browser_case("in a row of several streams one that works is seen, whichever wait")
def _():
    viewed(compiled("busy.json", "allreduce", 32, "hierarchical", "--topology", "servers:4x8"),
           "--topology", "servers:4x8")
    BROWSER.size(1280, 700)
    hidden = BROWSER.run(
        """page.strip.draw(); const { strip, model } = page, { width, height } = strip.still,
          hidden = [];
        const all = strip.still.getContext('2d').getImageData(0, 0, width, height).data;
        const parts = text => [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16)),
          away = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        for (let task = 0; task < model.ntask; task++) {
          if (model.kind[task] >= NOTIFY ||
            strip.xOf(model.end[task]) - strip.xOf(model.begin[task]) < 12) continue;
          const x = (strip.xOf(model.begin[task]) + strip.xOf(model.end[task])) / 2,
            y = 2 + (strip.rowOf.get(model.streamOf[task]) + 0.4) * strip.rowHeight;
          const at = 4 * (Math.floor(y) * width + Math.round(x)), seen = [...all.slice(at, at + 3)],
            own = parts(colours.line(model.data.phases, model.phase[task]));
          if (away(seen, own) > away(seen, parts(colours.names.line)))
            hidden.push([model.rankOf[task], model.taskText(task)]);
        }
        return [strip.rowHeight, strip.drawnRows.length, hidden.length, hidden.slice(0, 3)]""")
    wanted(hidden[0] < 5 and hidden[1] == 32 and hidden[2] == 0, hidden)


@browser_case(
    "on paper it is light, as wide as a sheet, and nothing lies over anything; after it the screen "
    "is as before"
)
def _():
    viewed(ring8(), where="#step=100&dark")
    # The part that lies over everything on narrow screens stands still; whatever was to be pressed
    # is gone.
    BROWSER.run("dispatchEvent(new Event('beforeprint'))")
    BROWSER.size(717, 1000)
    laid = BROWSER.run(
        """return [...document.querySelectorAll('.head, .panel')].map(node => {
          const box = node.getBoundingClientRect();
          return [node.className, box.top, box.bottom, box.left, box.right]; })
        .sort((a, b) => a[1] - b[1])""")
    for above, below in zip(laid, laid[1:]):
        wanted(above[2] <= below[1] + 1, "overlaps", above, below)
    wanted(all(0 <= left and right <= 717 for _, _, _, left, right in laid), laid)
    inside = BROWSER.run(
        "return [...document.querySelectorAll('#proof, #proof *, .grid, .strip')].filter(node => "
        "node.getBoundingClientRect().bottom > "
        "node.closest('.panel').getBoundingClientRect().bottom + 1).map(node => "
        "node.outerHTML.slice(0, 60))"
    )
    wanted(not inside, "longer than its panel", *inside)
    wanted(
        BROWSER.seen("#proof") and BROWSER.seen(".legend") and not BROWSER.seen("#tasks")
        and not BROWSER.seen("#search") and not BROWSER.seen("#play"))
    colour = "return getComputedStyle(document.querySelector(arguments[0])).color"
    wanted(
        luminance(BROWSER.run(colour, "h1")) < 0.05
        and BROWSER.run("return getComputedStyle(document.querySelector('.cell')).printColorAdjust")
        == "exact")
    BROWSER.run("dispatchEvent(new Event('afterprint'))")
    BROWSER.size(1440, 900)
    wanted(
        BROWSER.run("return document.documentElement.dataset.theme") == "dark"
        and luminance(BROWSER.run(colour, "h1")) > 0.5 and BROWSER.seen("#tasks"))
    pages = BROWSER.tool("Page.printToPDF")["data"]
    wanted(
        len(pages) > 20000
        and not BROWSER.run("return document.documentElement.classList.contains('paper')"))


@browser_case("colours of a phase, pale and strong, are of one hue, and what is no time is not told"
              )
def _():
    viewed(compiled("levels.json", "allreduce", 8, "hierarchical", "--topology", "servers:2x4"),
           "--topology", "servers:2x4")
    far = BROWSER.run(
        """const hue = text => {
          const [r, g, b] = [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16));
          return Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180 / Math.PI; };
        const { fill, line, names } = page.model.data.phases;
        return names.map((name, i) => [name,
          Math.abs((hue(fill[i]) - hue(line[i]) + 540) % 360 - 180)])"""
    )
    wanted(len(far) > 5 and all(away < 45 for _, away in far), far)
    viewed(ring8())
    wanted(" ns" not in BROWSER.text(".times") and "latency" in BROWSER.text(".times"),
           BROWSER.text(".times"))


def quickest(document):
    """Seconds until the page can be used; on a busy machine the best of three."""
    took = viewed(document)
    for _ in range(2):
        if took < 2:
            break
        took = min(took, viewed(document))
    return took


@browser_case("64 ranks: ring and mesh are there in a moment, all of them")
def _():
    for document in compiled("ring64.json", "allreduce", 64,
                             "ring"), compiled("mesh64.json", "allreduce", 64, "mesh(shots=2)"):
        took = quickest(document)
        size = os.path.getsize(document.replace(".json", "-json.html"))
        print(f"# {document}: {took:.2f} s, {size / 1e6:.2f} MB")
        # Two seconds is what it is to take where nothing else runs.
        wanted(took < 8 and size < 10e6, took, size)
        wanted(
            BROWSER.run("return document.querySelectorAll('.rank').length") == 64
            and not BROWSER.seen("#sample"))
        BROWSER.press("End", "ArrowLeft")
        wanted("hold the trees that were proved" in BROWSER.text("#proof"))
        steps = BROWSER.run(
            "const begin = performance.now(); page.go(0); page.go(page.model.nstep); page.go(0); "
            "return performance.now() - begin"
        )
        wanted(steps < 3000, f"{steps} ms to the end and back")


@browser_case("1,024 ranks: it says which part it shows, and that part is right")
def _():
    document = compiled("large.json", "allreduce", 1024, "halving-doubling")
    took = quickest(document)
    size = os.path.getsize("large-json.html")
    print(f"# 1,024 ranks: {took:.2f} s, {size / 1e6:.2f} MB")
    wanted(size < 10e6 and took < 8, size, took)
    sample = BROWSER.text("#sample")
    wanted(
        BROWSER.seen("#sample") and "64 of 1,024 ranks (0-63)" in sample and "82,944" in sample
        and "come in from others" in sample, sample)
    BROWSER.press("End")
    # What comes from elsewhere is known by how many shards it holds, so at the end all are in.
    whole = BROWSER.run(
        """const m = page.model; return m.shown.every(rank =>
          m.memory.get(rank).outputChunk.every((chunk, slot) => {
            const tree = m.contents(m.cell(rank, 1, slot));
            return m.trees.leaves[tree] === 1024 && m.trees.low[tree] === 0 &&
          m.trees.high[tree] === 1023; }))"""
    )
    wanted(whole, "some output is not whole")
    viewed(document, "--ranks", "3,1000-1001", "--max-tasks", 100)
    sample = BROWSER.text("#sample")
    wanted("(3,1000-1001)" in sample and "100 tasks" in sample and "the earliest of them" in sample,
           sample)
    wanted(BROWSER.run("return page.model.shown") == [3, 1000, 1001])


@browser_case(
    "the published BIRS is refuted: the verdict is red, and leads to the tasks that are at fault")
def _():
    viewed(EXAMPLES / "birs-published-6.json")
    wanted(
        BROWSER.text("#verdict") == "Refuted: R9"
        and BROWSER.run("return document.querySelector('#verdict').classList.contains('bad')"))
    wanted(BROWSER.seen("#proof .finding"))
    BROWSER.click("#proof .task-link")
    wanted(
        BROWSER.run(
            "return page.model.witnesses.has(page.task) && document.querySelector('#task-' + "
            "page.task).classList.contains('witness')"
        ))
    red = BROWSER.run(
        "return getComputedStyle(document.querySelector('.task.witness .words')).color")
    wanted(int(re.findall(r"\d+", red)[0]) > 2 * int(re.findall(r"\d+", red)[1]), red)
    wanted(BROWSER.run("return page.step") == BROWSER.run("return page.model.doneAt[page.task]"))


@browser_case(
    "a schedule that is stuck goes as far as it can, and says where each stream stands and what it "
    "waits for"
)
def _():
    viewed(REJECT / "R7-circle-of-three.json")
    wanted(BROWSER.text("#verdict") == "Refuted: R7")
    BROWSER.press("End")
    stopped = strict_json.loads((REJECT / "R7-circle-of-three.json").read_text())
    wanted(
        BROWSER.text("#caption") ==
        "Here it is stuck: 3 streams never end. Red lines lead to who is waited for.",
        BROWSER.text("#caption"))
    wanted(
        BROWSER.run("return page.model.nstep") < sum(
            len(stream["tasks"]) for program in stopped["programs"]
            for stream in program["streams"]))
    wanted(
        "3 streams never end" in BROWSER.text("#proof") and "waits for" in BROWSER.text("#proof"),
        BROWSER.text("#proof"))
    wanted(BROWSER.run("return document.querySelectorAll('.rank.stuck').length") == 3)
    wanted(
        BROWSER.run(
            "return document.querySelector('.active.waits').getAttribute('d').split('M').length - 1"
        ) == 3)
    wanted("not predicted" in BROWSER.text("#facts"), BROWSER.text("#facts"))


@browser_case("no document that breaks a rule breaks the page")
def _():
    seen = set()
    for document in sorted(REJECT.glob("R*.json")):
        rule = document.name.split("-")[0]
        if rule == "R1" or rule in seen:
            continue
        done = subprocess.run([ORDO, "view", document, "-o", "rejected.html"],
                              capture_output=True,
                              text=True,
                              timeout=60)
        codes = (2, ) if "-custom-" in document.name else (0, 3)
        wanted(done.returncode in codes, document.name, done.returncode, done.stderr)
        if done.returncode:
            continue
        seen.add(rule)
        BROWSER.open("rejected.html")
        wanted(
            BROWSER.run("return document.documentElement.dataset.ready") == "yes", document.name,
            BROWSER.log())
        wanted(
            BROWSER.text("#verdict") == f"Refuted: {rule}", document.name, BROWSER.text("#verdict"))
        BROWSER.press("End", "Home", "ArrowRight")
        quiet()
    wanted(seen >= {f"R{i}" for i in range(2, 12)}, seen)


@browser_case("names that would end the script or the title are only names")
def _():
    text = pathlib.Path(ring8()).read_text().replace(
        '"algorithm": "ring"', '"algorithm": "</script><script>window.escaped=1</script><!--"', 1)
    text = text.replace('"reduce-scatter 0"', '"</title><b>&amp; 0"', 1)
    pathlib.Path("names.json").write_text(text)
    viewed("names.json")
    wanted(BROWSER.run("return window.escaped === undefined"))
    wanted(
        BROWSER.text("#algorithm") == "</script><script>window.escaped=1</script><!--",
        BROWSER.text("#algorithm"))
    wanted(
        BROWSER.run("return document.title").endswith(
            "by </script><script>window.escaped=1</script><!--"))


try:
    run_cases()
finally:
    BROWSER.close()
    os.chdir("/")
    FOLDER.cleanup()
