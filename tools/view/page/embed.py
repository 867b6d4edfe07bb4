"""embed.py - the files of the page as a table of C: one style, one script, and a policy that
allows no other.

usage: embed.py OUT.c page.html page.css FILE.js..."""
import base64
import hashlib
import re
import sys

out, html, css, *scripts = sys.argv[1:]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def allow(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


style = "\n" + read(css)
script = '\n"use strict";\n' + "\n".join(read(path) for path in scripts)
for text, end in (style, "</style"), (script, "</script"):
    if end in text.lower() or "<!--" in text:
        sys.exit(f"embed.py: {end} or <!-- would end the element")
policy = (f"default-src 'none'; style-src {allow(style)}; script-src {allow(script)}; "
          "base-uri 'none'; form-action 'none'")

page = read(html)
for place, text in ("POLICY", policy), ("STYLE", style), ("SCRIPT", script):
    if page.count(f"@{place}@") != 1:
        sys.exit(f"embed.py: {html}: wanted @{place}@ once")
    page = page.replace(f"@{place}@", text)
outside = re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}|\bsrc=|\bhref=|@import|\burl\(",
                     page.replace("http://www.w3.org/2000/svg", ""))
if outside:
    sys.exit(f"embed.py: the page would ask for something outside: {outside}")
parts = re.split("@TITLE@|@DATA@", page)
if len(parts) != 3:
    sys.exit(f"embed.py: {html}: wanted @TITLE@ and @DATA@ once each")

with open(out, "w", encoding="utf-8") as file:
    file.write("/* Made by embed.py. */\n#include \"view/page/page.h\"\n\n")
    sizes = []
    for number, part in enumerate(parts):
        part = part.encode()
        sizes.append(len(part))
        file.write(f"static const unsigned char part_{number}[] = {{")
        for at in range(0, len(part), 24):
            file.write("\n\t" + "".join(f"{byte}," for byte in part[at:at + 24]))
        file.write("\n};\n")
    file.write("const struct frame_part page_frame[3] = {")
    file.write(", ".join(f"{{part_{number}, {size}}}" for number, size in enumerate(sizes)))
    file.write("};\n")
