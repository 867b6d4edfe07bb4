#!/usr/bin/env python3
"""embed-file.py - a file as a text of C, which no limit of a string literal holds for.

usage: embed-file.py OUT.c NAME FILE"""
import pathlib
import sys

out, name, path = sys.argv[1:]
content = pathlib.Path(path).read_bytes()
lines = ["\t" + "".join(f"{byte}," for byte in content[at:at + 24])
         for at in range(0, len(content), 24)]
pathlib.Path(out).write_text(
    f"/* Made by embed-file.py. */\nextern const char {name}[];\nconst char {name}[] = {{\n" +
    "\n".join(lines) + "\n\t0};\n", encoding="utf-8")
