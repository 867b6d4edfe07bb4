"""desk.py - calls of the command, each case in a folder of its own. argv[1] is the command."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import strict_json
from tap import case, wanted

ORDO = os.path.abspath(sys.argv[1])


class Desk:
    """A folder of its own, and calls of the command in it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def __call__(self, *words, stdin=b"", environment=None, before=None, stdout=subprocess.PIPE):
        done = subprocess.run([ORDO, *map(str, words)],
                              cwd=self.folder,
                              input=stdin,
                              stdout=stdout,
                              stderr=subprocess.PIPE,
                              env={**os.environ, **(environment or {})},
                              preexec_fn=before,
                              timeout=300)
        done.out = (done.stdout or b"").decode()
        done.err = done.stderr.decode()
        wanted(done.returncode in range(6), "a crash?", done.returncode, done.err)
        return done

    def works(self, *words, **options):
        done = self(*words, **options)
        wanted(done.returncode == 0, words, done.returncode, done.out, done.err)
        return done

    def fails(self, code, message, *words, **options):
        """The command ends with this exit code, prints nothing to stdout, and says something
        that matches."""
        done = self(*words, **options)
        wanted(done.returncode == code, words, f"exit code {done.returncode}, wanted {code}",
               done.out, done.err)
        wanted(re.search(message, done.err), words, f"wanted a message like {message}, found",
               done.err)
        wanted(done.out == "" or code == 1, words, "printed, though it failed", done.out)
        return done

    def answer(self, *words, **options):
        """What --json prints: one object, and nothing on stderr."""
        done = self(*words, "--json", **options)
        wanted(done.err == "", words, "said beside the JSON:", done.err)
        answer = strict_json.loads(done.out)
        wanted(isinstance(answer, dict), words, done.out)
        answer["exit code"] = done.returncode
        return answer

    def write_logs(self, *folders):
        """Folders of logs as `ordo mpi --log` writes them: one rank that made no call."""
        for folder in folders:
            (self.folder / folder).mkdir()
            (self.folder / folder / "rank-0.log").write_text("# ordo mpi log 1, rank 0 of 1\n")

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def compile(self, name, *words, operator="allreduce", ranks=4, algorithm="ring"):
        self.works("compile", operator, "--ranks", ranks, "--algorithm", algorithm, "-o", name,
                   *words)
        return self.folder / name


def at_desk(function):
    def run():
        with tempfile.TemporaryDirectory() as folder:
            function(Desk(folder))
    return run


def desk_case(sentence):
    return lambda function: case(sentence)(at_desk(function))
