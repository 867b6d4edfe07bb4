#!/usr/bin/env python3
"""test_ci.py SOURCE_ROOT - what CI says of tests that fail: counts, and a name a failed case."""
import json
import pathlib
import subprocess
import sys
import tempfile

from tap import case, run_cases, wanted

SOURCE = pathlib.Path(sys.argv[1]).resolve()
TAP = """TAP version 13
1..4
ok 1 - a ring adds
not ok 2 - a tree adds
not ok 3 a star adds
ok 4 # SKIP no network
"""


def count(*tests):
    """What count-tests prints of a log with these tests."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as log:
        log.writelines(json.dumps(test) + "\n" for test in tests)
        log.flush()
        done = subprocess.run([SOURCE / "tools/scripts/count-tests", log.name],
                              capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def run_steps(script):
    """Exit code and lines of steps, after the functions of .ci/steps."""
    done = subprocess.run(["bash", "-uc", f". .ci/steps\n{script}\nsummary"], cwd=SOURCE,
                          capture_output=True, text=True, check=False)
    wanted(not done.stderr, done.stderr)
    return done.returncode, done.stdout.splitlines()


@case("every failed case is named right before the counts")
def _():
    found = count({"name": "adds", "result": "FAIL", "returncode": 1, "stdout": TAP})
    wanted(found == (1, ["failed: adds: a tree adds", "failed: adds: a star adds",
                         "1 passed, 2 failed, 1 skipped"]), found)


@case("a test that fails without a failed case is named with its return code")
def _():
    found = count({"name": "hangs", "result": "TIMEOUT", "returncode": -15, "stdout": "ok 1 - a\n"},
                  {"name": "plain", "result": "OK", "returncode": 0, "stdout": ""})
    wanted(found == (1, ["failed: hangs: timeout, return code -15", "2 passed, 1 failed"]), found)


@case("without failures only the counts are printed")
def _():
    found = count({"name": "adds", "result": "OK", "returncode": 0, "stdout": "ok 1 - a\n"})
    wanted(found == (0, ["1 passed, 0 failed"]), found)


@case("CI names the failed cases of all steps right before its counts")
def _():
    code, lines = run_steps("""
gcc() { echo "failed: rooms: a folder"; echo "failed: adds: a tree"; echo "5 passed, 2 failed"
        return 1; }
clang() { echo "3 passed, 0 failed, 1 skipped"; }
step gcc gcc
step clang clang
step formatting false
step packages true
""")
    wanted(code == 1 and lines[-4:] == [
        "failed: gcc: rooms: a folder", "failed: gcc: adds: a tree",
        "failed: formatting: exit code 1", "9 passed, 3 failed, 1 skipped"], code, *lines)


@case("a step that fails after its tests passed counts as failed")
def _():
    code, lines = run_steps("""
late() { echo "4 passed, 0 failed"; return 3; }
step late late
""")
    wanted(code == 1 and lines[-2:] == ["failed: late: exit code 3", "4 passed, 1 failed"],
           code, *lines)


@case("steps that pass name nothing, also where they print such lines")
def _():
    code, lines = run_steps("""
good() { echo "failed: a test of this test"; echo "4 passed, 0 failed"; }
step good good
""")
    wanted(code == 0 and lines[-2].startswith("== good:") and lines[-1] == "4 passed, 0 failed",
           code, *lines)


@case("a warning of the compiler fails a command that must have none, and is named once")
def _():
    code, lines = run_steps("""
warns() { echo "a.c:3:1: warning: unused variable 'x' [-Wunused-variable]" >&2
          echo "a.c:3:1: warning: unused variable 'x' [-Wunused-variable]"; }
step warns without_warnings warns
quiet() { echo "a word: warning: none"; echo "2 passed, 0 failed"; }
step quiet without_warnings quiet
fails() { return 4; }
step fails without_warnings fails
""")
    wanted(code == 1 and lines[-3:] == [
        "failed: warns: a.c:3:1: warning: unused variable 'x' [-Wunused-variable]",
        "failed: fails: exit code 4", "2 passed, 2 failed"], code, *lines)


run_cases()
