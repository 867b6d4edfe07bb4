"""strict_json.py - JSON that means one thing: a key twice, NaN and Infinity are errors."""
import json


def once(pairs):
    found = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name} is there twice")
        found[name] = value
    return found


def no_number(word):
    raise ValueError(f"{word} is no JSON")


def loads(text):
    return json.loads(text, object_pairs_hook=once, parse_constant=no_number)
