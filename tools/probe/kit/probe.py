#!/usr/bin/env python3
"""probe.py - in which order does this machine add?  Made by `ordo probe --kit`.

Start it as any program of torch.distributed, with RANKS processes in all (see below):

    torchrun --nproc-per-node RANKS probe.py

With Ascend's HCCL: `--backend hccl --device npu`; so with any device that torch knows.
It writes answers.json (-o names another file). Then, anywhere:

    ordo probe --answers answers.json [--against SCHEDULE]

In every run one input is M, another -M, all others are 1: what is added to M or -M before the two
meet is lost, so the result counts the ones that are added later. Elements of five colours are in
five different runs at a time, so that a sum that used another element would show."""
import argparse
import hashlib
import importlib
import json
import os
import sys

import torch
import torch.distributed as dist

# What to ask: `ordo probe --kit` writes the lines from here to the next empty one.
OPERATOR = "AllReduce"
RANKS = 2
ROOT = 0
TYPE = "f32"
ONE = float.fromhex("0x1p+0")
LARGE = float.fromhex("0x1p+25")
COUNTS = [256]  # elements of a block, which is what one rank has of the result
PLACES = 64  # elements of it that are looked at
REPETITIONS = 1
COLOURS = 5

TYPES = {"f16": (torch.float16, torch.int16, 4), "bf16": (torch.bfloat16, torch.int16, 4),
         "f32": (torch.float32, torch.int32, 8), "f64": (torch.float64, torch.int64, 16)}
DTYPE, WORD, DIGITS = TYPES[TYPE]
# Each input alone, and each pair.
RUNS = [(v, v) for v in range(RANKS)]
RUNS += [(i, j) for i in range(RANKS) for j in range(i + 1, RANKS)]


def value(run, colour, rank):
    i, j = RUNS[(run + colour * len(RUNS) // COLOURS) % len(RUNS)]
    if i == j:
        return ONE if rank == i else 0.0
    return LARGE if rank == i else -LARGE if rank == j else ONE


def places(count):
    """All elements; or the first, the last, those beside the borders of RANKS parts, and others."""
    if count <= PLACES:
        return list(range(count))
    borders = [k * count // RANKS - side for k in range(1, RANKS) for side in (1, 0)]
    found = {0, count - 1, *borders[:PLACES - 2]}
    for step in range(PLACES):
        if len(found) < PLACES:
            found.add(step * count // PLACES + step % min(COLOURS, count // PLACES))
    return sorted(found)


def words(result, at):
    """The bits of the elements, as hexadecimal digits."""
    bits = result[at].cpu().view(WORD).tolist()
    return "".join("%0*x" % (DIGITS, word & (1 << 4 * DIGITS) - 1) for word in bits)


def call(vector, count):
    """The result of this rank; None: it has none."""
    if OPERATOR == "AllReduce":
        dist.all_reduce(vector)
    elif OPERATOR == "Reduce":
        dist.reduce(vector, ROOT)
        return vector if dist.get_rank() == ROOT else None
    else:
        block = torch.empty(count, dtype=DTYPE, device=vector.device)
        dist.reduce_scatter_tensor(block, vector)
        return block
    return vector


def repetition(count, at, device):
    """The words of each run; empty on a rank without a result."""
    blocks = RANKS if OPERATOR == "ReduceScatter" else 1
    vector = torch.empty(blocks * count, dtype=DTYPE, device=device)
    index = torch.tensor(at, device=device)
    mine = []
    for run in range(len(RUNS)):
        for colour in range(COLOURS):
            vector.view(blocks, count)[:, colour::COLOURS] = value(run, colour, dist.get_rank())
        result = call(vector, count)
        if result is not None:
            mine.append(words(result, index))
    return mine


def gather(mine, names, tables):
    """The table of every rank with a result. Ranks compare hashes of their tables, and each new one
    goes to rank 0 once: what all ranks have together may not fit into memory."""
    keys = [None] * RANKS
    dist.all_gather_object(
        keys, hashlib.sha256("".join(mine).encode()).hexdigest() if mine else None)
    for owner, key in enumerate(keys):
        if key is not None and key not in names:
            names.append(key)
            box = [mine if dist.get_rank() == owner else None]
            dist.broadcast_object_list(box, src=owner)
            if dist.get_rank() == 0:
                tables.append(box[0])
    return [names.index(key) for key in keys if key is not None]


def answers_of(count, device):
    at, names, tables, answers = places(count), [], [], []
    for turn in range(REPETITIONS):
        said(f"{count} elements, repetition {turn + 1} of {REPETITIONS}, {len(RUNS)} calls")
        answers.append(gather(repetition(count, at, device), names, tables))
    return {"count": count, "places": at, "tables": tables, "answers": answers}


def said(text):
    if dist.get_rank() == 0 and sys.stderr.isatty():
        print("probe.py: " + text, file=sys.stderr)


def machine(backend, device):
    """What the answers are of."""
    found = {"backend": backend, "torch": str(torch.__version__), "device": str(device.type)}
    if backend == "nccl":
        found["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
        found["gpu"] = torch.cuda.get_device_name(device)
    # Values need not be UTF-8, but a document is.
    found["environment"] = {name: text[:200].encode(errors="replace").decode()
                            for name, text in sorted(os.environ.items())
                            if name.startswith(("NCCL_", "RCCL_", "HCCL_", "GLOO_", "MSCCL_"))}
    return found


def write(answers, path):
    """Whole, or not at all."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(answers, file, separators=(",", ":"))
        file.write("\n")
    os.replace(path + ".new", path)
    print(f"written to {path}: ordo probe --answers {path}")


def device_of(kind):
    if kind == "cpu":
        return torch.device("cpu")
    if kind == "npu":
        importlib.import_module("torch_npu")
    device = torch.device(kind, int(os.environ.get("LOCAL_RANK", "0")))
    getattr(torch, kind).set_device(device)
    return device


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("-o", "--output", default="answers.json")
    parser.add_argument("--backend", help="nccl with GPUs, else gloo")
    parser.add_argument("--device", help="cuda, npu, xpu, cpu (cuda with GPUs, but cpu for gloo)")
    options = parser.parse_args()
    gpus = torch.cuda.is_available()
    backend = options.backend or ("nccl" if gpus else "gloo")
    device = device_of(options.device or ("cuda" if gpus and backend != "gloo" else "cpu"))
    dist.init_process_group(backend)
    if dist.get_world_size() != RANKS:
        sys.exit(f"probe.py: found {dist.get_world_size()} processes, wanted {RANKS}: make a kit "
                 "for that many")
    if dist.get_rank() == 0:
        with open(options.output + ".new", "w", encoding="utf-8"):
            pass  # if this cannot be written, fail now and not after all calls
    answers = {"schema": "ordo/probe-answers/1", "operator": OPERATOR, "ranks": RANKS,
               "type": TYPE, "x": machine(backend, device)}
    if OPERATOR == "Reduce":
        answers["root"] = ROOT
    answers["sizes"] = [answers_of(count, device) for count in COUNTS]
    if dist.get_rank() == 0:
        write(answers, options.output)
    dist.destroy_process_group()


main()
