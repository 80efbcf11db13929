/** Colours. States are told apart by people who see colours otherwise (Okabe and Ito's set), and by shape and letter as well. */

import type { State } from "./messages.ts";

export interface Theme {
  dark: boolean;
  background: number;
  grid: [number, number];
  plane: number;
  edge: number;
  fixed: number;
  kinematic: number;
  dynamic: number[];
  selected: number;
  line: string;
  rope: number;
  text: string;
  faint: string;
}

export const LIGHT: Theme = {
  dark: false,
  background: 0xf4f3ef,
  grid: [0xb4b1a7, 0xcfccc3],
  plane: 0xe4e2da,
  edge: 0x4b4a45,
  fixed: 0xb9b7af,
  kinematic: 0xbfae93,
  dynamic: [0xd9cfbd, 0xcfd3cb, 0xd3cbd0, 0xcdd2d8, 0xdcd6c4],
  selected: 0xf2dd8a,
  line: "#3d6f99",
  rope: 0x6b3f1d,
  text: "#24231f",
  faint: "#8d8a80",
};

export const DARK: Theme = {
  dark: true,
  background: 0x17181b,
  grid: [0x55585f, 0x383b41],
  plane: 0x212327,
  edge: 0xd6d8dc,
  fixed: 0x5c5f66,
  kinematic: 0x7a6a4f,
  dynamic: [0x8d8474, 0x7f867d, 0x857b82, 0x7b838c, 0x918a76],
  selected: 0xd8bd4f,
  line: "#7db4e0",
  rope: 0xe0b48a,
  text: "#e9e7e1",
  faint: "#8b8e96",
};

export const STATE_COLOUR: Record<State, { light: number; dark: number }> = {
  separating: { light: 0x8a8a8a, dark: 0x9a9a9a },
  sticking: { light: 0x0072b2, dark: 0x56b4e9 },
  sliding: { light: 0xd55e00, dark: 0xff9a3c },
};

export function stateColour(state: State, theme: Theme): number {
  return STATE_COLOUR[state][theme.dark ? "dark" : "light"];
}

/** A colour as CSS has it. */
export function css(colour: number): string {
  return `#${colour.toString(16).padStart(6, "0")}`;
}
