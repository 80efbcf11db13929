/** Numbers and contacts in words. Pure functions: tested without a browser. */

import type { Contact } from "./frame.ts";

/** Three digits that a person can read: 0.00123 → "1.23e-3". */
export function figure(x: number, digits = 3): string {
  if (x === 0) return "0";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "–";
  const size = Math.abs(x);
  const text = size >= 1e-3 && size < 1e5 ? plain(x, digits) : x.toExponential(digits - 1);
  return text.replaceAll("-", "−");
}

function plain(x: number, digits: number): string {
  const before = Math.max(1, Math.floor(Math.log10(Math.abs(x))) + 1);
  const small = Math.abs(x) < 1 ? -Math.floor(Math.log10(Math.abs(x))) - 1 : 0;
  return x.toFixed(Math.max(0, digits - before + (Math.abs(x) < 1 ? small + 1 : 0))).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}

/** A length with a unit of its size: 0.00012 → "0.12 mm". */
export function metres(x: number): string {
  const size = Math.abs(x);
  if (size === 0) return "0 m";
  if (size >= 0.1) return `${figure(x)} m`;
  if (size >= 1e-4) return `${figure(x * 1e3)} mm`;
  if (size >= 1e-7) return `${figure(x * 1e6)} µm`;
  if (size >= 1e-10) return `${figure(x * 1e9)} nm`;
  return "< 0.1 nm";
}

export function newtons(x: number): string {
  return `${figure(x)} N`;
}

/** 0.4138 → "41 %". */
export function percent(x: number): string {
  if (x > 0 && x < 0.0095) return `${figure(100 * x, 1)} %`;
  if (x < AT_LIMIT && x > 0.995) return `${(Math.floor(1000 * x) / 10).toFixed(1)} %`;
  return `${Math.round(100 * x)} %`;
}

const length = (v: readonly number[]): number => Math.hypot(...v);

/** Laws with a cone of friction. */
export function hasCone(law: string): boolean {
  return law === "coulomb" || law === "polyhedral";
}

/** Friction as a share of what the coefficient allows; null where nothing limits it. */
export function ratio(c: Contact): number | null {
  if (c.mu === null) return null;
  const limit = c.mu * c.normalForce;
  return limit > 0 ? length(c.frictionForce) / limit : null;
}

/** From here on a contact that sticks has nothing to spare, by what numbers of seven digits can tell. */
const AT_LIMIT = 1 - 1e-5;

/** Why a contact sticks, slips or carries nothing, in a sentence or two. */
export function why(c: Contact, law: string): string {
  if (c.state === "separating") return separating(c);
  if (law === "frictionless") return "This law knows no friction: whatever pushes along the surface moves it.";
  if (law.startsWith("viscous")) return viscous(c);
  const f = length(c.frictionForce);
  if (law === "no-slip") {
    return c.state === "sticking"
      ? `Sticks: under this law a contact that is pressed does not slip. Holding takes ${newtons(f)}, and nothing limits it.`
      : `Slips although this law forbids it where a contact is pressed: what presses here (${newtons(c.normalForce)}) is given by impact alone.`;
  }
  const r = ratio(c);
  if (c.mu === 0) return "Slips freely: the coefficient of friction is 0.";
  if (r === null || c.mu === null) {
    return c.state === "sticking"
      ? `Sticks: holding takes ${newtons(f)} of friction, and no limit is recorded.`
      : `Slips${speed(c)}: friction is ${newtons(f)} against the motion.`;
  }
  const limit = `μN = ${figure(c.mu)} × ${newtons(c.normalForce)} = ${newtons(c.mu * c.normalForce)}`;
  if (c.state === "sliding") {
    return `Slips${speed(c)}: holding would take more friction than ${limit}, so friction is at this limit and points against the motion.`;
  }
  if (f === 0 || r < 1e-6) return `Sticks: nothing pushes along the surface, so no friction is needed of the ${limit} there is.`;
  if (c.unique === false) {
    return `Sticks: in this sharing of the load it takes ${newtons(f)} of friction, ${percent(Math.min(r, 1))} of the limit ${limit}.`;
  }
  if (r >= AT_LIMIT) return `Sticks with nothing to spare: holding takes all of ${limit}. Any more along the surface and it slips.`;
  return `Sticks: holding takes ${newtons(f)} of friction, ${percent(r)} of the limit ${limit}.`;
}

function separating(c: Contact): string {
  const near = Math.abs(c.gap) < 1e-6;
  if (c.gap > 1e-6) return `Carries nothing: the bodies are ${metres(c.gap)} apart and do not meet within the step.`;
  if (near) return "Carries nothing: the bodies touch, but nothing presses them together here.";
  return `Carries nothing: the bodies overlap by ${metres(-c.gap)} and move apart.`;
}

function viscous(c: Contact): string {
  const f = newtons(length(c.frictionForce));
  return `Under a viscous law friction grows with the speed of slip${speed(c).replace(" at", ", now")}: ${f}. Nothing holds at rest for ever.`;
}

function speed(c: Contact): string {
  return c.slipSpeed === null ? "" : ` at ${figure(c.slipSpeed)} m/s`;
}

/** Whether a force can be trusted. */
export function trust(unique: boolean | null): string {
  if (unique === true) return "Only this force goes with the motion: it can be trusted.";
  if (unique === false) return "Other forces give exactly the same motion: this is one of many ways to share the load.";
  return "Whether other forces give the same motion was not looked for.";
}

/** One letter a state, beside its colour. */
export const LETTER = { separating: "·", sticking: "H", sliding: "S" } as const;
