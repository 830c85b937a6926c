import { strict as assert } from "node:assert";
import { test } from "node:test";
import { SIDE, greys, parts } from "../../Web/src/codes/greys";
import { base64 } from "../../Web/src/wire/base64";

test("greys are as light as the eye sees them, and what is transparent is white", () => {
  const pixels = new Uint8ClampedArray([0, 0, 0, 255, 255, 255, 255, 255, 255, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 128]);
  assert.deepEqual([...greys(pixels)], [0, 255, 76, 255, 127]);
  assert.equal(greys(new Uint8ClampedArray(0)).length, 0);
});

test("bytes become base64 as elsewhere, also more than fit into one call", () => {
  const bytes = Uint8Array.from({ length: 100_001 }, (_, index) => index % 251);
  assert.equal(base64(bytes), Buffer.from(bytes).toString("base64"));
});

test("parts of a picture cover all of it, fit what the daemon takes, and are few", () => {
  for (const [width, height] of [[1, 1], [512, 512], [513, 300], [1280, 800], [4000, 3000], [10_000, 40], [3, 9000], [1, 100_000]] as const) {
    const all = parts(width, height);
    assert.ok(all.length >= 1 && all.length <= 120, `${width} × ${height}: ${all.length}`);
    for (const part of all) {
      assert.ok(Math.round(part.width * part.scale) <= SIDE && Math.round(part.height * part.scale) <= SIDE);
      assert.ok(part.x >= 0 && part.y >= 0 && part.x + part.width <= width + 1e-6 && part.y + part.height <= height + 1e-6);
      assert.ok(part.scale <= 1);
    }
    assert.deepEqual([all[0]?.x, all[0]?.y, all[0]?.width, all[0]?.height], [0, 0, width, height]);
    const smallest = Math.max(...all.map(({ scale }) => scale));
    const fine = all.filter(({ scale }) => scale === smallest);
    assert.equal(Math.max(...fine.map(({ x, width: wide }) => x + wide)), width);
    assert.equal(Math.max(...fine.map(({ y, height: high }) => y + high)), height);
  }
  assert.deepEqual(parts(0, 0), []);
});
