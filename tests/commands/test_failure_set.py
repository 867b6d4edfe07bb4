#!/usr/bin/env python3
"""test_failure_set.py ORDO REJECT - `ordo compile --fail-any-link`, and the sets that it writes."""
import json
import os
import shutil
import signal
import subprocess
import time
from fractions import Fraction

import strict_json
from desk import ORDO, desk_case
from tap import run_cases, wanted


def compiled(ordo, *words, operator="allreduce", ranks=4):
    """The document of a set in the folder `set`."""
    ordo.works("compile", operator, "-n", ranks, "--fail-any-link", "-o", "set", *words)
    return strict_json.loads((ordo.folder / "set" / "failure-set.json").read_text())


@desk_case("an 8-card mesh: 29 states, each proved, at its bound as `ordo bound` has it")
def _(ordo):
    document = compiled(ordo, "-t", "full-mesh", "-a", "packing", ranks=8)
    states = document["states"]
    wanted([state.get("link") for state in states] ==
           [None] + [[a, b] for a in range(8) for b in range(a + 1, 8)], states)
    wanted([Fraction(state["bound"]["numerator"], state["bound"]["denominator"])
            for state in states] == [Fraction(1, 4)] + [Fraction(7, 27)] * 28, states)
    for state in states:
        words = ["--fail-link", "%d-%d" % tuple(state["link"])] if "link" in state else []
        file = ordo.folder / "set" / state["schedule"]
        answer = ordo.answer("verify", file, "-t", "full-mesh", *words)
        wanted(answer["proved"] and answer["order_digest"] == state["order_digest"], state)
        predicted = ordo.answer("predict", file, "-t", "full-mesh", *words)
        wanted(abs(predicted["seconds"] * 1e9 / state["time_ns"] - 1) < 1e-9, state, predicted)
        bound = document["bytes"] * state["bound"]["numerator"] / \
            state["bound"]["denominator"] / state["bound"]["bandwidth_gbs"]
        wanted(abs(state["time_ns"] / bound / state["price"] - 1) < 1e-9, state)
    wanted(ordo.answer("verify", "set")["proved"])


def seconds_of(states):
    """The predicted times of states with a link down, rounded."""
    return {f"{state['time_ns']:.6g}" for state in states[1:]}


@desk_case("links that leave the same network have schedules of one time: renumbered, unless the "
           "same algorithm takes as long there")
def _(ordo):
    states = compiled(ordo, "-t", "full-mesh", ranks=6)["states"]
    wanted(len(seconds_of(states)) == 1, states)
    wanted(any("map=[" in state["algorithm"] for state in states), states)
    for state in states[1:]:
        again = ordo.answer("compile", "allreduce", "-n", 6, "-t", "full-mesh", "--fail-link",
                            "%d-%d" % tuple(state["link"]), "-a", state["algorithm"], "--size",
                            "1MiB", "-o", "again.json")
        wanted(again["candidates"][0]["seconds"] * 1e9 <= state["time_ns"] * (1 + 1e-9), state)
    states = compiled(ordo, "-t", "full-mesh", "--size", "1KiB", ranks=6)["states"]
    wanted(len({state["order_digest"] for state in states[1:]}) == 1, states)
    wanted(not any("map=[" in state["algorithm"] for state in states), states)


@desk_case("links between ranks, to switches, between switches: one time for each kind; the "
           "root stays")
def _(ordo):
    states = compiled(ordo, "-t", "servers:2x4", operator="allgather",
                      ranks=8)["states"]
    kinds = {}
    for state in states[1:]:
        kinds.setdefault(sum(end < 8 for end in state["link"]), []).append(state)
    wanted(len(kinds) == 3, states)
    for kind in kinds.values():
        wanted(len({f"{state['time_ns']:.6g}" for state in kind}) == 1, kind)
    states = compiled(ordo, "-t", "full-mesh", "--root", 2, operator="broadcast",
                      ranks=5)["states"]
    for at_root in (True, False):
        kind = [state for state in states[1:] if (2 in state["link"]) == at_root]
        wanted(len({f"{state['time_ns']:.6g}" for state in kind}) == 1, kind)
    wanted(ordo.answer("verify", "set")["proved"])


@desk_case("with an order demanded no ranks are renumbered")
def _(ordo):
    states = compiled(ordo, "-t", "full-mesh", "--order", "dyadic", ranks=6)["states"]
    wanted(len({state["order_digest"] for state in states}) == 1, states)
    wanted(not any("map=[" in state["algorithm"] for state in states), states)


@desk_case("states with equal schedules share a file, and all files are used")
def _(ordo):
    states = compiled(ordo, "-a", "ring", ranks=6)["states"]
    texts = {}
    for state in states:
        text = (ordo.folder / "set" / state["schedule"]).read_text()
        wanted(texts.setdefault(text, state["schedule"]) == state["schedule"], states)
    wanted(1 < len(texts) < len(states), states)
    wanted(set(os.listdir(ordo.folder / "set")) ==
           {"failure-set.json", "topology.json", *texts.values()})
    wanted(ordo.answer("verify", "set")["schedules"] == len(texts))


@desk_case("verify, predict and run select by --fail-link, and use the set's topology; another "
           "state's schedule does not fit")
def _(ordo):
    states = compiled(ordo, ranks=5)["states"]
    for words, state in [([], states[0]), (["--fail-link", "3-1"], states[6])]:
        for command in ["predict", "run"]:
            answer = ordo.answer(command, "set", *words)
            wanted(answer["schedule"] == state["schedule"], command, answer)
    wanted(states[6]["link"] == [1, 3])
    answer = ordo.answer("verify", "set", "--fail-link", "1-3")
    wanted(answer["proved"] and answer["order_digest"] == states[6]["order_digest"])
    answer = ordo.answer("predict", "set", "--fail-link", "1-3")
    wanted(abs(answer["seconds"] * 1e9 / states[6]["time_ns"] - 1) < 1e-9, answer)
    used = {(one["from"], one["to"]) for one in
            ordo.answer("run", "set", "--links", "--count", 840, "--fail-link", "1-3")["links"]}
    wanted(used and not {(1, 3), (3, 1)} & used, used)
    wanted("bit-equal" in ordo.works("run", "set", "--check", "--fail-link", "1-3").out)
    ordo.fails(1, "R12", "verify", ordo.folder / "set" / states[0]["schedule"], "--fail-link",
               "1-3")
    for state in compiled(ordo, "-t", "ring", "--bandwidth", 7, "--alpha-ns", 100)["states"]:
        words = ["--fail-link", "%d-%d" % tuple(state["link"])] if "link" in state else []
        answer = ordo.answer("predict", "set", *words)
        wanted(abs(answer["seconds"] * 1e9 / state["time_ns"] - 1) < 1e-9, state, answer)


@desk_case("what a set does not hold is refused, with what it holds")
def _(ordo):
    compiled(ordo, "-t", "ring")
    holds = r".*\nhint: set holds a schedule for no failure and for each of 4 single links of ring"
    for command in ["verify", "predict", "run"]:
        for message, *words in [
                (r"found 2 links, wanted one", "--fail-link", "0-1,1-2"),
                (r"found 0-2, which is no link", "--fail-link", "0-2"),
                (r"--fail-rank: a failure set covers links only", "--fail-rank", 1),
                (r"--fail-switch: a failure set covers links only", "--fail-switch", 4)]:
            ordo.fails(2, message + holds, command, "set", *words)
    ordo.fails(2, "found x, wanted two ranks", "run", "set", "--fail-link", "x")
    for command in ["draw", "order", "embed"]:
        ordo.fails(2, "found a failure set, wanted a schedule", command, "set")
    ordo.fails(2, "verified on its own topology", "verify", "set", "-t", "ring")
    ordo.fails(2, "--certificate takes one schedule, found a failure set", "verify", "set",
               "--certificate", "c.json")
    listed = ordo.answer("list", "set")
    wanted(listed["links"] == 4 and [one["link"] for one in listed["states"]] ==
           [None, "0-1", "0-3", "1-2", "2-3"], listed)


@desk_case("where a link holds the network together, the set says that no schedule is possible")
def _(ordo):
    states = compiled(ordo, "-t", "star", ranks=3)["states"]
    wanted([state["schedule"] for state in states] == ["failure-0.json", None, None, None], states)
    wanted([state.get("link") for state in states] == [None, [0, 3], [1, 3], [2, 3]], states)
    wanted("proved" in ordo.works("verify", "set").out)
    ordo.fails(3, r"failure-set.json:\d+:\d+: error\[R1\]: schedule: found null: without the link "
               r"\[1, 3\] the network is in parts", "run", "set", "--fail-link", "1-3")


@desk_case("where a rank can only send or only receive, the set says that no schedule is possible")
def _(ordo):
    pairs = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0)]
    (ordo.folder / "t.json").write_text(json.dumps({
        "schema": "ordo/topology/1", "name": "t", "ranks": 3, "links": [
            {"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": 1} for a, b in pairs]}))
    for operator in ["allgather", "broadcast"]:
        shutil.rmtree(ordo.folder / "set", ignore_errors=True)
        states = compiled(ordo, "-t", "t.json", operator=operator, ranks=3)["states"]
        wanted([(state.get("link"), bool(state["schedule"])) for state in states] ==
               [(None, True), ([0, 1], False), ([0, 2], True), ([1, 2], False)], states)
        wanted("proved" in ordo.works("verify", "set").out)


@desk_case("verify refutes a set that has no schedule where one is possible")
def _(ordo):
    document = compiled(ordo, "-t", "ring")
    document["states"][1] = {"link": document["states"][1]["link"], "schedule": None}
    (ordo.folder / "set/failure-set.json").write_text(json.dumps(document))
    ordo.fails(1, "schedule: found null, but it is possible: no rank is cut off", "verify", "set")


def changed(ordo, old, new, name="failure-set.json"):
    """The set, a part of a file changed."""
    shutil.rmtree(ordo.folder / "changed", ignore_errors=True)
    shutil.copytree(ordo.folder / "set", ordo.folder / "changed")
    path = ordo.folder / "changed" / name
    text = path.read_text()
    wanted(old in text, old, text)
    path.write_text(text.replace(old, new, 1))


@desk_case("verify refutes a set with another digest, bound or schedule, and a broken folder")
def _(ordo):
    document = compiled(ordo, "-t", "full-mesh")
    state = document["states"][1]
    # The digest of the first state, and the bound of the second.
    changed(ordo, state["order_digest"], "0" * 32)
    ordo.fails(1, r"failure-set.json:\d+:\d+: error\[R1\]: order_digest: found 0{32}, but it is",
               "verify", "changed")
    bound = '"numerator": %(numerator)d, "denominator": %(denominator)d' % state["bound"]
    doubled = '"numerator": %d, "denominator": %d' % (2 * state["bound"]["numerator"],
                                                      2 * state["bound"]["denominator"])
    changed(ordo, bound, doubled)
    ordo.fails(1, r"error\[R1\]: bound: found ", "verify", "changed")
    changed(ordo, '"schedule": "%s"' % state["schedule"], '"schedule": "failure-0.json"')
    ordo.fails(1, r"R12.*\n(.*\n)*refuted with the link 0-1 down", "verify", "changed")
    changed(ordo, '"schedule": "%s"' % state["schedule"], '"schedule": "failure-99.json"')
    ordo.fails(3, r'schedule "failure-99.json": cannot be read: there is no such file', "verify",
               "changed")
    changed(ordo, '"ranks": 4', '"ranks": 5', state["schedule"])
    ordo.fails(3, "rank 4 is missing; found 4 programs, wanted 5", "verify", "changed")
    changed(ordo, '"ranks": 4', '"ranks": 5')
    ordo.fails(3, r"topology: found 5 ranks and (\w+), but topology.json has 4 ranks and the "
               r"digest \1", "verify", "changed")
    changed(ordo, '"name": "full-mesh"', '"name": "other"', "topology.json")
    wanted(ordo.answer("verify", "changed")["proved"])
    changed(ordo, '"latency_ns": ', '"latency_ns": 1', "topology.json")
    ordo.fails(3, r"failure-set.json:3:\d+: error\[R1\]: topology: found .*topology.json has",
               "verify", "changed")
    os.remove(ordo.folder / "changed" / "topology.json")
    wanted(ordo.answer("verify", "changed")["exit code"] == 5)
    shutil.rmtree(ordo.folder / "changed")
    shutil.copytree(ordo.folder / "set", ordo.folder / "changed")
    path = ordo.folder / "changed" / state["schedule"]
    path.unlink()
    path.symlink_to(ordo.folder / "set" / state["schedule"])
    ordo.fails(3, r"it is not a regular file", "verify", "changed")


@desk_case("--json of compile, with links and ranks that are gone from the beginning")
def _(ordo):
    words = ["compile", "allreduce", "-n", 6, "--fail-rank", 0, "--fail-link", "1-2",
             "--fail-any-link", "-o", "set"]
    answer = ordo.answer(*words)
    wanted(answer["rank_map"] == [None, 0, 1, 2, 3, 4] and answer["ranks"] == 5, answer)
    links = [one["link"] for one in answer["states"]]
    wanted(len(links) == 10 and links[:3] == [None, "0-2", "0-3"] and "0-1" not in links, links)
    wanted(all(one["price"] >= 1 and one["algorithm"] for one in answer["states"]), answer)
    wanted(ordo.answer("verify", "set")["proved"])
    ordo.fails(2, "found 0-1, which is no link", "run", "set", "--fail-link", "0-1")


@desk_case("requirements hold in every state, and what cannot be made is not written")
def _(ordo):
    compiled(ordo, "--require", "G3", ranks=5)
    wanted(ordo.answer("verify", "set", "--require", "G3")["proved"])
    shutil.rmtree(ordo.folder / "set")
    words = ["compile", "allreduce", "-n", 4, "--fail-any-link"]
    ordo.fails(2, r"mesh.*\n(.*\n)*nothing was written: no schedule with the link 0-1 down", *words,
               "-a", "mesh", "-o", "set")
    ordo.fails(2, r"wanted the name of a folder", *words)
    ordo.fails(2, r"wanted the name of a folder", *words, "-o", "set.json")
    ordo.fails(2, r"cannot be combined with --sizes", *words, "--sizes", "1:8", "-o", "s")
    ordo.fails(2, r"cannot be combined with --prove-only", *words, "--prove-only")
    (ordo.folder / "mine").mkdir()
    (ordo.folder / "mine" / "precious").write_text("")
    ordo.fails(2, r'contains "precious"', *words, "-o", "mine")
    wanted(sorted(os.listdir(ordo.folder)) == ["mine"], os.listdir(ordo.folder))
    # A set replaces a set, and one that is read is kept.
    compiled(ordo)
    compiled(ordo, "--size", "1KiB")
    ordo.fails(2, r"which is what is read", "compile", "allreduce", "-n", 4, "-t",
               "set/topology.json", "-o", "set/topology.json")


@desk_case("an interrupt leaves nothing behind")
def _(ordo):
    with subprocess.Popen([ORDO, "compile", "allreduce", "-n", "16", "--fail-any-link",
                           "-o", "set"], cwd=ordo.folder, stderr=subprocess.DEVNULL,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
                          ) as process:  # a shell has what it runs in the background ignore it
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        wanted(process.wait() != 0)
    wanted(not os.listdir(ordo.folder), os.listdir(ordo.folder))


run_cases()
