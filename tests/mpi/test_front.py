#!/usr/bin/env python3
"""test_front.py LIBRARY PATH OTHER FOLDER - what the loaded library does around reductions.

PATH is the library for LIBRARY, OTHER that for the other MPI, or "" if it is not there; FOLDER has
the programs, built for LIBRARY. The programs compare bits with trees that they evaluate."""
import pathlib
import re
import shutil
import struct
import sys
import tempfile

import launch
from tap import case, run_cases, wanted

LIBRARY, PATH, OTHER, PROGRAMS = sys.argv[1:5]
FOLDER = pathlib.Path(tempfile.mkdtemp())
RANK = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}[LIBRARY]
NCASE = 22  # of errors.c
IS_WHOLE = launch.IS_LONG or LIBRARY == "openmpi"  # MPICH never yields
RANKS = 5 if launch.IS_LONG else 3  # so many that the orders of the library differ


def program(name):
    return f"{PROGRAMS}/{name}_{LIBRARY}"


def start(ranks, words, settings="", preload=PATH, extra=None):
    more = {**(extra or {}), **({"LD_PRELOAD": preload, "ORDO_MPI": settings} if preload else {})}
    return launch.run(LIBRARY, launch.command(LIBRARY, ranks, words), more)


def agree(done):
    wanted(done.returncode == 0 and "all agree" in done.stdout, done.stdout[-2000:],
           done.stderr[-2000:])


def calls(text, function):
    """How often the report says that a function was taken."""
    found = re.search(rf"ordo:   {function} +(\d+) calls +\d+ bytes", text)
    return int(found[1]) if found else 0


@case("requests: every function that completes them, on any number of ranks")
def _():
    for ranks in (2, 3, 5) if launch.IS_LONG else (3,):
        done = start(ranks, [program("requests")])
        agree(done)
        for name in ("MPI_Iallreduce", "MPI_Ireduce", "MPI_Ireduce_scatter", "MPI_Allreduce_init",
                     "MPI_Ireduce_scatter_block", "MPI_Reduce_scatter_block_init"):
            wanted(calls(done.stderr, name) > 0, name, done.stderr)


@case("requests: beyond the bound on memory they are passed on, and work")
def _():
    done = start(2, [program("requests"), "iforms"], settings="memory=1000")
    wanted("MPI_Iallreduce" in done.stderr and "memory= allows (bits may vary)" in done.stderr,
           done.stderr)
    wanted(calls(done.stderr, "MPI_Iallreduce") == 0, done.stderr)
    wanted("agree" in done.stdout or "differ" in done.stdout, done.stdout, done.stderr)


@case("threads: each reduces on a communicator of its own")
def _():
    done = start(2, [program("threads")])
    if done.returncode == 77:
        print("# not tested: the library has no MPI_THREAD_MULTIPLE")
        return
    agree(done)
    wanted(calls(done.stderr, "MPI_Allreduce") > 100, done.stderr)


@case("invalid arguments give the library's own error, before anything is done")
def _():
    left = []  # the library does not check that argument, and ends the program
    while (own := start(2, [program("errors"), *left], preload=None)).returncode:
        printed = set(map(int, re.findall(r"^\d+", own.stdout, re.M)))
        left.append(min(set(range(NCASE)) - printed - set(left)))
    ours = start(2, [program("errors"), *left])
    wanted(ours.returncode == 0 and ours.stdout == own.stdout, left, own.stdout, ours.stdout,
           ours.stderr)
    compared = own.stdout.count("\n") - 2
    print(f"# {compared} of {NCASE} compared")
    wanted(compared == NCASE - len(left) and len(left) <= (0 if LIBRARY == "openmpi" else 3), left)


@case("a rank without the library is named after the deadline")
def _():
    text = f'test "${RANK}" = 1 && unset LD_PRELOAD; exec "{program("program")}"'
    done = start(3, ["/bin/sh", "-c", text], settings="deadline=1")
    wanted(done.returncode != 0, done.stdout, done.stderr)
    wanted("these did not answer: 1\n" in done.stderr, done.stderr)


@case("a first rank without the library is named by the others")
def _():
    text = f'test "${RANK}" = 0 && unset LD_PRELOAD; exec "{program("program")}"'
    done = start(2, ["/bin/sh", "-c", text], settings="deadline=1")
    wanted(done.returncode != 0 and "rank 0 did not answer" in done.stderr, done.stderr)


@case("a rank with another version of the library is named, and nothing runs")
def _():
    other = FOLDER / pathlib.Path(PATH).name
    text = pathlib.Path(PATH).read_bytes()
    own = re.search(rb"ordo \d+\.\d+\.\d+\0", text)[0]
    other.write_bytes(text.replace(own, own[:-2] + b"!\0"))
    text = f'test "${RANK}" = 1 && LD_PRELOAD="{other}"; exec "{program("program")}"'
    done = start(2, ["/bin/sh", "-c", text])
    wanted(done.returncode != 0 and "world-allreduce" not in done.stdout, done.stdout)
    version = own[:-1].decode()
    wanted(f"rank 0 has {version}, and rank 1 {version[:-1]}!" in done.stderr, done.stderr)


@case("a late rank is no error, and a dead one ends the program as it does without the library")
def _():
    kinds = ("deadline=1,check", "deadline=1,messages", "deadline=1")
    for settings in kinds if launch.IS_LONG else kinds[:1]:
        agree(start(2, [program("dead"), "late"], settings=settings))
        done = start(2, [program("dead"), "dead"], settings=settings)
        wanted(done.returncode != 0 and "agree" not in done.stdout, done.stdout, done.stderr)


@case("rank 0's setting is everybody's")
def _():
    text = f'test "${RANK}" = 0 || ORDO_MPI=order=linear; exec "{program("requests")}"'
    agree(start(3 if IS_WHOLE else 2, ["/bin/sh", "-c", text], settings="order=dyadic"))


@case("a wrong setting is named, and nothing runs")
def _():
    for setting, words in (("ordr=dyadic", '"ordr"'), ("memory=much", 'memory: found "much"'),
                           ("log=", "log: found 0 characters"), ("strict=1", '"strict"'),
                           ("report=/dev/null/file", "report: cannot write"),
                           (f"report={FOLDER}", f"report: cannot write {FOLDER}: Is a directory"),
                           ("log=/dev/null/folder", "log: cannot make")):
        done = start(2, [program("program")], settings=setting)
        wanted(done.returncode != 0 and words in done.stderr, setting, done.stderr)
        wanted("world-allreduce" not in done.stdout, setting, done.stdout)


@case("a report that the disk has no room for is missed, and the program ends as it does")
def _():
    for suffix in ("", ".json"):  # of that name, a link
        path = FOLDER / f"full{suffix}"
        path.symlink_to("/dev/full")
        done = start(2, [program("prefix")], settings=f"report={path}")
        wanted(done.returncode == 0, done.stderr)
        wanted(done.stderr.count(f"report: cannot write {path}\n") == 1, done.stderr)


@case("strict ends the program at the first call whose bits may vary, and names it")
def _():
    done = start(2, [program("requests")], settings="strict,memory=1000")
    wanted(done.returncode != 0, done.stdout)
    wanted("strict: MPI_Iallreduce on rank" in done.stderr, done.stderr)
    agree(start(2, [program("requests")], settings="strict"))


@case("check names two ranks whose calls differ, and is an error on all")
def _():
    kinds = (("count", "MPI_SUM, count 4", "MPI_SUM, count 5"), ("counts", ": 2 2 2", ": 2 3 2"),
             ("type", "MPI_FLOAT", "MPI_INT"), ("operation", "MPI_SUM", "MPI_MAX"),
             ("root", "root 0", "root 1"), ("function", "MPI_Allreduce of", "MPI_Reduce of"))
    for what, first, other in kinds if IS_WHOLE else kinds[:2]:
        done = start(3, [program("unequal"), what], settings="check,report=none")
        wanted(sorted(done.stdout.splitlines()) == [f"error on rank {r}" for r in range(3)],
               what, done.stdout, done.stderr)
        wanted(re.search(rf"check: rank 0 of 3 calls .*{re.escape(first)}.*, and rank 2 calls "
                         rf".*{re.escape(other)}", done.stderr), what, done.stderr)
    pathlib.Path("none").unlink(missing_ok=True)
    done = start(3, [program("unequal"), "nothing"], settings="check,report=none")
    wanted(done.returncode == 0 and not done.stdout + done.stderr, done.stdout, done.stderr)
    wanted(not pathlib.Path("none").exists(), "a file of that name")


@case("without check, ranks that share memory get an error where counts, root or function differ")
def _():
    kinds = (("count", "late"), ("count", "long"), ("counts", "late"), ("function", "late"))
    for what, way in kinds if IS_WHOLE else kinds[:1]:
        done = start(3, [program("unequal"), what, way], settings="report=none")
        wanted(sorted(done.stdout.splitlines()) == [f"error on rank {r}" for r in range(3)],
               what, way, done.stdout, done.stderr)


@case("check names two ranks whose nonblocking calls differ, at completion by any function")
def _():
    kinds = (("count", "count 4", "count 5"), ("function", "MPI_Iallreduce of", "MPI_Ireduce of"),
             ("type", "MPI_FLOAT", "MPI_INT"), ("operation", "MPI_SUM", "MPI_MAX"),
             ("root", "root 0", "root 1"), ("counts", ": 2 2", ": 2 3"))
    ways = ("Wait", "Test", "Testall", "Waitany", "Waitsome", "Waitall")
    for i, (what, first, other) in enumerate(kinds if IS_WHOLE else kinds[:2]):
        for way in ways if launch.IS_LONG else (ways[i], ways[-1 - i]):
            done = start(2, [program("unequal"), what, way], settings="check,report=none")
            wanted(sorted(line for line in done.stdout.splitlines() if "error" in line) ==
                   [f"error on rank {r}" for r in range(2)], what, way, done.stdout, done.stderr)
            wanted(re.search(rf"check: rank 0 of 2 calls .*{re.escape(first)}.*, and rank 1 calls "
                             rf".*{re.escape(other)}", done.stderr), what, way, done.stderr)
    agree(start(2, [program("requests")], settings="check,report=none"))


@case("communicators of every kind: grids, splits, sessions; what cannot be taken is counted")
def _():
    done = start(3, [program("communicators")])
    agree(done)
    for why in ("operation does not commute", "inter-communicator"):
        wanted(re.search(rf"calls passed on: {why} \(bits may vary\)", done.stderr), done.stderr)
    wanted(re.search(r"MPI_Allreduce +3 calls passed on: communicator being freed", done.stderr),
           done.stderr)
    agree(start(2, [program("communicators")], settings=f"check,log={FOLDER}/communicators"))
    done = start(2, [program("communicators"), 60])
    agree(done)
    wanted(calls(done.stderr, "MPI_Allreduce") > 60, done.stderr)


@case("processes that the program starts have the library and the settings, and join in its order")
def _():
    folder, report = FOLDER / "joined", FOLDER / "report.json"
    text = (f'LD_PRELOAD="{PATH}" ORDO_MPI="check,log={folder},report={report}" '
            f'exec "{program("joined")}"')  # the launcher has neither
    done = start(2, ["/bin/sh", "-c", text], preload=None)
    if "not supported" in done.stdout:
        print("# not tested: the library starts no processes")
        return
    wanted(done.returncode == 0 and "all agree of 4" in done.stdout, done.stdout, done.stderr)
    for one in (folder, folder / "spawned-0-0"):  # thrice on all, on half, on their own
        taken = [line for line in lines(one, 1) if line[8] == "taken"]
        wanted([line[2] for line in taken] == ["MPI_Allreduce", "MPI_Iallreduce"] * 15, taken)
    for one in (report, FOLDER / "report.json.spawned-0-0.json"):
        wanted('"MPI_Iallreduce"' in one.read_text(), one)


@case("processes without the library, or with another order, that join are named")
def _():
    if "not supported" in start(1, [program("joined")]).stdout:
        print("# not tested: the library starts no processes")
        return
    done = start(2, [program("joined"), "strangers"], settings="deadline=1,check")
    wanted(done.returncode == 0 and " of 4" in done.stdout, done.stdout, done.stderr)
    wanted("the program sets their variables (env)" in done.stderr and
           done.stderr.count("did not answer: 2, 3: ") == 2, done.stderr)
    for name in ("MPI_Allreduce", "MPI_Iallreduce"):  # of two groups: thrice on all, and on half
        wanted(re.search(rf"{name} +24 calls passed on: processes without the library \(bits may "
                         r"vary\)", done.stderr), name, done.stderr)
    wanted(calls(done.stderr, "MPI_Allreduce") == 3, done.stderr)
    done = start(2, [program("joined"), "strangers"], settings="deadline=1,strict")
    wanted(done.returncode != 0 and "strict: MPI_Allreduce on rank" in done.stderr, done.stderr)
    done = start(2, [program("joined"), "others"],
                 extra={"OTHERS": f"LD_PRELOAD={PATH}\nORDO_MPI=order=linear"})
    wanted(done.returncode != 0 and "have other settings from there" in done.stderr, done.stderr)


@case("a program that starts MPI by sessions alone has one order, set by its rank 0")
def _():
    if LIBRARY == "openmpi":
        print("# not tested: Open MPI 4 has no sessions")
        return
    sessions = [program("communicators"), "session"]
    done = start(3, sessions)
    agree(done)
    # 3 of all ranks, 3 of half of them, and the one after the nonblocking call
    wanted(calls(done.stderr, "MPI_Allreduce") == 7 and done.stderr.count("proved:") == 1,
           done.stderr)
    wanted(calls(done.stderr, "MPI_Iallreduce") == 1, done.stderr)
    done = start(2, [*sessions, "init"])
    agree(done)
    wanted(done.stderr.count("proved:") == 1, done.stderr)
    folder = FOLDER / "sessions"
    text = f'test "${RANK}" = 0 || ORDO_MPI=order=linear; exec "$@"'
    done = start(2, ["/bin/sh", "-c", text, "sh", *sessions],
                 settings=f"log={folder},check,strict")
    agree(done)
    wanted("in the order dyadic" in done.stderr and len(lines(folder, 1)) > 7, done.stderr)
    wanted(lines(folder, 0)[0][8] == "taken")
    done = start(2, sessions, settings="report=/dev/null/file")
    agree(done)
    wanted("report: cannot write /dev/null/file\n" in done.stderr, done.stderr)
    done = start(2, sessions, settings="order=diadic")
    wanted(done.returncode != 0 and 'order: found "diadic"' in done.stderr, done.stderr)


@case("a program built with -Ofast, which flushes small numbers to zero, gets the same bits")
def _():
    plain, fast = start(2, [program("fast")]), start(2, [program("fastest")])
    lines = set(plain.stdout.splitlines())
    wanted(plain.returncode == 0 and len(lines) == 1, plain.stdout, plain.stderr)
    wanted(fast.stdout == plain.stdout, plain.stdout, fast.stdout, fast.stderr)
    for i, word in enumerate(lines.pop().split()):
        inputs = [(i * 7919 + rank * 104729) % 2**23 | i % 2 << 23 for rank in range(2)]
        total = sum(struct.unpack("2f", struct.pack("2I", *inputs)))
        wanted(word == struct.pack(">f", total).hex(), i, word, total)
    wanted("3 calls from another floating-point mode" in fast.stderr, fast.stderr)


@case("a program that wraps reductions, so that they do not come here, is told")
def _():
    done = start(2, [program("wrapped")])
    wanted(done.returncode == 0 and done.stdout == "sum 2\n" * 2, done.stdout, done.stderr)
    wanted(done.stderr.count("comes before this library's") == 1 and
           re.search(r"ordo: MPI_Allreduce of \S*wrapped_\w+ comes", done.stderr), done.stderr)
    wanted("comes before" not in start(2, [program("prefix")]).stderr)


@case("prefix sums of every kind are passed on and counted, and strict names them")
def _():
    done = start(2, [program("prefix")])
    wanted(done.returncode == 0, done.stderr)
    for name in ("Scan", "Exscan", "Iscan", "Iexscan", "Scan_init", "Exscan_init"):
        wanted(re.search(rf"MPI_{name} +1 calls passed on: prefix sums \(bits may vary\)",
                         done.stderr), name, done.stderr)
    done = start(2, [program("prefix")], settings="strict")
    wanted(done.returncode != 0 and "strict: MPI_Scan on rank" in done.stderr, done.stderr)


@case("memory of a device is passed on, also if CUDA or HIP is loaded late and for itself")
def _():
    for stub in (0, 5, 6):  # CUDA, and versions of HIP
        done = start(2, [program("device"), f"{PROGRAMS}/libdevice_stub_{stub}.so"])
        wanted(done.returncode == 0 and done.stdout == "error 0\n" * 2, done.stdout, done.stderr)
        wanted(calls(done.stderr, "MPI_Allreduce") == 3, stub, done.stderr)
        for function, number in (("MPI_Allreduce", 3), ("MPI_Reduce", 1)):
            wanted(re.search(rf"{function} +{number} calls passed on: device memory", done.stderr),
                   stub, done.stderr)


@case("check finds device memory on some ranks only: passed on by all, or a nonblocking error")
def _():
    stub = f"{PROGRAMS}/libdevice_stub_0.so"
    done = start(2, [program("device"), stub, "some"], settings="check")
    wanted(done.returncode == 0, done.stdout, done.stderr)
    wanted(sorted(done.stdout.splitlines()) == ["nonblocking: error"] * 2 + ["sum 4950"] * 2,
           done.stdout, done.stderr)
    wanted(re.search(r"MPI_Allreduce +1 calls passed on: device memory", done.stderr), done.stderr)
    wanted(re.search("rank 0 of 2 calls MPI_Iallreduce of MPI_DOUBLE, .*, and rank 1 calls "
                     "MPI_Iallreduce of MPI_DOUBLE in memory of a device, ", done.stderr),
           done.stderr)


@case("ranks find memory of a device on some of them, and all pass the call on")
def _():
    ranks = 3 if IS_WHOLE else 2
    for settings in ("", "messages"):
        done = start(ranks, [program("device"), f"{PROGRAMS}/libdevice_stub_0.so", "blocking"],
                     settings=settings)
        wanted(done.returncode == 0 and done.stdout.count(": right\n") == 9 * ranks + 1 and
               done.stdout.count("\n") == 9 * ranks + 1, settings, done.stdout, done.stderr)
        for function, number in (("Allreduce", 7), ("Reduce_scatter_block", 1), ("Reduce", 1)):
            wanted(re.search(rf"MPI_{function} +{number} calls passed on: device memory",
                             done.stderr), settings, function, done.stderr)
        wanted(calls(done.stderr, "MPI_Allreduce") == 3, settings, done.stderr)


@case("types with any bounds are taken, also others on each rank")
def _():
    for settings in ("", f"messages,log={FOLDER}/extents"):
        done = start(3 if IS_WHOLE else 2, [program("extents")], settings=settings)
        agree(done)
        wanted("invalid" not in done.stderr, done.stderr)
        for name in ("MPI_Allreduce", "MPI_Reduce", "MPI_Reduce_scatter", "MPI_Ireduce"):
            wanted(calls(done.stderr, name) > 0, name, done.stderr)


@case("a type of negative extent is passed on")
def _():
    done = start(2, [program("extents"), "backwards"], settings="strict")
    wanted(done.returncode != 0 and re.search("strict: MPI_Allreduce .*negative extent",
                                              done.stderr), done.stderr)


def lines(folder, rank):
    text = (folder / f"rank-{rank}.log").read_text().splitlines()
    wanted(re.fullmatch(r"# ordo mpi log 1, rank \d+ of \d+", text[0]), text[0])
    fields = [line.split(" ") for line in text[1:]]
    wanted(all(len(one) == 9 for one in fields), text)
    return sorted(fields, key=lambda one: int(one[0]))


@case("the log has a line for every call, and shows where the library's own order differs")
def _():
    forced = {"openmpi": [{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                           "OMPI_MCA_coll_tuned_allreduce_algorithm": a} for a in ("1", "3")],
              "mpich": [{}, {"MPIR_CVAR_NUM_CLIQUES": "2"}]}[LIBRARY]
    differ = {}
    for order in ("library", "dyadic"):
        logs = []
        for number, extra in enumerate(forced):
            folder = FOLDER / f"{order}-{number}"
            done = start(RANKS, [program("program")], settings=f"order={order},log={folder}",
                         extra=extra)
            wanted(done.returncode == 0, done.stderr)
            logs.append([line for rank in range(RANKS) for line in lines(folder, rank)])
        a, b = logs
        wanted(len(a) == len(b) > 50, len(a), len(b))
        wanted([line[:7] for line in a] == [line[:7] for line in b])  # inputs agree
        differ[order] = [x for x, y in zip(a, b) if x[7] != y[7]]
    wanted(len(differ["library"]) > 0 and not differ["dyadic"], differ)
    wanted({line[2] for line in a} >= {"MPI_Allreduce", "MPI_Reduce", "MPI_Reduce_scatter"})
    wanted(any(line[8] == "integers" for line in a) and any(line[8] == "taken" for line in a))
    call = [f"0/{RANKS}", "MPI_Allreduce", "MPI_SUM", "MPI_FLOAT", "600"]
    world = [line for line in a if line[1:6] == call]
    inputs, outputs = ({line[i] for line in world} for i in (6, 7))
    wanted(len(outputs) == 1 and len(inputs) == RANKS, world)


@case("under the launcher of the other MPI, where each process is alone, it says so once")
def _():
    other = {"openmpi": "mpich", "mpich": "openmpi"}[LIBRARY]
    if not OTHER or not launch.command(other, 1, []):
        print("# not tested: there is only one launcher")
        return
    text = f'LD_PRELOAD="{PATH}" exec "{program("errors")}" all'
    done = launch.run(other, launch.command(other, 2, ["/bin/sh", "-c", text]))
    wanted(done.stderr.count("the launcher of the other MPI started 2 processes") == 1,
           done.stdout, done.stderr)
    done = [launch.run(other, launch.command(other, 1, ["/bin/sh", "-c", text])),
            start(2, [program("errors"), "all"]),
            start(1, [program("errors"), "all"],  # from a process that the other one started
                  extra={"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0",
                         "PMI_SIZE": "2", "PMI_RANK": "0"})]
    for one in done:
        wanted(one.returncode == 0 and "the other MPI" not in one.stderr, one.stdout, one.stderr)


@case("in a program of the other MPI it says so and steps aside")
def _():
    if not OTHER:
        print("# not tested: there is only one MPI")
        return
    plain = start(2, [program("errors"), "all"], preload=None)
    done = start(2, [program("errors"), "all"], preload=OTHER)
    wanted(plain.returncode == 0 and done.returncode == 0, done.stdout, done.stderr)
    wanted(done.stdout == plain.stdout, plain.stdout, done.stdout)
    wanted(done.stderr.count("nothing is changed in it") == 2, done.stderr)


if not launch.command(LIBRARY, 1, []):
    print(f"1..0 # SKIP there is no launcher of {LIBRARY}")
    sys.exit(0)
try:
    run_cases()
finally:
    shutil.rmtree(FOLDER)
