"""What the doctor says of a host whose firewall may keep devices with LocalSend out. phones.py runs it."""

import shutil
import subprocess
import threading

from phone_stage import Phone, address, expect, namespace, say

NFT = shutil.which("nft", path="/usr/sbin:/sbin")


def nft(*words, host=1):
    """Changes the packet filter of a host."""
    subprocess.run(["ip", "netns", "exec", namespace(host), NFT, *words], check=True)


class Walls:
    """A part of the story of phones.py."""

    def doctor(self):
        """The codes of what the doctor finds of LocalSend and advises, and whether all is well."""
        check = next(one for one in self.host.call("system.doctor")["checks"] if one["name"] == "localsend")
        return [one["code"] for one in check["findings"]], [one["code"] for one in check["advice"]], check["ok"]

    def reach(self):
        """Ports that no rule names are open all the same: only a device that connects can show that."""
        if not NFT:
            return say("        left out: the package nftables is not installed")
        nft("add", "table", "inet", "wall")
        try:
            nft("add", "chain", "inet", "wall", "in", "{ type filter hook input priority 0 ; policy drop ; }")
            nft("add", "rule", "inet", "wall", "in", "ip", "saddr", "10.0.0.0/8", "accept")
            found, advice, ok = self.doctor()
            expect("localsend_heard" in found, f"the doctor finds {found}")
            reached = "localsend_reached" in found
            expect(ok == reached and bool(advice) != reached, f"the doctor: {found}, {advice}, {ok}")
            ended = threading.Event()
            caller = threading.Thread(target=self.call_again, args=(ended,))
            caller.start()
            try:
                found, advice, ok = self.doctor()
            finally:
                ended.set()
                caller.join()
            expect(ok and "localsend_reached" in found and not advice, f"with a device that connects, the doctor: {found}, {advice}")
        finally:
            nft("delete", "table", "inet", "wall")

    def call_again(self, ended):
        while not ended.wait(0.2):
            Phone(2, address(2)).ask("GET", "/api/localsend/v2/info")
