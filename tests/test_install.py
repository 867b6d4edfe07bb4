#!/usr/bin/env python3
"""What is installed is enough for a program of somebody else: it compiles and links by pkg-config alone, and runs.

usage: test_install.py MESON BUILD_ROOT COMPILER EMBED_SOURCE SCHEDULE"""
import os
import subprocess
import sys
import tempfile

meson, build_root, compiler, source, schedule = sys.argv[1:]
number = 0
failed = 0


def check(name, good, why=""):
    global number, failed
    number += 1
    failed += not good
    if not good:
        print("#", why)
    print("ok" if good else "not ok", number, "-", name)


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


with tempfile.TemporaryDirectory() as root:
    installed = run(meson, "install", "-C", build_root, "--no-rebuild", "--quiet", "--destdir", root)
    check("meson install works", installed.returncode == 0, installed.stderr)
    files = {name: os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names}
    for name in ("ordo", "ordo.1", "libordo.pc", "runtime.h", "compiler.h", "verify.h"):
        check(f"{name} is installed", name in files)
    if "libordo.pc" in files:
        environment = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=root,
                           PKG_CONFIG_PATH=os.path.dirname(files["libordo.pc"]))
        flags = run("pkg-config", "--cflags", "--libs", "libordo", env=environment)
        check("pkg-config knows libordo", flags.returncode == 0, flags.stderr)
        program = os.path.join(root, "embed")
        # cJSON is the machine's, not under our root.
        words = [word.replace(root + "/usr/include", "/usr/include") if "cjson" in word else word
                 for word in flags.stdout.split()]
        built = run(compiler, "-std=c11", source, "-o", program, *words)
        check("a program compiles and links against it", built.returncode == 0, built.stderr)
        ran = run(program, schedule) if built.returncode == 0 else built
        check("and runs", ran.stdout == "1 + 2 + 3 + 4 = 10\n", ran.stdout + ran.stderr)
    if "ordo" in files:
        version = run(files["ordo"], "--version")
        check("the installed command runs", version.returncode == 0 and version.stdout.startswith("ordo "),
              version.stdout + version.stderr)
print(f"1..{number}")
sys.exit(1 if failed else 0)
