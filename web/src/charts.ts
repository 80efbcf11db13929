/** Small charts of what a run costs and where its energy goes, drawn by hand on a canvas. */

import type { Stats } from "./messages.ts";
import type { Theme } from "./theme.ts";
import { tickStep, ticks, tickText } from "./scale.ts";
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
  /** Of its values, as it stands at the axis. */
  unit: string;
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

/** A count of a step: of all its work where the recording holds it, otherwise of its answer. */
function perStep(s: Stats, name: "pivots" | "newton_steps"): number {
  return (s.work ?? s)[name] / Math.max(1, s.steps);
}

/** `, 2 solves`: where steps were solved more than once. */
function sayWork(s: Stats): string {
  const solves = s.work ? s.work.solves / Math.max(1, s.steps) : 1;
  return solves > 1 ? `, ${figure(solves)} solves` : "";
}

export const CHARTS: Chart[] = [
  {
    id: "energy",
    title: "Energy since the start",
    unit: "J",
    log: false,
    wide: true,
    lines: energyLines,
    say: () => "",
  },
  {
    id: "work",
    title: "Work of the solver",
    unit: "a step",
    log: false,
    lines: () => [
      { name: "pivots", colour: "blue", value: (s) => perStep(s, "pivots") },
      { name: "Newton", colour: "orange", value: (s) => perStep(s, "newton_steps") },
    ],
    say: (s) => `${figure(perStep(s, "pivots"))} + ${figure(perStep(s, "newton_steps"))}${sayWork(s)}`,
  },
  {
    id: "penetration",
    title: "Deepest overlap",
    unit: "m",
    log: true,
    lines: () => [{ name: "overlap", colour: "blue", value: (s) => s.penetration }],
    say: (s) => metres(s.penetration),
  },
  {
    id: "residual",
    title: "Residual",
    unit: "1",
    log: true,
    lines: () => [{ name: "residual", colour: "blue", value: (s) => s.residual }],
    say: (s) => figure(s.residual, 2),
  },
];

/** Room for the numbers at the axes, and above and beside the lines [pixels]. */
const LEFT = 44;
const RIGHT = 8;
const BELOW = 17;
const ABOVE = 6;
/** Smallest value that a logarithmic chart shows, and the powers at an axis without values. */
const FLOOR = 1e-18;
const NO_POWERS: [number, number] = [-12, -6];

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

/** Where things are in a chart. */
interface Axes {
  x: (t: number) => number;
  y: (v: number) => number;
  low: number;
  high: number;
  w: number;
  h: number;
  log: boolean;
  theme: Theme;
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
      title.textContent = `${chart.title} [${chart.unit}]`;
      const value = document.createElement("output");
      caption.append(title, value);
      const canvas = document.createElement("canvas");
      const pick = (event: PointerEvent) => {
        const { left, width } = canvas.getBoundingClientRect();
        const [from, to] = this.span;
        const part = (event.clientX - left - LEFT) / (width - LEFT - RIGHT);
        this.pick(from + Math.min(Math.max(part, 0), 1) * (to - from));
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        pick(event);
      });
      canvas.addEventListener("pointermove", (event) => event.buttons > 0 && pick(event));
      // Moves alone: the chart is drawn again only where it changes.
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
      const [w, h] = [shown.canvas.clientWidth, shown.canvas.clientHeight];
      shown.cursor.style.transform = `translateX(${(LEFT + part * (w - LEFT - RIGHT)).toFixed(1)}px)`;
      shown.cursor.style.height = `${h - BELOW}px`;
      const lines = shown.chart.lines(few);
      fillKey(shown, lines, current, few[0]);
      if (state !== this.drawn) this.drawOne(shown, lines, few, theme);
    }
    this.drawn = state;
  }

  /** Numbers and lines of both axes. */
  private drawAxes(pen: CanvasRenderingContext2D, axes: Axes): void {
    const { x, y, low, high, w, h, log, theme } = axes;
    pen.font = '10px system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
    pen.lineWidth = 1;
    pen.fillStyle = theme.faint;
    const line = (from: [number, number], to: [number, number], alpha: number) => {
      pen.strokeStyle = theme.faint;
      pen.globalAlpha = alpha;
      pen.beginPath();
      pen.moveTo(...from);
      pen.lineTo(...to);
      pen.stroke();
      pen.globalAlpha = 1;
    };
    const most = Math.max(2, Math.floor((h - BELOW) / 26));
    const step = log ? Math.max(1, tickStep(high - low, most)) : tickStep(high - low, most);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const v of ticks(low, high, step)) {
      const at = Math.round(y(v)) + 0.5;
      line([LEFT, at], [w - RIGHT, at], v === 0 && !log ? 0.7 : 0.22);
      pen.fillText(log ? powerText(Math.round(v)) : tickText(v, step), LEFT - 5, at);
    }
    line([LEFT - 0.5, ABOVE], [LEFT - 0.5, h - BELOW], 0.5);
    line([LEFT, h - BELOW + 0.5], [w - RIGHT, h - BELOW + 0.5], 0.5);
    pen.textBaseline = "top";
    const [from, to] = this.span;
    const apart = tickStep(to - from, Math.max(2, Math.floor((w - LEFT) / 56)));
    const times = ticks(from, to, apart);
    times.forEach((t, k) => {
      const at = Math.round(x(t)) + 0.5;
      line([at, h - BELOW], [at, h - BELOW + 3], 0.7);
      const last = k === times.length - 1;
      const text = last ? `${tickText(t, apart)} s` : tickText(t, apart);
      pen.textAlign = last && x(t) > w - 24 ? "right" : "center";
      pen.fillText(text, pen.textAlign === "right" ? w - 1 : at, h - BELOW + 5);
    });
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
    // Nothing is no power of ten.
    const scale = (y: number) => (chart.log ? (y > FLOOR ? Math.log10(y) : NaN) : y);
    const values = lines.map((line) => series.map((s) => scale(valueOf(line, s, first))));
    const all = values.flat();
    const [low, high] = chart.log ? decades(all.some(Number.isFinite) ? range(all) : NO_POWERS) : range([...all, 0]);
    const x = (t: number) => LEFT + ((t - this.span[0]) / (this.span[1] - this.span[0])) * (w - LEFT - RIGHT);
    const y = (v: number) => h - BELOW - ((v - low) / (high - low)) * (h - BELOW - ABOVE);
    this.drawAxes(pen, { x, y, low, high, w, h, log: chart.log, theme });
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
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

/** Whole powers of ten around a range of them. */
function decades([low, high]: [number, number]): [number, number] {
  return [Math.floor(low + 1e-9), Math.max(Math.ceil(high - 1e-9), Math.floor(low + 1e-9) + 1)];
}

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** 10⁻⁹. */
export function powerText(exponent: number): string {
  if (exponent === 0) return "1";
  const digits = [...String(Math.abs(exponent))].map((d) => SUPERSCRIPT[Number(d)] ?? d).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
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
