/** Colours. States are told apart by people who see colours otherwise (Okabe and Ito's set), and by shape and letter as well. */

import type { Body, State } from "./messages.ts";

export interface Theme {
  dark: boolean;
  background: number;
  grid: [number, number];
  plane: number;
  /** A plane that the scene moves. */
  movedPlane: number;
  edge: number;
  fixed: number;
  kinematic: number;
  dynamic: number[];
  /** Of a body that steps back. */
  clear: number;
  selected: number;
  line: string;
  rope: number;
  joint: number;
  text: string;
  faint: string;
}

export const LIGHT: Theme = {
  dark: false,
  background: 0xf4f5f6,
  grid: [0xaab0b6, 0xcdd2d6],
  plane: 0xe3e6e8,
  movedPlane: 0xe4dcf0,
  edge: 0x3c4046,
  fixed: 0x979da4,
  kinematic: 0x9b7fcb,
  dynamic: [0xe8d3a4, 0xd5dfb6, 0xefc9b4, 0xdfd9c4, 0xe6dc9c],
  clear: 0xd9d6ce,
  selected: 0xffe04d,
  line: "#2b6ca3",
  rope: 0x6b3f1d,
  joint: 0x00805c,
  text: "#1f2328",
  faint: "#7b8087",
};

export const DARK: Theme = {
  dark: true,
  background: 0x14161a,
  grid: [0x555a63, 0x353a42],
  plane: 0x1f2329,
  movedPlane: 0x2a2438,
  edge: 0xe2e5e8,
  fixed: 0x5d646d,
  kinematic: 0x7d63ad,
  dynamic: [0xa89468, 0x8f9a70, 0xad8570, 0x99937c, 0xa69b5e],
  clear: 0x8a8d92,
  selected: 0xe6c93f,
  line: "#7db4e0",
  rope: 0xe0b48a,
  joint: 0x3fc9a0,
  text: "#e8e9ea",
  faint: "#8f949c",
};

export const STATE_COLOUR: Record<State, { light: number; dark: number }> = {
  separating: { light: 0x7f858c, dark: 0x9aa0a6 },
  sticking: { light: 0x0072b2, dark: 0x56b4e9 },
  sliding: { light: 0xd55e00, dark: 0xff9a3c },
};

export function stateColour(state: State, theme: Theme): number {
  return STATE_COLOUR[state][theme.dark ? "dark" : "light"];
}

/** The colour of a body, by what moves it and its place in the list. */
export function bodyColour(kind: Body["kind"], index: number, theme: Theme): number {
  if (kind === "fixed") return theme.fixed;
  if (kind === "kinematic") return theme.kinematic;
  return theme.dynamic[index % theme.dynamic.length] ?? theme.fixed;
}

/** Colours of the share of friction that is used, from none to all: told apart by their lightness too. */
const RAMP: [number, [number, number, number]][] = [
  [0, [44, 103, 168]],
  [0.35, [84, 172, 186]],
  [0.65, [240, 203, 88]],
  [0.85, [232, 128, 48]],
  [1, [190, 30, 45]],
];

/** The colour of a share of friction between 0 and 1; what has none is grey. */
export function shareColour(share: number | null): number {
  if (share === null || Number.isNaN(share)) return 0x8a9098;
  const x = Math.min(Math.max(share, 0), 1);
  const k = Math.max(1, RAMP.findIndex(([at]) => at >= x));
  const [[from, low], [to, high]] = [RAMP[k - 1] ?? RAMP[0], RAMP[k] ?? RAMP[0]] as [(typeof RAMP)[0], (typeof RAMP)[0]];
  const part = (x - from) / (to - from);
  const mixed = low.map((c, i) => Math.round(c + part * ((high[i] ?? c) - c)));
  return ((mixed[0] ?? 0) << 16) | ((mixed[1] ?? 0) << 8) | (mixed[2] ?? 0);
}

/** The same as a gradient of CSS. */
export function shareGradient(): string {
  return `linear-gradient(90deg, ${RAMP.map(([at]) => `${css(shareColour(at))} ${100 * at}%`).join(", ")})`;
}

/** A colour as CSS has it. */
export function css(colour: number): string {
  return `#${colour.toString(16).padStart(6, "0")}`;
}
