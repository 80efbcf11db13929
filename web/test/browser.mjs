/** The viewer in a real browser: node --test test/browser.mjs, with STICTION naming the tool and CHROMIUM the browser. */

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { changed, difference, launch, look, mean, open, patches, ROOT, scene, serve, spread, tool, until } from "./harness.mjs";

/** Scene, a body that can be pulled and where to [pixels a move], whether nothing but the pull gives energy, and when a recording has forces [s]. */
const SCENES = [
  { file: "tower-tilt.toml", body: "below[4]", way: [4, -12], alone: true, at: 1 },
  { file: "grasp-4.toml", body: "box 2", way: [0, 12], alone: true, at: 0.3 },
  { file: "egan/block_over_hole_nonconvex.toml", body: "block", way: [4, -12], alone: true, at: 0.5 },
  { file: "baraff/double_action_jack.toml", body: "load", way: [4, -12], alone: false, at: 0.5 },
];
const REFERENCE = new URL("reference.json", import.meta.url);

let browser, folder;

before(async () => {
  browser = await launch();
  folder = await mkdtemp(join(tmpdir(), "stiction-view-"));
});

after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A server and a page, closed whatever happens; nothing may have gone wrong. */
async function viewing(file, options, act) {
  const server = await serve(file, ...(options.line ?? []));
  try {
    const { page, wrong } = await open(browser, server.url + (options.hash ?? ""), options);
    await act(page, server);
    assert.deepEqual(wrong, []);
    await page.close();
  } finally {
    server.stop();
  }
}

/** Clicks the contact that carries most; the panel says why. */
async function clickContact(page) {
  const all = await page.evaluate(() => window.stiction.contacts());
  const box = await page.locator("#canvas").boundingBox();
  const inside = (c) => c.x > box.x + 5 && c.x < box.x + box.width - 5 && c.y > box.y + 5 && c.y < box.y + box.height - 60;
  const [contact] = all.filter((c) => c.state !== "separating" && inside(c)).sort((c, d) => d.force - c.force);
  assert.ok(contact, `no contact in sight among ${all.length}`);
  await page.mouse.click(contact.x, contact.y);
  await until(page, "words of a contact", () => /^(Sticks|Slips)/.test(document.getElementById("why")?.textContent ?? ""));
  const panel = await page.textContent("#selected");
  for (const word of ["normal", "friction", "gap", "residual", "unique"]) assert.ok(panel.includes(word), `${word}: ${panel}`);
}

/** The step at which the page has come to rest: moments that were on their way have arrived. */
async function settled(page) {
  for (;;) {
    const { step } = await look(page);
    await page.waitForTimeout(400);
    if ((await look(page)).step === step) return step;
  }
}

for (const { file, body, way, alone } of SCENES) {
  test(`live: ${file}`, async () => {
    await viewing(scene(file), {}, async (page) => {
      await until(page, "time passes", () => window.stiction.frame().time > 0.05);
      assert.ok(spread(await patches(page)) > 2, "the picture is blank");
      await page.keyboard.press("Space");
      await until(page, "pause", () => document.getElementById("play").getAttribute("aria-pressed") === "false");
      const paused = await settled(page);
      await page.keyboard.press("ArrowRight");
      await until(page, "a step", (step) => window.stiction.frame().step > step, paused);
      const stepped = await settled(page);
      // What moves may have left the view.
      await page.keyboard.press("Home");
      await page.waitForTimeout(300);
      await clickContact(page);
      await page.keyboard.press("ArrowLeft");
      await until(page, "back", (step) => window.stiction.frame().step < step, stepped);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Space");
      await until(page, "on", (step) => window.stiction.frame().step > step, stepped);
      await drag(page, body, way, alone);
      await page.keyboard.press("Space");
      await page.keyboard.press("r");
      await until(page, "reset", () => window.stiction.frame().step === 0);
    });
  });
}

/** Pulls what is seen where a body is, by the mouse: it moves, and what moves it is in the ledger. The towers of a scene may stand in each other. */
async function drag(page, name, [across, down], alone) {
  const [x, y] = await page.evaluate((name) => window.stiction.pixel(window.stiction.bodies().indexOf(name)), name);
  const index = await page.evaluate(([x, y]) => window.stiction.bodyAt(x, y), [x, y]);
  assert.ok(index >= 0, `nothing is seen where ${name} is`);
  const before = await page.evaluate((i) => ({ p: window.stiction.position(i), injected: window.stiction.stats().injected }), index);
  await page.mouse.move(x, y);
  await page.mouse.down();
  // At once: the last place counts.
  for (let k = 1; k <= 10; k += 1) await page.mouse.move(x + across * k, y + down * k);
  const isPulled = ({ index, before, alone }) => {
    const moved = Math.hypot(...window.stiction.position(index).map((v, k) => v - before.p[k]));
    return moved > 1e-4 && (!alone || Math.abs(window.stiction.stats().injected - before.injected) > 1e-4);
  };
  await until(page, `body ${index}, seen where ${name} is, is pulled`, isPulled, { index, before, alone });
  await page.mouse.up();
}

for (const { file, at } of SCENES) {
  test(`recorded: ${file}`, async () => {
    const recording = join(folder, `${file.replaceAll("/", "-")}.mcap`);
    await tool("run", scene(file), "--steps", "1000", "--every", "5", "-o", recording);
    await viewing(recording, {}, async (page) => {
      await until(page, "time passes", () => window.stiction.frame().time > 0.05);
      await page.keyboard.press("Space");
      await scrubTo(page, at);
      const shown = await patches(page);
      await compare(file, shown);
      await clickContact(page);
      await page.keyboard.press("Escape");
      // Finely: where pictures are drawn plainly, for want of time, arrows are thin.
      const with_forces = await patches(page, 480, 320);
      await page.keyboard.press("f");
      await page.keyboard.press("p");
      const seen = changed(with_forces, await patches(page, 480, 320));
      assert.ok(seen > 20, `forces do not show: ${seen} patches of 153,600`);
      const without = await patches(page);
      await page.keyboard.press("t");
      await until(page, "theme", () => document.documentElement.dataset.theme === "dark");
      assert.ok(mean(await patches(page)) < mean(without) - 60, "dark is not dark");
    });
  });
}

/** Moves the slider to a time. */
async function scrubTo(page, time) {
  await page.evaluate((time) => {
    const slider = document.getElementById("scrub");
    const { count } = window.stiction.frame();
    slider.max = String(count - 1);
    slider.value = String(Math.round((time / 1) * (count - 1)));
    slider.dispatchEvent(new Event("input"));
  }, time);
  await until(page, "scrub", (time) => Math.abs(window.stiction.frame().time - time) < 0.02, time);
}

/** A picture is roughly what it was: patches of it may differ by a few grey levels. UPDATE=1 notes it anew. */
async function compare(name, shown) {
  assert.ok(spread(shown) > 2, `${name}: the picture is blank`);
  const all = JSON.parse(await readFile(REFERENCE, "utf8").catch(() => "{}"));
  if (process.env.UPDATE) {
    all[name] = shown;
    await writeFile(REFERENCE, `${JSON.stringify(all)}\n`);
    return;
  }
  assert.ok(all[name], `${name}: no picture to compare with`);
  const off = difference(shown, all[name]);
  assert.ok(off < 8, `${name}: patches differ by ${off.toFixed(1)} of 255 in the mean`);
}

/** A weight that falls until its rope is taut, and swings on it. */
const DROP = `format = 1
[world]
friction = 0.5
[[body]]
name = "beam"
kind = "fixed"
shape = { box = [1, 0.1, 0.1] }
position = [0, 0, 2]
[[body]]
name = "weight"
shape = { ball = 0.1 }
mass = 1
position = [0.3, 0, 1.4]
[[joint]]
name = "line"
kind = "rope"
length = 1
points = [{ body = "beam", position = [-0.3, 0, 2] }, { body = "weight", position = [0.3, 0, 1.4] }]
`;

/** The share of a rope's first leg, its ends hidden by bodies, where the picture is as dark as the rope. */
async function inked(page) {
  const box = await page.locator("#canvas").boundingBox();
  const [wide, high] = [Math.round(box.width), Math.round(box.height)];
  // The first picture sets the camera, by which places are told.
  const all = await patches(page, wide, high);
  const [rope] = await page.evaluate(() => window.stiction.ropes());
  const [from, to] = rope.pixels;
  let dark = 0;
  for (let k = 0; k < 100; k += 1) {
    const part = 0.2 + 0.5 * (k / 99);
    const [x, y] = [0, 1].map((i) => Math.round(from[i] + part * (to[i] - from[i]) - [box.x, box.y][i]));
    const near = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((across) => all[(y + down) * wide + x + across]));
    dark += Math.min(...near) < 150 ? 1 : 0;
  }
  return { ...rope, share: dark / 100 };
}

test("a rope is drawn through its points, dashed while it is slack", async () => {
  const [file, recording] = [join(folder, "drop.toml"), join(folder, "drop.mcap")];
  await writeFile(file, DROP);
  await tool("run", file, "--steps", "1000", "--every", "5", "-o", recording);
  await viewing(recording, { hash: "#time=0" }, async (page) => {
    const slack = await inked(page);
    assert.deepEqual([slack.name, slack.taut], ["line", false]);
    assert.ok(slack.share > 0.2 && slack.share < 0.8, `slack: ${slack.share}`);
    assert.match(await page.textContent("#legend"), /dashed rope: slack/);
    await scrubTo(page, 0.9);
    const taut = await inked(page);
    assert.equal(taut.taut, true);
    assert.ok(taut.share > 0.95, `taut: ${taut.share}`);
    const [x, y] = await page.evaluate(() => window.stiction.pixel(1));
    await page.mouse.click(x, y);
    await until(page, "the body's joints", () => /rope.*line, taut at 1 m/.test(document.getElementById("selected").textContent));
  });
});

test("the energy chart names the parts of the ledger, or what an older recording holds", async () => {
  const names = async (page) => {
    await until(page, "names", () => document.querySelector("#chart-energy .key span")?.textContent);
    return page.locator("#chart-energy .key span").allTextContents().then((all) => all.map((text) => text.split(" ")[0]));
  };
  const recording = join(folder, "slide.mcap");
  await tool("run", scene("ramp-slide.toml"), "--steps", "100", "-o", recording);
  await viewing(recording, {}, async (page) => {
    assert.deepEqual(await names(page), ["kinetic", "fallen", "slip", "impacts", "injected", "numerical"]);
  });
  await viewing(join(ROOT, "crates/sim/tests/recordings/format-1.mcap"), {}, async (page) => {
    assert.deepEqual(await names(page), ["kinetic", "fallen", "dissipated", "injected", "numerical"]);
  });
});

test("law, method and friction can be chosen while it runs", async () => {
  await viewing(scene("ramp-hold.toml"), {}, async (page) => {
    await until(page, "time passes", () => window.stiction.frame().time > 0.05);
    await page.selectOption("#law", "frictionless");
    await until(page, "law", () => document.getElementById("facts").textContent.startsWith("frictionless"));
    const before = (await look(page)).time;
    await until(page, "slips", () => window.stiction.stats().kinetic > 0.01);
    assert.ok((await look(page)).time >= before, "it began anew");
    await page.selectOption("#method", "dantzig");
    await until(page, "method", () => document.getElementById("facts").textContent.includes("dantzig"));
    await page.selectOption("#law", "coulomb");
    await page.fill("#friction", "0.8");
    await page.press("#friction", "Enter");
    await until(page, "stops", () => window.stiction.stats().kinetic < 1e-6);
  });
});

test("a page with its replay inside needs no server", async () => {
  const recording = join(folder, "alone.mcap");
  await tool("run", scene("stack-20.toml"), "--steps", "50", "-o", recording);
  const server = await serve(recording);
  const html = await (await fetch(server.url)).text();
  const replay = await (await fetch(`${server.url}replay`)).text();
  server.stop();
  const file = join(folder, "alone.html");
  const inside = `<script type="application/json" id="stiction-replay">${replay.replaceAll("<", "\\u003c")}</script>`;
  await writeFile(file, html.replace("<!--stiction-replay-->", () => inside));
  const { page, wrong } = await open(browser, `file://${file}#time=0.02&theme=dark&ui=off`);
  assert.equal((await look(page)).step, 20);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  assert.equal(await page.isVisible("footer"), false);
  assert.ok(spread(await patches(page)) > 2);
  assert.deepEqual(wrong, []);
  await page.close();
});

test("a thousand bodies play, or are drawn more plainly", async (t) => {
  const file = join(folder, "thousand.toml");
  await writeFile(
    file,
    `format = 1
[world]
dt = 0.005
friction = 0.5
density = 1000
[[body]]
name = "slope"
shape = { half_space = [0, 0, 1] }
orientation = { axis = [0, 1, 0], degrees = 35 }
[[grid]]
name = "box"
box = [0.1, 0.1, 0.1]
rows = 1
columns = 40
layers = 25
gap = 0.1
orientation = { axis = [0, 1, 0], degrees = 35 }
`,
  );
  const recording = join(folder, "thousand.mcap");
  await tool("run", file, "--steps", "200", "-o", recording);
  await viewing(recording, {}, async (page) => {
    await until(page, "time passes", () => window.stiction.frame().time > 0);
    // The recording ends and begins again until pictures come quickly, or are as plain as they get.
    await page.selectOption("#speed", "0.25");
    for (let looks = 0; ; looks += 1) {
      const { rate, quality, index, count } = await look(page);
      if (rate >= 20 || quality === 4) {
        t.diagnostic(`1,000 bodies, 4,000 contacts: ${rate} pictures a second at quality ${quality} of 0 to 4`);
        break;
      }
      assert.ok(looks < 1200, `${rate} pictures a second at quality ${quality}`);
      if (index >= count - 1) await page.keyboard.press("Space");
      await page.waitForTimeout(500);
    }
  });
});

test("readable on a laptop: nothing overlaps or is cut off", async () => {
  await viewing(scene("tower-tilt.toml"), { line: ["--paused"] }, async (page) => {
    await page.keyboard.press("ArrowRight");
    await until(page, "a step", () => window.stiction.frame().step === 1);
    await page.keyboard.press("n");
    await until(page, "words", () => document.getElementById("why") !== null);
    const side = await page.evaluate(() => {
      const { scrollHeight, clientHeight, scrollWidth, clientWidth } = document.getElementById("side");
      return { tall: scrollHeight - clientHeight, wide: scrollWidth - clientWidth };
    });
    assert.deepEqual(side, { tall: 0, wide: 0 });
    const box = async (id) => page.locator(id).boundingBox();
    const [view, panel, bar] = [await box("#view"), await box("#side"), await box("footer")];
    assert.ok(view.x + view.width <= panel.x && view.y + view.height <= bar.y && bar.y + bar.height <= 768);
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    const help = await box("dialog");
    assert.ok(help.y >= 0 && help.y + help.height <= 768);
  });
});

// PICTURE=1 takes the picture of the guide anew.
test("the picture of the guide", { skip: !process.env.PICTURE }, async () => {
  const recording = join(folder, "tower-tilt.mcap");
  await tool("run", scene("tower-tilt.toml"), "--every", "10", "-o", recording);
  await viewing(recording, { hash: `#time=${process.env.PICTURE}` }, async (page) => {
    await clickContact(page);
    await page.waitForTimeout(1000);
    await page.screenshot({ path: join(ROOT, "docs/images/viewer.png") });
  });
});
