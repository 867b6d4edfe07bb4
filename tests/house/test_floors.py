#!/usr/bin/env python3
"""The floors: a file that includes against the architecture does not compile, and no source
climbs out of its folder.

usage: test_floors.py SOURCE_ROOT BUILD_ROOT

Each probe is compiled with the command that a real source of that floor is compiled with, as the
build itself recorded it."""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

source_root, build_root = map(os.path.abspath, sys.argv[1:])
failed = 0
number = 0


def check(name, problems):
    global failed, number
    number += 1
    for problem in problems:
        print("#", problem)
    print("ok" if not problems else "not ok", number, "-", name)
    failed += bool(problems)


with open(os.path.join(build_root, "compile_commands.json")) as file:
    recorded = json.load(file)


def command_of(floor):
    """How the source of a floor that sees most is compiled, without its source and its outputs."""
    for entry in sorted(recorded, key=lambda entry: -entry["command"].count(" -I")):
        path = os.path.relpath(os.path.realpath(os.path.join(entry["directory"], entry["file"])),
                               source_root)
        if path.startswith(floor + os.sep):
            words = shlex.split(entry["command"])
            for option in ("-o", "-MF", "-MQ"):
                at = words.index(option)
                del words[at:at + 2]
            return [word for word in words
                    if word not in ("-c", "-MD", entry["file"])], entry["directory"]
    sys.exit(f"no source of {floor}/ in compile_commands.json")


def includes(floor, header):
    words, directory = command_of(floor)
    with tempfile.TemporaryDirectory() as folder:
        probe = os.path.join(folder, "probe.c")
        with open(probe, "w") as file:
            file.write(
                f"#include <ordo/{header}>\nint probe(void);\nint "
                f"probe(void)\n{{\n\treturn 0;\n}}\n"
            )
        run = subprocess.run([*words, "-M", probe], cwd=directory, capture_output=True, text=True)
    read = [
        os.path.realpath(os.path.join(directory, path))
        for path in run.stdout.replace("\\\n", " ").split()[1:]
    ]
    # A libordo installed on this machine would be found by everybody; only ours counts.
    return run.returncode == 0 and any(
        path.startswith(source_root) and path.endswith("/" + header) for path in read)


for floor, header, allowed in [("schedules", "schedule.h", True),
                               ("schedules", "compiler.h", False),
                               ("schedules", "runtime.h", False), ("compiler", "compiler.h", True),
                               ("compiler", "verify.h", True), ("compiler", "runtime.h", False),
                               ("runtime", "runtime.h", True), ("runtime", "schedule.h", True),
                               ("runtime", "compiler.h", False), ("tools", "compiler.h", True),
                               ("tools", "runtime.h", True), ("tools", "verify.h", True)]:
    found = includes(floor, header)
    check(f"{floor}/ {'includes' if allowed else 'cannot include'} <ordo/{header}>",
          [] if found == allowed else [f"it {'compiles' if found else 'does not compile'}"])



def private_headers(floor):
    """By the names that an include could have: from the floor's folder, and alone."""
    names = set()
    for folder, _, files in os.walk(os.path.join(source_root, floor)):
        if "include" in os.path.relpath(folder, source_root).split(os.sep):
            continue
        for name in files:
            if name.endswith(".h"):
                names |= {
                    name,
                    os.path.relpath(os.path.join(folder, name), os.path.join(source_root, floor))
                }
    return names


def reachable(floor, headers):
    words, directory = command_of(floor)
    with tempfile.TemporaryDirectory() as folder:
        probe = os.path.join(folder, "probe.c")
        with open(probe, "w") as file:
            file.write("".join(f'#if __has_include("{header}")\n#include "{header}"\n#endif\n'
                               for header in sorted(headers)))
        run = subprocess.run([*words, "-E", probe], cwd=directory, capture_output=True, text=True)
    read = {
        os.path.realpath(os.path.join(directory, path))
        for path in re.findall(r'^# 1 "([^"]+)"', run.stdout, re.MULTILINE)
    }
    # The machine may have a header of the same name.
    read = {
        os.path.relpath(path, source_root)
        for path in read if path.startswith(source_root + os.sep)
    }
    return sorted(path for path in read
                  if path.endswith(".h") and "include" not in path.split(os.sep))


floors = ("schedules", "compiler", "runtime", "tools")
for floor in floors:
    private = {other: private_headers(other) for other in floors}
    # A probe elsewhere sees what is in the include path only; schedules/ includes its own from
    # beside them.
    check(f"{floor}/ reaches private headers of its own",
          [] if reachable(floor, private[floor]) or floor == "schedules" else ["none"])
    for other in floors:
        if other != floor:
            check(f"{floor}/ reaches no private header of {other}/",
                  reachable(floor, private[other] - private[floor]))

climbing = []
for floor in ("schedules", "compiler", "runtime", "tools", "tests", "examples"):
    for folder, _, files in os.walk(os.path.join(source_root, floor)):
        for name in files:
            if name.endswith((".c", ".h")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    if re.search(r'^\s*#\s*include\s+["<][^">]*\.\./', file.read(), re.MULTILINE):
                        climbing.append(os.path.join(folder, name))
check("no include climbs out of its folder", climbing)

halves = []
for folder, folders, files in os.walk(source_root):
    folders[:] = [name for name in folders if not name.startswith((".git", "build"))]
    for name in files:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            if re.search(r"^(<{7}|>{7}) ", file.read(), re.MULTILINE):
                halves.append(os.path.join(folder, name))
check("no merge was left half done", halves)
print(f"1..{number}")
sys.exit(1 if failed else 0)
