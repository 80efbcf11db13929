/** What stands beside the picture: legend, the selected body or contact, shortcuts. */

import { BODY_WORDS, type Contact, type Frame, isTurned, turned } from "./frame.ts";
import { jointRows } from "./joints.ts";
import type { Body, Explained, State } from "./messages.ts";
import { bar } from "./scale.ts";
import { bodyColour, css, shareColour, shareGradient, stateColour, type Theme } from "./theme.ts";
import { knownRows, type Margins, type Pair, PAIR_WORD, pairRows, pairSentence, type PairState } from "./why.ts";
import { figure, hasCone, LETTER, metres, newtons, percent, ratio, trust, why } from "./words.ts";

/** An element by its id; it is in the page or the page is broken. */
export function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

function make(tag: string, text: string, className = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** Numbers stay with their units. */
function unbroken(text: string): string {
  return text.replace(/(\d) (?=%|N\b|[mµn]?m\b)/g, "$1\u00a0");
}

function table(rows: [string, string][], className = ""): HTMLElement {
  const list = document.createElement("dl");
  if (className) list.className = className;
  for (const [name, value] of rows) list.append(make("dt", name), make("dd", value));
  return list;
}

const WORD: Record<State, string> = { separating: "carries nothing", sticking: "sticks", sliding: "slides" };

const GLYPH: Record<State, string> = {
  separating: "M8 4.5a3.5 3.5 0 1 0 .01 0z",
  sticking: "M3 3h10v10H3z",
  sliding: "M8 2l6 11H2z",
};

function glyph(state: State, theme: Theme): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", GLYPH[state]);
  path.setAttribute("fill", css(stateColour(state, theme)));
  svg.append(path);
  return svg;
}

/** Joints of a body that are listed. */
const MOST_JOINTS = 6;

/** A square in the colour of a kind of body. */
function swatch(kind: Body["kind"], theme: Theme): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const own = kind === "dynamic" ? [0, 1, 2] : [0];
  own.forEach((index) => {
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const wide = 14 / own.length;
    const place = { x: 1 + index * wide, y: 2, width: wide, height: 12, fill: css(bodyColour(kind, index, theme)) };
    for (const [name, value] of Object.entries(place)) rect.setAttribute(name, String(value));
    svg.append(rect);
  });
  return svg;
}

const KIND_WORD: Record<Body["kind"], string> = { fixed: "fixed", kinematic: "moved by the scene", dynamic: "free" };

/** What the key says of a world: which kinds of bodies there are, and what else is drawn. */
export interface Legend {
  kinds: Set<Body["kind"]>;
  hasRopes: boolean;
  hasThrust: boolean;
}

export function legend(parent: HTMLElement, theme: Theme, { kinds, hasRopes, hasThrust }: Legend): void {
  parent.replaceChildren();
  const item = (...parts: (HTMLElement | SVGElement)[]) => {
    const span = document.createElement("span");
    span.append(...parts);
    parent.append(span);
  };
  for (const state of ["sticking", "sliding", "separating"] as const) item(glyph(state, theme), make("b", LETTER[state]), make("span", WORD[state]));
  for (const kind of ["dynamic", "kinematic", "fixed"] as const) if (kinds.has(kind)) item(swatch(kind, theme), make("span", KIND_WORD[kind]));
  if (hasThrust) {
    const ramp = make("span", "", "ramp");
    ramp.style.background = shareGradient();
    item(make("span", "friction used 0"), ramp, make("span", "100 %"));
  }
  parent.append(make("span", "faint arrow: force not unique", "faint"));
  if (hasRopes) parent.append(make("span", "dashed rope: slack", "faint"));
}

/** The bar that says how long a force is; nothing where no arrows are drawn. */
export function scaleBar(parent: HTMLElement, scale: { perPixel: number; perMetre: number; isCut: boolean } | null): void {
  parent.hidden = scale === null;
  if (!scale) return;
  const { newtons: force, pixels } = bar(scale.perPixel, 110);
  const text = newtons(force);
  const more = `${figure(scale.perMetre)} N per metre${scale.isCut ? "; the longest arrows are cut" : ""}`;
  const state = [pixels.toFixed(0), text, more].join();
  if (parent.dataset["state"] === state) return;
  parent.dataset["state"] = state;
  const line = document.createElement("i");
  line.style.width = `${pixels.toFixed(0)}px`;
  parent.replaceChildren(line, make("b", text), make("span", more, "faint"));
}

const PAIR_GLYPH: Record<PairState, State> = {
  apart: "separating",
  touching: "separating",
  sticking: "sticking",
  sliding: "sliding",
  partly_sliding: "sliding",
};

/** Pairs that are listed at most. */
const MOST_PAIRS = 100;

/** A row of the table, with the parts that change. */
interface Row {
  row: HTMLTableRowElement;
  glyph: HTMLElement;
  name: Text;
  cells: [HTMLElement, HTMLElement];
  bar: HTMLElement;
  share: HTMLElement;
}

/** The table of who holds whom. Its rows stay while it plays, so that a click finds what it began on. */
export class PairTable {
  private readonly table = document.createElement("table");
  private readonly body: HTMLTableSectionElement;
  private readonly note = make("p", "", "faint nothing");
  private readonly rows: Row[] = [];

  /** `pick` is told the key of the pair that is chosen. */
  constructor(
    parent: HTMLElement,
    private readonly pick: (key: string) => void,
  ) {
    const head = this.table.createTHead().insertRow();
    for (const name of ["pair", "N", "F", "of μN"]) head.append(make("th", name));
    this.body = this.table.createTBody();
    parent.append(this.table, this.note);
  }

  show(frame: Frame, pairs: readonly Pair[], { selected, theme }: { selected: string; theme: Theme }): void {
    const shown = pairs.slice(0, MOST_PAIRS);
    while (this.rows.length < shown.length) this.rows.push(this.newRow());
    this.rows.forEach((row, k) => {
      const pair = shown[k];
      row.row.hidden = pair === undefined;
      if (pair) fillRow(row, frame, pair, { selected, theme });
    });
    this.table.hidden = shown.length === 0;
    const more = pairs.length - shown.length;
    const empty = frame.contacts ? "Nothing touches here." : "No contacts are recorded for this frame.";
    this.note.textContent = shown.length === 0 ? empty : more > 0 ? `and ${more} more` : "";
    this.note.hidden = this.note.textContent === "";
  }

  private newRow(): Row {
    const row = this.body.insertRow();
    row.tabIndex = 0;
    const [name, use, box, bar, fill, share] = [make("td", ""), make("td", ""), make("div", "", "use"), make("i", ""), make("b", ""), make("span", "")];
    const [first, text] = [make("span", ""), document.createTextNode("")];
    const cells: [HTMLElement, HTMLElement] = [make("td", ""), make("td", "")];
    name.append(first, text);
    bar.append(fill);
    box.append(bar, share);
    use.append(box);
    row.append(name, ...cells, use);
    const pick = () => this.pick(row.dataset["key"] ?? "");
    row.addEventListener("click", pick);
    row.addEventListener("keydown", (event) => event.key === "Enter" && pick());
    return { row, glyph: first, name: text, cells, bar: fill, share };
  }
}

function fillRow(one: Row, frame: Frame, pair: Pair, { selected, theme }: { selected: string; theme: Theme }): void {
  const { row, cells } = one;
  const key = pairKey(pair);
  const names = [pair.a, pair.b].map((i) => frame.world.bodies[i]?.name ?? "?").join(" | ");
  row.dataset["key"] = key;
  row.setAttribute("aria-selected", String(key === selected));
  row.title = `${names}: ${PAIR_WORD[pair.state]}`;
  const sign = `${PAIR_GLYPH[pair.state]} ${theme.dark}`;
  if (one.glyph.dataset["sign"] !== sign) {
    one.glyph.dataset["sign"] = sign;
    one.glyph.replaceChildren(glyph(PAIR_GLYPH[pair.state], theme));
  }
  const put = (place: Node, text: string) => {
    if (place.textContent !== text) place.textContent = text;
  };
  put(one.name, names);
  put(cells[0], figure(pair.normalForce));
  put(cells[1], figure(pair.frictionForce));
  put(one.share, pair.used === null ? (pair.limit === null ? "∞" : "–") : percent(pair.used));
  one.bar.style.width = `${(100 * (pair.used ?? 0)).toFixed(1)}%`;
  one.bar.style.background = css(shareColour(pair.used));
}

/** Tells a pair from others, from frame to frame. */
export function pairKey({ a, b }: { a: number; b: number }): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

/** The panel of two bodies that touch. */
export function showPair(
  parent: HTMLElement,
  frame: Frame,
  pair: Pair,
  { margins, explained, theme }: { margins: Margins; explained: Explained["pair"]; theme: Theme },
): void {
  const name = (i: number) => frame.world.bodies[i]?.name ?? "?";
  const heading = document.createElement("div");
  heading.className = "what";
  heading.append(glyph(PAIR_GLYPH[pair.state], theme), make("strong", `${name(pair.a)} on ${name(pair.b)}`), make("span", PAIR_WORD[pair.state], "tag"));
  const words = make("p", unbroken(explained?.sentence ?? pairSentence(pair, margins, frame.world)));
  words.id = "why";
  const rows = pairRows(pair, margins).filter(([name]) => !explained || name !== "unique");
  const parts: HTMLElement[] = [heading, words, table(rows, "wide")];
  if (explained) parts.push(table(knownRows(explained)));
  if (margins.carries.length > 0) {
    const names = margins.carries.slice(0, 6).map(name).join(", ");
    parts.push(make("p", `carries ${names}${margins.carries.length > 6 ? ` and ${margins.carries.length - 6} more` : ""}`, "faint"));
  }
  parent.replaceChildren(...parts);
}

/** The panel of a contact. */
export function showContact(parent: HTMLElement, frame: Frame, found: Contact, theme: Theme): void {
  const c = isTurned(frame.world, found.a, found.b, found.normal) ? turned(found) : found;
  const name = (i: number) => frame.world.bodies[i]?.name ?? "?";
  const law = frame.world.law;
  const heading = document.createElement("div");
  heading.className = "what";
  heading.append(glyph(c.state, theme), make("strong", `${name(c.a)} on ${name(c.b)}`), make("span", `${LETTER[c.state]} ${c.state}`, "tag"));
  const limit = hasCone(law) ? ratio(c) : null;
  const f = Math.hypot(...c.frictionForce);
  const rows: [string, string][] = [
    ["normal", newtons(c.normalForce)],
    ["friction", newtons(f)],
  ];
  if (hasCone(law)) rows.push(["μ", c.mu === null ? "∞" : figure(c.mu)]);
  if (limit !== null) rows.push(["of limit", percent(limit)]);
  if (c.slipSpeed !== null) rows.push(["slip", c.slipSpeed < 1e-9 ? "< 1 nm/s" : `${figure(c.slipSpeed)} m/s`]);
  rows.push(["gap", metres(c.gap)]);
  rows.push(["residual", c.residual === null ? "not recorded" : figure(c.residual, 2)]);
  rows.push(["unique", c.unique === null ? "unknown" : c.unique ? "yes" : "no"]);
  const words = make("p", unbroken(why(c, law)));
  words.id = "why";
  const certain = make("p", trust(c.unique), "faint");
  parent.replaceChildren(heading, words, table(rows, "wide"), certain);
}

/** The panel of a body. */
export function showBody(parent: HTMLElement, frame: Frame, body: number): void {
  const b = frame.world.bodies[body];
  if (!b) return parent.replaceChildren();
  const p = frame.bodies.subarray(body * BODY_WORDS, (body + 1) * BODY_WORDS);
  const place = [p[0] ?? 0, p[1] ?? 0, p[2] ?? 0].slice(0, frame.world.planar ? 2 : 3);
  // Poses have seven digits.
  const least = 1e-6 * Math.max(...place.map(Math.abs));
  const at = place.map((x) => (Math.abs(x) < least ? 0 : x));
  const rows: [string, string][] = [["kind", b.kind]];
  if (b.mass !== null) rows.push(["mass", `${figure(b.mass)} kg`]);
  rows.push(["friction μ", b.friction === null ? "∞" : figure(b.friction)]);
  rows.push(["position", `${at.map((x) => figure(x)).join(", ")} m`]);
  if (b.kind !== "fixed") {
    rows.push(["speed", `${figure(p[7] ?? 0)} m/s`], ["spin", `${figure(p[8] ?? 0)} rad/s`]);
  }
  let [touching, pressed] = [0, 0];
  for (let i = 0; i < (frame.contacts?.count ?? 0); i += 1) {
    const c = frame.contacts?.get(i);
    if (c && (c.a === body || c.b === body) && c.state !== "separating") [touching, pressed] = [touching + 1, pressed + c.normalForce];
  }
  rows.push(["contacts", touching === 0 ? "none" : `${touching}, pressed by ${newtons(pressed)}`]);
  rows.push(...jointRows(frame, body, MOST_JOINTS));
  const heading = document.createElement("div");
  heading.className = "what";
  heading.append(make("strong", b.name));
  parent.replaceChildren(heading, table(rows));
}

export function showNothing(parent: HTMLElement, live: boolean): void {
  const text = live
    ? "Click a contact or a pair for its numbers and why it sticks or slips. Click a body for its mass and speed; drag it to pull it."
    : "Click a contact or a pair for its numbers and why it sticks or slips, or a body for its mass and speed.";
  parent.replaceChildren(make("p", text, "faint nothing"));
}

const KEYS: [string, string][] = [
  ["Space", "play or pause"],
  ["→  ←", "one step on, one frame back"],
  ["R", "back to the start"],
  ["+  −", "faster, slower"],
  ["E", "at the end: stop, restart, go on"],
  ["F  C  P", "forces, friction cones, contact points"],
  ["U  J  L", "thrust, joints, names"],
  ["[  ]", "shorter or longer arrows"],
  ["N  B", "next or previous contact"],
  ["Esc", "select nothing"],
  ["V", "the view follows what moves, or stays"],
  ["Home", "fit what is there now; with Shift, the whole path"],
  ["M", "panel on or off"],
  ["T", "dark or light"],
  ["?", "this list"],
];

export function fillHelp(dialog: HTMLDialogElement, live: boolean): void {
  const mouse: [string, string][] = [
    ["Drag", live ? "on a body: pull it; elsewhere: turn the view" : "turn the view"],
    ["Right drag", "move the view"],
    ["Wheel", "nearer or farther"],
  ];
  const list = document.createElement("dl");
  for (const [key, what] of [...KEYS, ...mouse]) {
    const name = document.createElement("dt");
    for (const one of key.split("  ")) name.append(make("kbd", one));
    list.append(name, make("dd", what));
  }
  const close = make("button", "Close") as HTMLButtonElement;
  close.addEventListener("click", () => dialog.close());
  dialog.replaceChildren(make("h2", "Keys and mouse"), list, close);
}
