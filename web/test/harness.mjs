/** What the browser tests share: the tool as a server, a browser, and a look at what is drawn. */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const STICTION = process.env.STICTION ?? join(ROOT, "target/release/stiction");

/** Where the pictures that tests take are left. */
const PICTURES = join(ROOT, "target/pictures");
mkdirSync(PICTURES, { recursive: true });

/** Only what never happens takes so long, however busy the machine [ms]. */
const PATIENCE = Number(process.env.PATIENCE ?? 600_000);

export function scene(name) {
  return join(ROOT, "scenes", name);
}

/** The tool with some arguments, to its end. */
export function tool(...line) {
  return new Promise((resolve, reject) => {
    const child = spawn(STICTION, line, { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve(said) : reject(new Error(`stiction ${line.join(" ")}: ${code}: ${said}`))));
  });
}

/** `stiction view` on a free port; `stop` ends it. */
export function serve(file, ...options) {
  return new Promise((resolve, reject) => {
    const child = spawn(STICTION, ["view", file, "--port", "0", ...options], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stderr.on("data", (text) => (said += text));
    child.stdout.on("data", (text) => {
      said += text;
      const found = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(said);
      if (found) resolve({ url: found[0], port: Number(found[1]), stop: () => child.kill() });
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`stiction view ${file}: ${code}: ${said}`)));
  });
}

export async function launch() {
  const names = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const executablePath = names.find((name) => name && existsSync(name));
  return chromium.launch({
    executablePath,
    // Drawn by the processor: test machines have no other.
    args: [
      "--no-sandbox",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--ignore-gpu-blocklist",
      // A page that a test gives in place of the server's own counts as one from elsewhere.
      ...(process.env.PAGE ? ["--disable-features=LocalNetworkAccessChecks"] : []),
    ],
  });
}

/** A page that notes what it must not do: errors, and requests to elsewhere. */
export async function open(browser, url, { scheme = "light", phone = false } = {}) {
  const size = phone ? { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } : { viewport: { width: 1366, height: 768 } };
  const page = await browser.newPage({ ...size, colorScheme: scheme });
  // PAGE names a built page to be tested in place of the tool's own.
  const { PAGE } = process.env;
  const isPage = ({ pathname, protocol }) => protocol === "http:" && pathname === "/";
  if (PAGE) await page.route(isPage, (route) => route.fulfill({ body: readFileSync(PAGE, "utf8"), contentType: "text/html; charset=utf-8" }));
  const wrong = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && isOurs(message.text()) && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.stack ?? error.message));
  page.on("request", (request) => {
    const to = request.url();
    if (!to.startsWith(url.split("#")[0]) && !to.startsWith("data:") && !to.startsWith("blob:")) wrong.push(`request to ${to}`);
  });
  await page.goto(url, { timeout: PATIENCE });
  await page.waitForSelector("html[data-ready]", { timeout: PATIENCE });
  return { page, wrong };
}

/** Leaves a picture of the page in target/pictures for whoever wants to look. */
export async function picture(page, name) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** Chromium tells of its own drawing by the processor. */
function isOurs(text) {
  return !/GPU stall|swiftshader|software WebGL|GL Driver Message/i.test(text);
}

export const look = (page) => page.evaluate(() => ({ ...window.stiction.frame(), rate: window.stiction.rate(), quality: window.stiction.quality() }));

/** Waits until something holds of the page. */
export async function until(page, what, test, argument) {
  try {
    await page.waitForFunction(test, argument, { timeout: PATIENCE });
  } catch (error) {
    throw new Error(`${what}: never happened; ${JSON.stringify(await look(page))}; notice: ${await page.textContent("#notice")}`, { cause: error });
  }
}

/** The picture in 24 × 16 patches, or as many as are requested: mean brightness of each, 0 to 255. */
export function patches(page, width = 24, height = 16) {
  return page.evaluate(
    async ({ width, height }) => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      // What is drawn lasts as long as this task.
      window.stiction.draw();
      const small = Object.assign(document.createElement("canvas"), { width, height });
      const pen = small.getContext("2d", { willReadFrequently: true });
      pen.imageSmoothingQuality = "high";
      pen.drawImage(document.getElementById("canvas"), 0, 0, width, height);
      const { data } = pen.getImageData(0, 0, width, height);
      return Array.from({ length: width * height }, (_, i) => Math.round((data[4 * i] + data[4 * i + 1] + data[4 * i + 2]) / 3));
    },
    { width, height },
  );
}

export const mean = (all) => all.reduce((sum, x) => sum + x, 0) / all.length;

export const spread = (all) => Math.sqrt(mean(all.map((x) => (x - mean(all)) ** 2)));

export const difference = (a, b) => mean(a.map((x, i) => Math.abs(x - b[i])));

/** How many patches differ by more than 12 grey levels. */
export const changed = (a, b) => a.filter((x, i) => Math.abs(x - b[i]) > 12).length;
