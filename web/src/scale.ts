/** How long force arrows are, how large friction cones, and the bar that says so. Pure functions: tested without a browser. */

/** Arrows as long as this many typical bodies are wide: of typical forces, of the longest that are drawn whole. */
export const TYPICAL = 1.3;
export const LONGEST = 4;
/** Typical forces between these lengths, in typical bodies, leave the scale as it is. */
const KEPT: [number, number] = [0.2, 3.2];
/** Length of the side of a cone, at most, in typical bodies. */
const SIDE = 1.5;

/** The value below which a share of some values lies; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.filter((x) => Number.isFinite(x) && x > 0).sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? 0;
}

/** Length of one newton [m/N] for forces of a size, where they would be far too long or too short with the one there is. */
export function unitFor(forces: readonly number[], size: number, unit: number): number {
  const large = quantile(forces, 0.9);
  if (large === 0) return unit;
  const length = (large * unit) / size;
  return length > KEPT[1] || length < KEPT[0] ? (TYPICAL * size) / large : unit;
}

/** Height and radius of a cone that allows μ: as high as the normal force is long, its side cut where it would be too long. */
export function coneOf(mu: number, height: number, size: number): { height: number; radius: number } {
  // 1/√(1 + μ²) without squares: μ may be huge.
  const slant = Math.hypot(1, mu);
  const side = Math.min(height * slant, SIDE * size);
  return { height: side / slant, radius: (side / slant) * mu };
}

/** The largest of 1, 2, 5 · 10ᵏ that is not above a number. */
export function round125(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  const digit = x / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

/** A bar of a round force: its newtons and its pixels, at most `most`; `perPixel` newtons are as long as a pixel. */
export function bar(perPixel: number, most: number): { newtons: number; pixels: number } {
  const newtons = round125(most * perPixel);
  return { newtons, pixels: newtons / perPixel };
}

/** Distance between round numbers of which at most `most` lie within a span: 1, 2 or 5 · 10ᵏ. */
export function tickStep(span: number, most = 4): number {
  if (!(span > 0) || !Number.isFinite(span)) return 1;
  const power = 10 ** Math.floor(Math.log10(span / most));
  return (([1, 2, 5] as const).find((digit) => span / (digit * power) <= most) ?? 10) * power;
}

/** Round numbers from low to high. */
export function ticks(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  // A zero is a zero, not a rounding error.
  return Array.from({ length: Math.min(Math.max(count, 0), 50) }, (_, k) => (first + k) * step || 0);
}

/** A number as it stands at an axis whose numbers are a step apart. */
export function tickText(x: number, step: number): string {
  if (x === 0) return "0";
  const minus = (text: string) => text.replaceAll("-", "−");
  if (Math.abs(x) >= 1e5 || step < 1e-4) return minus(x.toExponential(1).replace(".0e", "e").replace("e+", "e"));
  return minus(x.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))));
}
