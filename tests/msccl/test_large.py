#!/usr/bin/env python3
"""test_large.py ORDO REJECT - MSCCL XML of 50,000 and of a million steps: an answer in
a time and in a memory that grow as the file does."""
import os
import resource
import subprocess
import time

from desk import ORDO, desk_case
from tap import run_cases, wanted

LINE = '<step s="{}" type="{}" srcbuf="o" srcoff="{}" dstbuf="o" dstoff="{}" cnt="1" depid="-1" ' \
       'deps="-1" hasdep="0"/>\n'


def write_gather(path, steps, ranks=8, channels=4):
    """AllGather in place: a block for every peer, direction and channel. Returns the steps."""
    share = steps // (2 * ranks * (ranks - 1))
    with open(path, "w", encoding="ascii") as out:
        out.write(f'<algo name="many" proto="LL" nchannels="{channels}" '
                  f'nchunksperloop="{ranks * share}" ngpus="{ranks}" coll="allgather" '
                  'inplace="1" outofplace="0" minBytes="0" maxBytes="0">\n')
        for gpu in range(ranks):
            out.write(f'<gpu id="{gpu}" i_chunks="0" o_chunks="{ranks * share}" s_chunks="0">\n')
            blocks = [(peer, kind, chan) for peer in range(ranks) if peer != gpu
                      for kind in "sr" for chan in range(channels)]
            for number, (peer, kind, chan) in enumerate(blocks):
                send, recv, owner = (peer, -1, gpu) if kind == "s" else (-1, peer, peer)
                out.write(f'<tb id="{number}" send="{send}" recv="{recv}" chan="{chan}">\n')
                for s, one in enumerate(range(chan, share, channels)):
                    slot = owner * share + one
                    out.write(LINE.format(s, kind, slot, slot))
                out.write("</tb>\n")
            out.write("</gpu>\n")
        out.write("</algo>\n")
    return share * 2 * ranks * (ranks - 1)


def answer(ordo, steps, seconds):
    """The exit code; the time and the memory are wanted to be within bounds."""
    path = ordo.folder / "x.xml"
    steps = write_gather(path, steps)
    begin = time.monotonic()
    process = subprocess.Popen([ORDO, "verify", path, "--json"], stdout=subprocess.PIPE)
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    passed = time.monotonic() - begin
    size = path.stat().st_size
    print(f"# {steps} steps, {size >> 20} MiB: exit code {process.returncode}, {passed:.2f} s, "
          f"{usage.ru_maxrss >> 10} MiB")
    wanted(passed < seconds, passed)
    wanted(usage.ru_maxrss << 10 < (64 << 20) + 20 * size, usage.ru_maxrss, size)
    return process.returncode


@desk_case("50,000 steps are judged in seconds")
def _(ordo):
    wanted(answer(ordo, 50000, 20) in (0, 1, 3, 4))


@desk_case("a million steps get an answer")
def _(ordo):
    wanted(answer(ordo, 1000000, 300) in (0, 1, 3, 4))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    run_cases()
