/** The server as programs meet it, foreign ones among them: node --test test/server.mjs, with STICTION naming the tool. */

import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";
import { scene, serve } from "./harness.mjs";

let server;

before(async () => {
  server = await serve(scene("tower-tilt.toml"));
});

after(() => server?.stop());

/** Status and headers of a request. */
function ask(path, headers = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: server.port, path, headers }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** A viewer that collects what it gets. */
function viewer(options = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/socket`, options);
  const got = [];
  socket.on("message", (data) => got.push(JSON.parse(String(data))));
  const opened = new Promise((resolve, reject) => {
    socket.on("open", resolve);
    socket.on("error", reject);
    socket.on("unexpected-response", (_, answer) => reject(new Error(String(answer.statusCode))));
  });
  const closed = new Promise((resolve) => socket.on("close", (code, reason) => resolve({ code, reason: String(reason) })));
  return { socket, got, opened, closed };
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(what, test) {
  // Ten minutes: only what never happens takes so long, however busy the machine.
  for (let k = 0; k < 12_000; k += 1) {
    if (test()) return;
    await pause(50);
  }
  assert.fail(`${what}: never happened`);
}

const lastState = ({ got }) => got.findLast((m) => m.type === "state");

/** A viewer that is alone: those of the test before have gone. */
async function alone() {
  const one = viewer();
  await one.opened;
  await until("the others leave", () => lastState(one)?.viewers === 1);
  return one;
}

test("the page says that nothing else may be loaded", async () => {
  const { status, headers } = await ask("/");
  assert.equal(status, 200);
  const policy = headers["content-security-policy"];
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'/);
  assert.ok(policy.includes("frame-ancestors 'none'") && !policy.includes("unsafe"), policy);
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["cache-control"], "no-store");
});

test("foreign hosts and origins are refused, at every route", async () => {
  for (const path of ["/", "/replay", "/socket", "/nothing"]) {
    for (const headers of [
      { Host: "evil.example" },
      { Host: `evil.example:${server.port}` },
      { Host: "127.0.0.1:1" },
      { Origin: "http://evil.example" },
      { Origin: "null" },
      { Origin: `https://127.0.0.1:${server.port}` },
    ]) {
      const { status, text } = await ask(path, headers);
      assert.equal(status, 403, `${path} ${JSON.stringify(headers)}`);
      assert.match(text, /must be one of .*, found /);
    }
  }
  await assert.rejects(viewer({ origin: "http://evil.example" }).opened, /403/);
  await assert.rejects(viewer({ headers: { Host: "evil.example" } }).opened, /403/);
  const own = viewer({ origin: `http://localhost:${server.port}` });
  await own.opened;
  own.socket.close();
});

test("there is no way to a file", async () => {
  for (const path of ["/Cargo.toml", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/index.html", "/scenes/tower-tilt.toml"]) {
    assert.equal((await ask(path)).status, 404, path);
  }
});

test("too long, too many, and bytes close the connection with a reason", async () => {
  const long = viewer();
  await long.opened;
  long.socket.send(JSON.stringify({ type: "play", x: "x".repeat(70_000) }));
  assert.equal((await long.closed).code, 1009);
  const many = viewer();
  await many.opened;
  // Enough for a hundred seconds at the rate that is allowed.
  for (let k = 0; k < 20_000; k += 1) many.socket.send('{"type":"pause"}');
  const { code, reason } = await many.closed;
  assert.deepEqual([code, reason], [1008, "more than 200 messages a second"]);
  const bytes = viewer();
  await bytes.opened;
  bytes.socket.send(Buffer.from([1, 2, 3]));
  assert.equal((await bytes.closed).code, 1003);
});

test("a bad command is answered by what was found", async () => {
  const { socket, got, opened } = viewer();
  await opened;
  const said = () => got.filter((m) => m.type === "error").map((m) => m.message);
  for (const [text, expected] of [
    ['{"type":"fly"}', /unknown variant `fly`/],
    ['{"type":"pull","body":999,"point":[0,0,0],"target":[0,0,0]}', /below 12, found 999/],
    ['{"type":"pull","body":0,"point":[0,0,0],"target":[0,0,0]}', /found plane below/],
    ['{"type":"law","value":"columb"}', /must be one of frictionless.*found "columb"/],
    ['{"type":"method","value":"lemke_reduced"}', /under the law coulomb, found "lemke_reduced"/],
    ["not json", /expected/],
  ]) {
    const before = said().length;
    socket.send(text);
    await until(text, () => said().length > before);
    assert.match(said().at(-1), expected);
  }
  socket.close();
});

test("twenty viewers see the same world; one that does not read holds up nobody", async () => {
  const viewers = Array.from({ length: 20 }, () => viewer());
  await Promise.all(viewers.map((v) => v.opened));
  viewers[0].socket.pause();
  viewers[1].socket.send('{"type":"reset"}');
  viewers[1].socket.send('{"type":"play"}');
  const moments = ({ got }) => got.filter((m) => m.type === "stats");
  await until("sixteen moments for each", () => viewers.slice(1).every((v) => moments(v).length > 15));
  viewers[1].socket.send('{"type":"pause"}');
  await until("all pause", () => viewers.slice(1).every((v) => lastState(v)?.playing === false));
  for (const { got } of viewers.slice(1)) {
    assert.equal(got[0].type, "hello");
    assert.ok(got.some((m) => m.type === "world") && got.some((m) => m.type === "contacts"));
  }
  // The last moment follows the state that it belongs to.
  await until("one world for all", () => new Set(viewers.slice(1).map((v) => moments(v).at(-1).hash)).size === 1);
  assert.equal(lastState(viewers[3]).viewers, 20);
  for (const { socket } of viewers) socket.terminate();
});

test("sixty-four may watch, and no more", async () => {
  const viewers = [await alone(), ...Array.from({ length: 63 }, () => viewer())];
  await Promise.all(viewers.map((v) => v.opened));
  const more = viewer();
  let reason = "";
  more.socket.on("close", (code, words) => (reason = `${code} ${words}`));
  await until("a reason", () => reason !== "");
  assert.equal(reason, "1013 viewers: must be 64 at most, found more");
  for (const { socket } of viewers.slice(1)) socket.terminate();
  await until("the others leave", () => lastState(viewers[0]).viewers === 1);
  const late = viewer();
  await late.opened;
  await until("a frame", () => late.got.some((m) => m.type === "stats"));
  late.socket.close();
  viewers[0].socket.close();
});
