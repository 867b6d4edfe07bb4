"""tap.py - cases that are named by sentences, and counted one by one (Test Anything Protocol)."""
import sys
import traceback

cases = []
shown = []  # of this case, if it fails


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


def show_if_failed(*found):
    """What the last two runs of a program printed is shown if the case fails, whyever it does."""
    shown.append(found)
    del shown[:-2]


def run_cases(*arguments):
    """Runs every case with the arguments and exits."""
    print("TAP version 13")
    print(f"1..{len(cases)}", flush=True)
    failed = 0
    for number, (sentence, function) in enumerate(cases, 1):
        shown.clear()
        try:
            function(*arguments)
            print(f"ok {number} - {sentence}", flush=True)
        except Exception:  # whatever went wrong, the other cases still count
            failed += 1
            print(f"not ok {number} - {sentence}")
            text = traceback.format_exc()
            text += "".join(f"run: {str(one)[-4000:]}\n" for found in shown for one in found)
            for line in text.splitlines():
                print(f"# {line}")
            sys.stdout.flush()
    sys.exit(1 if failed else 0)
