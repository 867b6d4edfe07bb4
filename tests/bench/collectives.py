#!/usr/bin/env python3
"""collectives.py - measures collectives side by side, and writes the tables of runtime/SPEED.md.

Run by tools/bench-collectives, which builds what is measured. What it writes stands in the
document between `<!-- measured: NAME -->` and `<!-- end -->`; everything else there is kept."""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).absolute().parents[2]
KI, MI = 1 << 10, 1 << 20
OPERATORS = ("AllReduce", "ReduceScatter", "AllGather", "Broadcast", "AllToAll")
RANKS = (2, 4, 8, 16)
SIZES = (8, KI, 16 * KI, MI, 16 * MI, 64 * MI)
ENGINE_RANKS = (64, 1024)
# What the engine makes of schedules: of those that suit it, each at some sizes, and of others.
SCHEDULES = ("mesh(fold=linear)", "hierarchical(mesh(fold=linear),mesh,sizes=[4,2])", "mesh",
             "ring", "halving-doubling", "dyadic", "star", "tree")
SCHEDULED = ("AllReduce", 8, (8, 16 * KI, MI, 64 * MI))
# Many more ranks than cores, beside so many.
CROWDED = ("AllReduce", 64, (8, KI, 16 * KI, 256 * KI))
FEWER_RANKS = 16

MPI = {"openmpi": "Open MPI", "openmpi-ucx": "Open MPI, UCX", "mpich": "MPICH"}
OURS = {
    "hand-pool": "by hand, a thread a core", "hand-callers": "by hand, a thread a rank",
    "copy": "bound", "ordo-pool": "ordo, one call", "ordo-callers": "ordo, a thread a rank",
    "ordo-tasks": "ordo, task by task"
}
CONTENDERS = {**MPI, **OURS}


def name_of(contender):
    """With the algorithm behind it, if another than usual: `ordo-pool:ring`."""
    name, *algorithm = contender.split(":")
    return ", ".join([CONTENDERS[name], *algorithm])

BY_HAND = {"ordo-pool": "hand-pool", "ordo-callers": "hand-callers"}

# How many times as fast as the best MPI: (operator, ranks, contender, {size: ratio}).
AIMS = (
    ("AllReduce", 2, "ordo-pool", {8: 1.5, 16 * KI: 1.8, MI: 2.3, 64 * MI: 5}),
    ("AllReduce", 2, "ordo-callers", {8: 1.5, 16 * KI: 1.8, MI: 2.3, 64 * MI: 5}),
    ("AllReduce", 8, "ordo-pool", {8: 12, 16 * KI: 5, MI: 4, 64 * MI: 8}),
    ("AllReduce", 8, "ordo-callers", {8: 2.5, 16 * KI: 2.5, MI: 3.6}),
    ("ReduceScatter", 8, "ordo-pool", {8: 12, 16 * KI: 7, MI: 6, 16 * MI: 10}),
    ("AllGather", 8, "ordo-pool", {8: 12, 16 * KI: 6, MI: 2.5, 16 * MI: 3.8}),
    ("Broadcast", 8, "ordo-pool", {8: 8, 16 * KI: 8, MI: 2.7, 16 * MI: 5}),
    ("AllToAll", 8, "ordo-pool", {8: 12, 16 * KI: 5, MI: 1.5, 16 * MI: 1.7}),
)
MOST_OVER_HAND = 1.3
MOST_NS_A_TASK = 50


# Measuring

def mpirun(contender, ranks, program):
    """The command that starts one process a rank: pinned while there is a core for each."""
    bound = "core" if ranks <= os.cpu_count() else "none"
    if contender == "mpich":
        return ["mpirun.mpich", "-bind-to", bound, "-np", str(ranks), program]
    command = ["mpirun.openmpi", "--oversubscribe", "--bind-to", bound, "-np", str(ranks)]
    if os.geteuid() == 0:
        command.insert(1, "--allow-run-as-root")
    if contender == "openmpi-ucx":
        # Without these two it wants a network card.
        for name, value in (("pml", "ucx"), ("pml_ucx_tls", "any"), ("pml_ucx_devices", "any")):
            command[1:1] = ["--mca", name, value]
    return [*command, program]


def lines_of(command, seconds):
    """The lines a program prints, as they come. It and all it started is ended after so many
    seconds."""
    process = subprocess.Popen(command,
                               stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE,
                               text=True,
                               start_new_session=True)
    # mpirun ends its processes when it is asked to end.
    timers = [threading.Timer(seconds, os.killpg, (process.pid, signal.SIGTERM)),
              threading.Timer(seconds + 10, os.killpg, (process.pid, signal.SIGKILL))]
    complaint = []
    drain = threading.Thread(target=lambda: complaint.append(process.stderr.read()))
    for thread in (*timers, drain):
        thread.start()
    try:
        yield from process.stdout
        process.wait()
    finally:
        for timer in timers:
            timer.cancel()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        drain.join()
    if process.returncode:
        told = [line for line in complaint[0].splitlines() if line.strip("- ")]
        raise RuntimeError(told[0] if told else f"ended with {process.returncode}")


class Progress:
    """One line on the terminal, rewritten."""

    def __init__(self, total):
        self.total, self.done, self.begun = total, 0, time.monotonic()

    def step(self, text, n=1):
        self.done += n
        if sys.stderr.isatty():
            gone = time.monotonic() - self.begun
            left = gone / max(self.done, 1) * (self.total - self.done)
            sys.stderr.write(
                f"\r\033[K[{self.done}/{self.total}] {gone:.0f} s, {left:.0f} s left: {text}")
            sys.stderr.flush()

    def end(self):
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")


def wanted_cells(quick, ranks):
    """(operator, size) in the order in which they are measured."""
    if not quick:
        return [(operator, size) for operator in OPERATORS for size in SIZES]
    found = {(operator, size) for operator, n, _, ratios in AIMS if n == ranks for size in ratios}
    return sorted(found, key=lambda cell: (OPERATORS.index(cell[0]), cell[1]))


def in_pass(number, wanted):
    """The longest are measured once, but for AllReduce: they vary little, and would take half of
    all the time."""
    return [(operator, size) for operator, size in wanted
            if not number or size < 64 * MI or operator == "AllReduce"]


def absent_contenders(build):
    absent = {}
    for contender in MPI:
        flavour = contender.split("-")[0]
        if not shutil.which(f"mpirun.{flavour}"):
            absent[contender] = "not installed"
        elif not (build / "tests/bench" / f"bench_mpi.{flavour}").exists():
            absent[contender] = "could not be compiled for"
    return absent


def plan_of(quick, absent):
    """What one pass measures: (ranks, contender, [(operator, size)])."""
    plan = []
    for ranks in RANKS:
        wanted = wanted_cells(quick, ranks)
        for contender in CONTENDERS:
            # MPICH never yields: with more ranks than cores it waits for time slices.
            if wanted and contender not in absent and (contender != "mpich"
                                                       or ranks <= os.cpu_count()):
                plan.append((ranks, contender, wanted))
    operator, ranks, sizes = SCHEDULED
    if not quick:
        plan += [(ranks, f"ordo-pool:{algorithm}", [(operator, size) for size in sizes])
                 for algorithm in SCHEDULES]
        operator, ranks, sizes = CROWDED
        plan += [(ranks, contender, [(operator, size) for size in sizes])
                 for contender in (*OURS, "openmpi", "openmpi-ucx")
                 if contender not in absent and contender != "copy"]
        plan += [(FEWER_RANKS, contender, [(operator, 256 * KI)])
                 for contender in ("ordo-pool", "ordo-callers")]
    return plan


def command_of(build, contender, ranks, seconds, wanted):
    texts = [f"{operator}:{size}" for operator, size in wanted]
    if contender in MPI:
        program = str(build / "tests/bench" / f"bench_mpi.{contender.split('-')[0]}")
        return [*mpirun(contender, ranks, program), contender, str(seconds), *texts]
    program = str(build / "tests/bench" / "bench_collectives")
    return [program, contender, str(ranks), str(seconds), *texts]


def measure_cells(cells, contender, ranks, wanted, command, step):
    """Adds what the command measures to the cells, and returns how many it answered and, if it
    failed, why."""
    answered = 0
    try:
        for line in lines_of(command, 60 + 60 * len(wanted)):
            if not line.startswith("{"):
                continue
            operator, size = wanted[answered]
            found = json.loads(line)
            cell = cells.setdefault(
                (contender, operator, ranks, size), {
                    "contender": contender, "operator": operator, "ranks": ranks, "size": size,
                    "us": [], "wrong": 0
                })
            cell["us"].append(found["us"])
            cell["wrong"] += found["wrong"]
            if "schedule" in found:
                cell["schedule"] = found["schedule"]
            answered += 1
            step(operator)
    except RuntimeError as error:
        return answered, f"failed with {ranks} ranks: {error}"
    return answered, None


def measure_engines(build, seconds, progress):
    engines = []
    for ranks in ENGINE_RANKS:
        progress.step(f"tasks of {ranks} ranks", 0)
        command = [str(build / "tests/bench" / "bench_collectives"), "tasks", str(ranks),
                   str(seconds)]
        engines += [json.loads(line) for line in lines_of(command, 300)]
    return engines


def measure(build, quick, npass, seconds):
    absent, cells = absent_contenders(build), {}
    plan = plan_of(quick, absent)
    progress = Progress(
        sum(len(in_pass(number, wanted)) for number in range(npass) for _, _, wanted in plan))
    for number in range(npass):
        # Every other pass the other way round, so that nobody always comes after the same
        # neighbour.
        for ranks, contender, all_wanted in plan if number % 2 == 0 else reversed(plan):
            wanted = in_pass(number, all_wanted)
            if contender in absent:
                progress.step(contender, len(wanted))
                continue
            text = f"pass {number + 1} of {npass}, {name_of(contender)}, {ranks} ranks"
            answered, failed = measure_cells(
                cells, contender, ranks, wanted,
                command_of(build, contender, ranks, seconds, wanted),
                lambda operator, text=text: progress.step(f"{text}, {operator}"))
            if failed:
                absent[contender] = failed
                print(f"\n{name_of(contender)}: {failed}", file=sys.stderr)
            progress.step(contender, len(wanted) - answered)
    engines = measure_engines(build, seconds, progress)
    progress.end()
    return {
        "machine": machine(), "quick": quick, "passes": npass, "absent": absent,
        "cells": list(cells.values()), "engines": engines
    }


def machine():
    """What a reader must know of the machine; not which one it is."""
    def first_line(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True,
                                  check=True).stdout.splitlines()[0].strip()
        except (OSError, subprocess.CalledProcessError, IndexError):
            return ""

    def package(name):
        return first_line("dpkg-query", "-W", "-f", "${Version}\n", name)

    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*:\s*(.*)$", cpuinfo, re.MULTILINE)
    caches = []
    for folder in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((folder / name).read_text().strip()
                             for name in ("level", "type", "size"))
        if kind != "Instruction":
            caches.append(f"L{level} {size}")
    return {
        "cpu": model.group(1) if model else "unknown", "cores": os.cpu_count(),
        "caches": ", ".join(caches), "compiler": first_line("cc", "--version"), "packages": {
            name: package(name)
            for name in ("openmpi-bin", "libucx0", "mpich") if package(name)
        }
    }


# Reading what was measured

def index(results):
    return {(cell["contender"], cell["operator"], cell["ranks"], cell["size"]): cell
            for cell in results["cells"]}


def us(cells, contender, operator, ranks, size):
    """The median of the passes; None: not measured, wrong, or lost in the noise."""
    cell = cells.get((contender, operator, ranks, size))
    median = statistics.median(cell["us"]) if cell and not cell["wrong"] else 0
    return median if median > 0 else None


def best_mpi(cells, operator, ranks, size):
    found = [
        time for time in (us(cells, contender, operator, ranks, size) for contender in MPI)
        if time is not None
    ]
    return min(found, default=None)


def ratio(a, b):
    return None if a is None or b is None or b <= 0 else a / b


def judge_aims(results):
    cells, rows = index(results), []
    for operator, ranks, contender, ratios in AIMS:
        for size, aim in ratios.items():
            ours, mpi = us(cells, contender, operator, ranks,
                           size), best_mpi(cells, operator, ranks, size)
            hand = us(cells, BY_HAND[contender], operator, ranks, size)
            bound = us(cells, "copy", operator, ranks, size)
            reached = ratio(mpi, ours)
            rows.append({
                "operator": operator, "ranks": ranks, "contender": contender, "size": size,
                "mpi_us": mpi, "us": ours, "ratio": reached, "aim": aim,
                "met": None if reached is None else reached >= aim, "hand_us": hand,
                "over_hand": ratio(ours, hand), "bound_us": bound, "over_bound": ratio(ours, bound)
            })
    return rows


def spread(results):
    """How far apart the passes were: (median, 9 in 10) of (most - least) / median over all
    cells."""
    found = sorted((max(cell["us"]) - min(cell["us"])) / abs(statistics.median(cell["us"]))
                   for cell in results["cells"]
                   if len(cell["us"]) > 1 and statistics.median(cell["us"]))
    return (found[len(found) // 2], found[len(found) * 9 // 10]) if found else (0, 0)


# Writing

def size_text(size):
    return f"{size // MI} MiB" if size >= MI else f"{size // KI} KiB" if size >= KI else f"{size} B"


def number_text(value):
    """Two or three digits that count."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(
        value) >= 0.1 else f"{value:.3f}"


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def write_machine(results):
    facts = results["machine"]
    yield f"- CPU: {facts['cpu']}, {facts['cores']} cores; {facts['caches']}"
    yield f"- compiler: {facts['compiler']}, release build"
    yield "- Debian packages: " + (", ".join(f"{name} {version}"
                                             for name, version in facts["packages"].items())
                                   or "none of MPI")
    for contender, why in results["absent"].items():
        yield f"- {name_of(contender)}: {why}"
    half, most = spread(results)
    if results["passes"] == 1:
        yield "- one pass: medians of its batches"
        return
    yield (
        f"- medians of {results['passes']} passes; in half of the cells these lay within "
        f"{100 * half:.0f}% of each other, "
        f"in 9 of 10 within {100 * most:.0f}%")


def write_aims(results):
    aims = judge_aims(results)
    known = [row for row in aims if row["met"] is not None]
    near = [row for row in aims if row["over_hand"] is not None]
    yield (
        f"{sum(row['met'] for row in known)} of {len(known)} aims are met; within {MOST_OVER_HAND} "
        f"times the hand-written code: "
        f"{sum(row['over_hand'] <= MOST_OVER_HAND for row in near)} of {len(near)}.")
    yield ""
    rows = []
    for row in aims:
        met = {True: "met", False: "**missed**", None: "-"}[row["met"]]
        over = row["over_hand"]
        rows.append((row["operator"], str(row["ranks"]), CONTENDERS[row["contender"]],
                     size_text(row["size"]), number_text(row["mpi_us"]), number_text(row["us"]),
                     number_text(row["ratio"]), f"{row['aim']:g}", met, number_text(row["hand_us"]),
                     number_text(over)
                     if over is None or over <= MOST_OVER_HAND else f"**{number_text(over)}**",
                     number_text(row["bound_us"]), number_text(row["over_bound"])))
    yield from table(
        ("operator", "ranks", "driven by", "size", "best MPI, us", "ordo, us", "MPI / ordo", "aim",
         "", "by hand, us", "ordo / by hand", "bound, us", "ordo / bound"), rows)


def cell_text(cells, contender, operator, ranks, size):
    cell = cells.get((contender, operator, ranks, size))
    return "wrong" if cell and cell["wrong"] else number_text(
        us(cells, contender, operator, ranks, size))


def write_all(results):
    cells = index(results)
    for operator in OPERATORS:
        rows = []
        for ranks in RANKS:
            for size in SIZES:
                if not any((contender, operator, ranks, size) in cells for contender in CONTENDERS):
                    continue
                mpi = best_mpi(cells, operator, ranks, size)
                pool, callers = (us(cells, contender, operator, ranks, size)
                                 for contender in BY_HAND)
                rows.append(
                    (str(ranks), size_text(size),
                     *(cell_text(cells, contender, operator, ranks, size)
                       for contender in CONTENDERS),
                     *(number_text(ratio(*two))
                       for two in ((mpi, pool), (mpi, callers),
                                   (pool, us(cells, "hand-pool", operator, ranks, size)),
                                   (callers, us(cells, "hand-callers", operator, ranks, size)),
                                   (pool, us(cells, "copy", operator, ranks, size))))))
        schedules = sorted({
            cell["schedule"]
            for key, cell in cells.items() if key[1] == operator and "schedule" in cell
        })
        yield f"### {operator}" + (f" ({', '.join(schedules)})" if schedules else "")
        yield ""
        yield from table(
            ("ranks", "size", *CONTENDERS.values(), "MPI / one call", "MPI / a thread a rank",
             "one call / by hand", "a thread a rank / by hand", "one call / bound"), rows)
        yield ""


def write_schedules(results):
    cells, (operator, ranks, sizes) = index(results), SCHEDULED
    rows = [(algorithm, *(cell_text(cells, f"ordo-pool:{algorithm}", operator, ranks, size)
                          for size in sizes)) for algorithm in SCHEDULES]
    rows.insert(0, ("as above", *(cell_text(cells, "ordo-pool", operator, ranks, size)
                                  for size in sizes)))
    yield from table((f"{operator}, {ranks} ranks", *map(size_text, sizes)), rows)


def write_crowded(results):
    """Times, and how many times as long as with fewer ranks: as many times as there are more is
    what their bytes alone take."""
    cells, (operator, ranks, sizes) = index(results), CROWDED
    rows = []
    for size in sizes:
        row = [
            cell_text(cells, contender, operator, ranks, size)
            for contender in ("openmpi", "openmpi-ucx", *OURS) if contender != "copy"
        ]
        row += [
            number_text(
                ratio(us(cells, contender, operator, ranks, size),
                      us(cells, contender, operator, FEWER_RANKS, size))) for contender in BY_HAND
        ]
        rows.append((size_text(size), *row))
    titles = [
        CONTENDERS[contender] for contender in ("openmpi", "openmpi-ucx", *OURS)
        if contender != "copy"
    ]
    yield from table((f"{operator}, {ranks} ranks", *titles, f"one call / {FEWER_RANKS} ranks",
                      f"a thread a rank / {FEWER_RANKS} ranks"), rows)


def write_tasks(results):
    rows = []
    for engine in results["engines"]:
        ns = engine["us"] * 1e3 / engine["tasks"]
        one = engine["engine"] == "tasks" and engine["workers"] == 1
        rows.append(
            (f"{engine['ranks']:,}", "task by task" if engine["engine"] == "tasks" else "folds",
             str(engine["workers"]), f"{engine['tasks']:,}", number_text(engine["us"]),
             number_text(ns) if not one or ns <= MOST_NS_A_TASK else f"**{number_text(ns)}**"))
    yield from table(("ranks", "engine", "threads", "tasks of the ring", "us", "ns a task"), rows)


SECTIONS = {
    "machine": write_machine, "aims": write_aims, "all": write_all, "schedules": write_schedules,
    "crowded": write_crowded, "tasks": write_tasks
}


def replace_section(text, name, lines):
    """The document with what stands between `<!-- measured: NAME -->` and `<!-- end -->`
    replaced."""
    section = re.compile(rf"(<!-- measured: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    body = "\n".join(lines).rstrip()
    text, found = section.subn(lambda match: f"{match.group(1)}{body}\n{match.group(2)}", text)
    if found != 1:
        raise SystemExit(f"the document: found {found} sections `<!-- measured: {name} -->` .. "
                         "`<!-- end -->`, wanted one")
    return text


def rewritten(text, results):
    """The document with its measured sections replaced."""
    for name, write in SECTIONS.items():
        text = replace_section(text, name, write(results))
    return text


def read_options():
    parser = argparse.ArgumentParser(
        prog="bench-collectives",
        description="Measures collectives beside MPI and hand-written code.")
    parser.add_argument("--build",
                        type=pathlib.Path,
                        default=ROOT / "build-release",
                        help="release build with what is measured")
    parser.add_argument("--document",
                        type=pathlib.Path,
                        default=ROOT / "runtime" / "SPEED.md",
                        help="whose tables are rewritten")
    parser.add_argument("--quick",
                        action="store_true",
                        help="only what there are aims for; the document is left alone")
    parser.add_argument("--json",
                        action="store_true",
                        help="print what was measured, and the aims, as JSON")
    parser.add_argument("--save",
                        type=pathlib.Path,
                        help="write what was measured to this file, for --from")
    parser.add_argument("--from",
                        dest="stored",
                        type=pathlib.Path,
                        help="do not measure, read this file")
    parser.add_argument("--passes",
                        type=int,
                        default=3,
                        help="how often everything is measured (3)")
    parser.add_argument("--seconds",
                        type=float,
                        help="for a cell in one pass, more if a call is long (0.06, quick 0.12)")
    return parser.parse_args()


def main():
    options = read_options()
    if options.stored:
        results = json.loads(options.stored.read_text(encoding="utf-8"))
    else:
        results = measure(options.build.absolute(), options.quick, options.passes,
                          options.seconds or (0.12 if options.quick else 0.06))
    if options.save:
        options.save.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if not results["quick"]:
        options.document.write_text(rewritten(options.document.read_text(encoding="utf-8"),
                                              results),
                                    encoding="utf-8")
    if options.json:
        print(json.dumps({**results, "aims": judge_aims(results)}, indent=1))
    else:
        print("\n".join(
            [*write_machine(results), "", *write_aims(results), "", *write_tasks(results)]))
    wrong = [cell for cell in results["cells"] if cell["wrong"]]
    for cell in wrong:
        print(
            f"wrong outputs: {cell['contender']}, {cell['operator']}, {cell['ranks']} ranks, "
            f"{size_text(cell['size'])}",
            file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
