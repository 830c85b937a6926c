"""Runs the tests of the web client: run.py [WORD…] runs those whose names have one of the words, several at once.

A process runs many tests, one after the other, with one Playwright and one browser, in which each window is a new profile. After a test that failed
another process goes on, so that a browser that crashed or hangs takes no other test with it.

The tests need KIBO_BIN_DIR, and the page in share/kibo/web beside the programs; scripts/test sees to both.
"""

import os
import pathlib
import queue
import sys
import threading
import time
import unittest
from multiprocessing import get_context

HERE = pathlib.Path(__file__).parent
# The longest tests: they begin first, so that none goes on alone when all others are done.
LONG = ("test_walk.", "test_hostile.", "test_firefox.", "test_hosts.", "test_moments.Moments.test_wait")
# Each has two or more browsers that draw and encode pictures without a graphics card, and takes a core for itself: one goes on at a time.
CALLS = ("test_call", "test_group_calls.")
# They listen to every second of a call, which beside all the others can be lost: they run first, before the tests of the modules. They use a third of the
# processor, so they go on at once.
HEARD = ("test_calls_hosts.",)
# These have no browser and mostly wait, so they run beside them.
BESIDE = ("test_sources.",)
# How many of the slowest tests are said at the end.
SLOWEST = 5
# No more than these run again, alone: where more fail, it is no matter of what ran beside them.
SEVERAL = 3
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
        if getattr(test, "is_done", True) is False:
            return self.addFailure(test, (AssertionError, AssertionError("the last line of a test is self.done()"), None))
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


def work(way):
    """What a process does: it runs each test whose name comes, and says whether it passed."""
    for name in iter(way.recv, None):
        way.send(one(name))
    # Only tests in a browser have started one.
    if "checks" in sys.modules:
        sys.modules["checks"].leave()


class Worker:
    """A process that runs one test after the other."""

    def __init__(self):
        context = get_context("spawn")
        self.way, other = context.Pipe()
        self.process = context.Process(target=work, args=(other,), daemon=True)
        self.process.start()
        # The process alone has its end, so that it is noticed when it is gone.
        other.close()

    def run(self, name):
        """Whether a test passed."""
        try:
            self.way.send(name)
            return self.way.recv()
        except (EOFError, OSError):
            print(f'✘ Test "{name}" failed: its process has ended.', flush=True)
            return False

    def end(self):
        try:
            self.way.send(None)
        except OSError:
            pass
        # What hangs is not waited for.
        self.process.join(30)
        self.process.kill()


def run(names, at_once, took, alone=False):
    """Runs tests, so many at once and one of those with calls, and returns the names of those that failed. `took` gets the seconds of each."""
    # The tests are told whether others take the processor from them.
    os.environ["KIBO_ALONE"] = "1" if alone else "0"
    calls, others = queue.SimpleQueue(), queue.SimpleQueue()
    for name in names:
        (calls if name.startswith(CALLS) and not name.startswith(HEARD) else others).put(name)
    failed = []

    def following(*queues):
        for waiting in queues:
            try:
                while True:
                    yield waiting.get_nowait()
            except queue.Empty:
                pass

    def go_on(*queues):
        worker = None
        for name in following(*queues):
            worker = worker or Worker()
            begun = time.monotonic()
            passed = worker.run(name)
            took[name] = time.monotonic() - begun
            if not passed:
                failed.append(name)
                worker.end()
                worker = None
        if worker:
            worker.end()

    # One thread takes the calls, and then what is left.
    threads = [threading.Thread(target=go_on, args=[others] if number else [calls, others], daemon=True) for number in range(min(at_once, len(names)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def main():
    suite = unittest.defaultTestLoader.discover(str(HERE))
    tests = list(chosen(suite, sys.argv[1:]))
    names = [test.id() for test in tests]
    alone = [test.id() for test in tests if getattr(getattr(test, test._testMethodName), "is_thorough", False)]
    heard = sorted((name for name in names if name.startswith(HEARD + BESIDE) and name not in alone), key=lambda name: not name.startswith(HEARD))
    most = sorted((name for name in names if name not in alone + heard), key=lambda name: not name.startswith(LONG))
    begun = time.monotonic()
    took = {}
    # A browser, its daemons and the page mostly wait for each other, so one more goes on than there are cores. Beside the tests of real daemons
    # that keeps all cores at work, and each further one only makes the others slower.
    at_once, is_single = 1 + (os.cpu_count() or 1), len(names) == 1
    failed = run(heard, at_once, took, is_single)
    # scripts/test waits for this.
    if "KIBO_HEARD" in os.environ:
        pathlib.Path(os.environ["KIBO_HEARD"]).touch()
    failed += run(most, at_once, took, is_single) + run(alone, 1, took, True)
    # What fails only beside others is unsteady: it is said, with what it said, and has to be looked for, but stops nobody's change.
    still = run(failed, 1, {}) if len(failed) <= SEVERAL else failed
    for name in failed:
        if name not in still:
            print(f"⚠ Unsteady: {name} failed, and passed when it ran again, alone; see above what it said.")
    print("The slowest tests, in seconds:")
    for name in sorted(took, key=took.get, reverse=True)[:SLOWEST]:
        print(f"{took[name]:6.1f}  {name}")
    word = "failed" if still else "passed"
    print(f"Test run with {len(names)} tests {word} after {time.monotonic() - begun:.3f} seconds.")
    sys.exit(0 if names and not still else 1)


if __name__ == "__main__":
    main()
