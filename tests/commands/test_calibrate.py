#!/usr/bin/env python3
"""test_calibrate.py ORDO REJECT - calibrate: the topology of this machine."""
import json
import os
import re

import strict_json
from desk import desk_case
from tap import run_cases, wanted


def check_spreads(rates):
    for one in rates:
        for kind in "send", "send_reduce", "local_copy", "local_reduce":
            spread = one[kind + "_gigabytes_per_second"]
            wanted(
                0 < spread["first_quartile"] <= spread["median"] <= spread["third_quartile"]
                and spread["runs"] >= 3, one)


def check_errors(check):
    """Errors are those of what is printed beside them, and their median that of all."""
    runs = check["runs"]
    wanted({one["bytes"]
            for one in runs} == {4096, 65536, 1 << 20, 16 << 20}
           and len({one["algorithm"]
                    for one in runs}) > 5, runs)
    for one in runs:
        wanted(
            abs(one["predicted_seconds"] / one["measured_median_seconds"] - 1 - one["error"]) <
            1e-9, one)
        wanted(
            one["measured_first_quartile_seconds"] <= one["measured_median_seconds"] <=
            one["measured_third_quartile_seconds"], one)
    errors = sorted(abs(one["error"]) for one in runs)
    wanted(
        abs(check["median_error"] -
            (errors[(len(errors) - 1) // 2] + errors[len(errors) // 2]) / 2) < 1e-9)
    wanted(check["most_error"] == errors[-1])


@desk_case(
    "calibrate: what this machine's threads take, as a topology that choices and proofs accept")
def _(ordo):
    words = ["calibrate", "--ranks", 4, "--milliseconds", 1, "--size", "64KiB", "--workers", 2]
    done = ordo.works(*words, "-o", "machine.json")
    wanted(done.out.startswith("4 ranks on 2 threads of this machine, f32"), done.out)
    wanted(
        re.search(r"\n  a task +[\d.e+]+ ns  \(quartiles [\d.e+]+ and [\d.e+]+, of \d+ runs\)\n",
                  done.out), done.out)
    wanted(re.findall(r"^([> ]) +(\d+)  [\d.e+]+ \([\d.e+]+-[\d.e+]+\)", done.out, re.M) ==
           [(" ", "4096"), (">", "65536"), (" ", "1048576"), (" ", "16777216")], done.out)
    wanted("--topology ./machine.json" in done.err, done.err)
    answer = ordo.answer(*words, "--type", "i8", "--check", "-o", "machine.json")
    document = strict_json.loads((ordo.folder / "machine.json").read_text())
    rate = next(one for one in answer["rates"] if one["bytes"] == 1 << 16)
    send, both = rate["send_gigabytes_per_second"]["median"], rate[
        "send_reduce_gigabytes_per_second"]["median"]
    wanted(
        document["ranks"] == 4 and document["cores"] == answer["threads"] == 2
        and len(document["links"]) == 12, document)
    wanted(
        document["task_ns"] == answer["task_ns"]["median"] > 0
        and document["x"]["measured"]["bytes"] == 1 << 16, document)
    wanted(
        all(link["bandwidth_gbs"] == send and link["latency_ns"] == answer["latency_ns"]
            for link in document["links"]), document)
    # Between two cores, whatever threads take from each other; where there are none, it says so.
    if len(os.sched_getaffinity(0)) > 1:
        wanted(
            answer["latency_ns"] > 0 and answer["hop_ns"]["runs"] >= 3
            and "from core to core" in done.out, answer["hop_ns"], done.out)
    alone = ordo.works("calibrate", "--ranks", 2, "--milliseconds", 1, "--size", 64, "--workers", 1)
    wanted(re.search(r"latency +0 ns  \(not measured: one thread runs all ranks\)", alone.out),
           alone.out)
    # A SendReduce is a Send and what adding takes beyond that.
    beyond = 1 / both - 1 / send
    wanted(
        abs(document["reduce_gbs"] / (1 / beyond if beyond > 1e-6 else 1e6) - 1) < 1e-9, document,
        send, both)
    check_spreads(answer["rates"])
    check_errors(answer["check"])
    # The document is read again, by who chooses, predicts and proves.
    ordo.works("tune", "allreduce", "-n", 4, "--topology", "./machine.json", "--sizes", "1KiB:1MiB",
               "-o", "set")
    ordo.works("verify", "set", "--topology", "./machine.json")
    ordo.works("compile", "broadcast", "-n", 4, "--topology", "./machine.json", "--size", "64KiB",
               "-o", "x.json")
    seconds = ordo.answer("compile", "broadcast", "-n", 4, "--topology", "./machine.json", "--size",
                          "64KiB", "-o", "x.json")["candidates"][0]["seconds"]
    predicted = ordo.answer("predict", "x.json", "--topology", "./machine.json", "--size", "64KiB")
    wanted(abs(predicted["seconds"] / seconds - 1) < 1e-9, predicted, seconds)
    ordo.fails(2, "4", "tune", "allreduce", "-n", 8, "--topology", "./machine.json")


@desk_case("calibrate: adders of sums without order are measured by form, and predictions take "
           "their rates")
def _(ordo):
    forms = {"exact": "exact_gbs", "binned(bins=2)": "binned2_gbs", "binned(bins=3)": "binned3_gbs"}
    words = ["calibrate", "-n", 2, "--milliseconds", 1, "--size", "64KiB", "-o", "machine.json"]
    for given, type_name in ((["exact"], "f16"), (["binned(bins=2)", "binned(bins=3)"], "f32")):
        answer = ordo.answer(*words, "--accumulate", ",".join(given))
        document = strict_json.loads((ordo.folder / "machine.json").read_text())
        wanted(answer["type"] == type_name, answer["type"])
        wanted([one["form"] for one in answer["sums"]] == given, answer["sums"])
        wanted({key for key in forms.values() if key in document} ==
               {forms[form] for form in given}, document)
        send = next(one for one in answer["rates"] if one["bytes"] == 1 << 16)[
            "send_gigabytes_per_second"]["median"]
        for one in answer["sums"]:
            beyond = 1 / one["send_reduce_gigabytes_per_second"]["median"] - 1 / send
            rate = 1 / beyond if beyond > 1e-6 else 1e6
            wanted(abs(document[forms[one["form"]]] / rate - 1) < 1e-9, document, one)
    done = ordo.works(*words, "--type", "bf16", "--accumulate", "binned(bins=3)")
    wanted("SendReduce of sums held in binned(bins=3): " in done.out, done.out)
    ordo.works("compile", "allreduce", "-n", 2, "-a", "ring", "--accumulate", "binned(bins=3)",
               "-o", "binned.json")
    ordo.works("compile", "allreduce", "-n", 2, "-a", "ring", "-o", "plain.json")
    seconds = {}
    links = [{"from": a, "to": 1 - a, "latency_ns": 0, "bandwidth_gbs": 1000} for a in (0, 1)]
    for name, rates in (("none", {}), ("same", {"binned3_gbs": 2}), ("half", {"binned3_gbs": 1}),
                        ("third", {"binned3_gbs": 2 / 3}), ("others", {"binned2_gbs": 1})):
        (ordo.folder / "t.json").write_text(json.dumps(
            {"schema": "ordo/topology/1", "name": "t", "ranks": 2, "reduce_gbs": 2, **rates,
             "links": links}))
        seconds[name] = [ordo.answer("predict", file, "-t", "t.json", "--size", "1MiB", *more)[
            "seconds"] for file, *more in (["binned.json"], ["plain.json"],
                                           ["binned.json", "--reduce-bandwidth", 2])]
    wanted(seconds["none"] == seconds["same"] == seconds["others"], seconds)
    wanted(seconds["half"][1:] == seconds["none"][1:], seconds)
    one, two, three = (seconds[name][0] for name in ("none", "half", "third"))
    wanted(two > 1.1 * one and abs((three - one) / (two - one) - 2) < 1e-9, seconds)


@desk_case("calibrate: what makes no sense is refused, and nothing is written")
def _(ordo):
    for code, message, words in [
        (2, "--ranks: found 1, wanted 2..256", ["--ranks", 1]),
        (2, "wanted 2..256", ["--ranks", 257]), (2, "--type: found f31", ["--type", "f31"]),
        (2, "wanted no operand, found x", ["x"]),
        (2, r"--size: found 7, wanted a multiple of 4 \(f32\)", ["--size", 7]),
        (2, "one for each rank", ["--size", 4]),
        (2, "--milliseconds: found 0", ["--milliseconds", 0]),
        (2, "--accumulate: found f32, wanted exact, binned", ["--accumulate", "f32"]),
        (2, "--accumulate: found none", ["--accumulate", "exact,none"]),
        (2, "accumulates in exact; found f32", ["--accumulate", "exact", "--type", "f32"]),
        (5, "this machine has", ["--size", "1TiB"]),
        (5, "none/x.json", ["--milliseconds", 1, "-n", 2, "--size", 4096, "-o", "none/x.json"])
    ]:
        done = ordo("calibrate", *words)
        wanted(done.returncode == code and re.search(message, done.err), words, done.returncode,
               done.err)
    wanted(ordo.names() == [], ordo.names())


run_cases()
