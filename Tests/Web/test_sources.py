"""The sources of the web client: they compile strictly, and what is a function is tested as one."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]


class Sources(unittest.TestCase):
    def test_types(self):
        """The web client compiles under the strict rules of Web/tsconfig.json"""
        done = subprocess.run(["tsc", "--noEmit", "-p", "Web"], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_functions(self):
        """Texts, links, times, tables and the event stream behave as their tests say"""
        with tempfile.TemporaryDirectory() as folder:
            tests = sorted(str(file) for file in (ROOT / "Tests/Web").glob("*.test.ts"))
            subprocess.run(
                ["esbuild", *tests, "--bundle", "--platform=node", "--format=cjs", "--external:kibo-made/*", f"--outdir={folder}",
                 "--jsx=automatic", "--log-level=warning"],
                cwd=ROOT, check=True, env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})
            done = subprocess.run(["node", "--test", folder], capture_output=True, text=True, env={**os.environ, "TZ": "Europe/Berlin"})
            self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-2000:])
