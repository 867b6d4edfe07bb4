#!/usr/bin/env python3
"""embed-texts.py - the help texts, and files that commands print, as one table of C.

usage: embed-texts.py OUT.c FILE...

NAME.txt is a topic: `== entry` begins an entry, `-- field` one of its fields. The lines of a
paragraph are joined; paragraphs are separated by empty lines. Of `-- field |` lines stay as they
are. Lines before the first entry are for those who edit the file. Any other file is the whole text
of the entry with its file name, in the topic with the name of its folder.
"""
import pathlib
import re
import sys


def join(text):
    """Paragraphs, each of one line."""
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def read_topic(path):
    """[(topic, entry, field, text)] of a file of help texts."""
    texts = []
    for entry in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, *fields = re.split(r"^-- ", entry, flags=re.M)
        name, rest = head.split("\n", 1)
        if rest.strip() or not fields:
            sys.exit(f"{path}: {name}: wanted `-- field` below it")
        for field in fields:
            title, text = field.split("\n", 1)
            literal = title.endswith(" |")
            texts.append((path.stem, name, title.removesuffix(" |"),
                          text.rstrip() if literal else join(text)))
    for key in [text[:3] for text in texts]:
        if sum(text[:3] == key for text in texts) > 1:
            sys.exit(f"{path}: twice: {key[1]}, {key[2]}")
    return texts


def literal(text):
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", '\\n"\n\t\t"')
    return f'"{quoted}"'


def main():
    out, *paths = map(pathlib.Path, sys.argv[1:])
    texts = []
    for path in paths:
        if path.suffix == ".txt":
            texts += read_topic(path)
        else:
            texts.append((path.parent.name, path.name, "", path.read_text(encoding="utf-8")))
    rows = "".join("\t{" + ", ".join(map(literal, text)) + "},\n" for text in texts)
    out.write_text('/* Made by embed-texts.py. */\n#include "help/texts.h"\n\n'
                   f"const struct help_row help_rows[] = {{\n{rows}}};\n"
                   f"const size_t help_nrow = {len(texts)};\n", encoding="utf-8")


main()
