/** The page of `stiction stand -o page.html`: the verdict in words, what can be looked at, the dial of tilt; motions as frames that the slider goes through. */

import { dial } from "./dial.ts";
import type { Frame } from "./frame.ts";
import type { AtEnd, Stats } from "./messages.ts";
import type { Source } from "./sources.ts";
import {
  amount,
  digits,
  frameOf,
  type Joint,
  jointsOf,
  linesOf,
  moved,
  moversOf,
  reachOf,
  type StandData,
  type StandView,
  viewsOf,
} from "./stand.ts";

/** Frames from rest to the full motion, and the one that is shown first. */
const FRAMES = 101;
const FIRST = 55;
/** Way of the fastest point in the last frame, in typical bodies. */
const FARTHEST = 1.3;
/** There and back again [1/s]. */
const BEAT = 0.35;

export class StandSource implements Source {
  readonly live = false;
  readonly name: string;
  readonly count = FRAMES;
  readonly end: AtEnd = "loop";
  readonly until = null;
  readonly views: StandView[];
  playing = false;
  speed = 1;
  index = 0;
  view: StandView;
  joints: Joint[] = [];
  private phase = 0;
  private readonly movers: number[];
  private rest: Frame;
  private by = 0;
  private cache: { index: number; frame: Frame } | null = null;

  constructor(readonly data: StandData) {
    this.name = data.report.scene;
    this.views = viewsOf(data.report);
    this.movers = moversOf(data.report, data.world);
    this.view = this.views[0] ?? { label: "as it is", forces: null, mechanism: null, both: false, lean: null };
    this.rest = frameOf(data, this.view.forces);
  }

  /** Shows a view; `size` is the radius of a typical body, `radii` of each [m]. */
  choose(view: StandView, size: number, radii: readonly number[]): void {
    const { report, world } = this.data;
    this.view = view;
    this.rest = frameOf(this.data, view.forces);
    this.joints = view.mechanism ? jointsOf(report, view.mechanism, world) : [];
    const reach = view.mechanism ? reachOf(view.mechanism, radii, this.movers, report.planar) : 0;
    this.by = reach > 0 ? (FARTHEST * size) / reach : 0;
    this.cache = null;
    this.seek(view.mechanism ? FIRST : 0);
  }

  /** Where everything is at rest. */
  get poses0(): Float32Array {
    return this.rest.bodies;
  }

  /** Instead of a time. */
  get said(): string {
    return this.view.mechanism ? `motion ${this.index} %` : "at rest";
  }

  frame(): Frame {
    if (this.index === 0 || !this.view.mechanism) return this.rest;
    if (this.cache?.index !== this.index) {
      const by = (this.by * this.index) / (FRAMES - 1);
      const bodies = moved(this.rest.bodies, this.view.mechanism, this.movers, { by, planar: this.data.report.planar });
      // Forces are those of rest: they are not drawn where bodies have moved.
      this.cache = { index: this.index, frame: { ...this.rest, bodies, contacts: null } };
    }
    return this.cache.frame;
  }

  poses(): null {
    return null;
  }

  series(): Stats[] {
    return [];
  }

  advance(seconds: number): boolean {
    if (!this.playing) return false;
    this.phase = (this.phase + BEAT * this.speed * seconds) % 1;
    const index = Math.round((FRAMES - 1) * Math.sin(Math.PI * this.phase) ** 2);
    const isNew = index !== this.index;
    this.index = index;
    return isNew;
  }

  play(on: boolean): void {
    this.playing = on && this.view.mechanism !== null;
    if (on) this.phase = Math.asin(Math.sqrt(this.index / (FRAMES - 1))) / Math.PI;
  }

  step(by: 1 | -1): void {
    this.playing = false;
    this.seek(this.index + 5 * by);
  }

  seek(index: number): void {
    this.playing = false;
    this.index = Math.min(Math.max(index, 0), FRAMES - 1);
  }

  reset(): void {
    this.seek(0);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
  }

  /** A motion goes there and back for ever. */
  setEnd(): void {}
}

const VERDICT = { stands: "Stands", falls: "Falls", may_fall: "May fall", undecided: "Undecided" } as const;

function make(tag: string, text = "", className = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** Fills the panel of a verdict; a click on a view chooses it. */
export function fillVerdict(parent: HTMLElement, source: StandSource, choose: (view: StandView) => void): void {
  const { report, words } = source.data;
  const [, head, ...rest] = linesOf(words);
  const title = make("div", "", `verdict ${report.verdict}`);
  title.append(make("strong", report.balances ? "Balances" : VERDICT[report.verdict]), make("span", head?.[1] ?? report.reason ?? ""));
  const buttons = make("div", "", "views");
  buttons.setAttribute("role", "radiogroup");
  buttons.setAttribute("aria-label", "what is shown");
  for (const view of source.views) {
    const button = make("button", view.label);
    button.setAttribute("role", "radio");
    button.addEventListener("click", () => choose(view));
    buttons.append(button);
  }
  parent.replaceChildren(title, buttons, ...margins(source), ...region(source), lines(rest));
}

/** Marks the view that is shown. */
export function markView(parent: HTMLElement, source: StandSource): void {
  parent.querySelectorAll(".views button").forEach((button, k) => button.setAttribute("aria-checked", String(source.views[k] === source.view)));
}

/** Margins as bars: found within what is proved. */
function margins({ data }: StandSource): HTMLElement[] {
  const rows = data.report.margins.filter((m) => m.low !== null);
  if (rows.length === 0) return [];
  const box = make("section", "", "margins");
  box.append(make("h2", "Margins"));
  for (const margin of rows) {
    const row = make("div", "", "margin");
    const low = margin.low ?? 0;
    const found = margin.found?.rests ?? null;
    const text = found !== null && found < 0.999 * low ? `found ${amount(margin, found)}, impossible beyond ${amount(margin, margin.high)}` : amount(margin, margin.low);
    row.append(make("span", `${margin.kind} ${margin.name}`), make("b", text));
    row.append(make("small", margin.high === null ? "at least: where it ends is not proved" : `impossible beyond ${amount(margin, margin.high)}, proved: the two ends differ by ${digits(margin.high - low)}`, "faint"));
    box.append(row);
  }
  return [box];
}

function region({ data }: StandSource): HTMLElement[] {
  const { region: found } = data.report;
  if (!found || found.inner.length < 3) return [];
  const box = make("section", "", "region");
  box.append(make("h2", "How far gravity may lean"));
  box.append(dial(found, data.report.margins));
  const key = make("p", "", "faint");
  for (const [name, text] of [["stands", "forces proved"], ["open", "between the proofs"], ["falls", "falls, proved"]] as const) {
    const item = make("span", "", "item");
    item.append(make("i", "", name), text);
    key.append(item);
  }
  box.append(key);
  return [box];
}

/** The report as the tool prints it. */
function lines(rest: [string, string][]): HTMLElement {
  const box = make("section", "", "lines");
  box.append(make("h2", "In words"));
  const list = make("dl");
  for (const [name, text] of rest) {
    // What goes on from the line before stands below it.
    const last = list.lastElementChild;
    if (name === "" && last) last.append(make("br"), text);
    else list.append(make("dt", name), make("dd", text));
  }
  box.append(list);
  return box;
}
