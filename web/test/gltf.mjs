/** Animations as the format's own validator sees them, and a replay and a picture by the tool: node --test test/gltf.mjs, with STICTION naming the tool. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import validator from "gltf-validator";
import { scene, tool } from "./harness.mjs";

const folder = mkdtempSync(join(tmpdir(), "stiction-gltf-"));
after(() => rmSync(folder, { recursive: true }));

const SCENES = [
  "demo.toml",
  "prisms.toml",
  "quadruped.toml",
  "four-bar.toml",
  "planar-ramp.toml",
  "baraff/double_action_jack.toml",
  "egan/many_sides.toml",
  "lloyd/single_02_capsule_on_floor.toml",
  "drumwright/quadruped_no_slip.toml",
];

for (const name of SCENES) {
  for (const ending of ["glb", "gltf"]) {
    test(`${name} as .${ending}`, async () => {
      const file = join(folder, `a.${ending}`);
      await tool("export", scene(name), "-o", file, "--steps", "200", "--every", "10");
      const report = await validator.validateBytes(new Uint8Array(readFileSync(file)));
      const { numErrors, numWarnings, numInfos, messages } = report.issues;
      assert.deepEqual([numErrors, numWarnings, numInfos], [0, 0, 0], JSON.stringify(messages.slice(0, 5)));
      assert.ok(report.info.totalTriangleCount > 10);
    });
  }
}

test("a picture of a frame", async () => {
  const file = join(folder, "frame.png");
  await tool("export", scene("ramp-slide.toml"), "-o", file, "--png", "0.5");
  const bytes = readFileSync(file);
  assert.equal(bytes.toString("latin1", 1, 4), "PNG");
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1280, 800]);
  // A picture of one colour would be a few kilobytes.
  assert.ok(bytes.length > 10_000, `${bytes.length} bytes`);
});
