"""test_schemas.py SCHEMAS REJECT WRITER [DOCUMENT...] - the JSON Schemas take what we write and
refuse what breaks the shape.

SCHEMAS is the folder of the schemas, REJECT that of the reject cases, WRITER the program that
writes a document of every shape into a folder; further DOCUMENTs are validated too.
"""
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

import strict_json

# Broken in ways that a JSON Schema cannot say, or that this JSON parser mends.
BEYOND_A_SCHEMA = {
    "R1-root-beyond-the-ranks",
    "R1-shards-without-a-reduction",
    "R1-phase-beyond-the-phases",
    "R1-phase-without-phases",
    "R1-classes-fewer-than-hops",
    "R1-whole-fraction",
    "R1-exponent",
    "R1-minus-zero",
    "R1-escape-of-nul",
    "R1-half-a-surrogate-pair",
    "R1-nested-too-deep",
    "R1-number-of-64-letters",
}

SETS_BEYOND_A_SCHEMA = {
    "R1-gap",
    "R1-wide-gap",
    "R1-overlap",
    "R1-inner-overlap",
    "R1-unsorted",
    "R1-empty-range",
    "R1-endless-range-not-last",
    "R1-size-past-the-limit",
    "R1-root-beyond-the-ranks",
    "R1-shards-without-a-reduction",
    "R1-schedule-a-set-by-name",
    "R1-size-with-an-exponent",
}

FAILURES_BEYOND_A_SCHEMA = {
    "R1-link-to-itself",
    "R1-link-turned-round",
    "R1-link-twice",
    "R1-links-descend",
    "R1-price-of-another-size",
    "R1-price-too-low",
}

failures = 0


def check(sentence, truth):
    global failures
    if not truth:
        failures += 1
    print(("ok      " if truth else "FAILED  ") + sentence)


def load_schema(folder, name):
    schema = strict_json.loads((folder / name).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


def complaint(schema, text):
    """Why the text is no document of that schema; None if it is one."""
    try:
        document = strict_json.loads(text.decode("utf-8"))
    except ValueError as error:
        return str(error)
    error = next(jsonschema.Draft202012Validator(schema).iter_errors(document), None)
    return error.message if error else None


def load_schemas(schemas):
    """Kind -> schema; `program` is that of a file of a schedule in parts."""
    found = {kind: load_schema(schemas, f"{kind}.schema.json")
             for kind in ("schedule", "topology", "plan-set", "failure-set", "replay", "input",
                          "certificate", "probe-answers", "moves")}
    found["program"] = {**found["schedule"], "$ref": "#/$defs/program"}
    for key in ("type", "properties", "required", "additionalProperties", "allOf"):
        del found["program"][key]
    return found


def kind_of(name):
    """By the name that the writer gave the file."""
    if name.startswith("rank-"):
        return "program"
    if "topology" in name:
        return "topology"
    if name.startswith("input-"):
        return "input"
    kind = name.removesuffix(".json")
    return kind if kind in ("plan-set", "failure-set", "replay", "certificate",
                    "moves") else "schedule"


# File -> changes that make it invalid.
CHANGES = {
    "topology.json": [
        (b'"from": 0', b'"from": -1'), (b'"to"', b'"too"'), (b'18.3', b'0'),
        (b'"down": true', b'"down": 1'), (b'"cores": 3', b'"cores": 0.5'),
        (b'"task_ns": ', b'"task_ns": -'), (b'"copy_gbs": ', b'"copy_gbs": -'),
        (b'"exact_gbs": ', b'"exact_gbs": -'), (b'"binned2_gbs": ', b'"binned2_gbs": -'),
        (b'"binned3_gbs": ', b'"binned_gbs": '),
        (b'"reduce_gbs": 7', b'"reduce_gbs": -7')],
    "certificate.json": [
        (b'"G1": true', b'"G1": 1'), (b'"order": [[0, ', b'"order": [[0, 0, '),
        (b'"leaving"', b'"left"'), (b'"trees": 1', b'"trees": -1')],
    "replay.json": [
        (b'"call": 0', b'"call": 2'), (b'"R8"', b'"R5"'), (b'[[', b'[[-1, '),
        (b'"text"', b'"test"'), (b'"calls": 1', b'"calls": 0')],
    "moves.json": [
        (b'"Reduce"', b'"AllGather"'), (b'"root": 1, ', b''), (b'"reduce"', b'"send"'),
        (b'"from": [2, ', b'"from": ['), (b'"scratch", 0]', b'"scratch", 0, 0]'),
        (b'"count": 2', b'"count": 0'), (b', "line": 7', b''), (b'"source": "ring.py",', b''),
        (b'"via": [5, 4], ', b''), (b'"phase": 1', b'"phases": 1'),
        (b'"class": ["fast", ', b'"class": [1, ')],
    "input-0.json": [
        (b'"-0x1.8p-1000"', b'"-1.5"'), (b'"Reduce"', b'"AllGather"'), (b'"f64"', b'"i32"'),
        (b'"shard": 5', b'"shard": -5'), (b'"root": 1, ', b''), (b'"rest"', b'"else"'),
        (b'"offset": 0}', b'"offset": 0.5}')],
}


def check_written(schemas, folder, documents):
    """What the writer wrote, and other documents, is valid; changed, it is not."""
    written = sorted(folder.rglob("*.json")) + [pathlib.Path(path) for path in documents]
    check("the writer wrote documents", len(written) > 8)
    for path in written:
        why = complaint(schemas[kind_of(path.name)], path.read_bytes())
        check(f"{path.parent.name}/{path.name} is valid{'' if why is None else ': ' + why}",
              why is None)
    for name, changes in CHANGES.items():
        text = (folder / name).read_bytes()
        for old, new in changes:
            changed = text.replace(old, new, 1)
            check(f"{name} with {new.decode() or 'nothing for ' + old.decode()} is refused",
                  changed != text and complaint(schemas[kind_of(name)], changed))


def check_rejects(schema, folder, beyond, title):
    """Documents that break R1 are refused, but for those that a schema cannot refuse; others are
    valid."""
    for path in sorted(folder.glob("*.json")):
        why = complaint(schema, path.read_bytes())
        if not path.name.startswith("R1-"):
            check(f"{title}{path.stem} is valid in shape{'' if why is None else ': ' + why}",
                  why is None)
        elif path.stem not in beyond:
            check(f"{title}{path.stem} is refused", why)
        elif title:
            check(f"{title}{path.stem} is valid in shape{'' if why is None else ': ' + why}",
                  why is None)


def main(schemas, reject, writer, *documents):
    schemas = load_schemas(schemas)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([writer, folder], check=True)
        check_written(schemas, pathlib.Path(folder), documents)
    check_rejects(schemas["schedule"], reject, BEYOND_A_SCHEMA, "")
    check_rejects(schemas["plan-set"], reject / "plan-set", SETS_BEYOND_A_SCHEMA, "plan set ")
    check_rejects(schemas["failure-set"], reject / "failure-set", FAILURES_BEYOND_A_SCHEMA,
                  "failure set ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:]))
