#!/usr/bin/env python3
"""test_options.py ORDO REJECT - options, names and numbers, alike in every command; usage and
errors of typing."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import strict_json
from command import COMMANDS, OPERATORS, REJECT
from desk import ORDO, desk_case
from tap import run_cases, wanted


@desk_case("algorithms answer to the names of the field, by operator, and documents have their own")
def _(ordo):
    nested = "hierarchical(two-shot,nonuniform-bruck)"
    for operator, name, own in [
            ("reduce-scatter", "pairwise", "mesh(streams=one)"),
            ("alltoall", "pairwise", "alltoall"),
            ("alltoall", "Bruck", "alltoall(method=bruck)"),
            ("allgather", "bruck", "circulant"),
            ("allreduce", "double_binary_tree", "tree(shape=double-binary)"),
            ("allreduce", "rabenseifner", "rhd"),
            ("broadcast", "binomial", "tree"),
            ("allreduce", nested, "hierarchical(mesh,nb)")]:
        document = json.loads(ordo.compile("x.json", operator=operator, algorithm=name,
                                           ranks=8).read_text())
        wanted(document["algorithm"] == own, operator, name, document["algorithm"])
    ordo.fails(2, "hint: did you mean rabenseifner[?]", "compile", "allreduce", "-n", 8, "-a",
               "rabenseifer")
    ordo.fails(2, r"pairwise has no AllReduce; it is a name for mesh\(streams=one\) "
               r"\(ReduceScatter\), alltoall", "compile", "allreduce", "-n", 8, "-a", "pairwise")
    wanted(": proved" in ordo.works("verify", "--generate", "Ring", "-n", 8, "--operator",
                                    "allreduce").out)
    listed = ordo.works("list").out
    wanted(" also       linear, basic-linear, flat-tree\n" in listed, listed)
    shown = {alias["name"]: alias for one in ordo.answer("list")["algorithms"]
             for alias in one["aliases"]}
    wanted(shown["dbt"] == {"name": "dbt", "algorithm": "tree(shape=double-binary)", "note": None,
                            "operators": ["AllReduce", "Reduce", "Broadcast"]}, shown["dbt"])
    out = ordo.works("list", "pairwise").out
    wanted(out.startswith("pairwise: mesh(streams=one) for ReduceScatter (")
           and "\n          alltoall for AllToAll\n" in out, out)
    answer = ordo.answer("list", "pairwise")
    wanted([one["algorithm"] for one in answer["means"]] == ["mesh(streams=one)", "alltoall"]
           and answer["algorithm"] == "mesh", answer)
    out = ordo.works("explain", "dbt").out
    wanted("--algorithm 'tree(shape=double-binary)'" in out
           and "AllReduce on 4 ranks by tree(shape=double-binary)" in out, out)
    ordo.fails(2, "did you mean pairwise", "list", "pairwize")
    ordo.fails(2, "did you mean recursive-halving", "explain", "recursive-halvin")


def options_of(ordo):
    """What --help says of the options: {command: {option: (letter, argument, meaning)}}."""
    told = {}
    listed = ordo.works("--help").out.split("commands:\n")[1].split("\n\n")[0]
    option = r"^  (?:-(\w), )?--([\w-]+)(?: (\S+))?\s+(.*(?:\n {8,}.*)*)"
    for command in re.findall(r"^  (\w+) ", listed, re.M):
        text = ordo.works(command, "--help").out.split("\noptions:\n")[1].split("\n\n")[0]
        told[command] = {}
        for letter, name, argument, meaning in re.findall(option, text, re.M):
            told[command][name] = (letter, argument, " ".join(meaning.split()))
    return told


@desk_case("options are called alike everywhere: --size bytes (or --bytes), -n ranks but in run")
def _(ordo):
    told = options_of(ordo)
    wanted(len(told) > 15 and len(told["compile"]) > 15, told)
    for command, options in told.items():
        wanted("bytes" not in options, command)
        for name, (letter, argument, meaning) in options.items():
            wanted(letter != "n" or name == ("iters" if command == "run" else "ranks"), command,
                   name)
            if name == "size":
                wanted(argument == "SIZE" and meaning.endswith("; or --bytes"), command, argument,
                       meaning)
            if name == "topology":
                wanted(meaning == "full-mesh, ring, star, ... or a file (a link between every two "
                       "ranks)", command, meaning)
    wanted({command for command, options in told.items()
            if "size" in options} >= {"compile", "predict", "run", "draw", "view", "calibrate"})
    ordo.compile("ring.json")
    changing = r"[\d.]+ [mu]?s|--(size|bytes)|[\d.]+ [MG]B/s"
    for words in [["predict", "ring.json"], ["run", "ring.json"], ["view", "ring.json"],
                  ["draw", "ring.json", "--load"], ["draw", "ring.json", "--space-time"]]:
        one, other = [re.sub(changing, "", ordo.works(*words, option, "4KiB").out)
                      for option in ("--size", "--bytes")]
        wanted(one == other and one, words)
    ordo.works("compile", "allreduce", "-n", 4, "--bytes", "4KiB", "-o", "x.json")
    # Topologies of their own have ranks, and no bytes.
    ordo.fails(2, "--size is the size of a vector.*\nhint: --ranks N is the number of ranks",
               "draw", "--topology", "ring", "--size", 8)
    ring = ordo.works("draw", "--topology", "ring", "-n6").out
    for words in [["-n", 6], ["--ranks", 6], ["--ranks", 6, "--ranks", "0-5"]]:
        wanted(ordo.works("draw", "--topology", "ring", *words).out == ring, words)
    done = ordo.works("draw", "--topology", "torus:4x4", "--ranks", "4,5")
    wanted("drawn: 2 of 16 ranks" in done.err, done.err)
    ordo.fails(2, "found 16 ranks, wanted 8", "draw", "--topology", "torus:4x4", "-n", 8)
    ordo.fails(2, "--ranks: found 0, wanted 1[.][.]", "draw", "--topology", "ring", "-n", 0)
    meshed = ordo.works("draw", "ring.json", "--load", "-t", "full-mesh").out
    wanted(ordo.works("draw", "ring.json", "--load").out == meshed)


def check_refused_number(option, value, said, words):
    """`words` is what was wanted in place of the value, and must be why it was refused."""
    integer = int(value) if re.fullmatch("[0-9]+", value) else None
    if bound := re.fullmatch(r"at most (\d+)( bytes)?", words):
        wanted(integer is not None and integer > int(bound.group(1)) or bound.group(2)
               and value == "99999999TiB", option, value, said)
    elif bound := re.fullmatch(r"at least (\d+)", words):
        wanted(integer is not None and integer < int(bound.group(1)), option, value,
               said)
    elif re.fullmatch(r"a number of \d+\.\.\d+", words):
        wanted(integer is None, option, value, said)
    elif words == "a number above 0, of 4.9e-324..1.7e+308":
        wanted(value in ("1e999", "1e-999"), option, value, said)
    elif words == "a number above 0":
        wanted(value in ("0", "-1", "", "0x10", "1KiB", "99999999TiB", "1XiB", " 1",
                         "1 "), option, value, said)
    else:
        wanted(words == "a size such as 4096, 1KiB or 1GiB" and integer is None
               and value not in ("1KiB", "99999999TiB"), option,
               value, said)


@desk_case("every option that takes a number says why it refuses one: none, too small, or too large"
           )
def numbers(ordo):
    seen, named = 0, set()
    for command in re.findall(r"^  ([a-z]+) +\S", ordo.works("--help").out.split("options:")[0],
                              re.M):
        text = ordo.works(command, "--help").out
        for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+) (?:N|R|K|V|W|S|NS|GB/S|SIZE)\b", text,
                                 re.M):
            # An option has one reader: what it makes of a number is asked once, and of every
            # command whether it has that reader.
            values = ["0", "4294967296", "18446744073709551616", "-1", "1XiB", "1 "]
            if option not in named:
                values += ["1", "2147483647", "2147483648", "4294967295", "9223372036854775807",
                           "9223372036854775808", "18446744073709551615", "1" * 40, "", "1e3",
                           "0x10", "1e999", "1e-999", "1KiB", "99999999TiB", " 1"]
            named.add(option)
            for value in values:
                # What is taken is not carried out: there is no such option behind it.
                said = ordo.fails(2, "", command, f"{option}={value}", "--no-such-option").err
                said = next(line for line in said.splitlines()
                            if not line.startswith(f"warning: {option}: {value} is taken as "))
                shown = value or "nothing"
                if said == "error: unknown option --no-such-option":
                    wanted(value not in ("", "-1", "0x10", " 1", "1 ", "1e999", "1e-999",
                                         "99999999TiB", "1XiB"), command, option, value)
                    continue
                found = re.fullmatch(rf"error: {option}: found {re.escape(shown)}, wanted (.*)",
                                     said)
                wanted(found, command, option, value, said)
                seen += 1
                check_refused_number(option, value, said, found.group(1))
    wanted(seen > 500, seen)


@desk_case("numbers that are too large for this machine or for a size are refused")
def _(ordo):
    ordo.compile("ring.json")
    most = 9223372036854775807
    for words in [["run", "ring.json", "--count", most], ["run", "ring.json", "--bytes", most - 3],
                  ["probe", "ring.json", "--count", most],
                  ["probe", "ring.json", "--count", 1 << 62],
                  ["calibrate", "-n", 2, "--size", most - 7]]:
        ordo.fails(5, "elements a block take .* and this machine has", *words)
    for sizes in ["1:18446744073709551616", "18446744073709551615:", f"{1 << 63}:{1 << 63}",
                  "1:99999999TiB"]:
        ordo.fails(2, f"--sizes: found {sizes}, wanted sizes of at most {most}", "tune",
                   "allreduce", "-n", 2, "--sizes", sizes)
    for sizes in ["", "1", "1:x", "-1:2", "0x1:2", ":"]:
        ordo.fails(2, f"--sizes: found {sizes or 'nothing'}, wanted the first and the last size",
                   "tune", "allreduce", "-n", 2, "--sizes", sizes)


@desk_case("nothing at all: no bytes, no elements, one rank, by every command that takes them")
def nothing(ordo):
    for operator in OPERATORS:
        for ranks in [1, 3]:
            chosen = ordo.works("compile", operator, "-n", ranks, "-o", "chosen.json", "--size", 0)
            wanted("proved" in chosen.err, chosen.err)
            ordo.compile("x.json", operator=operator, ranks=ranks, algorithm="mesh")
            for words in [["--bytes", 0], ["--count", 0], ["--count", 1]]:
                for how in [["--transport", "threads"], ["--transport", "seeded"],
                            ["--workers", 1]]:
                    check = ordo.answer("run", "x.json", *words, *how, "--check",
                                        "--links")["check"]
                    wanted(check["bits_equal"] and check["wrong"] == 0, operator, ranks, words,
                           check)
            for words in [[], ["-t", "full-mesh"], ["-t", "star", "--route-through-ranks"],
                          ["-e", 0, "-b", 0]]:
                ordo.works("predict", "x.json", "--size", 0, *words)
            for words in [["verify"], ["verify", "-t", "full-mesh"], ["order"], ["draw"],
                          ["explain"]]:
                ordo.works(words[0], "x.json", *words[1:])
            ordo.works("diff", "x.json", "chosen.json")
            ordo.works("view", "x.json", "-o", "x.html")
        ordo.works("compile", operator, "-n", 4, "-a", "mesh", "-t", "full-mesh", "-o", "x.json")
        ordo.works("compile", operator, "-n", 4, "--sizes", "0:0", "-o", "set")
        ordo.works("verify", "set")
        ordo.works("run", "set", "--bytes", 0, "--check")
        ordo.works("predict", "set", "--size", 0)
        ordo.works("tune", operator, "-n", 3, "--sizes", "0:1", "-t", "full-mesh", "-o", "tuned")
        for where in "set", "tuned":
            shutil.rmtree(ordo.folder / where)
    for algorithm in ["ring", "halving-doubling", "recursive-doubling"]:
        wanted("proved" in ordo.works("verify", "--generate", algorithm, "-n", 2).out)
    ordo.works("embed", "x.json", "-o", "x.c")


@desk_case("--help on the command and on each of its commands, with usage, options and examples")
def _(ordo):
    text = ordo.works("--help").out
    wanted({"compile", "verify", "run"} <= set(COMMANDS) and "exit codes:" in text, text)
    for command in COMMANDS:
        done = ordo.works(command, "--help")
        wanted(
            done.err == "" and done.out.startswith(f"usage: ordo {command}")
            and "\noptions:\n" in done.out, done.out)
        wanted(done.out == ordo.works(command, "-h").out == ordo.works("help", command).out,
               command)
        # People read it on a terminal.
        wanted(all(len(line) <= 120 for line in done.out.splitlines()), command, done.out)
    wanted(re.match(r"ordo \d+\.\d+\.\d+\n$", ordo.works("--version").out))


@desk_case("every example in --help works")
def _(ordo):
    ordo.write_logs("one", "two")
    for name in ["allreduce.xml", "answers.json", "machine.xml", "nccl.log"]:
        example = pathlib.Path(__file__).parents[2] / "examples" / name
        (ordo.folder / name).write_bytes(example.read_bytes())
    for name, words in {"ring.json": [], "x.json": [], "around.json": []}.items():
        ordo.compile(name, *words, ranks=8)
    for algorithm in ["dyadic", "mesh", "birs"]:
        ordo.compile(f"{algorithm}.json", ranks=8, algorithm=algorithm)
    topology = {
        "schema": "ordo/topology/1", "name": "cluster", "ranks": 8,
        "links": [{"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": 1} for a in range(8)
                  for b in range(8) if a != b]
    }
    (ordo.folder / "cluster.json").write_text(json.dumps(topology))
    ordo.works("compile", "allreduce", "-n", 8, "-a", "dyadic", "-t", "cluster.json", "--emit",
               "moves", "-o", "moves.json")
    ordo.compile("large.json", operator="broadcast", ranks=520, algorithm="tree")
    ordo.works("compile", "allreduce", "-n", 8, "--sizes", "1KiB:1MiB", "-o", "set")
    for name in ["broken.json", "wrong.json"]:
        (ordo.folder / name).write_bytes((REJECT / "R8-two-writers-unordered.json").read_bytes())
    environment = {"PATH": os.path.dirname(ORDO) + ":" + os.environ["PATH"]}
    # Those left out measure, or simulate, for minutes.
    for command in [one for one in COMMANDS if one not in ("calibrate", "tune")]:
        examples = ordo.works(command,
                              "--help").out.partition("\nexamples:\n")[2].strip().splitlines()
        wanted(examples, command)
        for example in examples:
            if "mpirun" in example:  # tests/mpi has those
                continue
            # What is large is a matter of memory and time, and what is elsewhere not ours.
            for typed, tried in [("1GiB", "1MiB"), ("--large", ""), ("/tmp/", ""),
                                 ("| less", "| cat"), ("--ranks 4096", "--ranks 256"),
                                 ("--ranks 8 --fail-any-link", "--ranks 4 --fail-any-link"),
                                 ("--end 4KiB", "--end 64 -n 1 -w 0")]:
                example = example.replace(typed, tried)
            line = "set -o pipefail; " + example.strip()
            done = subprocess.run(["bash", "-c", line],
                                  cwd=ordo.folder,
                                  capture_output=True,
                                  env={**os.environ, **environment},
                                  timeout=300)
            refuted = [
                "cluster.json --max-tokens 1", "verify ring.json --fail-link", "diff ring.json",
                "broken.json", "--write-input", "--input"
            ]
            wanted(done.returncode == (1 if any(words in line for words in refuted) else 0),
                   line, done.returncode, done.stderr.decode())


@desk_case("typing errors: exit code 2, and what was probably meant")
def _(ordo):
    ring = ["compile", "allreduce", "-n", 4, "-a", "ring"]
    for message, words in [
        (r"unknown command \"compil\"\nhint: did you mean `ordo compile`", ["compil"]),
        (r"unknown option --rnks\nhint: did you mean --ranks\?", [*ring, "--rnks", 3]),
        (r"unknown operator allreduc\nhint: did you mean AllReduce\?",
         ["compile", "allreduc", "-n", 4, "-a", "ring"]),
        (r'found "rnig".*\nhint: did you mean ring\?',
         ["compile", "allreduce", "-n", 4, "-a", "rnig"]),
        (r'"fodl".*\nhint: did you mean fold\?',
         ["compile", "allreduce", "-n", 4, "-a", "mesh(fodl=linear)"]),
        (r'"liner".*\nhint: did you mean linear\?',
         ["compile", "allreduce", "-n", 4, "-a", "mesh(fold=liner)"]),
        (r'"ful-mesh".*\nhint: did you mean full-mesh\?', [*ring, "--topology", "ful-mesh"]),
        (r"there is no list of rign\nhint: did you mean ring\?", ["list", "rign"]),
        (r"there is no explanation of SendReduc\b", ["explain", "SendReduc"]),
        (r"help compil|unknown command \"compil\"", ["help", "compil"])
    ]:
        ordo.fails(2, message, *words)


@desk_case("without --ranks a problem has as many ranks as its topology")
def _(ordo):
    gpus = "".join(f'<pci busid="0{at}:00" class="0x030200" link_speed="16 GT/s" link_width="16">'
                   f'<gpu dev="{at}" rank="{at}" sm="80"/></pci>' for at in range(3))
    for count, words in [(4, ["-t", "torus:2x2"]), (4, ["-t", "t.json"]), (3, ["-t", "gpus.xml"]),
                         (7, ["-t", "servers:2x4", "--fail-rank", 3])]:
        (ordo.folder / "t.json").write_text(
            ordo.works("draw", "-t", "torus:2x2", "--as", "json").out)
        (ordo.folder / "gpus.xml").write_text(
            f'<system version="1"><cpu numaid="0" arch="x86_64">{gpus}</cpu></system>')
        summary = ordo.works("compile", "allgather", "-a", "packing", *words, "-o", "x.json").err
        wanted(f"AllGather on {count} ranks" in summary, summary)
    (ordo.folder / "none.xml").write_text('<system version="1"/>')
    ordo.fails(3, "none.xml:1:1: error.R1.: found no GPU", "bound", "allgather", "-t", "none.xml")


@desk_case("what makes no sense: exit code 2, and what is wanted")
def _(ordo):
    ordo.compile("ring.json")
    for message, words in [
        (r"which command\?", []), (r"which operator\?\nhint: one of AllReduce, ", ["compile"]),
        (r"--ranks N is missing", ["compile", "allreduce"]),
        (r"--ranks N is missing; ring has any number", ["compile", "allreduce", "-t", "ring"]),
        (r"--ranks: found 0, wanted at least 1", ["compile", "allreduce", "-n", 0]),
        (r"--ranks: found four, wanted a number",
         ["compile", "allreduce", "-n", "four", "-a", "ring"]),
        (r"--ranks: found -1, wanted a number",
         ["compile", "allreduce", "--ranks=-1", "-a", "ring"]),
        (r"--ranks: found 2147483648, wanted",
         ["compile", "allreduce", "-n", 2147483648, "-a", "ring"]),
        (r"--ranks needs an argument", ["compile", "allreduce", "--ranks"]),
        (r"--in-place takes no argument", ["compile", "allreduce", "--in-place=yes"]),
        (r"root: found 9, wanted a rank of 0\.\.3",
         ["compile", "reduce", "-n", 4, "-a", "ring", "--root", 9]),
        (r"AllToAll", ["compile", "alltoall", "-n", 4, "-a", "ring"]),
        (r"in.place", ["compile", "alltoall", "-n", 4, "-a", "mesh", "--in-place"]),
        (r"shards: found 3 shards on 4 ranks, wanted at least one a rank",
         ["compile", "allreduce", "-n", 4, "-a", "ring", "--shards", 3]),
        (r"dyadic makes .* of 24 shards on 1, 3, 6, 12, 24 ranks, found 4\nhint: forest ",
         ["compile", "allreduce", "-n", 4, "-a", "dyadic", "--shards", 24]),
        (r"no in-place form with 8 shards",
         ["compile", "allreduce", "-n", 4, "-a", "ring", "--shards", 8, "--in-place"]),
        (r"shards: AllGather does not reduce",
         ["compile", "allgather", "-n", 4, "-a", "ring", "--shards", 8]),
        (r"--shards: found 0", ["compile", "allreduce", "-n", 4, "-a", "ring", "--shards", 0]),
        (r"wanted the file or folder of a schedule", ["verify"]),
        (r"found ring.json and x", ["order", "ring.json", "x"]),
        (r"--type: found f31, wanted f16, bf16, f32", ["run", "ring.json", "--type", "f31"]),
        (r"--op: found average, wanted sum", ["run", "ring.json", "--op", "average"]),
        (r"--transport: found smoke, wanted", ["run", "ring.json", "--transport", "smoke"]),
        (r"--size: found 1parsec, wanted a size", ["run", "ring.json", "--bytes", "1parsec"]),
        (r"--size: found 3, wanted a multiple of 4", ["run", "ring.json", "--bytes", 3]),
        (r"--size and --count: give one", ["run", "ring.json", "--bytes", 4, "--count", 1]),
        (r"--repeat: found 0", ["run", "ring.json", "--repeat", 0]),
        (r"--as: found bmp, wanted dot, svg", ["draw", "ring.json", "--as", "bmp"]),
        (r"--ranks: found 9, wanted numbers of 0\.\.3", ["draw", "ring.json", "--ranks", 9]),
        (r"wanted the file of a schedule, or --topology", ["draw"]),
        (r"there is no explanation of happiness\nhint: a rule \(R8\)", ["explain", "happiness"])
    ]:
        ordo.fails(2, message, *words)


@desk_case("what is no UTF-8 on the command line is valid JSON in the answer")
def _(ordo):
    for words in [["verify", b"\xff.json"], ["compile", b"\xc3("],
                  ["verify", b"x", b"\xed\xa0\x80"], ["explain", b"\xf5"]]:
        done = subprocess.run([ORDO, *words, "--json"],
                              cwd=ordo.folder,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        strict_json.loads(done.stdout.decode())


@desk_case("a limit of 0 is refused, not taken for no limit")
def _(ordo):
    ordo.compile("mesh.json", algorithm="mesh(shots=1)")
    wanted(ordo.answer("verify", "mesh.json", "--max-scratch", 1)["exit code"] == 1)
    for limit in ["streams", "scratch", "signals", "tokens", "findings"]:
        ordo.fails(2, f"--max-{limit}: found 0, wanted at least 1", "verify", "mesh.json",
                   f"--max-{limit}", 0)


@desk_case("times are in us, ms or s, never with an exponent")
def _(ordo):
    compiled = ordo.works("compile", "allreduce", "-n", 4, "-a", "ring", "-o", "ring.json").err
    wanted(
        re.search(
            r"compiled in [0-9.]+ [mu]s, proved in [0-9.]+ [mu]s, written in [0-9.]+ [mu]s to "
            r"ring.json",
            compiled), compiled)
    for words in [["verify", "ring.json"], ["run", "ring.json"]]:
        out = ordo.works(*words).out
        wanted(re.search(r"[0-9.]+ [mu]?s\b", out) and not re.search(r"\de[-+]\d", out), out)


run_cases()
