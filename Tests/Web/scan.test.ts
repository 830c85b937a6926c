import { strict as assert } from "node:assert";
import { afterEach, test } from "node:test";
import { No, daemon } from "./standIn";
import { forgetScan, scan, scanAddress, scanNetwork } from "../../Web/src/store/scan";
import { asRefused } from "../../Web/src/wire/refusal";

afterEach(() => {
  forgetScan();
  daemon.asked.length = 0;
  daemon.answer = () => ({});
});

test("the network is scanned once at a time, and what is under way is not forgotten", async () => {
  daemon.answer = () => ({ asked: 254, found: 0 });
  const first = scanNetwork();
  await scanNetwork();
  forgetScan();
  assert.deepEqual(scan.get(), { isRunning: true, told: null, problem: null });
  await first;
  assert.deepEqual(daemon.asked, [{ method: "guest.scan", params: {} }]);
  assert.deepEqual(scan.get(), { isRunning: false, told: { asked: 254, found: 0 }, problem: null });
  forgetScan();
  assert.deepEqual(scan.get(), { isRunning: false, told: null, problem: null });
});

test("a scan that is refused says why until the next one", async () => {
  daemon.answer = () => {
    throw new No("offline");
  };
  await scanNetwork();
  assert.equal(scan.get().problem?.kind, "offline");
  assert.equal(scan.get().isRunning, false);
  daemon.answer = () => ({ asked: 1, found: 1 });
  const next = scanNetwork();
  assert.equal(scan.get().problem, null);
  await next;
  assert.equal(scan.get().told?.found, 1);
});

test("one address is asked beside the network, and where nobody answers is a refusal", async () => {
  daemon.answer = () => ({ asked: 1, found: 1 });
  await scanAddress("192.168.1.20");
  assert.deepEqual(daemon.asked, [{ method: "guest.scan", params: { address: "192.168.1.20" } }]);
  daemon.answer = () => ({ asked: 1, found: 0 });
  await assert.rejects(scanAddress("192.168.1.21"), (error) => asRefused(error).kind === "not_found");
  daemon.answer = () => {
    throw new No("not_allowed");
  };
  await assert.rejects(scanAddress("10.1.2.3"), (error) => asRefused(error).kind === "not_allowed");
  assert.deepEqual(scan.get(), { isRunning: false, told: null, problem: null });
});
