#!/usr/bin/env python3
"""test_bad_input.py ORDO - MSCCL XML that is wrong, or that only some readers read: an error with
its place, a warning or a verdict; no crash, no hang, and memory bounded by the file."""
import itertools
import random
import re
import resource
import subprocess

import generate
from desk import ORDO, desk_case
from tap import run_cases, wanted

GOOD = generate.pairs_all_reduce(3).xml()
RING = generate.ring_reduce_scatter(2, 2).xml()
STEP = '<step s="0" type="s" srcbuf="i"'
NOP = '<step s="{}" type="nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0" ' \
      'depid="{}" deps="{}" hasdep="0"/>\n'
MANDATORY = [("algo", "proto"), ("algo", "nchannels"), ("algo", "nchunksperloop"),
             ("algo", "ngpus"), ("algo", "coll"), ("gpu", "id"), ("gpu", "i_chunks"),
             ("gpu", "o_chunks"), ("gpu", "s_chunks"), ("tb", "id"), ("tb", "send"),
             ("tb", "recv"), ("tb", "chan"), ("step", "s"), ("step", "type"), ("step", "srcbuf"),
             ("step", "srcoff"), ("step", "dstbuf"), ("step", "dstoff"), ("step", "cnt"),
             ("step", "depid"), ("step", "deps"), ("step", "hasdep")]
NUMBERS = [pair for pair in MANDATORY if pair[1] not in
           ("proto", "coll", "type", "srcbuf", "dstbuf")]
# Comments, or sizes that more memory than is needed may have.
HARMLESS = ("hasdep", "nchannels", "i_chunks", "o_chunks", "s_chunks", "deps", "dstoff")


def changed(text, *changes):
    """Each change, (old, new), is made once."""
    for old, new in changes:
        wanted(old in text, "the test's own file has no", old)
        text = text.replace(old, new, 1)
    return text


def attribute(tag, name, value):
    """The good file with another value in the first such attribute; None: without it."""
    begin = GOOD.index(f"<{tag} ")
    new = "" if value is None else f'{name}="{value}"'
    return GOOD[:begin] + re.sub(rf'\b{name}="[^"]*"', new, GOOD[begin:], count=1)


def renumbered(text):
    """The steps of every block count from 0 again."""
    def count(block):
        numbers = itertools.count()
        return re.sub('<step s="[^"]*"', lambda _: f'<step s="{next(numbers)}"', block[0])
    return re.sub("<tb .*?</tb>", count, text, flags=re.S)


def line_of(text, part):
    return text[:text.index(part)].count("\n") + 1


def verify(ordo, text, *words):
    (ordo.folder / "x.xml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return ordo("verify", "x.xml", *words)


def refused(ordo, text, message="", line=None, codes=(3,)):
    done = verify(ordo, text)
    wanted(done.returncode in codes, f"exit code {done.returncode}, wanted {codes}", done.out,
           done.err, text[:3000])
    found = re.search(r"^x\.xml:(\d+):(\d+): error\b.*", done.err + done.out, re.M)
    wanted(found, "no error with its place:", done.err, done.out, text[:3000])
    wanted(line is None or int(found[1]) == line, f"wanted line {line}:", done.err, text[:3000])
    wanted(re.search(message, done.err + done.out), f"wanted {message}:", done.err, done.out)


def accepted(ordo, text, warning=None):
    done = verify(ordo, text)
    wanted(done.returncode == 0, f"exit code {done.returncode}", done.out, done.err, text[:3000])
    warned = "warning" in done.out + done.err
    wanted(warned == (warning is not None), "warnings:", done.out, done.err, text[:400])
    wanted(re.search(warning or "", done.out + done.err), f"wanted {warning}:", done.err, done.out)


@desk_case("what parsers read and the runtimes do not has a warning")
def _(ordo):
    accepted(ordo, GOOD)
    accepted(ordo, '<?xml version="1.0"?>\n' + GOOD, "declaration")
    accepted(ordo, changed(GOOD, ('" recv="', '"\trecv="')), "tab")
    accepted(ordo, changed(GOOD, ('" recv="', '"\n    recv="')), "line")
    accepted(ordo, changed(GOOD, ('send="1"', "send='1'")), "single quote")
    accepted(ordo, changed(GOOD, ('send="1"', 'send = "1"')), "=")
    accepted(ordo, changed(GOOD, ("<gpu", "words <gpu")), "text")
    accepted(ordo, attribute("algo", "nchannels", "&#49;"), "entity")


@desk_case("what the runtimes read is read")
def _(ordo):
    accepted(ordo, GOOD + "and so on <b> & 1 < 2\n")
    accepted(ordo, "<!-- a comment -->\n" + changed(GOOD, (STEP, "<!-- <step/>\n -->" + STEP)))
    accepted(ordo, changed(GOOD, ("<algo ", '<algo redop="sum" nthreads="256" ')))
    accepted(ordo, changed(GOOD, (STEP, STEP + ' netdepid="-1" netdeps="-1" rate="1"')))
    accepted(ordo, GOOD.replace('"/>', '"></step>'))
    trailing = changed(GOOD, ("    </tb>", NOP.format(2, 1, 0) + "    </tb>"))
    done = verify(ordo, trailing)
    wanted(done.returncode == 0, done.out, done.err)


@desk_case("an attribute that is missing, twice, empty or no number is refused at its line")
def _(ordo):
    for tag, name in MANDATORY:
        text = attribute(tag, name, None)
        refused(ordo, text, name, line_of(text, f"<{tag} "))
        refused(ordo, attribute(tag, name, ""), name, line_of(text, f"<{tag} "))
        refused(ordo, attribute(tag, name, f'0" {name}="0'), "", line_of(text, f"<{tag} "))
    for tag, name in NUMBERS:
        line = line_of(GOOD, f"<{tag} ")
        for value in ("1x", "99999999999999999999999"):
            refused(ordo, attribute(tag, name, value), name, line)
    for value in ("one", "0x1", "-99999999999999999999", "4294967296", "1.5", "&#120;", "+1", " 1",
                  "1 ", "-", "\u0661"):
        refused(ordo, attribute("step", "cnt", value), "cnt", line_of(GOOD, "<step "))
    for tag, name in (("algo", "proto"), ("algo", "coll"), ("step", "type"), ("step", "srcbuf"),
                      ("step", "dstbuf")):
        refused(ordo, attribute(tag, name, "strange"), "strange", line_of(GOOD, f"<{tag} "),
                codes=(3, 4))


@desk_case("huge numbers that are numbers need neither memory nor time")
def _(ordo):
    for tag, name in NUMBERS:
        for value in ("2147483647", "1000000000", "-2147483648"):
            done = verify(ordo, attribute(tag, name, value))
            harmless = name in HARMLESS or (name == "depid" and value[0] == "-")
            wanted(done.returncode in ((0, 1, 3, 4) if harmless else (1, 3, 4)), tag, name, value,
                   done.returncode, done.out, done.err)


@desk_case("gpus, blocks and peers that do not fit are refused")
def _(ordo):
    second = GOOD.index('  <gpu id="1"')
    third = GOOD.index('  <gpu id="2"')
    refused(ordo, changed(GOOD, ('<gpu id="1"', '<gpu id="0"')), "0", line_of(GOOD, '<gpu id="1"'))
    refused(ordo, GOOD[:second] + GOOD[third:], "1")
    refused(ordo, changed(GOOD, ('<gpu id="2"', '<gpu id="3"')), "3", line_of(GOOD, '<gpu id="2"'))
    refused(ordo, changed(GOOD, ('<gpu id="2"', '<gpu id="-1"')), "-1")
    refused(ordo, changed(GOOD, ('<tb id="1"', '<tb id="0"')), "0", line_of(GOOD, '<tb id="1"'))
    refused(ordo, changed(GOOD, ('<tb id="1"', '<tb id="9"')), "")
    for peer in ("3", "-2", "0"):
        refused(ordo, changed(GOOD, ('send="1"', f'send="{peer}"')), peer,
                line_of(GOOD, 'send="1"'))
        refused(ordo, changed(GOOD, ('recv="1"', f'recv="{peer}"')), peer,
                line_of(GOOD, 'recv="1"'))
    refused(ordo, changed(GOOD, ('send="2"', 'send="1"')), "", line_of(GOOD, 'send="2"'))
    refused(ordo, changed(GOOD, ('recv="2"', 'recv="1"')), "", line_of(GOOD, 'recv="2"'))
    refused(ordo, changed(GOOD, ('send="1"', 'send="-1"')), "", codes=(3,))
    refused(ordo, changed(GOOD, ('<step s="1"', '<step s="2"')), "", line_of(GOOD, '<step s="1"'))


@desk_case("sends and receives that do not meet are refused or refuted")
def _(ordo):
    for text in (changed(RING, ('cnt="2"', 'cnt="1"')), changed(RING, ('type="rrc"', 'type="re"')),
                 changed(RING, ('type="s"', 'type="re"')), changed(RING, ("chan=", 'chan="1" x='))):
        refused(ordo, text, codes=(1, 3))


@desk_case("counts and offsets outside their ranges are refused or refuted")
def _(ordo):
    line = line_of(GOOD, "<step ")
    for cnt in ("0", "-1"):
        refused(ordo, changed(GOOD, ('cnt="1"', f'cnt="{cnt}"')), "cnt", line)
    wide = generate.ring_reduce_scatter(2, 72).xml()
    refused(ordo, wide, "72", line_of(wide, "<step "))
    accepted(ordo, generate.ring_reduce_scatter(2, 71).xml())
    for change in (('srcoff="1"', 'srcoff="3"'), ('srcoff="1"', 'srcoff="-1"'),
                   ('srcoff="1"', 'srcoff="2147483647"')):
        refused(ordo, changed(GOOD, change), codes=(1, 3))
    refused(ordo, changed(RING, ('srcoff="2"', 'srcoff="3"')), codes=(1, 3))


@desk_case("dependences on nothing, on oneself and in circles are refused, or never run (R7)")
def _(ordo):
    free = 'depid="-1" deps="-1"'
    for wait in ('depid="40" deps="0"', 'depid="0" deps="0"', 'depid="0" deps="1"',
                 'depid="1" deps="99"', 'depid="2147483647" deps="0"'):
        refused(ordo, changed(GOOD, (free, wait)), codes=(1, 3))
    ring = changed(generate.pairs_all_reduce(2).xml(), (free, 'depid="2" deps="0"'))
    ring = changed(ring, (free, 'depid="2" deps="0"'))
    refused(ordo, ring, r"R7|never", codes=(1,))


@desk_case("nops that lose their dependence, or have none, are reported")
def _(ordo):
    lines = GOOD.splitlines(keepends=True)
    first = next(at for at, line in enumerate(lines) if 'type="re"' in line)

    def chain(*steps):
        """The first two reductions are chained, with these nops before or between them."""
        free = re.sub('depid="." deps="."', 'depid="-1" deps="-1"', lines[first + 1])
        text = [lines[first], free]
        text = [step if isinstance(step, str) else text[step] for step in steps]
        return renumbered("".join(lines[:first] + text + lines[first + 2:]))
    needed = NOP.format(0, 3, 0)
    accepted(ordo, chain(needed, 0, 1).replace('depid="4" deps="1"', 'depid="4" deps="2"', 2))
    for steps in ((0, needed, 1), (0, NOP.format(1, -1, -1), 1), (0, 1)):
        done = verify(ordo, chain(*steps))
        wanted(done.returncode in (1, 3, 4), done.returncode, done.out, done.err)
        wanted(len(steps) == 2 or "nop" in done.out + done.err, done.out, done.err)
    begin = generate.ring_all_gather(2).xml()
    accepted(ordo, begin)
    accepted(ordo, renumbered(changed(begin, ("<step", NOP.format(0, -1, -1) + "<step"))),
             "nop without")
    refused(ordo, renumbered(changed(begin, ("<step", NOP.format(0, 0, 0) + "<step"))), "nop")


@desk_case("text that is no XML is refused with its place")
def _(ordo):
    for text in ("", " \n", "<", "<algo", "algo", "{}", "<algo>", "</algo>", "<algo></gpu>",
                 GOOD.replace("</gpu>", "", 1), GOOD.replace("</tb>", "</gpu>", 1),
                 GOOD.replace('"/>', '/>', 1), GOOD.replace("<gpu", "gpu", 1),
                 GOOD[:-20], "<!-- " + GOOD,
                 GOOD.replace("<step", "<algo>", 1), GOOD.replace("<step", "<<step", 1)):
        refused(ordo, text)


@desk_case("entities, NUL, other encodings and deep nesting are refused or read, and cost nothing")
def _(ordo):
    laughs = "<!DOCTYPE algo [<!ENTITY a0 \"ha\">" + "".join(
        f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12)) + "]>\n"
    for text in (laughs + attribute("algo", "name", "&a11;"),
                 laughs + GOOD.replace("<gpu", "&a11;<gpu", 1),
                 GOOD.encode("utf-16"), GOOD.encode("utf-32"), GOOD.encode("utf-16-be"),
                 GOOD.encode().replace(b"<gpu", b"\0<gpu", 1),
                 GOOD.encode().replace(b"send", b"se\0nd", 1),
                 "<a>" * 100000, "<algo>" * 100000, "<algo " + "<gpu " * 100000,
                 b"\xff\xfe\x00" + GOOD.encode(), '"' * 100000, "<algo " + 'a="1" ' * 100000):
        refused(ordo, text)
    for text in (attribute("algo", "name", "&unknown;"), attribute("algo", "name", "&lt;&#0;"),
                 b"\xef\xbb\xbf" + GOOD.encode(),
                 GOOD.replace("<gpu", "<a>" * 50000 + "</a>" * 50000 + "<gpu", 1),
                 attribute("algo", "name", "n" * 1000000),
                 GOOD.encode().replace(b'"allpairs_3"', b'"\xff\xfe"'),
                 attribute("algo", "name", "\x1b[31m\x07")):
        done = verify(ordo, text)
        wanted(done.returncode in (0, 3), done.returncode, done.err)
        wanted("\x1b" not in done.out + done.err and "\x07" not in done.out + done.err,
               "an escape reaches the terminal")


@desk_case("a file cut anywhere is refused; one with other bytes gets an answer")
def _(ordo):
    draw = random.Random(1)
    text = generate.ring_all_gather(2).xml()
    for at in draw.sample(range(len(text) - 8), 30):
        refused(ordo, text[:at])
    for _ in range(100):
        data = bytearray(text.encode())
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(len(data))] = draw.choice(b"\"'<>/= \t\n&-09az\0\xff")
        verify(ordo, bytes(data))


@desk_case("many gpus, blocks, steps and children take time and memory as the file does")
def _(ordo):
    """Runtimes have limits for all of them, so any verdict will do."""
    step = '<step s="{}" type="cpy" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" ' \
           'depid="-1" deps="-1" hasdep="0"/>\n'
    head = '<algo name="a" proto="LL" nchannels="1" nchunksperloop="1" ngpus="{}" ' \
           'coll="allreduce" inplace="1" outofplace="0" minBytes="0" maxBytes="0">\n'
    gpu = '<gpu id="{}" i_chunks="1" o_chunks="0" s_chunks="1">'
    one = gpu.format(0) + '<tb id="0" send="-1" recv="-1" chan="0">'
    for text in (head.format(1) + one + "".join(map(step.format, range(20000)))
                 + "</tb></gpu></algo>",
                 head.format(20000) + "".join(gpu.format(i) + "</gpu>" for i in range(20000))
                 + "</algo>",
                 head.format(1) + gpu.format(0) + "".join(
                     f'<tb id="{i}" send="-1" recv="-1" chan="0"></tb>' for i in range(20000))
                 + "</gpu></algo>",
                 head.format(1) + one + "</tb>" + "<copy/>" * 100000 + "</gpu></algo>"):
        done = verify(ordo, text)
        wanted(done.returncode in (0, 1, 3, 4), done.returncode, done.err)


def limit():
    """1 GiB a command, but that sanitizers reserve more addresses than that. (The time of calls is
    limited where they are made.)"""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, before[1]))
    if subprocess.run([ORDO, "--version"], capture_output=True, check=False).returncode != 0:
        resource.setrlimit(resource.RLIMIT_AS, before)


if __name__ == "__main__":
    limit()
    run_cases()
