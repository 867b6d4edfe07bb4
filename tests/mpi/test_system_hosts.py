#!/usr/bin/env python3
"""test_system_hosts.py ORDO PROGRAM - two hosts on one machine: the same bits as on one, with ranks
placed in blocks and in turn. Needs the rights to make network namespaces."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import launch
from tap import case, run_cases, wanted

ORDO, PROGRAM = map(os.path.abspath, sys.argv[1:3])
SCRIPT = pathlib.Path(__file__).absolute().parent / "two_hosts.sh"
RANKS = 5
APART = ["unshare", "--net", "--uts", "--mount", "--pid", "--mount-proc", "--fork"]
NETWORK = "10.77.0.0/24"


def on_two_hosts(words, placement=()):
    with tempfile.TemporaryDirectory() as folder:
        start = launch.command("openmpi", RANKS, words)
        start[1:1] = ["--mca", "plm_rsh_agent", os.path.join(folder, "agent"),
                      "--mca", "oob_tcp_if_include", NETWORK,
                      "--mca", "btl_tcp_if_include", NETWORK,
                      "--host", "10.77.0.1:3,10.77.0.2:2", *placement]
        return launch.run("openmpi", [*APART, SCRIPT, folder, *start])


def bits(done):
    wanted(done.returncode == 0, done.stdout, done.stderr)
    found = sorted(done.stdout.splitlines())
    wanted(len(found) > 20, found)
    return found


PLACEMENTS = (("--map-by", "slot"), ("--map-by", "node"))


@case("ranks are on two hosts, which have other names")
def _():
    for placement in PLACEMENTS:
        done = on_two_hosts(["sh", "-c", 'echo "$OMPI_COMM_WORLD_RANK $(hostname)"'], placement)
        hosts = [line.split()[1] for line in sorted(done.stdout.splitlines())]
        wanted(sorted(hosts) == ["ordo-a"] * 3 + ["ordo-b"] * 2, done.stdout, done.stderr)
        in_blocks = hosts == sorted(hosts)
        wanted(in_blocks == (placement[1] == "slot"), placement, hosts)


@case("the bits are those of one host, in blocks and in turn")
def _():
    one = bits(launch.run("openmpi", launch.command("openmpi", RANKS, [ORDO, "mpi", PROGRAM])))
    for placement in PLACEMENTS:
        for settings in ([], ["env", "ORDO_MPI=messages"]):
            done = on_two_hosts([*settings, ORDO, "mpi", PROGRAM], placement)
            wanted(bits(done) == one, placement, settings, done.stdout, one)
            wanted("in the order dyadic, proved" in done.stderr, done.stderr)


def skip(why):
    print(f"1..0 # SKIP {why}")
    sys.exit()


for program in ("unshare", "nsenter", "ip", "hostname"):
    if not shutil.which(program):
        skip(f"there is no {program}")
with tempfile.TemporaryDirectory() as scratch:
    able = subprocess.run([*APART, SCRIPT, scratch, "true"], check=False, capture_output=True,
                          text=True, timeout=100)
if able.returncode:
    skip("network namespaces cannot be made here: " + " ".join(able.stderr.split()))
run_cases()
