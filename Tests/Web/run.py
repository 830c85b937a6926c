"""Runs the tests of the web client: run.py [--long] [WORD…] runs those whose names have one of the words.

The tests need KIBO_BIN_DIR, and the page in share/kibo/web beside the programs; scripts/test sees to both.
"""

import os
import pathlib
import sys
import time
import unittest

HERE = pathlib.Path(__file__).parent


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


def main():
    words = sys.argv[1:]
    if "--long" in words:
        words.remove("--long")
        os.environ["KIBO_THOROUGH"] = "1"
    sys.path.insert(0, str(HERE))
    tests = list(chosen(unittest.defaultTestLoader.discover(str(HERE)), words))
    result = Result()
    begun = time.monotonic()
    unittest.TestSuite(tests).run(result)
    word = "passed" if result.wasSuccessful() else "failed"
    print(f"Test run with {result.testsRun} tests {word} after {time.monotonic() - begun:.3f} seconds.")
    sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)


main()
