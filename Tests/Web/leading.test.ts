import { strict as assert } from "node:assert";
import { test } from "node:test";
import { Leading } from "../../Web/src/screens/chat/leading";

/** Places that are read when the test says so, and where one arrived. */
function journey() {
  const failures: string[] = [];
  const arrived: string[] = [];
  const reads: { place: string; done: (error?: string) => Promise<void> }[] = [];
  const leading = new Leading((error, counts) => failures.push(`${String(error)} ${counts ? "counts" : "is over"}`));
  const go = (place: string) => leading.to(() => new Promise((fulfil, reject) => {
    const done = async (error?: string) => {
      if (error === undefined) fulfil(() => arrived.push(place));
      else reject(error);
      await new Promise((next) => setImmediate(next));
    };
    reads.push({ place, done });
  }));
  return { leading, go, reads, arrived, failures, read: (index: number, error?: string) => reads[index]?.done(error) };
}

test("of several places only the last one is arrived at, in whatever order they are read", async () => {
  const { go, read, reads, arrived } = journey();
  go("a");
  go("b");
  go("c");
  await read(1);
  await read(0);
  assert.deepEqual(arrived, []);
  await read(2);
  assert.deepEqual(arrived, ["c"]);
  assert.equal(reads.length, 3);
});

test("an earlier place that is read after one has arrived has taken its place: that is gone to again", async () => {
  const { go, read, reads, arrived } = journey();
  go("a");
  go("b");
  await read(1);
  await read(0);
  assert.deepEqual(arrived, ["b"]);
  assert.deepEqual(reads.map(({ place }) => place), ["a", "b", "b"]);
  await read(2);
  assert.deepEqual(arrived, ["b", "b"]);
});

test("a place that is still being read isn't read twice for an earlier one", async () => {
  const { leading, go, read, reads, arrived } = journey();
  go("a");
  leading.at(() => arrived.push("end"));
  go("b");
  await read(0);
  assert.equal(reads.length, 2);
  await read(1);
  assert.deepEqual(arrived, ["end", "b"]);
});

test("a place without reading counts like others", async () => {
  const { leading, go, read, reads, arrived } = journey();
  go("a");
  leading.at(() => arrived.push("end"));
  assert.deepEqual(arrived, ["end"]);
  await read(0);
  assert.deepEqual(arrived, ["end", "end"]);
  go("b");
  await read(1);
  assert.deepEqual(arrived, ["end", "end", "b"]);
  assert.equal(reads.length, 2);
});

test("a place that turns out to need reading is read once, whatever earlier ones do", async () => {
  const { leading, go, read, reads, arrived } = journey();
  go("a");
  go("b");
  leading.at(() => go("end"));
  await read(0);
  assert.equal(reads.length, 3);
  await read(2);
  assert.deepEqual(arrived, ["end"]);
  await read(1);
  assert.deepEqual(reads.map(({ place }) => place), ["a", "b", "end", "end"]);
});

test("what can't be read says whether it still was the one to go to, and nothing is arrived at", async () => {
  const { go, read, reads, arrived, failures } = journey();
  go("a");
  go("b");
  await read(0, "gone");
  await read(1, "away");
  assert.deepEqual(failures, ["gone is over", "away counts"]);
  assert.deepEqual(arrived, []);
  assert.equal(reads.length, 2);
});
