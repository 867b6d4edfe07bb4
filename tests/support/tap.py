"""tap.py - cases that are named by sentences, and counted one by one (Test Anything Protocol)."""
import sys
import traceback

cases = []


def case(sentence):
    """Registers a function as a case. It fails by raising."""
    def register(function):
        cases.append((sentence, function))
        return function
    return register


def wanted(truth, *found):
    """Like assert, and shows what was found instead."""
    if not truth:
        raise AssertionError("\n".join(str(one) for one in found))


def run_cases(*arguments):
    """Runs every case with the arguments and exits."""
    print("TAP version 13")
    print(f"1..{len(cases)}", flush=True)
    failed = 0
    for number, (sentence, function) in enumerate(cases, 1):
        try:
            function(*arguments)
            print(f"ok {number} - {sentence}", flush=True)
        except Exception:  # whatever went wrong, the other cases still count
            failed += 1
            print(f"not ok {number} - {sentence}")
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
            sys.stdout.flush()
    sys.exit(1 if failed else 0)
