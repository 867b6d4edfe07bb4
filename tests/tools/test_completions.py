#!/usr/bin/env python3
"""Completions: what `ordo completions --for` answers is what the tables have, and bash, zsh and
fish complete by it, typed at a prompt.

usage: test_completions.py ORDO"""
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

import strict_json
from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
FOLDER = os.path.dirname(ORDO)
ENVIRONMENT = {
    **os.environ, "PATH": FOLDER + os.pathsep + os.environ["PATH"], "TERM": "dumb",
    "LC_ALL": "C.UTF-8"
}


def ordo(*words):
    done = subprocess.run([ORDO, *words], capture_output=True, text=True, check=True)
    wanted(done.stderr == "", words, done.stderr)
    return done.stdout


def offers(*words):
    """What may be typed as the last word, and "files" or "folders" where they may."""
    return [
        line.split("\t")[0] or line[1:]
        for line in ordo("completions", "--for", "--", *words).splitlines()
    ]


COMMANDS = re.findall(r"^  (\w+) ", ordo("--help").split("commands:\n")[1].split("\n\n")[0], re.M)
ALGORITHMS = strict_json.loads(ordo("list", "--json"))["algorithms"]


@case("every command and every option that --help shows is offered, and no other")
def _():
    wanted(len(COMMANDS) > 12 and offers("") == COMMANDS + ["help"], offers(""))
    wanted(
        offers("help", "") == COMMANDS and offers("help", "verify", "") == [], offers("help", ""))
    wanted(offers("-") == ["--json", "--help", "--version"], offers("-"))
    for command in COMMANDS:
        told = re.findall(r"^  (?:-\w, )?(--[\w-]+)",
                          ordo(command, "--help").split("\noptions:\n")[1].split("\n\n")[0], re.M)
        wanted(offers(command, "--") == told, command, offers(command, "--"), told)


@case("what an option takes: every argument of a table has a meaning that completions know")
def _():
    known = re.findall(r'^\t\{"([^"]+)", \w+\},', (pathlib.Path(__file__).parents[2] / "tools" /
                                                   "completion" / "values.c").read_text(), re.M)
    wanted(len(known) > 20, known)
    for command in COMMANDS:
        for option, argument in re.findall(r"^  (?:-\w, )?(--[\w-]+) (?! )(\S+)",
                                           ordo(command, "--help"), re.M):
            wanted(argument[0].islower() or argument.split(",")[0] in known,
                   f"{command} {option} {argument}: tools/completion/values.c")


@case("operators, algorithms that have them, parameters and what those may be")
def _():
    wanted(
        offers("compile", "all") == ["allreduce", "allgather", "alltoall"],
        offers("compile", "all"))
    wanted(offers("compile", "All") == ["AllReduce", "AllGather", "AllToAll"])
    for operator in ["allreduce", "reduce-scatter", "alltoall"]:
        named = [
            one["name"] for one in ALGORITHMS
            if operator.replace("-", "") in [name.lower() for name in one["operators"]]
        ]
        wanted(offers("compile", operator, "--algorithm", "") == named, operator, named)
        wanted(offers("compile", operator, "-a", "") == named)
        wanted(
            offers("compile", operator, "--algorithm=") ==
            [f"--algorithm={name}" for name in named])
    wanted(offers("compile", "allreduce", "-a", "mesh") == ["mesh", "mesh("])
    wanted(
        offers("compile", "allreduce", "-a", "mesh(") ==
        ["mesh(shots=", "mesh(fold=", "mesh(owners=", "mesh(streams=", "mesh(links=", "mesh(via=",
         "mesh(map="])
    wanted(
        offers("compile", "allreduce", "-a", "mesh(shots=1,fold=l") ==
        ["mesh(shots=1,fold=linear)"])
    wanted("hierarchical(mesh,nhr" in offers("compile", "allreduce", "-a", "hierarchical(mesh,n"))
    # The names of the field, once a letter is typed, and by operator.
    wanted(offers("compile", "allreduce", "-a", "rab") == ["rabenseifner"])
    wanted(offers("compile", "alltoall", "-a", "pair") == ["pairwise", "pairwise-exchange"])
    wanted(offers("compile", "reduce-scatter", "--algorithm=pair") == ["--algorithm=pairwise"])
    wanted(offers("compile", "allreduce", "-a", "pair") == [])
    wanted(offers("compile", "alltoall", "-a", "bruck") == ["bruck", "bruck("])
    wanted(offers("compile", "allgather", "-a", "bruck") == ["bruck", "bruck("])
    wanted(offers("compile", "allreduce", "-a", "one-shot(fold=l") == ["one-shot(fold=linear)"])
    wanted("double-binary-tree" in offers("explain", "double"))
    wanted(
        offers("compile", "allreduce", "-a", "mesh(nonsense=") == [] == offers(
            "compile", "allreduce", "-a", "nonsense("))


@case("topologies, types, reductions, guarantees, rules, words; files where files may be")
def _():
    wanted(offers("draw", "--topology", "") == [one["name"]
                                                for one in strict_json.loads(ordo("list",
                                                        "--json"))["topologies"]] + ["files"])
    wanted(
        offers("run", "x", "--type", "f32,b") == ["f32,bf16"] and offers(
            "run", "x", "--type=f32,i") == [
                f"--type=f32,{kind}" for kind in ["i8", "i32", "i64", "i16", "i32_i32", "i64_i32"]
            ])
    wanted(
        offers("run", "x", "--op", "m") == ["min", "max", "minloc", "maxloc"]
        and offers("verify", "x", "--op", "") == [
            "sum", "prod", "min", "max", "avg", "band", "bor", "bxor", "minloc", "maxloc"
        ])
    wanted(offers("verify", "x", "--require", "G1,") == ["G1,G1", "G1,G2", "G1,G3", "G1,constant"])
    wanted(
        offers("explain", "R1") == ["R1", "R10", "R11", "R12", "R13", "files"],
        offers("explain", "R1"))
    wanted(offers("verify", "x", "--symmetry", "") == ["auto", "off", "only"])
    wanted(offers("completions", "") == ["bash", "zsh", "fish"])
    for words in [["verify", ""], ["verify", "--json", ""], ["diff", "a", "b", ""],
                  ["verify", "x", "--certificate", ""], ["draw", "-o", ""], ["verify", "--", "-"]]:
        wanted(offers(*words) == ["files"], words, offers(*words))
    wanted(offers("demo", "-o", "") == ["folders"])


@case(
    "nothing is offered where nothing can be guessed: numbers, too many operands, what is no "
    "command or option"
)
def _():
    for words in [["compile", "allreduce", "--ranks", ""], ["order", "a", ""], ["nonsense", ""],
                  ["verify", "--nonsense="], ["demo", ""], ["compile", "allreduce", "ring", ""],
                  ["compile", "allreduce", "-n8", "--ranks="]]:
        wanted(offers(*words) == [], words, offers(*words))
    wanted("--ranks" not in offers("compile", "allreduce", "--ranks", "8", "--")
           and "--fail-link" in offers("compile", "allreduce", "--fail-link", "0-1", "--"))
    wanted("x" * 5000 not in offers("compile", "x" * 5000)
           and offers("compile", "allreduce", "-a", "(" * 5000) == [])


@case("--json: offers with what they mean; an unknown shell is refused")
def _():
    answer = strict_json.loads(ordo("completions", "--for", "--json", "--", "verify", "--certif"))
    wanted(
        answer["offers"][0]["value"] == "--certificate"
        and "proof" in answer["offers"][0]["meaning"] and answer["files"] is False, answer)
    wanted("_ordo" in strict_json.loads(ordo("completions", "bash", "--json"))["script"])
    done = subprocess.run([ORDO, "completions", "fishy"], capture_output=True, text=True)
    wanted(done.returncode == 2 and "did you mean fish?" in done.stderr and done.stdout == "", done)


class Prompt:
    """A shell at a terminal, in a folder with a few files."""

    def __init__(self, folder, program, *setup):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execvpe(program[0], program, ENVIRONMENT)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        for line in setup:
            os.write(self.terminal, line.encode() + b"\n")
        # Quotes keep what is echoed from being taken for what is printed.
        os.write(self.terminal, b"echo READ''Y\n")
        self.wait_for("READY\r\n")

    def wait_for(self, text, seconds=60):
        seen, end = "", time.monotonic() + seconds
        while text not in seen and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.1)[0]:
                seen += os.read(self.terminal, 65536).decode(errors="replace")
        wanted(text in seen, f"waited for {text}, saw", repr(seen))
        return seen

    def completes(self, typed, word):
        """Tab after `typed` makes its last word `word`, as the shell itself understands the line
        then."""
        # On a busy machine the shell completes later.
        for pause in 0.2, 1, 5:
            os.write(self.terminal, b"show " + typed.encode() + b"\t")
            time.sleep(pause)
            os.write(self.terminal, b"\n")
            shown = self.wait_for("<END>\r\n")
            last = re.findall(r"\[([^\]]*)\]>\r\n", shown)
            # zsh takes the slash of a folder back when the line ends.
            if last and last[0].rstrip("/") == word.rstrip("/"):
                return
        wanted(False, typed, f"wanted {word}, found", repr(shown))

    def close(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.terminal)


LINES = [  # what is typed, and what its last word is after a tab
    ("ordo compi", "compile"),
    ("ordo compile allreduce --algo", "--algorithm"),
    ("ordo compile allreduce --algorithm=hier", "--algorithm=hierarchical"),
    ("ordo compile allreduce -a 'mesh(shots=2", "mesh(shots=2)"),
    (r"ordo compile allreduce -a mesh\(shots=2", "mesh(shots=2)"),
    ("ordo compile allreduce --algorithm='mesh(shots=1,fold=li",
     "--algorithm=mesh(shots=1,fold=linear)"),
    (r"ordo compile allreduce --algorithm=mesh\(fold=li", "--algorithm=mesh(fold=linear)"),
    ("ordo verify --require=G1,con", "--require=G1,constant"),
    ("ordo verify ri", "ring.json"),
    (r"ordo verify a\ b", "a b.json"),
    ("ordo verify 'a b", "a b.json"),
    ("ordo draw --topology=./ri", "--topology=./ring.json"),
    ("ordo draw --topology hyper", "hypercube"),
    ("ordo demo -o fo", "folder/"),
    ("ordo explain R12", "R12"),
]
SHOW = r"""show() { printf '<'; printf '[%s]' "$@"; printf '>\n<END>\n'; }"""


def with_files(function):
    def run():
        with tempfile.TemporaryDirectory() as folder:
            for name in ["ring.json", "a b.json"]:
                (pathlib.Path(folder) / name).write_text("{}")
            (pathlib.Path(folder) / "folder").mkdir()
            function(folder)
    return run


@case("bash" + ("" if shutil.which("bash") else " # SKIP not installed"))
@with_files
def _(folder):
    if not shutil.which("bash"):
        return
    # Handed to the function as a program would.
    script = """source <(ordo completions bash); set -u
        try() {
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _ordo; printf '%s|' "${COMPREPLY[@]}"; echo
        }
        try ordo comp; try ordo compile allreduce --algorithm = ri
        try ordo compile allreduce --algorithm =; try ordo verify a
        try ordo; try ordo compile allreduce --algorithm=ri; complete -p ordo"""
    told = subprocess.run(["bash", "-c", script],
                          cwd=folder,
                          env=ENVIRONMENT,
                          capture_output=True,
                          text=True)
    lines = told.stdout.splitlines()
    wanted(told.stderr == "" and lines[:2] == ["compile|completions|", "ring|"], told)
    wanted(lines[2].startswith("ring|bucket|mesh|") and lines[3] == "a b.json|", lines)
    wanted(
        lines[4].startswith("compile|")
        and lines[5:] == ["--algorithm=ring|", "complete -F _ordo ordo"], lines)
    prompt = Prompt(
        folder,
        ["bash", "--norc", "--noprofile", "-i"],
        "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'",
        "source <(ordo completions bash)",
        SHOW,
        "complete -F shown show",
        # Completes what follows `show` as if it stood alone.
        'shown() { COMP_WORDS=("${COMP_WORDS[@]:1}"); ((COMP_CWORD--)); _ordo; }')
    try:
        for typed, word in LINES:
            prompt.completes(typed, word)
    finally:
        prompt.close()


@case("zsh" + ("" if shutil.which("zsh") else " # SKIP not installed"))
@with_files
def _(folder):
    if not shutil.which("zsh"):
        return
    functions = pathlib.Path(folder) / ".functions"
    functions.mkdir()
    (functions / "_ordo").write_text(ordo("completions", "zsh"))
    prompt = Prompt(folder, ["zsh", "-f", "-i"],
                    "setopt nobeep; unset zle_bracketed_paste; PS1='>'",
                    "fpath=($PWD/.functions $fpath); autoload -Uz compinit; compinit -u -D", SHOW,
                    "shown() { shift words; ((CURRENT--)); _ordo }; compdef shown show")
    try:
        for typed, word in LINES:
            prompt.completes(typed, word)
        os.write(prompt.terminal, b"echo is:$_comps[ordo]\n")
        prompt.wait_for("is:_ordo")
    finally:
        prompt.close()


@case("fish" + ("" if shutil.which("fish") else " # SKIP not installed"))
@with_files
def _(folder):
    if not shutil.which("fish"):
        return
    for typed, word in LINES:
        # The line is an argument, so that no quoting stands between.
        told = subprocess.run([
            "fish", "--no-config", "-c",
            "source (ordo completions fish | psub); complete -C $argv[1]", typed
        ],
                              cwd=folder,
                              env={**ENVIRONMENT, "HOME": folder},
                              capture_output=True,
                              text=True)
        found = [line.split("\t")[0] for line in told.stdout.splitlines()]
        wanted(told.stderr == "" and word in found, typed, word, told)
    # Where the command is not there, nothing is said in the middle of a line.
    pathlib.Path(folder, "ordo.fish").write_text(
        subprocess.run([ORDO, "completions", "fish"], capture_output=True, text=True).stdout)
    told = subprocess.run(
        [shutil.which("fish"), "--no-config", "-c", "source ordo.fish; complete -C 'ordo dr'"],
        cwd=folder,
        env={"HOME": folder, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True)
    wanted(told.stderr == "", told)


run_cases()
