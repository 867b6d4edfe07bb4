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


def main(schemas, reject, writer, *documents):
    schedule = load_schema(schemas, "schedule.schema.json")
    topology = load_schema(schemas, "topology.schema.json")
    plan_set = load_schema(schemas, "plan-set.schema.json")
    replay = load_schema(schemas, "replay.schema.json")
    inputs = load_schema(schemas, "input.schema.json")
    certificate = load_schema(schemas, "certificate.schema.json")
    program = {**schedule, "$ref": "#/$defs/program"}
    for key in ("type", "properties", "required", "additionalProperties", "allOf"):
        del program[key]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([writer, folder], check=True)
        written = sorted(pathlib.Path(folder).rglob("*.json")) + [
            pathlib.Path(document) for document in documents
        ]
        check("the writer wrote documents", len(written) > 8)
        for path in written:
            kind = (program if path.name.startswith("rank-") else topology
                    if "topology" in path.name else plan_set if path.name == "plan-set.json" else
                    replay if path.name == "replay.json" else certificate if path.name ==
                    "certificate.json" else inputs if path.name.startswith("input-") else schedule)
            why = complaint(kind, path.read_bytes())
            check(f"{path.parent.name}/{path.name} is valid{'' if why is None else ': ' + why}",
                  why is None)
        text = (pathlib.Path(folder) / "topology.json").read_bytes()
        for old, new in ((b'"from": 0', b'"from": -1'), (b'"to"', b'"too"'), (b'18.3', b'0'),
                         (b'"down": true', b'"down": 1'), (b'"cores": 3', b'"cores": 0.5'),
                         (b'"task_ns": ', b'"task_ns": -'), (b'"copy_gbs": ', b'"copy_gbs": -'),
                         (b'"reduce_gbs": 7', b'"reduce_gbs": -7')):
            check(f"a topology with {new.decode()} is refused",
                  complaint(topology, text.replace(old, new, 1)))
        text = (pathlib.Path(folder) / "certificate.json").read_bytes()
        for old, new in ((b'"G1": true', b'"G1": 1'), (b'"order": [[0, ', b'"order": [[0, 0, '),
                         (b'"leaving"', b'"left"'), (b'"trees": 1', b'"trees": -1')):
            check(f"a certificate with {new.decode()} is refused",
                  complaint(certificate, text.replace(old, new, 1)))
        text = (pathlib.Path(folder) / "replay.json").read_bytes()
        for old, new in ((b'"call": 0', b'"call": 2'), (b'"R8"', b'"R5"'), (b'[[', b'[[-1, '),
                         (b'"text"', b'"test"'), (b'"calls": 1', b'"calls": 0')):
            check(f"a replay with {new.decode()} is refused",
                  complaint(replay, text.replace(old, new, 1)))
        text = (pathlib.Path(folder) / "input-0.json").read_bytes()
        for old, new in ((b'"-0x1.8p-1000"', b'"-1.5"'), (b'"Reduce"', b'"AllGather"'),
                         (b'"f64"', b'"i32"'), (b'"shard": 5', b'"shard": -5'),
                         (b'"root": 1, ', b''), (b'"rest"', b'"else"'), (b'"offset": 0}',
                                                                         b'"offset": 0.5}')):
            wanted = text.replace(old, new, 1)
            check(f"an input with {new.decode() or 'nothing for ' + old.decode()} is refused",
                  wanted != text and complaint(inputs, wanted))
    for path in sorted(reject.glob("*.json")):
        why = complaint(schedule, path.read_bytes())
        if path.name.startswith("R1-") and path.stem not in BEYOND_A_SCHEMA:
            check(f"{path.stem} is refused", why)
        elif not path.name.startswith("R1-"):
            check(f"{path.stem} is valid in shape{'' if why is None else ': ' + why}", why is None)
    for path in sorted((reject / "plan-set").glob("*.json")):
        why = complaint(plan_set, path.read_bytes())
        if path.name.startswith("R1-") and path.stem not in SETS_BEYOND_A_SCHEMA:
            check(f"plan set {path.stem} is refused", why)
        else:
            check(f"plan set {path.stem} is valid in shape{'' if why is None else ': ' + why}",
                  why is None)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:]))
