"""The second command of the README, on a host without a screen and without a terminal."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

DEMO = pathlib.Path(__file__).parents[2] / "scripts" / "demo"


class Demo(unittest.TestCase):
    def test_without_screen(self):
        """scripts/demo --web without a display and in a pipe says where its pictures are, and ends with 0"""
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        done = subprocess.run(
            [DEMO, "--web"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        pictures = [pathlib.Path(path) for path in re.findall(r"\S+\.png", done.stdout)]
        try:
            self.assertEqual([path.name for path in pictures], ["web-anna.png", "web-ben.png"], done.stdout)
            for path in pictures:
                self.assertEqual(path.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        finally:
            shutil.rmtree(pictures[0].parent if pictures else "", ignore_errors=True)
