"""algorithms.py - the table of algorithms, as `ordo list --json` prints it: a test that goes over
it needs no change for the next one."""
import json
import subprocess
import tempfile

from tap import wanted


def applicable(ordo, ranks):
    """(operator, ranks, algorithm) of every algorithm that applies to so many ranks, with the first
    operator that it has."""
    listed = subprocess.run([ordo, "list", "--json"], capture_output=True, text=True, check=True)
    found, refused = [], []
    for algorithm in json.loads(listed.stdout)["algorithms"]:
        operator, name = algorithm["operators"][0].lower(), algorithm["name"]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([ordo, "compile", operator, "-n", str(ranks), "-a", name, "-o",
                                   f"{folder}/x.json"], capture_output=True, text=True, check=False)
        wanted(done.returncode in (0, 2), name, done.stderr)
        if done.returncode == 0:
            found.append((operator, ranks, name))
        else:
            refused.append(f"{name}: {done.stderr}")
    wanted(len(found) > len(refused), *refused)
    return found
