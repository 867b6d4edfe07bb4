#!/usr/bin/env python3
"""test_json.py ORDO REJECT - --json of every command."""
import pathlib
import re

from command import REJECT
from desk import desk_case
from tap import run_cases, wanted

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@desk_case("every command answers --json with an object that no two readers take for two")
def _(ordo):
    ordo.compile("ring.json")
    ordo.write_logs("one", "two")
    calls = {
        "compile": [["allreduce", "-n", 3, "-a", "ring", "-o", "a.json"],
                    ["allreduce", "-n", 3, "-o", "b.json"],
                    ["allreduce", "-n", 3, "--sizes", "1:1KiB", "-o", "set"],
                    ["allreduce", "-n", 5, "-a", "dyadic", "--prove-only"]],
        "tune": [["allreduce", "-n", 3, "--sizes", "1:1KiB", "-o", "tuned"]],
        "calibrate": [["-n", 2, "--milliseconds", 1, "--size", 64, "--workers", 1, "--check", "-o",
                       "machine.json"]],
        "verify": [["ring.json", "--topology", "ring", "--certificate", "proof.json"], ["set"],
                   ["--generate", "ring", "-n", 9],
                   [REJECT / "R8-read-before-data.json", "--write-replay", "race.json"],
                   ["ring.json", "--write-input", "input.json"]],
        "predict": [["ring.json"], ["ring.json", "-t", "ring"], ["ring.json", "-e", "1KiB"],
                    ["set", "-t", "full-mesh", "--size", 64]],
        "bound": [["allreduce", "-t", "torus:2x2", "--fail-link", "0-1"]],
        "run": [["ring.json", "--check", "--links", "--topology", "ring"],
                ["set", "--check", "--bytes", 64], ["ring.json", "-e", 64, "-n", 1],
                ["ring.json", "--input", "input.json"],
                [REJECT / "R8-read-before-data.json", "--replay", "race.json"]],
        "mpi": [["--compare", "one", "two"]],
        "probe": [["ring.json"]],
        "order": [["ring.json"]],
        "diff": [["a.json", "b.json"]],
        "draw": [["ring.json"], ["ring.json", "--space-time", "-t", "ring"],
                 ["--topology", "torus:2x2"]],
        "view": [["ring.json", "-o", "ring.html"]],
        "embed": [["ring.json", "-o", "ring.c"]],
        "import": [["msccl", EXAMPLES / "allreduce.xml", "-o", "imported.json"],
                   ["nccl", EXAMPLES / "nccl.log", "-o", "nccl"],
                   ["nccl", EXAMPLES / "nccl.log", "--against", EXAMPLES / "nccl.log"]],
        "export": [["goal", "ring.json", "-o", "ring.goal"], ["goal", "set", "--size", 64],
                   ["chakra", "ring.json", "-o", "traces"]],
        "list": [[], ["ring"], ["set"]],
        "explain": [["R8"], ["ring"], ["ring.json"], ["G3"], ["Wait"], ["torus"]],
        "doctor": [[]], "manual": [[], ["verify"]], "completions": [["bash"]],
        "demo": [["-o", "demo"]]}
    wanted(set(calls) == set(re.findall(r"^  ([a-z]+) +\S",
                                        ordo.works("--help").out.split("options:")[0], re.M)),
                                        calls.keys())
    for command, all_words in calls.items():
        for words in all_words:
            answer = ordo.answer(command, *words)
            wanted(answer["exit code"] in (0, 1) and "error" not in answer, command, words, answer)


@desk_case("--json is one object on stdout and nothing on stderr, whatever happens")
def _(ordo):
    ordo.compile("ring.json")
    (ordo.folder / "cut.json").write_text("{")
    for code, words in [(0, ["verify", "ring.json"]), (0, ["run", "ring.json", "--check"]),
                        (0, ["probe", "ring.json"]), (0, ["draw", "ring.json"]), (0, ["list"]),
                        (0, ["list", "operators"]), (0, ["list", "ring"]), (0, ["explain"]),
                        (0, ["explain", "R8"]), (0, ["explain", "ring"]), (0, ["explain", "Wait"]),
                        (0, ["explain", "reduce"]), (0, ["explain", "ring.json"]), (0, ["demo"]),
                        (0, ["compile", "allreduce", "-n", 4, "-a", "ring"]),
                        (0, ["compile", "allreduce", "-n", 4, "-a", "ring", "-o", "x.json"]),
                        (1, ["verify", REJECT / "R7-circle-of-three.json"]),
                        (1, ["run", REJECT / "R7-circle-of-three.json"]),
                        (1, ["run", REJECT / "R7-both-wait-first.json", "--unproved"]), (2, []),
                        (2, ["compil"]), (2, ["compile"]),
                        (2, ["compile", "allreduce", "-n", 4, "-a", "mesh", "--fail-link", "0-1"]),
                        (0, ["order", "ring.json"]), (2, ["order"]), (3, ["order", "cut.json"]),
                        (2, ["verify", "--nonsense"]), (2, ["explain", "love"]),
                        (2, ["list", "love"]), (2, ["run"]), (2, ["draw"]),
                        (3, ["verify", "cut.json"]), (3, ["run", "cut.json"]),
                        (3, ["draw", "cut.json"]), (3, ["explain", "cut.json"]),
                        (5, ["verify", "nothing"]),
                        (5, ["compile", "allreduce", "-n", 4, "-a", "ring", "-o", "none/x.json"])]:
        answer = ordo.answer(*words)
        wanted(answer["exit code"] == code, words, answer)
        if code > 1:
            wanted(answer["error"]["text"], words, answer)
    error = ordo.answer("verify", "cut.json")["error"]
    wanted((error["code"], error["rule"], error["file"], error["line"]) == ("bad input", "R1",
                                                                            "cut.json", 1), error)
    first = ordo.answer("verify", REJECT / "R7-circle-of-three.json")
    wanted(first["proved"] is False and first["findings"][0]["rule"] == "R7", first)


run_cases()
