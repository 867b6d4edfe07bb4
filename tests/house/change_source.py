#!/usr/bin/env python3
"""Changes the source at random places, one at a time, and shows the changes that no test notices.

Run by hand, on what is committed: it works on clones of the tree beside each other, FOLDER (the
tests run there once, built with coverage, to learn which lines each of them runs) and FOLDER-1,
FOLDER-2... (one line at a time is changed there). A change is a slip of the hand in one line of
C: another operator, a number one off, a condition turned round, a statement left out. What does
not compile without warnings does not count. Only the tests that run the line are run, the
quickest first, until one fails or the seconds for a change are used up. The rest survived, and
a person has to judge it: some changes change nothing that can be seen, or speed alone.

What was learnt is kept in FOLDER until it is deleted; it goes stale when the tree goes on.
Tests of more than --longest seconds are left out: lines that only they run count as run by no
test. The same seed makes the same changes in the same tree."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLOORS = ["schedules", "compiler", "runtime", "tools"]

# One token becomes another; groups of the pattern may be used.
SLIPS = [
    (r"(?<![<-])<(?![<=])", "<="), (r"(?<!<)<=", "<"),
    (r"(?<![>-])>(?![>=])", ">="), (r"(?<!>)>=", ">"),
    (r"==", "!="), (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"),
    (r" \+ 1\b", ""), (r" - 1\b", ""), (r" \+ ", " - "), (r" - ", " + "),
    (r" \* ", " + "), (r" / ", " * "),
    (r" % ", " / "), (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\b0\b", "1"),
    (r"\b1\b", "0"), (r"\b1\b", "2"), (r"\b2\b", "3"), (r"(?<=\bif )\((.*)\)( \{)?$", r"(!(\1))\2"),
    (r"\bbreak;", ";"), (r"\bcontinue;", ";"), (r"[+|]= ", "= "),
    (r" \? (.*) : (.*?)(?=[;,)])", r" ? \2 : \1"),
    # No test but one under sanitizers notices what is not given back.
    (r" >> ", " << "),
    (r"^(\t+)(?!\w*(free|destroy)|close)[\w>.\[\]-]+\(.*\);$", r"\1;"),
    (r"^(\t+)[\w>.\[\]-]+ [+|]?= .*;$", r"\1;"),
    (r"(?<=\()!(?=\w)", ""),
]


def code_of(line):
    """The line, its comments and strings blanked in the same columns; "": none of it is code."""
    if re.match(r"\s*(/?\*|//|#)", line):
        return ""
    return re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])+\'|/\*.*?(\*/|$)|//.*',
                  lambda found: "_" * len(found[0]), line)


def slips_of(line):
    """All that the line may become."""
    code = code_of(line)
    # A declaration without a value has nothing to slip.
    declares = re.match(r"\s*(static |const |struct |enum |typedef |size_t |[A-Z_]+\()", code)
    if declares and "=" not in code:
        return []
    changed = []
    for pattern, put in SLIPS:
        for found in re.finditer(pattern, code):
            # Groups come from the line itself: the code has its strings blanked.
            group = lambda n: line[slice(*found.span(int(n[1])))] if found[int(n[1])] else ""
            put_here = re.sub(r"\\(\d)", group, put)
            changed.append(line[:found.start()] + put_here + line[found.end():])
    return sorted(set(changed) - {line})


def run(words, **options):
    return subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", stdin=subprocess.DEVNULL, **options)


def must(words, **options):
    done = run(words, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout[-3000:]}")
    return done.stdout


class Build:
    """A clone, configured, and the tests of the quick suite."""

    def __init__(self, source, folder, *options):
        self.source, self.folder = source, source / folder
        if not source.exists():
            must(["git", "clone", "-q", ROOT, source])
        must(["git", "checkout", "-q", "."], cwd=source)
        if not (self.folder / "build.ninja").exists():
            must(["meson", "setup", self.folder, source, "-Doptimization=1", "-Ddebug=false",
                  "-Dtests=enabled", *options])
        must(["ninja", "-C", self.folder, "--quiet", "build.ninja"])
        files = {target["id"]: target["filename"] for target in self.introspect("--targets")}
        self.tests = {test["name"]: test for test in self.introspect("--tests")
                      if not any(suite.endswith("long") for suite in test["suite"])}
        for test in self.tests.values():
            test["targets"] = [os.path.relpath(file, self.folder)
                               for name in test["depends"] for file in files[name]]
        self.objects = {}
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            file = os.path.relpath(os.path.join(entry["directory"], entry["file"]), source)
            self.objects.setdefault(file, []).append(entry["output"])

    def introspect(self, what):
        return json.loads(must(["meson", "introspect", what, self.folder]))

    def make(self, targets):
        return run(["ninja", "-C", self.folder, "--quiet", "-j2", *targets]).returncode == 0

    def run(self, name, seconds, **environment):
        """True: the test passed. What loops is killed, and memory has a limit."""
        test = self.tests[name]
        limits = f'ulimit -v 8000000; exec timeout -k 5 {seconds:.0f} "$@"'
        done = run(["sh", "-c", limits, "sh", *test["cmd"]], cwd=test["workdir"] or self.folder,
                   env={**os.environ, **test["env"], "CMOCKA_MESSAGE_OUTPUT": "tap", **environment})
        return done.returncode == 0


class Learnt:
    """Which tests run which line, and how long each takes."""

    def __init__(self, source, wanted):
        self.build = Build(source, "build-coverage", "-Db_coverage=true")
        self.traces = self.build.folder / "traces"
        self.times_file = self.build.folder / "times.json"
        if not self.times_file.exists():
            self.learn(wanted)
        self.times = json.loads(self.times_file.read_text())
        self.known, self.lock = {}, threading.Lock()

    def learn(self, wanted):
        def measure(name):
            begin = time.time()
            passed = self.build.run(name, wanted.longest, GCOV_PREFIX=str(self.trace_of(name)))
            took = time.time() - begin
            left_out = "" if passed else ", failed or too long: left out"
            print(f"  {name}: {took:.1f} s{left_out}", flush=True)
            return name, took if passed else None

        names = [name for name in self.build.tests
                 if not (wanted.without and re.search(wanted.without, name))]
        targets = {target for name in names for target in self.build.tests[name]["targets"]}
        must(["ninja", "-C", self.build.folder, "--quiet", *sorted(targets)])
        with concurrent.futures.ThreadPoolExecutor(wanted.jobs) as pool:
            times = dict(pool.map(measure, names))
        times = {name: took for name, took in times.items() if took is not None}
        self.times_file.write_text(json.dumps(times))

    def trace_of(self, name):
        return self.traces / name.replace(" ", "_")

    def file(self, file):
        """Of every test the lines of the file that it runs; under "" all that could be run."""
        with self.lock:
            if file not in self.known:
                self.known[file] = self.read(file)
            return self.known[file]

    def read(self, file):
        known, notes = {"": set()}, {}
        for made in self.build.objects[file]:
            note = (self.build.folder / made).with_suffix(".gcno")
            for name in self.times:
                data = pathlib.Path(f"{self.trace_of(name)}{note.with_suffix('.gcda')}")
                if data.exists():
                    notes[str(data)] = name
                    if not data.with_suffix(".gcno").exists():
                        data.with_suffix(".gcno").symlink_to(note)
        told = run(["gcov", "--json-format", "--stdout", *notes]).stdout if notes else ""
        for answer in (json.loads(line) for line in told.splitlines() if line.startswith("{")):
            for covered in answer["files"]:
                path = os.path.normpath(self.build.folder / covered["file"])
                if path == str(self.build.source / file):
                    known[""] |= {line["line_number"] for line in covered["lines"]}
                    known.setdefault(notes[answer["data_file"]], set()).update(
                        line["line_number"] for line in covered["lines"] if line["count"])
        return known

    def tests_of(self, file, number):
        """The tests that run the line, or the beginning of its statement, the quickest first."""
        known = self.file(file)
        begin = next((line for line in range(number, number - 6, -1) if line in known[""]), None)
        runs = lambda lines: begin in lines if begin else lines
        return sorted((name for name in known if name and runs(known[name])), key=self.times.get)


class Change:
    def __init__(self, source, file, number, chance):
        self.file, self.number = file, number
        self.before = (source / file).read_text()
        lines = self.before.splitlines()
        self.old, self.new = lines[number - 1], chance.choice(slips_of(lines[number - 1]))
        self.after = "\n".join(lines[:number - 1] + [self.new] + lines[number:]) + "\n"

    def judge(self, build, learnt, seconds):
        """What became of it, and by which tests; None: it does not compile."""
        path = build.source / self.file
        path.write_text(self.after)
        try:
            tests = learnt.tests_of(self.file, self.number)
            if not build.make(build.objects[self.file]):
                return None, ""
            begin = time.time()
            for i, name in enumerate(tests):
                if i and time.time() - begin + learnt.times[name] > seconds:
                    return "survived", f"{i} tests, without time for {', '.join(tests[i:])}"
                made = build.make(build.tests[name]["targets"])
                if not made or not build.run(name, 15 + 4 * learnt.times[name]):
                    return "noticed", name
            return ("survived", f"{len(tests)} tests") if tests else ("run by no test", "")
        finally:
            path.write_text(self.before)


def choose(source, learnt, wanted):
    """Places of all floors, in the order of chance."""
    places = []
    for path in sorted(path for floor in FLOORS for path in (source / floor).rglob("*.c")):
        file = str(path.relative_to(source))
        if file in learnt.build.objects and re.search(wanted.only, file):
            lines = enumerate(path.read_text().splitlines(), 1)
            places += [(file, number) for number, line in lines if slips_of(line)]
    chance = random.Random(wanted.seed)
    chance.shuffle(places)
    return (Change(source, file, number, chance) for file, number in places)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], epilog=__doc__.split("\n\n", 1)[1],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("--changes", type=int, default=200, help="how many that compile (200)")
    option("--seed", type=int, default=1)
    option("--only", default="", metavar="PATTERN", help="only files whose path matches")
    option("--without", default="^view$", metavar="PATTERN", help="tests not to run (^view$)")
    option("--longest", type=float, default=60, metavar="S", help="leaves out longer tests (60)")
    option("--seconds", type=float, default=120, help="for the tests of one change (120)")
    option("--minutes", type=float, default=600, help="then no further change begins (600)")
    option("--jobs", type=int, default=os.cpu_count(), help="changes at the same time")
    option("--folder", type=pathlib.Path, default=ROOT / "build-changes")
    wanted = parser.parse_args()

    source, begin = wanted.folder.resolve(), time.time()
    learnt = Learnt(source, wanted)
    builds = [Build(source.with_name(f"{source.name}-{job + 1}"), "build", "-Dwerror=true")
              for job in range(wanted.jobs)]
    changes, counts, lock = choose(source, learnt, wanted), {}, threading.Lock()

    def work(build):
        while time.time() < begin + 60 * wanted.minutes:
            with lock:
                change = next(changes, None) if sum(counts.values()) < wanted.changes else None
                if not change:
                    return
                counts["under way"] = counts.get("under way", 0) + 1
            outcome, why = change.judge(build, learnt, wanted.seconds)
            with lock:
                counts["under way"] -= 1
                if outcome:
                    counts[outcome] = counts.get(outcome, 0) + 1
                    print(f"{outcome}: {change.file}:{change.number}: {why}", flush=True)
                    if outcome != "noticed":
                        print(f"    -{change.old}\n    +{change.new}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(wanted.jobs) as pool:
        list(pool.map(work, builds))
    print(", ".join(f"{count} {name}" for name, count in counts.items() if count),
          f"in {(time.time() - begin) / 60:.0f} minutes")


if __name__ == "__main__":
    main()
