"""mutants.py - small changes of an MSCCL XML file, as a writer of such files makes mistakes."""
import random
import xml.etree.ElementTree as ElementTree

TYPES = ["s", "r", "rcs", "rrc", "rrs", "rrcs", "cpy", "re", "nop"]


def steps_of(algo, wanted=lambda step: True):
    return [(block, step) for block in algo.iter("tb") for step in block.findall("step")
            if wanted(step)]


def depends(step):
    return step.get("depid") != "-1"


def real(step):
    return step.get("type") != "nop"


def add(step, name, amount):
    step.set(name, str(int(step.get(name)) + amount))


def renumber(block):
    for position, step in enumerate(block.findall("step")):
        step.set("s", str(position))


def moved_targets(algo, block, position, amount):
    """Dependences on steps of the block behind the position follow them."""
    gpu = next(gpu for gpu in algo.iter("gpu") if block in list(gpu))
    for step in gpu.iter("step"):
        if step.get("depid") == block.get("id") and int(step.get("deps")) >= position:
            add(step, "deps", amount)


def pick(draw, some):
    return draw.choice(some) if some else (None, None)


def no_dependence(draw, algo):
    block, step = pick(draw, steps_of(algo, depends))
    if step is None:
        return None
    if real(step):
        step.set("depid", "-1")
        step.set("deps", "-1")
    else:
        at = int(step.get("s"))
        moved_targets(algo, block, at, -1)
        block.remove(step)
        renumber(block)
    return step


def other_dependence(draw, algo):
    _, step = pick(draw, steps_of(algo, depends))
    if step is not None:
        add(step, "deps", draw.choice([-1, 1, 2]))
    return step


def other_offset(draw, algo):
    _, step = pick(draw, steps_of(algo, real))
    add(step, draw.choice(["srcoff", "dstoff"]), draw.choice([-1, 1, 1, 2]))
    return step


def other_cnt(draw, algo):
    _, step = pick(draw, steps_of(algo, real))
    add(step, "cnt", draw.choice([-1, 1, 1, 2]))
    return step


def other_type(draw, algo):
    _, step = pick(draw, steps_of(algo))
    step.set("type", draw.choice([kind for kind in TYPES if kind != step.get("type")]))
    return step


def like_type(draw, algo):
    """Types that the same block may have."""
    alike = {"r": ["rrc"], "rrc": ["r"], "rcs": ["rrs", "rrcs"], "rrs": ["rrcs", "rcs"],
             "rrcs": ["rrs", "rcs"], "cpy": ["re"], "re": ["cpy"]}
    _, step = pick(draw, steps_of(algo, lambda step: step.get("type") in alike))
    if step is not None:
        step.set("type", draw.choice(alike[step.get("type")]))
    return step


def dropped(draw, algo):
    block, step = pick(draw, steps_of(algo))
    moved_targets(algo, block, int(step.get("s")), -1)
    block.remove(step)
    renumber(block)
    return step


def doubled(draw, algo):
    block, step = pick(draw, steps_of(algo))
    at = int(step.get("s"))
    moved_targets(algo, block, at + 1, 1)
    block.insert(at, ElementTree.fromstring(ElementTree.tostring(step)))
    renumber(block)
    return step


def swapped(draw, algo):
    block, step = pick(draw, steps_of(algo, lambda step: step.get("s") != "0"))
    if step is not None:
        at = int(step.get("s"))
        block.remove(step)
        block.insert(at - 1, step)
        renumber(block)
    return step


def no_flag(draw, algo):
    _, step = pick(draw, steps_of(algo, lambda step: step.get("hasdep") == "1"))
    if step is not None:
        step.set("hasdep", "0")
    return step


def other_peer(draw, algo):
    block = draw.choice(list(algo.iter("tb")))
    block.set(draw.choice(["send", "recv"]), str(draw.randrange(-1, int(algo.get("ngpus")))))
    return block


def other_channel(draw, algo):
    block = draw.choice(list(algo.iter("tb")))
    block.set("chan", str(draw.randrange(int(algo.get("nchannels")) + 1)))
    return block


def other_buffer(draw, algo):
    _, step = pick(draw, steps_of(algo, real))
    name = draw.choice(["srcbuf", "dstbuf"])
    step.set(name, draw.choice([one for one in "ios" if one != step.get(name)]))
    return step


def swapped_buffers(draw, algo):
    """A reduction's operands, as writers confuse them."""
    _, step = pick(draw, steps_of(algo, lambda step: step.get("type") in ("re", "cpy", "rrc")))
    if step is not None:
        for one, other in (("srcbuf", "dstbuf"), ("srcoff", "dstoff")):
            first, second = step.get(one), step.get(other)
            step.set(one, second)
            step.set(other, first)
    return step


def same_offset(draw, algo):
    """Two steps that touch one slot more."""
    (_, step), (_, other) = pick(draw, steps_of(algo, real)), pick(draw, steps_of(algo, real))
    side, from_side = draw.choice(["src", "dst"]), draw.choice(["src", "dst"])
    step.set(side + "buf", other.get(from_side + "buf"))
    step.set(side + "off", other.get(from_side + "off"))
    return step


CHANGES = [no_dependence, no_dependence, other_dependence, other_offset, other_cnt, other_type,
           like_type, dropped, doubled, swapped, no_flag, other_peer, other_channel, other_buffer,
           swapped_buffers, same_offset]


def mutant(text, seed):
    """(name, text) of one mutant; None: the change does not apply. One in four has two changes."""
    draw = random.Random(seed)
    algo = ElementTree.fromstring(text)
    names = []
    for _ in range(2 if draw.random() < 0.25 else 1):
        change = draw.choice(CHANGES)
        if not steps_of(algo, real):
            return None
        if change(draw, algo) is None:
            return None
        names.append(change.__name__)
    return "+".join(names), ElementTree.tostring(algo, encoding="unicode") + "\n"
