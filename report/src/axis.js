// An axis as it is printed: numbers times factor, in unit.  Places are shares of its length, whatever its scale.
// SPDX-License-Identifier: MIT
import { decimal, plain, shortened, sizeText } from "./format.js";

const STEPS = [1, 2, 5, 10];

function niceStep(length, most) {
  const rough = length / Math.max(1, most), power = 10 ** Math.floor(Math.log10(rough));
  return power * STEPS.find((step) => step * power >= rough * 0.999999);
}

// least: no ticks are nearer to one another; of counts what one of them is printed as.
function linearTicks(low, high, most, least) {
  const step = Math.max(niceStep(high - low, most), least);
  if (!(step > 0) || !Number.isFinite(step)) return [low];
  const ticks = [], first = Math.ceil(low / step - 1e-9);
  for (let k = first; k * step <= high + step * 1e-9 && ticks.length <= 2 * most + 2; k++) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

// Powers of the base; of few of them also what is between.
function logTicks(low, high, most, base, least) {
  const log = (v) => Math.log(v) / Math.log(base);
  const first = Math.ceil(log(low) - 1e-9), last = Math.floor(log(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks = [];
  for (let k = first; k <= last; k += every) ticks.push(base ** k);
  if (base === 10 && last - first < 2 && last - first + 1 < most)
    for (let k = first - 1; k <= last; k++) for (const m of [2, 5]) ticks.push(m * 10 ** k);
  const inside = ticks.filter((v) => v >= Math.max(low, least) * 0.999999 && v <= high * 1.000001).sort((a, b) => a - b);
  return inside.length >= 2 ? inside : linearTicks(Math.max(low, least), high, most, least);
}

function every(n, most) {
  const step = Math.max(1, Math.ceil(n / Math.max(1, most)));
  return Array.from({ length: Math.ceil(n / step) }, (_, i) => i * step);
}

export class Axis {
  constructor(axis) {
    this.axis = axis;
    this.categories = axis.scale === "categories" ? axis.categories || [] : null;
    this.factor = this.categories ? 1 : axis.factor || 1;
    this.base = axis.scale === "log" ? 10 : axis.scale === "log2" ? 2 : 0;
    this.unit = axis.unit || "";
    this.least = axis.whole ? this.factor : 0;
    this.marks = new Map((axis.mark_at || []).map((v, i) => [v * this.factor, axis.mark_text[i]]));
    this.edges = axis.ends ? [axis.low, axis.high].map((v) => v * this.factor) : [];
    this.label = axis.label || "";
    this.down = Boolean(axis.down);
    // In printed numbers, and for logarithms their exponents: what zooming moves.
    this.full = [axis.low, axis.high].map((v) => this.along(v * this.factor));
    this.shown = this.full;
    this.spans = null; // where something is drawn, as spans.js says: of an axis that zooms
  }

  along(printed) {
    if (!this.base) return printed;
    return printed > 0 ? Math.log(printed) / Math.log(this.base) : NaN;
  }

  // Of a number of the document: 0 at the low end of what is shown, 1 at the high one.
  share(value) {
    const [low, high] = this.shown;
    return (this.along(value * this.factor) - low) / (high - low);
  }

  get ends() {
    return this.base ? this.shown.map((v) => this.base ** v) : this.shown;
  }

  get zoomed() {
    return this.shown !== this.full;
  }

  // Printed numbers where ticks stand; for categories their indices.
  ticks(most) {
    const [low, high] = this.ends;
    if (this.categories) return every(this.categories.length, most).filter((i) => i >= low && i <= high);
    if (this.marks.size) return this.markTicks(low, high, most);
    const ticks = this.base ? logTicks(low, high, most, this.base, this.least) : linearTicks(low, high, most, this.least);
    return this.edges.length ? this.withEdges(ticks, low, high, most) : ticks;
  }

  // Those with texts of their own, one after another as far as they do not meet.
  markTicks(low, high, most) {
    const found = [];
    for (const v of this.marks.keys())
      if (v >= low && v <= high && (!found.length || v - found.at(-1) >= (high - low) * 0.9 / most)) found.push(v);
    return found;
  }

  // The first and last edge of bins, where they are seen; marks whose texts would meet theirs go.
  withEdges(ticks, low, high, most) {
    const span = this.along(high) - this.along(low), near = (a, b) => Math.abs(this.along(a) - this.along(b)) / span;
    const edges = this.edges.filter((v) => v >= low * 0.999999 && v <= high * 1.000001);
    return [...ticks.filter((v) => edges.every((edge) => near(v, edge) >= 0.6 / most)), ...edges].sort((a, b) => a - b);
  }

  tickText(printed, longest) {
    if (this.categories) return shortened(this.categories[printed] ?? "", longest);
    if (this.marks.size) return shortened(this.marks.get(printed) ?? "", longest);
    if (this.base === 2 && this.unit === "bytes") return sizeText(printed);
    if (this.base || this.edges.includes(printed)) return plain(printed);
    const [low, high] = this.shown, decimals = Math.max(0, -Math.floor(Math.log10(Math.max(niceStep(high - low, 8), this.least)) + 1e-9));
    const largest = Math.max(Math.abs(low), Math.abs(high));
    if (decimals > 9 || largest >= 1e15) return plain(printed);
    return decimal(printed, 0, decimals);
  }

  // A number of the document with its unit.
  valueText(value) {
    if (value === null || value === undefined) return "-";
    if (this.categories) return shortened(this.categories[Math.round(value)] ?? String(value), 120);
    return plain(value * this.factor) + (this.unit ? ` ${this.unit}` : "");
  }

  // Its label without the unit.
  get name() {
    return shortened(this.label.endsWith(` (${this.unit})`) ? this.label.slice(0, -this.unit.length - 3) : this.label, 60);
  }

  zoom(scale, around) {
    const [low, high] = this.shown, middle = low + (high - low) * around;
    this.show(middle - (middle - low) * scale, middle + (high - middle) * scale);
  }

  move(share) {
    const [low, high] = this.shown, [least, most] = this.full;
    const by = Math.min(Math.max((high - low) * share, least - low), most - high);
    this.show(low + by, high + by);
  }

  show(low, high) {
    const [least, most] = this.full;
    if (high - low >= (most - least) * 0.9999) this.shown = this.full;
    else if (high - low > (most - least) * 1e-6) this.shown = this.withSomething(Math.max(low, least), Math.min(high, most));
  }

  // What is shown is never empty: it moves to what is nearest.
  withSomething(low, high) {
    let by = Infinity;
    for (const [from, to] of this.spans || []) {
      if (from <= high && to >= low) return [low, high];
      const needed = from > high ? from - high : to - low, room = (high - low) * 0.1 * Math.sign(needed);
      if (Math.abs(needed + room) < Math.abs(by)) by = needed + room;
    }
    if (!Number.isFinite(by)) return [low, high];
    const [least, most] = this.full, moved = Math.min(Math.max(by, least - low), most - high);
    return [low + moved, high + moved];
  }

  showAll() {
    this.shown = this.full;
  }
}
