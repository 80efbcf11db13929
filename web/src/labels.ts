/** Names over the picture: pieces of text at points of the world, those that would cover others skipped. */

/** A text at a pixel of the picture; those of a high rank come first. */
export interface Label {
  text: string;
  x: number;
  y: number;
  rank: number;
  kind: "body" | "joint" | "strong";
}

/** Texts that are shown at most. */
const MOST = 120;
/** Height of a text, and width of a letter and of what is around it, about [pixels]. */
const HIGH = 17;
const LETTER = 6.1;
const MARGIN = 12;

/** Those of some labels that fit into a picture without covering each other, by rank; moved in where they stand at its edge. */
export function placed(labels: readonly Label[], width: number, height: number): Label[] {
  const shown: (Label & { w: number })[] = [];
  for (const label of [...labels].sort((a, b) => b.rank - a.rank)) {
    if (shown.length >= MOST) break;
    if (!(label.x > -20 && label.x < width + 20 && label.y > 0 && label.y < height)) continue;
    const w = LETTER * label.text.length + MARGIN;
    // Bodies are named above their middles, joints below; where another name is there, somewhere else near by.
    const sides = label.kind === "joint" ? [5, -HIGH - 4] : [-HIGH - 4, 5];
    const spots = [...sides.map((down) => [8, down]), ...sides.map((down) => [-w - 8, down]), ...sides.map((down) => [8, down + Math.sign(down) * HIGH])];
    const at = ([across, down]: number[]) => ({
      x: Math.max(2, Math.min(label.x + (across ?? 0), width - w - 2)),
      y: Math.max(2, Math.min(label.y + (down ?? 0), height - HIGH - 2)),
      w,
    });
    const isFree = ({ x, y }: { x: number; y: number }) => !shown.some((s) => x < s.x + s.w && s.x < x + w && Math.abs(y - s.y) < HIGH);
    const free = spots.map(at).find(isFree) ?? (label.kind === "strong" ? at(spots[0] ?? []) : null);
    if (free) shown.push({ ...label, ...free });
  }
  return shown.map(({ w: _, ...label }) => label);
}

/** Elements for labels, made once and used again. */
export class Labels {
  private readonly pool: HTMLSpanElement[] = [];
  private used = 0;

  constructor(private readonly parent: HTMLElement) {}

  show(labels: readonly Label[]): void {
    const [width, height] = [this.parent.clientWidth, this.parent.clientHeight];
    const shown = labels.length === 0 ? [] : placed(labels, width, height);
    shown.forEach((label, i) => {
      const span = this.pool[i] ?? this.add();
      span.hidden = false;
      if (span.textContent !== label.text) span.textContent = label.text;
      if (span.className !== label.kind) span.className = label.kind;
      // Not by a style in the page's text, which its policy forbids.
      span.style.transform = `translate(${label.x.toFixed(1)}px, ${label.y.toFixed(1)}px)`;
    });
    for (let i = shown.length; i < this.used; i += 1) {
      const span = this.pool[i];
      if (span) span.hidden = true;
    }
    this.used = shown.length;
  }

  private add(): HTMLSpanElement {
    const span = document.createElement("span");
    this.parent.append(span);
    this.pool.push(span);
    return span;
  }
}
