/** The viewer in a real browser: node --test test/browser.mjs, with STICTION naming the tool and CHROMIUM the browser. */

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { changed, difference, launch, look, mean, open, patches, picture, ROOT, scene, serve, spread, tool, until } from "./harness.mjs";
import { tower, wedged } from "./stand.mjs";

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

/** Plays, unless it does already. */
async function play(page) {
  await page.waitForTimeout(400);
  if ((await page.getAttribute("#play", "aria-pressed")) !== "true") await page.click("#play");
}

/** A scene may have ended before the page was there. */
async function goOn(page) {
  await page.selectOption("#end", "go_on");
  await play(page);
}

for (const { file, body, way, alone } of SCENES) {
  test(`live: ${file}`, async () => {
    await viewing(scene(file), {}, async (page) => {
      await goOn(page);
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

/** A picture is roughly what it was: patches of it may differ by a few grey levels. UPDATE=1 notes it again. */
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
    // A view that follows what moves is elsewhere between the picture and the question where the rope is.
    await page.keyboard.press("v");
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
  await viewing(join(ROOT, "crates/record/tests/recordings/format-1.mcap"), {}, async (page) => {
    assert.deepEqual(await names(page), ["kinetic", "fallen", "dissipated", "injected", "numerical"]);
  });
});

test("law, method and friction can be chosen while it runs", async () => {
  await viewing(scene("ramp-hold.toml"), {}, async (page) => {
    await goOn(page);
    await until(page, "time passes", () => window.stiction.frame().time > 0.05);
    await page.click("#tab-run");
    await page.selectOption("#law", "frictionless");
    await until(page, "law", () => document.getElementById("facts").textContent.startsWith("frictionless"));
    const before = (await look(page)).time;
    await until(page, "slips", () => window.stiction.stats().kinetic > 0.01);
    assert.ok((await look(page)).time >= before, "it restarted");
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
    for (const tab of ["why", "charts"]) {
      await page.click(`#tab-${tab}`);
      await page.waitForTimeout(300);
      const over = await page.evaluate((tab) => {
        const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.getElementById(`panel-${tab}`);
        return { wide: scrollWidth - clientWidth, tall: scrollHeight - clientHeight };
      }, tab);
      assert.deepEqual(over, { wide: 0, tall: 0 }, tab);
      await picture(page, `laptop-${tab}`);
    }
    const box = async (id) => page.locator(id).boundingBox();
    const [view, panel, bar] = [await box("#view"), await box("#side"), await box("footer")];
    assert.ok(view.x + view.width <= panel.x && view.y + view.height <= bar.y && bar.y + bar.height <= 768);
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    const help = await box("dialog");
    assert.ok(help.y >= 0 && help.y + help.height <= 768);
  });
});


/** A box that is pressed onto a slope by friction enough for a hundred. */
const ROUGH = `format = 1
[world]
friction = 100
density = 1000
[[body]]
name = "slope"
shape = { half_space = [0, 0, 1] }
orientation = { axis = [0, 1, 0], degrees = 30 }
[[body]]
name = "box"
shape = { box = [0.2, 0.2, 0.2] }
position = [0.05, 0, 0.0866025]
orientation = { axis = [0, 1, 0], degrees = 30 }
`;

/** A recording of a scene given as text. */
async function recorded(name, text, ...options) {
  const [file, recording] = [join(folder, `${name}.toml`), join(folder, `${name}.mcap`)];
  await writeFile(file, text);
  await tool("run", file, "--every", "5", "-o", recording, ...options);
  return recording;
}

/** A cone of μ = 100 covered the screen. */
test("the cone of a huge coefficient of friction stays small", async () => {
  await viewing(await recorded("rough", ROUGH, "--steps", "100"), { hash: "#time=0.05" }, async (page) => {
    const bare = await patches(page, 96, 64);
    await clickContact(page);
    const covered = changed(bare, await patches(page, 96, 64)) / bare.length;
    assert.ok(covered > 0.001 && covered < 0.12, `${covered} of the picture changes`);
    await page.keyboard.press("c");
    const all = changed(bare, await patches(page, 96, 64)) / bare.length;
    assert.ok(all < 0.3, `all four: ${all} of the picture changes`);
    await picture(page, "cone-of-100");
  });
});

/** A box that slides down for good. */
const GONE = `format = 1
[world]
friction = 0.1
density = 1000
duration = 4
[[body]]
name = "slope"
shape = { half_space = [0, 0, 1] }
orientation = { axis = [0, 1, 0], degrees = 40 }
[[body]]
name = "box"
shape = { box = [0.2, 0.2, 0.2] }
position = [0.0642788, 0, 0.0766044]
orientation = { axis = [0, 1, 0], degrees = 40 }
`;

/** Whether a body's middle is in the picture, with some room around it. */
async function isSeen(page, body, room = 30) {
  const [x, y] = await page.evaluate((i) => window.stiction.pixel(i), body);
  const box = await page.locator("#canvas").boundingBox();
  return x > box.x + room && x < box.x + box.width - room && y > box.y + room && y < box.y + box.height - room;
}

/** The camera lost what moves within seconds, and Fit knew only the first frame. */
test("the view follows what moves, or stays where it is told to; Fit shows what is there now", async () => {
  await viewing(await recorded("gone", GONE), {}, async (page) => {
    await page.keyboard.press("Space");
    const go = (time) => page.evaluate((time) => {
      const slider = document.getElementById("scrub");
      slider.value = String(Math.round((time / 4) * Number(slider.max)));
      slider.dispatchEvent(new Event("input"));
    }, time);
    await until(page, "a slider", () => Number(document.getElementById("scrub").max) > 100);
    for (const time of [1, 2, 4]) {
      await go(time);
      await until(page, `the view has gone along at ${time} s`, () => {
        const [x, y] = window.stiction.pixel(1);
        const box = document.getElementById("canvas").getBoundingClientRect();
        return x > box.left + 30 && x < box.right - 30 && y > box.top + 30 && y < box.bottom - 30;
      });
    }
    await picture(page, "follow");
    assert.ok(await page.evaluate(() => Math.hypot(...window.stiction.position(1))) > 20, "the box has not gone far");
    await page.click("#follow");
    assert.equal(await page.getAttribute("#follow", "aria-pressed"), "false");
    const stays = await page.evaluate(() => window.stiction.view().target);
    await go(1);
    await page.waitForTimeout(800);
    assert.deepEqual(await page.evaluate(() => window.stiction.view().target), stays);
    assert.equal(await isSeen(page, 1), false);
    await page.click("#fit");
    await page.waitForTimeout(200);
    assert.equal(await isSeen(page, 1), true);
    await page.keyboard.press("v");
    assert.equal(await page.getAttribute("#follow", "aria-pressed"), "true");
  });
});

/** Live play ran past the duration. */
test("live play stops at the end of the scene, restarts, or goes on", async () => {
  const file = join(folder, "short.toml");
  await writeFile(file, ROUGH.replace("friction = 100", "friction = 100\nduration = 0.3"));
  await viewing(file, {}, async (page) => {
    await until(page, "the end", () => document.getElementById("play").getAttribute("aria-pressed") === "false" && window.stiction.frame().time > 0.29);
    assert.ok((await look(page)).time < 0.3005, "it ran on");
    await until(page, "words", () => /0\.3 s are over/.test(document.getElementById("notice").textContent));
    await until(page, "its time", () => /0\.300 \/ 0\.3 s/.test(document.getElementById("time").textContent));
    await picture(page, "at-the-end");
    await page.keyboard.press("Space");
    await until(page, "again", () => window.stiction.frame().time < 0.25);
    await page.selectOption("#end", "loop");
    await play(page);
    await until(page, "late", () => window.stiction.frame().time > 0.2);
    await until(page, "early again, and it plays", () => window.stiction.frame().time < 0.1 && document.getElementById("play").classList.contains("playing"));
    await page.selectOption("#end", "go_on");
    await until(page, "past the end", () => window.stiction.frame().time > 0.4);
  });
  await viewing(await recorded("short", ROUGH, "--steps", "300"), {}, async (page) => {
    await page.selectOption("#end", "loop");
    await play(page);
    await until(page, "late", () => window.stiction.frame().time > 0.2);
    await until(page, "early again", () => window.stiction.frame().time < 0.1);
  });
});

/** Arrows left the picture, and nothing said how long a newton is. */
test("force arrows have a scale, and the huge ones are cut", async () => {
  // Two stacks side by side: the one a million times as heavy as the other.
  const box = (name, x, density) => `[[body]]\nname = "${name}"\nshape = { box = [0.2, 0.2, 0.2] }\ndensity = ${density}\nposition = [${x}, 0, 0.1]\n`;
  const light = Array.from({ length: 12 }, (_, i) => box(`light ${i}`, 0.3 * (i - 6), 1)).join("");
  const text = `format = 1\n[world]\nfriction = 0.5\n[[body]]\nname = "ground"\nshape = { half_space = [0, 0, 1] }\n${light}${box("heavy", 2.1, 1e6)}`;
  await viewing(await recorded("heavy", text, "--steps", "50"), { hash: "#time=0.04" }, async (page) => {
    await until(page, "a scale", () => !document.getElementById("scale").hidden);
    const said = async () => /^([\d.e−+]+) N([\d.e−+]+) N per metre/.exec(await page.textContent("#scale"));
    const [, first, perMetre] = await said();
    const wide = (await page.locator("#scale i").boundingBox()).width;
    assert.ok(wide >= 40 && wide <= 112, `${wide} pixels`);
    // What the bar says is what an arrow is: newtons a pixel, by the page's own scale.
    const { perPixel, isCut } = await page.evaluate(() => window.stiction.scale());
    assert.ok(Math.abs(Number(first) / wide / perPixel - 1) < 0.03, `${first} N in ${wide} pixels, ${perPixel} N a pixel`);
    assert.equal(isCut, true);
    assert.match(await page.textContent("#scale"), /the longest arrows are cut/);
    assert.ok(Number(perMetre) < 100, "the light boxes set the scale, not the heavy one");
    await picture(page, "scale");
    await page.keyboard.press("]");
    await page.waitForTimeout(200);
    assert.ok(Number((await said())[2]) < Number(perMetre), "longer arrows, fewer newtons a metre");
    await page.keyboard.press("f");
    await until(page, "no scale without arrows", () => document.getElementById("scale").hidden);
  });
});

/** The panel covered the picture. */
test("on a phone the picture comes first, and the panel opens below it", async () => {
  await viewing(scene("tower-tilt.toml"), { line: ["--paused"], phone: true }, async (page) => {
    await until(page, "a frame", () => window.stiction.frame().step === 0);
    const box = (id) => page.locator(id).boundingBox();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${width} pixels wide`);
    const closed = await box("#view");
    assert.ok(closed.width === 390 && closed.height > 0.6 * 844, JSON.stringify(closed));
    await picture(page, "phone");
    await page.tap("#step");
    await until(page, "a step", () => window.stiction.frame().step === 1);
    await page.tap("#tab-why");
    await until(page, "pairs", () => document.querySelectorAll("#pair-list tbody tr").length > 4);
    const [open, side, bar] = [await box("#view"), await box("#side"), await box("footer")];
    assert.ok(open.height > 200, `${open.height} pixels of picture are left`);
    assert.ok(side.y >= bar.y + bar.height - 1 && side.y + side.height <= 845, JSON.stringify([side, bar]));
    assert.equal(await page.evaluate(() => document.getElementById("panel-why").scrollWidth), 390);
    await page.tap("#pair-list tbody tr");
    await until(page, "a sentence", () => /sticks to/.test(document.getElementById("why")?.textContent ?? ""));
    await picture(page, "phone-why");
    await page.tap("#tab-why");
    await until(page, "closed again", (height) => document.getElementById("view").clientHeight >= height - 1, closed.height);
  });
});

/** A hinge, a rail and a ball, and bodies that are fixed, moved and free. */
const JOINTED = `format = 1
[[body]]
name = "base"
kind = "fixed"
shape = { box = [2.4, 0.3, 0.1] }
position = [0, 0, 1.5]
[[body]]
name = "arm"
mass = 1
shape = { box = [0.1, 0.1, 0.7] }
position = [-0.9, 0, 1.0]
velocity = [0.5, 0, 0]
[[body]]
name = "slide"
mass = 1
shape = { box = [0.3, 0.2, 0.2] }
position = [0, 0, 1.1]
[[body]]
name = "bob"
mass = 1
shape = { ball = 0.12 }
position = [0.9, 0, 0.9]
[[body]]
name = "wheel"
kind = "kinematic"
shape = { cylinder = { radius = 0.2, height = 0.1 } }
position = [0, 0, 0.5]
[[joint]]
name = "hinge"
kind = "revolute"
a = "arm"
b = "base"
position = [-0.9, 0, 1.4]
axis = [0, 1, 0]
limits = [-0.6, 1.2]
[[joint]]
name = "rail"
kind = "prismatic"
a = "slide"
b = "base"
position = [0, 0, 1.1]
axis = [1, 0, 0]
limits = [-0.4, 0.5]
[[joint]]
name = "socket"
kind = "spherical"
a = "bob"
b = "base"
position = [0.9, 0, 1.35]
`;

/** Bodies looked alike, had no names, and joints were not drawn. */
test("bodies are told apart and named, joints are drawn with their ranges", async () => {
  await viewing(await recorded("jointed", JOINTED, "--steps", "100"), { hash: "#time=0" }, async (page) => {
    const key = await page.textContent("#legend");
    for (const word of ["free", "moved by the scene", "fixed"]) assert.ok(key.includes(word), `${word}: ${key}`);
    assert.deepEqual(await page.evaluate(() => window.stiction.joints()), ["hinge", "rail", "socket"]);
    const drawn = await patches(page, 480, 320);
    await page.keyboard.press("j");
    const seen = changed(drawn, await patches(page, 480, 320));
    assert.ok(seen > 150, `joints do not show: ${seen} patches of 153,600`);
    await page.keyboard.press("j");
    // Under the pointer a body tells its name, with the joints that move it.
    const [x, y] = await page.evaluate(() => window.stiction.pixel(1));
    await page.mouse.move(x, y);
    const labels = () => [...document.querySelectorAll("#labels span")].filter((s) => !s.hidden).map((s) => s.textContent);
    await until(page, "a name", () => [...document.querySelectorAll("#labels .strong")].some((s) => !s.hidden && s.textContent === "arm"));
    assert.ok((await page.evaluate(labels)).includes("hinge 0° of −34.4 … 68.8°"), JSON.stringify(await page.evaluate(labels)));
    await page.mouse.move(5, 400);
    await page.keyboard.press("l");
    await until(page, "all names", () => [...document.querySelectorAll("#labels span")].filter((s) => !s.hidden).length >= 8);
    const all = await page.evaluate(labels);
    for (const name of ["base", "arm", "slide", "bob", "wheel", "rail 0 m of −0.4 … 0.5 m", "socket"]) assert.ok(all.includes(name), `${name}: ${all}`);
    await picture(page, "joints");
  });
});

test("charts have axes with numbers and units", async () => {
  const recording = join(folder, "axes.mcap");
  await tool("run", scene("quadruped.toml"), "--steps", "500", "--every", "5", "-o", recording);
  await viewing(recording, {}, async (page) => {
    await page.click("#tab-charts");
    const titles = await page.locator("figcaption span").allTextContents();
    assert.deepEqual(titles, ["Energy since the start [J]", "Work of the solver [a step]", "Deepest overlap [m]", "Residual [1]"]);
    await until(page, "numbers at the axes", () => {
      const canvas = document.querySelector("#chart-energy canvas");
      if (canvas.width === 0) return false;
      const ink = (x, y, w, h) => canvas.getContext("2d").getImageData(x, y, w, h).data.some((v, i) => i % 4 === 3 && v > 120);
      // Left of the axis and below it.
      return ink(0, 0, 36, canvas.height - 20) && ink(60, canvas.height - 12, canvas.width - 60, 12);
    });
    await picture(page, "charts");
    // A click goes to a time.
    const box = await page.locator("#chart-energy canvas").boundingBox();
    await page.mouse.click(box.x + 44 + 0.5 * (box.width - 52), box.y + 40);
    await until(page, "half-way", () => Math.abs(window.stiction.frame().time - 0.25) < 0.02);
  });
});

test("the panel says who holds whom, and thrust is drawn through the bodies", async () => {
  const recording = join(folder, "arch.mcap");
  await tool("run", scene("arch-27.toml"), "--steps", "40", "--every", "10", "-o", recording);
  await viewing(recording, { hash: "#time=0.04" }, async (page) => {
    await until(page, "pairs", () => document.querySelectorAll("#pair-list tbody tr").length === 28);
    const pairs = await page.evaluate(() => window.stiction.pairs());
    // The springings use most of their friction; both carry half of the arch.
    const [first, second] = pairs;
    assert.ok(Math.abs(first.normalForce / second.normalForce - 1) < 1e-3, `${first.normalForce}, ${second.normalForce}`);
    assert.ok(pairs.every((p, i) => i === 0 || p.used <= pairs[i - 1].used), "ranked by the share that is used");
    const row = page.locator("#pair-list tbody tr").first();
    assert.match(await row.textContent(), /arch\[(0|26)\] \| ground/);
    await row.click();
    await until(page, "a sentence", () => /^arch\[\d+\] sticks to ground with .* % *;? it slides at .* N or .*° more/.test(document.getElementById("why")?.textContent.replaceAll("\u00a0", " ") ?? ""));
    assert.match(await page.textContent("#selected"), /to slip.*to tip/s);
    const plain = await patches(page, 480, 320);
    await page.keyboard.press("u");
    const seen = changed(plain, await patches(page, 480, 320));
    assert.ok(seen > 1000, `thrust does not show: ${seen} patches of 153,600`);
    assert.match(await page.textContent("#legend"), /friction used 0.*100 %/);
    await page.keyboard.press("f");
    await page.keyboard.press("p");
    await picture(page, "thrust");
  });
});

test("while a live world waits the panel says what the forces of a pair could be", async () => {
  const file = join(folder, "rough-live.toml");
  await writeFile(file, ROUGH);
  await viewing(file, { line: ["--paused"] }, async (page) => {
    await page.keyboard.press("ArrowRight");
    await until(page, "a step", () => window.stiction.frame().step === 1);
    await until(page, "a pair", () => document.querySelectorAll("#pair-list tbody tr").length === 1);
    await page.click("#pair-list tbody tr");
    await until(page, "what is known", () => /known/.test(document.getElementById("selected").textContent));
    const said = (await page.textContent("#selected")).replaceAll("\u00a0", " ");
    assert.match(said, /one contact0 … [\d.]+ N/, said);
    assert.match(said, /box sticks to slope with 39\.24 N of the/, said);
    await picture(page, "why-live");
  });
});

/** A page waited for the solver. */
test("while a body in a stack of twenty is dragged pictures keep coming, and a slow world is told of", async (t) => {
  await viewing(scene("stack-20.toml"), {}, async (page) => {
    await goOn(page);
    await until(page, "time passes", () => window.stiction.frame().time > 0.02);
    const middle = await page.evaluate(() => window.stiction.bodies().length >> 1);
    const [x, y] = await page.evaluate((i) => window.stiction.pixel(i), middle);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.evaluate(() => {
      // Time between two turns of the page's own loop, at most.
      const seen = { last: performance.now(), longest: 0, turns: 0 };
      window.seen = seen;
      const turn = (now) => {
        seen.longest = Math.max(seen.longest, now - seen.last);
        seen.last = now;
        seen.turns += 1;
        requestAnimationFrame(turn);
      };
      requestAnimationFrame(turn);
    });
    const begun = Date.now();
    const words = new Set();
    for (let k = 1; k <= 40; k += 1) {
      await page.mouse.move(x + 3 * k, y - k);
      await page.waitForTimeout(50);
      words.add((await page.textContent("#pace")).replace(/\d[\d.]*(e[+−]\d+)?/g, "N"));
    }
    const { longest, turns } = await page.evaluate(() => window.seen);
    const rate = (1000 * turns) / (Date.now() - begun);
    t.diagnostic(`${rate.toFixed(0)} turns a second, the longest of ${longest.toFixed(0)} ms; said: ${[...words].join(" | ")}`);
    assert.ok(rate > 5, `${rate} turns a second`);
    for (const said of words) assert.ok(["", "slower than real time ×N", "a step takes long: N s so far"].includes(said), said);
    await picture(page, "drag-stack");
    await page.mouse.up();
    // Whatever the solver does, the page answers.
    await page.keyboard.press("t");
    await until(page, "theme", () => document.documentElement.dataset.theme === "dark");
  });
});

/** A page with an answer in it, as `stiction stand -o` writes it. */
async function answered(name, data) {
  const server = await serve(join(ROOT, "crates/record/tests/recordings/format-1.mcap"));
  const html = process.env.PAGE ? await readFile(process.env.PAGE, "utf8") : await (await fetch(server.url)).text();
  server.stop();
  const file = join(folder, `${name}.html`);
  const inside = `<script type="application/json" id="stiction-stand">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`;
  await writeFile(file, html.replace("<!--stiction-replay-->", () => inside));
  return file;
}

test("an answer of stand is a page: verdict, thrust, mechanism, dial of tilt", async () => {
  const file = await answered("tower", tower());
  for (const phone of [false, true]) {
    const { page, wrong } = await open(browser, `file://${file}`, { phone });
    assert.match(await page.textContent(".verdict"), /^Stands.*rest is the only answer/);
    assert.match(await page.textContent(".margins"), /tilt x26\.57°/);
    const dial = await page.evaluate(() => [...document.querySelectorAll(".dial polygon")].map((p) => [p.getAttribute("class"), p.getAttribute("points").split(" ").length]));
    assert.deepEqual(dial, [["open", 4], ["stands", 4]]);
    assert.match(await page.textContent(".dial"), /10°.*20°.*x.*y.*tilt x: 26\.565°/s);
    assert.match(await page.textContent(".lines"), /fails by 1 hinge/);
    const rest = await patches(page, 96, 64);
    await picture(page, phone ? "stand-phone" : "stand");
    await page.click(".views button:nth-child(3)");
    await until(page, "the mechanism", () => document.querySelector(".views button:nth-child(3)").getAttribute("aria-checked") === "true");
    assert.ok(changed(rest, await patches(page, 96, 64)) > 100, "nothing moves");
    await until(page, "marks", () => [...document.querySelectorAll("#labels span")].some((s) => !s.hidden && s.textContent === "turns: lower | ground"));
    await until(page, "how gravity leans", () => [...document.querySelectorAll("#labels span")].some((s) => !s.hidden && s.textContent === "gravity leans by 26.565°"));
    await picture(page, phone ? "stand-mechanism-phone" : "stand-mechanism");
    // The slider is the size of the motion, and it plays there and back.
    const height = () => page.evaluate(() => window.stiction.position(2)[2]);
    const high = await height();
    await page.evaluate(() => {
      const slider = document.getElementById("scrub");
      slider.value = "0";
      slider.dispatchEvent(new Event("input"));
    });
    assert.equal(await height(), 1.5);
    assert.ok(high > 1.54, String(high));
    await page.click("#play");
    await until(page, "it moves", () => window.stiction.position(2)[2] > 1.53);
    assert.deepEqual(wrong, []);
    await page.close();
  }
});

test("the tool writes the page of its answer: an arch, by what margin it stands, and where it would turn", async () => {
  const file = join(folder, "arch.html");
  await tool("stand", scene("arch-27.toml"), "--tilt", "x", "--tilt", "any", "-o", file);
  const { page, wrong } = await open(browser, `file://${file}`);
  assert.match(await page.textContent(".verdict"), /^Stands/);
  // Of this thickness some quarter of a degree, by four hinges and no slip.
  assert.match(await page.textContent(".margins"), /tilt x0\.2\d+°/);
  assert.equal(await page.evaluate(() => document.querySelectorAll(".dial polygon").length), 2);
  await picture(page, "stand-arch");
  await page.click(".views button:has-text('fails at')");
  await until(page, "hinges", () => [...document.querySelectorAll("#labels span")].filter((s) => !s.hidden && s.textContent.startsWith("turns: ")).length === 4);
  assert.ok(![...(await page.locator("#labels span").allTextContents())].some((text) => text.startsWith("slides: ")));
  await picture(page, "stand-arch-fails");
  assert.deepEqual(wrong, []);
  await page.close();
});

test("where it may fall both answers are shown, the one that rests and the one that moves", async () => {
  const file = await answered("wedged", wedged());
  const { page, wrong } = await open(browser, `file://${file}`, { scheme: "dark" });
  assert.match(await page.textContent(".verdict"), /^May fall.*both verified/);
  assert.match(await page.textContent(".views [aria-checked=true]"), /both answers/);
  await until(page, "marks", () => [...document.querySelectorAll("#labels span")].filter((s) => !s.hidden && s.textContent.startsWith("slides: block")).length === 2);
  assert.ok((await page.evaluate(() => window.stiction.position(2)[2])) < 1.9, "the one that moves has moved");
  await picture(page, "stand-may-fall");
  await page.click(".views button:nth-child(2)");
  await until(page, "rest", () => window.stiction.position(2)[2] === 2);
  assert.deepEqual(wrong, []);
  await page.close();
});

/** What a page shows, as numbers of red, green, blue and opacity. */
async function pixels(page, painter) {
  const png = (await page.screenshot()).toString("base64");
  return painter.evaluate(async (png) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    let text = "";
    for (let k = 0; k < data.length; k += 32768) text += String.fromCharCode(...data.subarray(k, k + 32768));
    return { width: image.width, height: image.height, text: btoa(text) };
  }, png);
}

// PICTURE=1 takes the pictures of README and guide again: moments of the demonstration, and one of them.
test("the pictures of README and guide", { skip: !process.env.PICTURE }, async () => {
  const { default: gif } = await import("gifenc");
  const recording = join(folder, "demo.mcap");
  await tool("run", scene("demo.toml"), "--every", "10", "-o", recording);
  await viewing(recording, { hash: "#time=0" }, async (page) => {
    await page.setViewportSize({ width: 900, height: 540 });
    const painter = await browser.newPage();
    const box = await page.locator("#canvas").boundingBox();
    await page.mouse.move(box.x + 0.47 * box.width, box.y + 0.5 * box.height);
    for (let k = 0; k < 5; k += 1) await page.mouse.wheel(0, -120);
    await page.waitForTimeout(500);
    await page.click("#follow");
    await page.mouse.move(box.x + box.width - 3, box.y + box.height / 2);
    const encoder = gif.GIFEncoder();
    const go = (time) =>
      page.evaluate((time) => {
        const slider = document.getElementById("scrub");
        slider.value = String(Math.round((time / 8) * Number(slider.max)));
        slider.dispatchEvent(new Event("input"));
      }, time);
    const frames = 56;
    let [palette, before] = [null, null];
    for (let k = 0; k < frames; k += 1) {
      await go((8 * (k + 1)) / frames);
      await page.waitForTimeout(450);
      const { width, height, text } = await pixels(page, painter);
      const rgba = new Uint8Array(Buffer.from(text, "base64"));
      palette ??= gif.quantize(rgba, 255);
      const index = gif.applyPalette(rgba, palette);
      // What has not changed is clear, and takes little room.
      const clear = palette.length;
      const written = before === null ? index : index.map((x, i) => (x === before[i] ? clear : x));
      encoder.writeFrame(written, width, height, { palette: k === 0 ? [...palette, [0, 0, 0]] : undefined, delay: k === frames - 1 ? 1500 : 130, transparent: k > 0, transparentIndex: clear, dispose: 1 });
      before = index;
    }
    encoder.finish();
    await writeFile(join(ROOT, "docs/images/viewer.gif"), encoder.bytes());
    await painter.close();
  });
  await viewing(recording, { hash: "#time=5" }, async (page) => {
    await clickContact(page);
    await page.waitForTimeout(1000);
    await page.screenshot({ path: join(ROOT, "docs/images/viewer.png") });
  });
});
