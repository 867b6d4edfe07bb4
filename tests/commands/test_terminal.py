#!/usr/bin/env python3
"""test_terminal.py ORDO REJECT - what terminals see: bars, colours, summaries."""
import os
import pty
import re
import select
import subprocess
import time

from command import REJECT, hostile_document
from desk import ORDO, desk_case
from tap import run_cases, wanted


def on_terminal(ordo, *words, environment=None):
    """What a terminal would show of stdout and stderr."""
    master, slave = pty.openpty()
    surroundings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    done = subprocess.Popen([ORDO, *map(str, words)],
                            cwd=ordo.folder,
                            stdin=subprocess.DEVNULL,
                            stdout=slave,
                            stderr=slave,
                            env={**surroundings, "TERM": "xterm", **(environment or {})})
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(master)
    done.wait()
    return shown


@desk_case("compile to a terminal: a summary and no document, which -o - shows")
def _(ordo):
    words = ["compile", "allreduce", "-n", 4, "-a", "ring"]
    document = ordo.works(*words).out
    shown = on_terminal(ordo, *words, environment={"NO_COLOR": "1"}).decode().replace("\r\n", "\n")
    wanted("AllReduce on 4 ranks by ring: " in shown and "proved in every interleaving" in shown,
           shown)
    wanted('"schema"' not in shown and "written in" not in shown, shown)
    wanted("not written: -o FILE.json writes the document, -o - prints it" in shown, shown)
    shown = on_terminal(ordo, *words, "-o", "-",
                        environment={"NO_COLOR": "1"}).decode().replace("\r\n", "\n")
    wanted(document in shown, shown)
    shown = on_terminal(ordo, *words, "--json",
                        environment={"NO_COLOR": "1"}).decode().replace("\r\n", "\n")
    wanted(shown == document, shown)
    shown = on_terminal(ordo, "compile", "allreduce", "-n", 4,
                        environment={"NO_COLOR": "1"}).decode()
    wanted("the fastest at 1 MiB" in shown and '"schema"' not in shown, shown)
    with open(ordo.folder / "kept.json", "wb") as kept:
        ordo.works(*words, stdout=kept)
    wanted((ordo.folder / "kept.json").read_text() == document)


@desk_case("draw to a terminal: dot, and a hint how it becomes a picture; names say the form")
def _(ordo):
    ordo.compile("ring.json")
    plain = {"NO_COLOR": "1"}
    for words in [["draw", "ring.json"], ["draw", "ring.json", "-o", "-"],
                  ["draw", "-t", "ring", "-n", 4]]:
        shown = on_terminal(ordo, *words, environment=plain).decode().replace("\r\n", "\n")
        wanted(ordo.works(*words).out in shown, words, shown)
        wanted("this is DOT, the language of Graphviz; -o FILE.svg" in shown, words, shown)
        wanted("Graphviz" not in ordo.works(*words).err, words)
    for words in [["--as", "dot"], ["--as", "text"], ["--as", "table"], ["-o", "x.dot"]]:
        wanted(b"Graphviz" not in on_terminal(ordo, "draw", "ring.json", *words, environment=plain),
               words)
    for name, begin in [("x.svg", b"<?xml"), ("x.png", b"\x89PNG"), ("x.pdf", b"%PDF"),
                        ("x.dot", b"digraph"), ("x.txt", b"AllReduce"), ("x.md", b"**AllReduce")]:
        ordo.works("draw", "ring.json", "-o", name)
        found = (ordo.folder / name).read_bytes()[:20]
        wanted(found.startswith(begin), name, found)


class Watched:
    """A command whose stderr is a terminal and whose stdin is ours: what it shows, and when."""

    def __init__(self, ordo, *words, environment=None):
        self.master, slave = pty.openpty()
        surroundings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        self.began = time.monotonic()
        self.shown = b""
        self.running = subprocess.Popen([ORDO, *map(str, words)], cwd=ordo.folder,
                                        stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=slave,
                                        env={**surroundings, "TERM": "xterm",
                                             **(environment or {})})
        os.close(slave)

    def feed(self, data):
        self.running.stdin.write(data)
        self.running.stdin.flush()

    def until(self, pattern, patience=60):
        """Seconds since it began when this is first seen; None: it is not, within so long."""
        end = time.monotonic() + patience
        while not re.search(pattern, self.shown):
            if not select.select([self.master], [], [], max(0, end - time.monotonic()))[0]:
                return None
            try:
                part = os.read(self.master, 1 << 16)
            except OSError:
                return None
            if not part:
                return None
            self.shown += part
        return time.monotonic() - self.began

    def end(self):
        self.running.stdin.close()
        out = self.running.stdout.read()
        self.running.stdout.close()
        self.until(b"nothing of the kind", 0.3)
        os.close(self.master)
        return self.running.wait(60), out


@desk_case("a bar begins within half a second, and is gone before anything is said")
def _(ordo):
    document = ordo.compile("ring.json", ranks=64).read_bytes()
    seen = []
    # A busy machine may begin it late, but not every time; the bar waits for 0.4 s itself.
    for environment in [{}, {"NO_COLOR": "1"}] * 4:
        if len(seen) >= 2 and min(seen) < 1:
            break
        watched = Watched(ordo, "verify", "-", environment=environment)
        first = watched.until(rb"\rreading      \[")
        wanted(first is not None and first > 0.3, first, watched.shown)
        seen.append(first)
        # A pipe does not say how long it is.
        wanted(watched.until(rb"reading      \[ {32}\] {7} 2 s so far") is not None,
               watched.shown[-200:])
        watched.feed(document)
        code, out = watched.end()
        wanted(code == 0 and b": proved" in out, code, out)
        wanted(re.search(rb"\r +\r$", watched.shown), watched.shown[-100:])
        wanted(b"\033" not in watched.shown, watched.shown[-100:])
    wanted(min(seen) < 1, seen)
    # Nothing of it where nobody looks, or where \\r does not go back.
    for words, environment in [(["verify", "-", "--json"], {}),
                               (["verify", "-"], {"TERM": "dumb"})]:
        watched = Watched(ordo, *words, environment=environment)
        wanted(watched.until(b"reading", 1.2) is None, watched.shown)
        watched.feed(document)
        wanted(watched.end()[0] == 0 and watched.shown == b"", watched.shown)


@desk_case("whatever takes long has a bar: compiling, proving, predicting, running, probing")
def _(ordo):
    ordo.compile("ring.json", ranks=16)
    ordo.works("compile", "reduce-scatter", "-n", 700, "-a", "mesh", "-o", "large.json")
    # Each takes seconds, and is ended as soon as its bar is seen.
    for words, what in [(["compile", "allreduce", "-n", 1400, "-a", "ring", "--prove-only"],
                         "compiling|proving"),
                        (["verify", "--generate", "ring", "-n", 8192], "[a-z]+"),
                        (["predict", "large.json", "-t", "star", "--route-through-ranks"],
                         "reading|predicting"),
                        (["tune", "allreduce", "-n", 64, "-t", "torus:8x8", "--sizes", "1KiB:1GiB"],
                         "simulating"),
                        (["compile", "allreduce", "-n", 4096, "-t", "torus:64x64",
                          "--memory-limit", "4GiB", "--prove-only"], "listing"),
                        (["run", "ring.json", "-b", "4MiB", "-e", "16MiB", "-n", 9], "running"),
                        (["run", "ring.json", "--size", "4MiB", "--repeat", 600], "running"),
                        (["probe", "ring.json", "--seeds", 60], "probing"),
                        (["calibrate", "-n", 4], "measuring")]:
        watched = Watched(ordo, *words)
        first = watched.until(rf"\r({what}) +\[".encode(), 60)
        wanted(first is not None and first < 40, words, first, watched.shown[-300:])
        wanted((b"4096 ranks: " in watched.shown) == (4096 in words), watched.shown[-300:])
        if "--repeat" in words:
            left = watched.until(rb"running      \[#+ *\] +\d+ %  \d+ (s|min) left", 60)
            wanted(left is not None, watched.shown[-300:])
        watched.running.kill()
        watched.end()


@desk_case("colours on a terminal; none with NO_COLOR, TERM=dumb or anywhere else")
def _(ordo):
    ordo.compile("ring.json")
    calls = [["verify", "ring.json"], ["verify", REJECT / "R7-circle-of-three.json"], ["list"],
             ["verify", "nothing"], ["run", "ring.json", "--check"],
             ["compile", "allreduce", "-n", 4, "-a", "ring", "-o", "x.json"], ["explain", "R8"]]
    for words in calls:
        wanted(b"\033[" in on_terminal(ordo, *words), words, "no colour on a terminal")
        for quiet in [{"NO_COLOR": "1"}, {"TERM": "dumb"}]:
            shown = on_terminal(ordo, *words, environment=quiet)
            wanted(shown and b"\033" not in shown, words, quiet, shown)
        done = ordo(*words)
        wanted("\033" not in done.out + done.err, words)


@desk_case("names in documents are shown, never obeyed by the terminal")
def _(ordo):
    hostile_document(ordo, "ring.json")
    (ordo.folder / "key.json").write_text('{"\\u001b[2J": 1}')
    for words in [["verify", "ring.json"], ["verify", "ring.json", "--topology", "links.json"],
                  ["explain", "ring.json"], ["verify", "ring.json", "--topology", "short.json"],
                  ["run", "ring.json"], ["draw", "ring.json", "--as", "text"],
                  ["verify", "key.json"], ["verify", "\x1b[2J"], ["explain", "\x1b[2J"]]:
        done = ordo(*words)
        for letter in ["\x1b", "\x07", "\r", "\x9b"]:
            wanted(letter not in done.out + done.err, words, repr(letter), done.out + done.err)


run_cases()
