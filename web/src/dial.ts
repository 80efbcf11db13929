/** The dial of tilt: how far gravity may lean in each direction, between the polygon that is proved to stand and the one beyond which it is proved to fall. */

import { tickStep, ticks, tickText } from "./scale.ts";
import { type Margin, outerCorners, type Region } from "./stand.ts";
import type { Vec3 } from "./messages.ts";

/** Half the side of the dial [units of its drawing], and the part of it that the farthest corner takes. */
const HALF = 150;
const ROOM = 0.8;

const SVG = "http://www.w3.org/2000/svg";

function shape(name: string, attributes: Record<string, string | number>, className = ""): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (className) made.setAttribute("class", className);
  return made;
}

const degrees = (tan: number): number => (Math.atan(tan) * 180) / Math.PI;
const dot = (p: Vec3, q: Vec3): number => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];

/** A direction in space by its place on the dial. */
function axisName(axis: Vec3): string {
  const k = axis.findIndex((x) => Math.abs(x) > 0.999);
  return k < 0 ? "" : `${(axis[k] ?? 0) < 0 ? "−" : ""}${"xyz"[k] ?? ""}`;
}

/** Draws a region and margins of tilt. */
export function dial(region: Region, margins: readonly Margin[]): SVGElement {
  const inner = region.inner.map((c) => c.at);
  const reach = Math.max(...inner.map((p) => Math.hypot(...p)), 1e-9);
  const outer = outerCorners(region.outer, 2.2 * reach);
  const far = Math.min(Math.max(...outer.map((p) => Math.hypot(...p)), reach), 2.2 * reach);
  const unit = (ROOM * HALF) / far;
  const at = ([x, y]: readonly [number, number]): [number, number] => [HALF + unit * x, HALF - unit * y];
  const polygon = (points: readonly [number, number][]) => points.map((p) => at(p).map((x) => x.toFixed(2)).join(",")).join(" ");
  const svg = shape("svg", { viewBox: `0 0 ${2 * HALF} ${2 * HALF}`, role: "img" }, "dial");
  const title = shape("title", {});
  title.textContent = "How far gravity may lean: inside the inner polygon it is proved to have forces, outside the outer one proved to fall";
  svg.append(title, shape("circle", { cx: HALF, cy: HALF, r: HALF - 2 }, "falls"));
  svg.append(shape("polygon", { points: polygon(outer) }, "open"), shape("polygon", { points: polygon(inner) }, "stands"));
  const step = tickStep(degrees((HALF - 2) / unit), 6);
  for (const angle of ticks(step, degrees((0.93 * HALF) / unit), step)) {
    const r = unit * Math.tan((angle * Math.PI) / 180);
    svg.append(shape("circle", { cx: HALF, cy: HALF, r: r.toFixed(2) }, "ring"));
    const text = shape("text", { x: HALF + 3, y: (HALF - r - 2).toFixed(1) });
    text.textContent = `${tickText(angle, step)}°`;
    svg.append(text);
  }
  const ends: [Vec3, number, number][] = [[region.axes[0], 1, 0], [region.axes[1], 0, 1]];
  for (const [axis, x, y] of ends) {
    svg.append(shape("line", { x1: HALF - x * HALF, y1: HALF - y * HALF, x2: HALF + x * HALF, y2: HALF + y * HALF }, "ring"));
    const name = shape("text", { x: HALF + x * (HALF - 14) + (y ? -14 : 0), y: HALF - y * (HALF - 14) + (x ? 14 : 0) }, "axis");
    name.textContent = axisName(axis);
    svg.append(name);
  }
  for (const margin of margins) {
    if (margin.kind !== "tilt" || !margin.axis || margin.high === null) continue;
    const axis = margin.axis;
    const way = region.axes.map((one) => dot(one, axis)) as [number, number];
    const [x, y] = at([way[0] * margin.high, way[1] * margin.high]);
    const mark = shape("circle", { cx: x.toFixed(2), cy: y.toFixed(2), r: 3.5 }, "mark");
    const said = shape("title", {});
    said.textContent = `tilt ${margin.name}: ${degrees(margin.high).toFixed(3)}°`;
    mark.append(said);
    svg.append(mark);
  }
  const weak = region.radius.low;
  svg.append(shape("circle", { cx: HALF, cy: HALF, r: (unit * weak).toFixed(2) }, "weak"));
  return svg;
}
