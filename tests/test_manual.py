#!/usr/bin/env python3
"""The manual is well-formed, and has every command and every option that --help shows.

usage: test_manual.py ORDO MANUAL"""
import re
import shutil
import subprocess
import sys

ordo, manual = sys.argv[1:]
failed = 0
number = 0


def check(name, problems):
    global failed, number
    number += 1
    for problem in problems:
        print("#", problem)
    print("ok" if not problems else "not ok", number, "-", name)
    failed += bool(problems)


def help_of(*command):
    return subprocess.run([ordo, *command, "--help"], check=True, capture_output=True, text=True).stdout


if shutil.which("mandoc"):
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", manual], capture_output=True, text=True)
    check("mandoc finds nothing to warn of", lint.stdout.splitlines())

with open(manual) as file:
    text = file.read()
commands = re.findall(r"^  (\w+) ", help_of().split("commands:\n")[1].split("\n\n")[0], re.MULTILINE)
check("commands are found at all", [] if len(commands) >= 7 else [f"found {commands}"])
sections = dict(re.findall(r"^\.Ss (\w+)\n(.*?)(?=^\.S[sh] )", text, re.MULTILINE | re.DOTALL))
common = text.split(".Ss ")[0]
for command in commands:
    options = re.findall(r"^  (?:-\w, )?--([\w-]+)", help_of(command), re.MULTILINE)
    told = set(re.findall(r"^\.It (?:Fl \w , )?Fl Fl ([\w-]+)", common + sections.get(command, ""), re.MULTILINE))
    missing = [f"--{option} is not in the manual" for option in options if option not in told]
    missing += [f"--{option} is no option" for option in re.findall(
        r"^\.It (?:Fl \w , )?Fl Fl ([\w-]+)", sections.get(command, ""), re.MULTILINE) if option not in options]
    check(f"every option of {command} is told", missing + ([] if command in sections else ["no section"]))
print(f"1..{number}")
sys.exit(1 if failed else 0)
