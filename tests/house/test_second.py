#!/usr/bin/env python3
"""test_second.py FOLDER - the second checker stays small, and stands alone.

FOLDER holds its sources. Lines are counted that are neither blank nor part of a comment."""
import pathlib
import re
import sys

MOST_LINES = 1100
folder = pathlib.Path(sys.argv[1])
failed = 0


def check(number, sentence, problems):
    global failed
    for problem in problems:
        print("#", problem)
    print("ok" if not problems else "not ok", number, "-", sentence)
    failed += bool(problems)


sources = {path.name: path.read_text() for path in sorted(folder.glob("*.[ch]"))}
code = {name: re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) for name, text in sources.items()}
lines = {name: sum(bool(line.strip()) for line in text.splitlines()) for name, text in code.items()}
check(1, f"at most {MOST_LINES} lines: {lines}",
      [] if 100 < sum(lines.values()) <= MOST_LINES else [f"{sum(lines.values())} lines"])
libc = {"errno.h", "setjmp.h", "stdarg.h", "stdbool.h", "stdint.h", "stdio.h", "stdlib.h",
        "string.h", "fcntl.h", "stddef.h",
        "unistd.h", "sys/stat.h"}
foreign = [
    f"{name}: {header}" for name, text in code.items()
    for header in re.findall(r'#\s*include\s*[<"](.*?)[>"]', text)
    if header not in libc | sources.keys()
]
check(2, "it includes libc and itself", foreign)
root = folder.resolve().parent.parent
said = {"README.md": f"{MOST_LINES:,} lines", "README.zh.md": f"{MOST_LINES:,} 行",
        "examples/tour/5-proofs.md": f"{MOST_LINES:,} lines",
        "examples/tour/5-proofs.zh.md": f"{MOST_LINES:,} 行",
        "schedules/FORMAT.md": f"{MOST_LINES:,} lines",
        "tools/checker/ordo-check.1": f"{MOST_LINES:,} lines"}
check(3, "documents say that number", [f"{name}: {words}" for name, words in said.items()
                                       if words not in (root / name).read_text()])
print("1..3")
sys.exit(1 if failed else 0)
