"""The sources of the web client: they compile strictly, and what is a function is tested as one."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).parents[2]


class Sources(unittest.TestCase):
    def test_types(self):
        """The web client compiles under the strict rules of Web/tsconfig.json"""
        # What it found out of unchanged files it need not find out again.
        kept = ROOT / ".build" / "web-types.json"
        done = subprocess.run(["tsc", "--noEmit", "--incremental", "--tsBuildInfoFile", kept, "-p", "Web"], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_limits(self):
        """The page has the daemon's limits of a text and of a message's files"""
        limits = (ROOT / "Sources/Vocabulary/Limits.swift").read_text()
        text, files = (int(re.search(rf"static let {name} = (\d+)", limits)[1]) for name in ("textBytes", "attachments"))
        self.assertIn(f"TEXT_BYTES = {text << 10:_};", (ROOT / "Web/src/text/writing.ts").read_text())
        self.assertIn(f"MOST_FILES = {files};", (ROOT / "Web/src/store/outbox.ts").read_text())

    def test_functions(self):
        """Texts, links, times, tables and the event stream behave as their tests say"""
        with tempfile.TemporaryDirectory() as folder:
            tests = sorted(str(file) for file in (ROOT / "Tests/Web").glob("*.test.ts"))
            subprocess.run(
                ["esbuild", *tests, "--bundle", "--platform=node", "--format=cjs", "--external:kibo-made/*", f"--outdir={folder}",
                 "--jsx=automatic", "--log-level=warning"],
                cwd=ROOT, check=True, env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})
            # They mostly wait. Node itself would run one after the other on two cores.
            with ThreadPoolExecutor(4) as several:
                ended = list(several.map(self.run_file, sorted(pathlib.Path(folder).glob("*.js"))))
        self.assertTrue(ended)
        self.assertFalse(any(ended), "\n".join(ended))

    @staticmethod
    def run_file(file):
        """Runs the tests of a file, and returns what failed and what was said of it; nothing if all passed."""
        done = subprocess.run(["node", file], cwd=ROOT, capture_output=True, text=True, env={**os.environ, "TZ": "Europe/Berlin"})
        failed = "".join(re.findall(r"^not ok .*?(?=^# Subtest|\Z)", done.stdout, re.DOTALL | re.MULTILINE))
        passed = re.search(r"^# pass [1-9]", done.stdout, re.MULTILINE)
        return "" if done.returncode == 0 and passed else f"{file.name}, exit status {done.returncode}: {failed[:8000]}{done.stderr[-2000:]}"
