"""Runs the tests of the web client: run.py [WORD…] runs those whose names have one of the words, several at once.

The tests need KIBO_BIN_DIR, and the page in share/kibo/web beside the programs; scripts/test sees to both.
"""

import os
import pathlib
import sys
import time
import unittest
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))


class Result(unittest.TestResult):
    """Says what passes and fails in the form of the other tests."""

    def __init__(self):
        super().__init__()
        self.begun = 0.0

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()

    def told(self, test, sign, word):
        name = test.shortDescription() or str(test)
        print(f'{sign} Test "{name}" {word} after {time.monotonic() - self.begun:.3f} seconds.', flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.told(test, "✔", "passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.told(test, "➜", f"skipped ({reason})")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        print(self.failures[-1][1])
        self.told(test, "✘", "failed")

    def addError(self, test, error):
        super().addError(test, error)
        print(self.errors[-1][1])
        self.told(test, "✘", "failed")

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            print(f"{subtest}\n{(self.failures + self.errors)[-1][1]}")


def chosen(suite, words):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from chosen(test, words)
        elif not words or any(word in test.id() for word in words):
            yield test


def one(name):
    """Runs one test in this process, and says whether it passed."""
    result = Result()
    unittest.defaultTestLoader.loadTestsFromName(name).run(result)
    return result.wasSuccessful()


def run(names, at_once):
    """Runs tests, each in a process of its own, and returns the names of those that failed."""
    with ProcessPoolExecutor(max_workers=at_once, max_tasks_per_child=1, mp_context=get_context("spawn")) as pool:
        return [name for name, passed in zip(names, pool.map(one, names)) if not passed]


def main():
    suite = unittest.defaultTestLoader.discover(str(HERE))
    tests = list(chosen(suite, sys.argv[1:]))
    names = [test.id() for test in tests]
    alone = [test.id() for test in tests if getattr(getattr(test, test._testMethodName), "is_thorough", False)]
    begun = time.monotonic()
    # A browser, its daemons and the page mostly wait for each other: two tests go on for each core.
    failed = run([name for name in names if name not in alone], at_once=2 * (os.cpu_count() or 1)) + run(alone, at_once=1)
    # What fails only beside others is unsteady: it is said, with what it said, and has to be looked for, but stops nobody's change.
    still = run(failed, at_once=1) if len(failed) <= 3 else failed
    for name in failed:
        if name not in still:
            print(f"⚠ Unsteady: {name} failed beside others and passed alone; see above what it said.")
    word = "failed" if still else "passed"
    print(f"Test run with {len(names)} tests {word} after {time.monotonic() - begun:.3f} seconds.")
    sys.exit(0 if names and not still else 1)


if __name__ == "__main__":
    main()
