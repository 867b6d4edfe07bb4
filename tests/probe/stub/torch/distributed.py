"""torch.distributed on threads, one a rank: the last one at a call adds for all."""
import os
import threading

import torch

RANKS = int(os.environ["WORLD_SIZE"])
local = threading.local()
barrier = threading.Barrier(RANKS)
shared = {"rows": [None] * RANKS, "calls": 0}


def get_rank():
    return local.rank


def get_world_size():
    return RANKS


def init_process_group(backend):
    assert backend == "gloo"


def destroy_process_group():
    pass


def meet(mine, work):
    """Every rank gives a row; work(rows) is done once; every rank gets its result."""
    shared["rows"][get_rank()] = mine
    if barrier.wait() == 0:
        shared["result"] = work(list(shared["rows"]))
        shared["calls"] += 1
    barrier.wait()
    result = shared["result"]
    barrier.wait()
    return result


def summed(kind, vector):
    adding = shared["adding"]
    return meet(list(vector.numbers),
                lambda rows: adding(kind, rows, vector.dtype, shared["calls"]))


def all_reduce(vector):
    vector.numbers[:] = summed("AllReduce", vector)[get_rank()]


def reduce(vector, root):
    vector.numbers[:] = summed("Reduce", vector)[root]


def reduce_scatter_tensor(block, vector):
    count = len(block.numbers)
    result = summed("ReduceScatter", vector)[get_rank()]
    block.numbers[:] = result[get_rank() * count:(get_rank() + 1) * count]


def broadcast_object_list(box, src):
    box[:] = meet(list(box), lambda all_boxes: all_boxes)[src]


def all_gather_object(rows, mine):
    rows[:] = meet(mine, lambda all_rows: all_rows)
