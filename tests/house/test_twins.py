#!/usr/bin/env python3
"""One idea, one place: what the floors share is written once.

usage: test_twins.py SOURCE_ROOT

Each idea is known by words that its code cannot do without. They must stand where the idea lives,
and nowhere else. tools/checker shares no code on purpose and is left out."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
FLOORS = ("schedules", "compiler", "runtime", "tools")

# idea: (its words, folders that are searched, the files in which they must stand)
IDEAS = {
    "hash tables probe for a free place in one file": (
        r"ORDO_NEXT_PLACE\(|\bordo_hash_pair\(|=\s*\(\w+ \+ 1\) & \w*mask", FLOORS,
        {"schedules/base/map.c", "schedules/internal/ordo/hash_seed.h"}),
    "signals are numbered in one file": (
        r"\(struct ordo_signal\)\{|_near_(at|put)\([^;]*\bnumber\b"
        r"|ordo_(map|near)_(at|put)\([^;]*->signal\b",
        ("schedules", "runtime", "tools"), {"schedules/execution/signals.c"}),
    "the j-th Wait meets the j-th Notify in one file": (
        r"->ordinal\[", ("schedules", "runtime", "tools"),
        {"schedules/execution/signals.c"}),
    "one greedy run parks and wakes streams": (
        r"->parked\b", ("schedules/base", "schedules/execution", "schedules/internal",
                        "schedules/json", "schedules/model", "schedules/order",
                        "schedules/symmetry", "schedules/trees",
                        "schedules/verify", "tools"),
        {"schedules/internal/ordo/greedy.h"}),
    "members of objects are known, twice or missing in one file": (
        r'unknown key|duplicate key \\"%s|is missing in %s', ("schedules",),
        {"schedules/json/read/fields.c"}),
    "files take the place of others in one file": (
        r"\bmkstemp\(|\brename\(|RENAME_EXCHANGE|\bopen(at)?\([^;]*\bO_EXCL\b", FLOORS,
        {"schedules/base/atomic_file.c"}),
}


def sources():
    for floor in FLOORS:
        for path in sorted((ROOT / floor).rglob("*.[ch]")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith("tools/checker/"):
                yield name, path.read_text()


def found_in(idea, files):
    words, folders, _ = IDEAS[idea]
    return {
        name for name, text in files
        if name.startswith(tuple(folder + "/" for folder in folders)) and re.search(words, text)
    }


failed = 0


def check(number, name, problems):
    global failed
    for problem in problems:
        print("#", problem)
    print("not ok" if problems else "ok", number, "-", name)
    failed += bool(problems)


FILES = list(sources())
print(f"1..{len(IDEAS) + 1}")
for count, (title, (_, _, homes)) in enumerate(IDEAS.items(), 1):
    there = found_in(title, FILES)
    check(count, title, [f"a twin in {name}" for name in sorted(there - homes)] +
          [f"no longer in {name}: this test looks for the wrong words"
           for name in sorted(homes - there)])

# The same code under another name is noticed.
copies = [(f"{IDEAS[title][1][0]}/copy.c", (ROOT / sorted(IDEAS[title][2])[0]).read_text())
          for title in IDEAS]
check(len(IDEAS) + 1, "a copy of any of them is noticed",
      [f"{title}: a copy is not" for title, copy in zip(IDEAS, copies)
       if not found_in(title, [copy])])
sys.exit(failed)
