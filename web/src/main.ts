/** The viewer: a live world or a recording, its controls and panels. */

import * as THREE from "three";
import "./style.css";
import { Charts } from "./charts.ts";
import type { Contact, Frame } from "./frame.ts";
import { Labels } from "./labels.ts";
import type { AtEnd, Explained, Running } from "./messages.ts";
import { element, fillHelp, legend, pairKey, PairTable, scaleBar, showBody, showContact, showNothing, showPair } from "./panel.ts";
import { type Packed, Replay } from "./replay.ts";
import { ropesOf, wayOf } from "./ropes.ts";
import { Live, Recorded, type Source } from "./sources.ts";
import { Stage } from "./stage.ts";
import type { StandData, StandView } from "./stand.ts";
import { fillVerdict, markView, StandSource } from "./stand-page.ts";
import { DARK, LIGHT, type Theme } from "./theme.ts";
import { marginsOf, type Pair, ranked } from "./why.ts";
import { figure } from "./words.ts";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
/** Least time between two drawings of the panels [ms]. */
const PANEL_EVERY = 200;
/** Pixels that a pointer may move and still click. */
const CLICK_TOLERANCE_PX = 4;
/** Least time between two messages of a pull, and the longest that one waits for the world to answer the last [ms]. */
const PULL_EVERY = 30;
const PULL_LATEST = 1000;
/** Least time between two looks for what is under the pointer [ms]. */
const HOVER_EVERY = 60;
/** A step that takes longer than this is told of [s]; so is a world that is slower than this part of the time requested. */
const LONG_STEP = 0.6;
const TOO_SLOW = 0.9;
const ENDS: Record<AtEnd, string> = { stop: "stop", loop: "restart", go_on: "go on" };
const TABS = ["stand", "why", "charts", "run"] as const;
/** What can be shown or not, with its key. */
const CHOICES = { forces: "f", cones: "c", points: "p", thrust: "u", joints: "j", names: "l" } as const;
type Choice = keyof typeof CHOICES;

/** `#time=1.5&theme=dark&ui=off`: how the page starts. */
const wanted = new URLSearchParams(location.hash.slice(1));

class Viewer {
  private theme: Theme;
  private readonly stage: Stage;
  private readonly charts: Charts;
  private readonly labels: Labels;
  private readonly pairTable = new PairTable(element("pair-list"), (key) => this.selectPair(key));
  private source: Source | null = null;
  private frame: Frame | null = null;
  private body = -1;
  private contact: Contact | null = null;
  /** The two bodies that are selected together. */
  private pair: string | null = null;
  /** The pair and step last asked about, and the answer. */
  private asked = "";
  private answer: Explained | null = null;
  private hoverAt = 0;
  private last = 0;
  private panelAt = 0;
  private stale = true;
  private pictures: number[] = [];
  private pull: { body: number; point: THREE.Vector3; target: THREE.Vector3; sent: number; step: number; late?: number | undefined } | null = null;
  private pressedAt: [number, number] | null = null;
  private noticeUntil = 0;

  constructor() {
    this.theme = this.firstTheme();
    this.stage = new Stage(element<HTMLCanvasElement>("canvas"), this.theme);
    this.labels = new Labels(element("labels"));
    this.charts = new Charts(element("chart-list"), (time) => this.seekTime(time));
    this.useTheme(this.theme);
    for (const speed of SPEEDS) element("speed").append(new Option(`${speed} ×`, String(speed)));
    element<HTMLSelectElement>("speed").value = "1";
    this.listen();
    if (wanted.get("ui") === "off") document.body.classList.add("bare");
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Tests and tools look in here. */
  readonly probe = {
    pixel: (body: number) => this.stage.bodyPixel(body),
    bodyAt: (x: number, y: number) => this.stage.bodyAt(x, y)?.body ?? -1,
    contacts: () => this.contactPixels(),
    position: (body: number) => Array.from(this.frame?.bodies.subarray(body * 9, body * 9 + 3) ?? []),
    frame: () => ({ time: this.frame?.time ?? -1, step: this.frame?.step ?? -1, index: this.source?.index ?? -1, count: this.source?.count ?? 0 }),
    stats: () => this.frame?.stats ?? null,
    bodies: () => this.frame?.world.bodies.map((b) => b.name) ?? [],
    ropes: () => this.ropePixels(),
    joints: () => this.frame?.world.joints.filter((j) => j.frames).map((j) => j.name) ?? [],
    pairs: () => (this.frame ? ranked(this.stage.pairs(this.frame)) : []),
    scale: () => this.stage.scale,
    view: () => ({ target: this.stage.view.controls.target.toArray(), following: this.stage.view.following }),
    rate: () => this.rate(),
    draw: () => {
      this.stage.redraw();
      this.stage.render(performance.now());
    },
    quality: () => this.stage.qualityNow,
  };

  private contactPixels(): { x: number; y: number; state: string; force: number }[] {
    const contacts = this.frame?.contacts;
    return Array.from({ length: contacts?.count ?? 0 }, (_, i) => {
      const c = contacts?.get(i);
      const [x, y] = this.stage.pixel(new THREE.Vector3(...(c?.point ?? [0, 0, 0])));
      return { x, y, state: c?.state ?? "", force: c?.normalForce ?? 0 };
    });
  }

  private ropePixels(): { name: string; taut: boolean; pixels: [number, number][] }[] {
    const { frame } = this;
    if (!frame) return [];
    return ropesOf(frame.world).map((rope) => {
      const { points, taut } = wayOf(rope, frame.bodies);
      return { name: rope.name, taut, pixels: points.map((p) => this.stage.pixel(new THREE.Vector3(...p))) };
    });
  }

  private firstTheme(): Theme {
    const asked = wanted.get("theme");
    if (asked) return asked === "dark" ? DARK : LIGHT;
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", () => this.useTheme(system.matches ? DARK : LIGHT));
    return system.matches ? DARK : LIGHT;
  }

  private useTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset["theme"] = theme.dark ? "dark" : "light";
    this.stage.setTheme(theme);
    this.drawLegend();
    this.stale = true;
  }

  private drawLegend(): void {
    const { frame } = this;
    const kinds = new Set(frame?.world.bodies.map((b) => b.kind));
    const hasRopes = frame !== null && ropesOf(frame.world).length > 0;
    legend(element("legend"), this.theme, { kinds, hasRopes, hasThrust: this.stage.shown.thrust });
  }

  begin(source: Source): void {
    this.source = source;
    element("waiting").hidden = true;
    element("tab-run").hidden = !source.live;
    const ends: AtEnd[] = source.live ? ["stop", "loop", "go_on"] : ["stop", "loop"];
    element("end").replaceChildren(...ends.map((end) => new Option(ENDS[end], end)));
    element("source").textContent = source.live ? "live" : "recorded";
    fillHelp(element<HTMLDialogElement>("help"), source.live);
    showNothing(element("selected"), source.live);
    if (source instanceof Recorded) {
      this.stage.samples = source.samples();
      const time = Number(wanted.get("time") ?? 0);
      if (Number.isFinite(time)) source.seekTime(time);
      const every = source.every[1];
      if (every > 1) this.notice(`long recording: contacts of one frame in ${every} are kept`, false);
      if (!wanted.has("time")) source.play(true);
    }
    this.refresh();
    if (source instanceof StandSource) this.beginStand(source);
  }

  /** The answer of `stiction stand`: the verdict first, thrust in place of arrows. */
  private beginStand(source: StandSource): void {
    element("source").textContent = "stand";
    element("tab-stand").hidden = false;
    element("tab-charts").hidden = true;
    element("ends").hidden = true;
    const shown: Partial<Record<Choice, boolean>> = { thrust: true, forces: false, points: false };
    for (const [what, on] of Object.entries(shown)) {
      const box = element<HTMLInputElement>(`show-${what}`);
      if (box.checked !== on) box.click();
    }
    const choose = (view: StandView) => {
      const { size, radii } = this.stage.sizes;
      source.choose(view, size, radii);
      this.stage.setMechanism({ rest: source.poses0, joints: source.joints, both: view.both, lean: view.lean });
      markView(element("panel-stand"), source);
      this.refresh();
    };
    fillVerdict(element("panel-stand"), source, choose);
    this.openTab("stand");
    choose(source.view);
  }

  notice(text: string, bad: boolean, lasting = false): void {
    const box = element("notice");
    box.textContent = text;
    box.className = bad ? "bad" : "";
    box.hidden = text === "";
    this.noticeUntil = lasting ? Infinity : performance.now() + 6000;
  }

  /** What the server says of its world. */
  running(state: Running): void {
    const live = this.source instanceof Live ? this.source : null;
    const laws = live?.laws ?? [];
    options("law", laws.map((l) => l.name), state.law);
    const methods = laws.find((l) => l.name === state.law)?.methods ?? [];
    options("method", ["chosen", ...methods], state.method ?? "chosen");
    const friction = element<HTMLInputElement>("friction");
    if (document.activeElement !== friction) friction.value = state.friction === null ? "" : String(state.friction);
    element<HTMLSelectElement>("speed").value = String(state.speed);
    element<HTMLSelectElement>("end").value = state.end;
    this.drawPlay();
    if (state.failed !== null) this.notice(state.failed, true, true);
    else if (state.ended) this.notice(`The scene's ${figure(state.duration)} s are over: press play to restart; change this under “At the end”.`, false, true);
    else if (this.noticeUntil === Infinity) this.notice("", false);
    this.stale = true;
  }

  /** Says that the world is behind, or that a step takes long: pictures go on meanwhile. */
  private sayPace(): void {
    const source = this.source;
    let words = "";
    if (source instanceof Live && source.playing && source.state) {
      const { pace, speed } = source.state;
      const asked = speed === 1 ? "real time" : "requested";
      if (source.waited > LONG_STEP) words = `a step takes long: ${source.waited.toFixed(1)} s so far`;
      else if (pace > 0 && pace < TOO_SLOW * speed) words = `slower than ${asked} ×${figure(speed / pace, 2)}`;
    }
    const box = element("pace");
    box.hidden = words === "";
    say("pace", words);
  }

  private seekTime(time: number): void {
    const source = this.source;
    if (source instanceof Recorded) {
      source.play(false);
      source.seekTime(time);
    } else if (source) {
      const index = source.series().findIndex((s) => s.time >= time);
      source.seek(index < 0 ? source.count - 1 : index + source.count - source.series().length);
    }
    this.refresh();
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const seconds = Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    if (this.source?.advance(seconds)) this.refresh();
    else this.showBetween();
    this.stage.follow(seconds);
    if (this.stage.render(now)) {
      this.pictures.push(now);
      this.labels.show(document.body.classList.contains("bare") ? [] : this.stage.labels());
      scaleBar(element("scale"), this.stage.hasArrows ? this.stage.scale : null);
    }
    if (now - this.panelAt > PANEL_EVERY) this.sayPace();
    while ((this.pictures[0] ?? now) < now - 1000) this.pictures.shift();
    if (now > this.noticeUntil) this.notice("", false);
    if (this.stale && now - this.panelAt > PANEL_EVERY) {
      this.panelAt = now;
      this.stale = false;
      this.drawPanels();
    }
  }

  private drawPlay(): void {
    const playing = this.source?.playing ?? false;
    element("play").classList.toggle("playing", playing);
    element("play").setAttribute("aria-pressed", String(playing));
  }

  private rate(): number {
    return this.pictures.length;
  }

  /** What moves is drawn where it is between two moments. */
  private showBetween(): void {
    const poses = this.frame && this.source?.playing ? this.source.poses() : null;
    if (poses && this.frame) this.stage.show(this.frame, poses);
  }

  /** Shows the source's frame. */
  private refresh(): void {
    const frame = this.source?.frame();
    if (!frame) return;
    const entered = this.frame?.world !== frame.world;
    this.frame = frame;
    if (entered) this.drawLegend();
    this.followContact(frame);
    this.stage.show(frame, this.source?.poses() ?? null);
    this.drawPullLine();
    this.stale = true;
    document.documentElement.dataset["ready"] = "yes";
  }

  /** The contact of the same two bodies that is nearest to the one selected. */
  private followContact(frame: Frame): void {
    this.stage.selectedContact = -1;
    const wantedContact = this.contact;
    if (!wantedContact || !frame.contacts) return;
    let least = Infinity;
    for (let i = 0; i < frame.contacts.count; i += 1) {
      const c = frame.contacts.get(i);
      if (c.a !== wantedContact.a || c.b !== wantedContact.b) continue;
      const distance = Math.hypot(...c.point.map((x, k) => x - (wantedContact.point[k] ?? 0)));
      if (distance < least) [least, this.stage.selectedContact, this.contact] = [distance, i, c];
    }
  }

  private drawPanels(): void {
    const { source, frame } = this;
    if (!source || !frame) return;
    const { world } = frame;
    say("name", source.name);
    if (!document.title.startsWith(source.name)) document.title = `${source.name} · stiction`;
    const moving = world.bodies.filter((b) => b.kind === "dynamic").length;
    const step = source instanceof StandSource ? "" : `step ${frame.step}`;
    const facts = [world.law, world.method ?? "", `${moving} ${moving === 1 ? "body" : "bodies"}`, step];
    say("facts", facts.filter((x) => x !== "").join(" · "));
    say("rate", source.playing && this.rate() > 1 ? `${this.rate()} fps` : "");
    say("contact-count", contactWords(frame));
    say("time", source instanceof StandSource ? source.said : `${frame.time.toFixed(3)}${source.until === null ? "" : ` / ${figure(source.until)}`} s`);
    this.drawPlay();
    const scrub = element<HTMLInputElement>("scrub");
    scrub.max = String(Math.max(0, source.count - 1));
    scrub.value = String(source.index);
    this.charts.draw(source.series(), frame.time, this.theme);
    this.drawWhy(frame);
  }

  private drawWhy(frame: Frame): void {
    if (element("panel-why").hidden) return;
    const pairs = this.stage.pairs(frame);
    const panel = element("selected");
    const pair = pairs.find((p) => pairKey(p) === this.pair);
    const key = this.contact ? pairKey(this.contact) : this.pair;
    if (this.contact && this.stage.selectedContact >= 0) showContact(panel, frame, this.contact, this.theme);
    else if (this.contact) panel.replaceChildren("This contact is gone.");
    else if (pair) showPair(panel, frame, pair, { margins: marginsOf(pair, pairs, frame), explained: this.explainedOf(frame, pair), theme: this.theme });
    else if (this.pair) panel.replaceChildren("These two no longer touch.");
    else if (this.body >= 0) showBody(panel, frame, this.body);
    else if (!panel.querySelector(".nothing")) showNothing(panel, this.source?.live ?? false);
    const own = this.body >= 0 && !this.pair ? pairs.filter((p) => p.a === this.body || p.b === this.body) : pairs;
    this.pairTable.show(frame, ranked(own), { selected: key ?? "", theme: this.theme });
  }

  /** What the server knows of a pair, requested while the world waits. */
  private explainedOf(frame: Frame, pair: Pair): Explained["pair"] {
    const live = this.live();
    if (!live || live.playing || live.index !== live.count - 1) return null;
    const key = `${pairKey(pair)} ${frame.step}`;
    if (this.asked !== key) {
      this.asked = key;
      live.send({ type: "why", a: pair.a, b: pair.b });
    }
    const { answer } = this;
    return answer && `${pairKey(answer)} ${answer.step}` === key ? answer.pair : null;
  }

  /** The server's answer to that. */
  explained(answer: Explained): void {
    this.answer = answer;
    this.panelAt = 0;
    this.stale = true;
  }

  /** Two bodies together: their forces as one; none where they were chosen already. */
  private selectPair(key: string): void {
    const again = this.pair === key;
    this.selectBody(-1);
    this.pair = again ? null : key;
    this.panelAt = 0;
    this.stage.redraw();
  }

  private selectContact(index: number): void {
    this.contact = index >= 0 ? (this.frame?.contacts?.get(index) ?? null) : null;
    this.stage.selectedContact = index;
    this.selectBody(-1, true);
    this.openTab("why");
  }

  private selectBody(body: number, keepContact = false): void {
    if (!keepContact) {
      this.contact = null;
      this.stage.selectedContact = -1;
    }
    this.body = body;
    this.pair = null;
    this.stage.selectBody(body);
    this.stale = true;
  }

  /** The next contact that carries something, for those who do not click. */
  private nextContact(by: 1 | -1): void {
    const contacts = this.frame?.contacts;
    if (!contacts || contacts.count === 0) return;
    let i = this.stage.selectedContact;
    for (let tried = 0; tried < contacts.count; tried += 1) {
      i = (i + by + contacts.count) % contacts.count;
      if (contacts.state(i) !== 0) break;
    }
    this.selectContact(i);
  }

  private listen(): void {
    const click = (id: string, act: () => void) => element(id).addEventListener("click", () => (act(), this.refresh()));
    click("play", () => this.source?.play(!this.source.playing));
    click("step", () => this.source?.step(1));
    click("back", () => this.source?.step(-1));
    click("reset", () => this.source?.reset());
    element("fit").addEventListener("click", (event) => this.stage.fit(event.shiftKey));
    click("follow", () => this.setFollowing(!this.stage.view.following));
    click("theme", () => this.useTheme(this.theme.dark ? LIGHT : DARK));
    click("help-button", () => element<HTMLDialogElement>("help").showModal());
    click("friction-scene", () => this.live()?.send({ type: "friction", value: null }));
    const change = (id: string, act: (value: string) => void) =>
      element<HTMLInputElement>(id).addEventListener("change", (event) => {
        const target = event.target as HTMLInputElement | HTMLSelectElement;
        act(target.value);
        // The keys are the picture's again: a list would answer to the space bar by itself.
        if (target instanceof HTMLSelectElement) target.blur();
      });
    change("speed", (value) => this.source?.setSpeed(Number(value)));
    change("end", (value) => this.source?.setEnd(value as AtEnd));
    change("law", (value) => this.live()?.send({ type: "law", value }));
    change("method", (value) => this.live()?.send({ type: "method", value: value === "chosen" ? null : value }));
    change("friction", (value) => this.live()?.send({ type: "friction", value: value === "" ? null : Number(value) }));
    element("scrub").addEventListener("input", (event) => {
      if (this.source instanceof Recorded) this.source.play(false);
      this.source?.seek(Number((event.target as HTMLInputElement).value));
      this.refresh();
    });
    for (const what of Object.keys(CHOICES) as Choice[]) {
      element<HTMLInputElement>(`show-${what}`).addEventListener("change", (event) => {
        this.stage.setShown(what, (event.target as HTMLInputElement).checked);
        this.drawLegend();
        this.stage.redraw();
      });
    }
    for (const tab of TABS) element(`tab-${tab}`).addEventListener("click", () => this.openTab(tab, true));
    this.listenToPointer();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** Opens a panel; on a phone the same again closes it. */
  private openTab(wantedTab: (typeof TABS)[number], byHand = false): void {
    const side = element("side");
    const isOpen = element(`tab-${wantedTab}`).getAttribute("aria-selected") === "true";
    side.classList.toggle("open", !(byHand && isOpen && side.classList.contains("open")));
    for (const tab of TABS) {
      element(`tab-${tab}`).setAttribute("aria-selected", String(tab === wantedTab));
      element(`panel-${tab}`).hidden = tab !== wantedTab;
    }
    this.panelAt = 0;
    this.stale = true;
  }

  private setFollowing(on: boolean): void {
    this.stage.view.following = on;
    element("follow").setAttribute("aria-pressed", String(on));
  }

  private live(): Live | null {
    return this.source instanceof Live ? this.source : null;
  }

  private listenToPointer(): void {
    const canvas = element("canvas");
    // Before the camera's own: a body that is pulled does not turn the view.
    canvas.addEventListener("pointerdown", (event) => this.press(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => (this.drag(event), this.hover(event)));
    canvas.addEventListener("pointerleave", () => this.stage.hover(-1));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => this.letGo(event as PointerEvent));
    }
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0 || !event.isPrimary) return;
    this.pressedAt = [event.clientX, event.clientY];
    const hit = event.shiftKey ? null : this.stage.bodyAt(event.clientX, event.clientY);
    const kind = hit ? this.frame?.world.bodies[hit.body]?.kind : undefined;
    if (!this.live() || !hit || kind !== "dynamic") return;
    this.stage.orbiting = false;
    (event.target as HTMLElement).setPointerCapture(event.pointerId);
    this.pull = { body: hit.body, point: this.stage.inBody(hit.body, hit.point), target: hit.point, sent: 0, step: -1 };
  }

  /** The body under the pointer is named. */
  private hover(event: PointerEvent): void {
    if (event.buttons > 0 || event.pointerType === "touch" || event.timeStamp < this.hoverAt + HOVER_EVERY) return;
    this.hoverAt = event.timeStamp;
    this.stage.hover(this.stage.bodyAt(event.clientX, event.clientY)?.body ?? -1);
  }

  private drag(event: PointerEvent): void {
    const { pull, pressedAt } = this;
    if (!pull || !pressedAt || !this.frame) return;
    const moved = Math.hypot(event.clientX - pressedAt[0], event.clientY - pressedAt[1]) > CLICK_TOLERANCE_PX;
    if (!moved && pull.sent === 0) return;
    pull.target = this.stage.dragTo(event.clientX, event.clientY, this.stage.inWorld(pull.body, pull.point));
    if (pull.sent === 0) pull.sent = event.timeStamp - PULL_LATEST;
    this.sendPullInTime();
    this.drawPullLine();
  }

  /** The last place of the pointer counts. It is sent when the world has made a step since the last was: one that is slow is not asked for more than it can do. */
  private sendPullInTime(): void {
    const { pull } = this;
    if (!pull || pull.late) return;
    const passed = performance.now() - pull.sent;
    const answered = pull.step !== (this.frame?.step ?? -1);
    if (passed >= (answered ? PULL_EVERY : PULL_LATEST)) this.sendPull();
    else {
      pull.late = setTimeout(() => {
        if (this.pull !== pull) return;
        pull.late = undefined;
        this.sendPullInTime();
      }, PULL_EVERY);
    }
  }

  private sendPull(): void {
    if (!this.pull) return;
    this.pull.sent = performance.now();
    this.pull.step = this.frame?.step ?? -1;
    const planar = this.frame?.world.planar ?? false;
    const point = this.pull.point.clone();
    if (planar) point.z = 0;
    this.live()?.send({ type: "pull", body: this.pull.body, point: point.toArray(), target: this.pull.target.toArray() });
  }

  private drawPullLine(): void {
    const { pull } = this;
    this.stage.setPullLine(pull && pull.sent > 0 ? [this.stage.inWorld(pull.body, pull.point), pull.target] : null);
  }

  private letGo(event: PointerEvent): void {
    const { pull, pressedAt } = this;
    if (pull) {
      if (pull.sent > 0) this.live()?.send({ type: "release" });
      this.pull = null;
      this.stage.orbiting = true;
      this.drawPullLine();
    }
    this.pressedAt = null;
    if (!pressedAt || Math.hypot(event.clientX - pressedAt[0], event.clientY - pressedAt[1]) > CLICK_TOLERANCE_PX) return;
    const contact = this.stage.contactAt(event.clientX, event.clientY);
    if (contact >= 0) this.selectContact(contact);
    else this.selectBody(this.stage.bodyAt(event.clientX, event.clientY)?.body ?? -1);
    this.stage.redraw();
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input[type=number], select")) return;
    // What has the focus answers to its own keys; so does a dialog that is open.
    if (target.closest("dialog[open]") || (event.key === " " && target.matches("button, input"))) return;
    const act = this.keys(event.shiftKey)[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
    this.refresh();
  }

  private keys(shift: boolean): Record<string, () => void> {
    const { source, stage } = this;
    const toggles = Object.entries(CHOICES).map(([what, key]) => [key, () => element(`show-${what}`).click()]);
    const nextEnd = () => {
      const list = element<HTMLSelectElement>("end");
      list.selectedIndex = (list.selectedIndex + 1) % list.options.length;
      source?.setEnd(list.value as AtEnd);
    };
    const speed = (by: number) => {
      const at = SPEEDS.findIndex((s) => s >= (source?.speed ?? 1));
      const next = SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)] ?? 1;
      source?.setSpeed(next);
      element<HTMLSelectElement>("speed").value = String(next);
    };
    const stretch = (by: number) => {
      stage.stretch = Math.min(Math.max(stage.stretch * by, 0.01), 100);
      stage.redraw();
    };
    return {
      " ": () => source?.play(!source.playing),
      ArrowRight: () => source?.step(1),
      ArrowLeft: () => source?.step(-1),
      r: () => source?.reset(),
      "+": () => speed(1),
      "=": () => speed(1),
      "-": () => speed(-1),
      ...Object.fromEntries(toggles),
      e: nextEnd,
      v: () => this.setFollowing(!stage.view.following),
      "[": () => stretch(1 / 1.3),
      "]": () => stretch(1.3),
      n: () => this.nextContact(1),
      b: () => this.nextContact(-1),
      Escape: () => this.selectBody(-1),
      Home: () => stage.fit(shift),
      m: () => document.body.classList.toggle("bare"),
      t: () => this.useTheme(this.theme.dark ? LIGHT : DARK),
      "?": () => element<HTMLDialogElement>("help").showModal(),
    };
  }
}

/** Sets a text where it is another: what does not change is not drawn again. */
function say(id: string, text: string): void {
  const place = element(id);
  if (place.textContent !== text) place.textContent = text;
}

function contactWords(frame: Frame): string {
  const counts = [0, 0, 0];
  for (let i = 0; i < (frame.contacts?.count ?? 0); i += 1) {
    const state = frame.contacts?.state(i) ?? 0;
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return frame.contacts ? `${counts[1]} stick, ${counts[2]} slide` : "none recorded here";
}

/** Makes a list's options those named, unless they are already. */
function options(id: string, names: string[], chosen: string): void {
  const list = element<HTMLSelectElement>(id);
  if (Array.from(list.options, (o) => o.value).join() !== names.join()) {
    list.replaceChildren(...names.map((name) => new Option(name.replaceAll("_", " "), name)));
  }
  if (document.activeElement !== list) list.value = chosen;
}

async function start(): Promise<void> {
  const viewer = new Viewer();
  Object.assign(window, { stiction: viewer.probe });
  const waiting = element("waiting");
  try {
    const answer = document.getElementById("stiction-stand");
    if (answer) {
      viewer.begin(new StandSource(JSON.parse(answer.textContent) as StandData));
      return;
    }
    const inside = document.getElementById("stiction-replay");
    if (inside) {
      viewer.begin(new Recorded(await Replay.read(JSON.parse(inside.textContent) as Packed)));
      return;
    }
    if (!location.protocol.startsWith("http")) throw new Error("this page holds no replay");
    const found = await fetch("replay");
    if (found.status === 200) {
      viewer.begin(new Recorded(await Replay.read((await found.json()) as Packed)));
      return;
    }
    if (found.status !== 204) throw new Error(await found.text());
    connect(viewer);
  } catch (error) {
    waiting.hidden = false;
    waiting.textContent = error instanceof Error ? error.message : String(error);
  }
}

function connect(viewer: Viewer): void {
  const socket = new WebSocket(`ws://${location.host}/socket`);
  const live = new Live(socket, {
    running: (state) => viewer.running(state),
    notice: (text, bad) => viewer.notice(text, bad),
    explained: (answer) => viewer.explained(answer),
    closed: (reason) => viewer.notice(reason, true, true),
  });
  socket.addEventListener("open", () => viewer.begin(live));
}

void start();
