/** Small charts of what a run costs and where its energy goes, drawn by hand on a canvas. */

import type { Stats } from "./messages.ts";
import type { Theme } from "./theme.ts";
import { figure, metres } from "./words.ts";

interface Line {
  name: string;
  colour: keyof typeof COLOUR;
  /** NaN where it is not known. */
  value: (s: Stats) => number;
}

interface Chart {
  id: string;
  title: string;
  /** Powers of ten upwards instead of equal steps. */
  log: boolean;
  /** Across all columns, with the figures of its lines beside their names. */
  wide?: boolean;
  /** By what the figures hold: older recordings hold less. */
  lines: (series: Stats[]) => Line[];
  /** The figure beside the title. */
  say: (s: Stats) => string;
}

const COLOUR = {
  blue: ["#0072b2", "#56b4e9"],
  orange: ["#d55e00", "#ff9a3c"],
  green: ["#00805c", "#3fc9a0"],
  purple: ["#a8558a", "#e29bc8"],
  gold: ["#9a6b00", "#e6c229"],
  grey: ["#6b685f", "#a9adb5"],
} as const;

/** Energies from the start of the run on: what there is, and where it went. Parts of what is dissipated are missing in older recordings. */
export function energyLines(series: Stats[]): Line[] {
  const known = (x: number | null | undefined) => x ?? NaN;
  const hasParts = series.some((s) => typeof s.slip === "number");
  const lost: Line[] = hasParts
    ? [
        { name: "slip", colour: "orange", value: (s) => known(s.slip) },
        { name: "impacts", colour: "gold", value: (s) => known(s.impacts) },
      ]
    : [{ name: "dissipated", colour: "orange", value: (s) => s.dissipated }];
  return [
    { name: "kinetic", colour: "blue", value: (s) => s.kinetic },
    { name: "fallen", colour: "purple", value: (s) => -s.potential },
    ...lost,
    { name: "injected", colour: "green", value: (s) => s.injected },
    // velocity + closing − returned + flight: the whole that is recorded, which older recordings hold too.
    { name: "numerical", colour: "grey", value: (s) => known(s.stepping) },
  ];
}

export const CHARTS: Chart[] = [
  {
    id: "energy",
    title: "Energy",
    log: false,
    wide: true,
    lines: energyLines,
    say: () => "[J], since the start",
  },
  {
    id: "work",
    title: "Solver steps",
    log: false,
    lines: () => [
      { name: "pivots", colour: "blue", value: (s) => s.pivots / Math.max(1, s.steps) },
      { name: "Newton", colour: "orange", value: (s) => s.newton_steps / Math.max(1, s.steps) },
    ],
    say: (s) => `${figure(s.pivots / Math.max(1, s.steps))} + ${figure(s.newton_steps / Math.max(1, s.steps))}`,
  },
  {
    id: "penetration",
    title: "Overlap",
    log: true,
    lines: () => [{ name: "overlap", colour: "blue", value: (s) => s.penetration }],
    say: (s) => metres(s.penetration),
  },
  {
    id: "residual",
    title: "Residual",
    log: true,
    lines: () => [{ name: "residual", colour: "blue", value: (s) => s.residual }],
    say: (s) => figure(s.residual, 2),
  },
];

/** Smallest value that a logarithmic chart shows. */
const FLOOR = 1e-18;

/** Least and largest of some values, apart from each other. */
export function range(values: Iterable<number>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const x of values) {
    if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
  }
  if (low > high) return [0, 1];
  // What differs by rounding is a flat line.
  const least = 1e-9 * Math.max(1, Math.abs(low), Math.abs(high));
  return high - low > least ? [low, high] : [low - 0.5, high + 0.5];
}

/** At most `most` of some values, evenly spread, the first and the last among them. */
export function thinned<T>(all: T[], most: number): T[] {
  if (all.length <= most) return all;
  const step = (all.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, i) => all[Math.round(i * step)] as T);
}

/** The potential energy has its zero where it will: what is lost of that at the start is shown. */
function valueOf(line: Line, s: Stats, first: Stats): number {
  return line.value(s) - (line.name === "fallen" ? line.value(first) : 0);
}

/** A chart in the page. */
interface Shown {
  chart: Chart;
  canvas: HTMLCanvasElement;
  cursor: HTMLElement;
  value: HTMLElement;
  key: HTMLElement;
}

export class Charts {
  private readonly canvases: Shown[];
  private drawn = "";
  private span: [number, number] = [0, 1];

  constructor(
    parent: HTMLElement,
    private readonly pick: (time: number) => void,
  ) {
    this.canvases = CHARTS.map((chart) => {
      const box = document.createElement("figure");
      box.id = `chart-${chart.id}`;
      if (chart.wide) box.className = "wide";
      const caption = document.createElement("figcaption");
      const title = document.createElement("span");
      title.textContent = chart.title;
      const value = document.createElement("output");
      caption.append(title, value);
      const canvas = document.createElement("canvas");
      canvas.addEventListener("pointerdown", (event) => {
        const { left, width } = canvas.getBoundingClientRect();
        const [from, to] = this.span;
        this.pick(from + ((event.clientX - left) / width) * (to - from));
      });
      // Moves alone: the chart is drawn anew only where it changes.
      const cursor = document.createElement("i");
      const holder = document.createElement("div");
      holder.append(canvas, cursor);
      const key = document.createElement("div");
      key.className = "key";
      box.append(caption, holder, key);
      parent.append(box);
      return { chart, canvas, cursor, value, key };
    });
  }

  draw(series: Stats[], now: number, theme: Theme): void {
    const few = thinned(series, 280);
    this.span = range(few.map((s) => s.time));
    const current = series.findLast((s) => s.time <= now + 1e-9) ?? series[0];
    const width = this.canvases[0]?.canvas.clientWidth ?? 0;
    const state = [series.length, series[0]?.time, series.at(-1)?.time, series.at(-1)?.hash, theme.dark, width, window.devicePixelRatio].join();
    const part = Math.min(Math.max((now - this.span[0]) / (this.span[1] - this.span[0]), 0), 1);
    for (const shown of this.canvases) {
      const text = current ? shown.chart.say(current) : "";
      if (shown.value.textContent !== text) shown.value.textContent = text;
      shown.cursor.style.left = `${(100 * part).toFixed(2)}%`;
      const lines = shown.chart.lines(few);
      fillKey(shown, lines, current, few[0]);
      if (state !== this.drawn) this.drawOne(shown, lines, few, theme);
    }
    this.drawn = state;
  }

  private drawOne({ chart, canvas }: Shown, lines: Line[], series: Stats[], theme: Theme): void {
    const ratio = window.devicePixelRatio;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    if (!pen) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, w, h);
    const first = series[0];
    if (!first) return;
    const scale = (y: number) => (chart.log ? Math.log10(Math.max(y, FLOOR)) : y);
    const values = lines.map((line) => series.map((s) => scale(valueOf(line, s, first))));
    const [low, high] = range([...values.flat(), ...(chart.log ? [] : [0])]);
    const x = (t: number) => 1 + ((t - this.span[0]) / (this.span[1] - this.span[0])) * (w - 2);
    const y = (v: number) => h - 3 - ((v - low) / (high - low)) * (h - 6);
    pen.strokeStyle = theme.faint;
    pen.globalAlpha = 0.35;
    pen.lineWidth = 1;
    pen.beginPath();
    const zero = chart.log ? h - 0.5 : Math.round(y(0)) + 0.5;
    pen.moveTo(0, zero);
    pen.lineTo(w, zero);
    pen.stroke();
    pen.globalAlpha = 1;
    pen.lineWidth = 1.4;
    lines.forEach((line, k) => {
      pen.strokeStyle = COLOUR[line.colour][theme.dark ? 1 : 0];
      pen.beginPath();
      let isDown = false;
      series.forEach((s, i) => {
        const v = values[k]?.[i] ?? NaN;
        if (isDown && Number.isFinite(v)) pen.lineTo(x(s.time), y(v));
        else if (Number.isFinite(v)) pen.moveTo(x(s.time), y(v));
        isDown = Number.isFinite(v);
      });
      pen.stroke();
    });
  }
}

/** Names of the lines in their colours; those of a wide chart with the figures of the moment. */
function fillKey({ chart, key }: Shown, lines: Line[], current: Stats | undefined, first: Stats | undefined): void {
  if (lines.length < 2) return;
  const items = Array.from(key.children);
  if (items.map((item) => item.className).join() !== lines.map((line) => line.colour).join()) {
    key.replaceChildren(
      ...lines.map((line) => {
        const item = document.createElement("span");
        item.className = line.colour;
        return item;
      }),
    );
  }
  lines.forEach((line, k) => {
    const item = key.children[k];
    const now = chart.wide && current && first ? ` ${figure(valueOf(line, current, first), 2)}` : "";
    if (item && item.textContent !== line.name + now) item.textContent = line.name + now;
  });
}
