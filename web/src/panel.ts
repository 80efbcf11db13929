/** What stands beside the picture: legend, the selected body or contact, shortcuts. */

import { BODY_WORDS, type Contact, type Frame, isTurned, turned } from "./frame.ts";
import { jointRows } from "./joints.ts";
import { figure, hasCone, LETTER, metres, newtons, percent, ratio, trust, why } from "./words.ts";
import { css, stateColour, type Theme } from "./theme.ts";
import type { State } from "./messages.ts";

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

export function legend(parent: HTMLElement, theme: Theme, hasRopes: boolean): void {
  parent.replaceChildren();
  for (const state of ["sticking", "sliding", "separating"] as const) {
    const item = document.createElement("span");
    item.append(glyph(state, theme), make("b", LETTER[state]), make("span", WORD[state]));
    parent.append(item);
  }
  parent.append(make("span", "faint arrow: force not unique", "faint"));
  if (hasRopes) parent.append(make("span", "dashed rope: slack", "faint"));
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
  const at = [p[0] ?? 0, p[1] ?? 0, p[2] ?? 0].slice(0, frame.world.planar ? 2 : 3);
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
    ? "Click a contact for its numbers and why it sticks or slips. Click a body for its mass and speed; drag it to pull it."
    : "Click a contact for its numbers and why it sticks or slips, or a body for its mass and speed.";
  parent.replaceChildren(make("p", text, "faint nothing"));
}

const KEYS: [string, string][] = [
  ["Space", "play or pause"],
  ["→  ←", "one step on, one frame back"],
  ["R", "back to the start"],
  ["+  −", "faster, slower"],
  ["F  C  P", "forces, friction cones, contact points"],
  ["[  ]", "shorter or longer arrows"],
  ["N  B", "next or previous contact"],
  ["Esc", "select nothing"],
  ["Home", "show everything"],
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
