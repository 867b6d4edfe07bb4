#!/usr/bin/env python3
"""run_kit.py PROBE ADDING ANSWERS - runs a program of `ordo probe --kit` on the stub of torch, a
thread a rank. ADDING names a function of machines.py."""
import pathlib
import runpy
import sys
import threading

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "stub")]
import machines
import torch.distributed as dist


def main():
    program, adding, answers = sys.argv[1:]
    dist.shared["adding"] = getattr(machines, adding)
    sys.argv = [program, "-o", answers]
    failed = []

    def rank(number):
        dist.local.rank = number
        try:
            runpy.run_path(program, run_name="__main__")
        except BaseException as error:
            failed.append(error)
            dist.barrier.abort()

    threads = [threading.Thread(target=rank, args=(number, )) for number in range(dist.RANKS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in failed:
        if not isinstance(error, threading.BrokenBarrierError):
            raise error


main()
