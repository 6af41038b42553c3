// Where along the axis that zooms something is drawn: pieces [from, to] in the numbers of Axis.along, sorted.
// SPDX-License-Identifier: MIT
import { slotCentre, slotWidth } from "./shapes.js";

const LINES = new Set(["line", "steps", "front"]);
const is = (v) => v !== null && v !== undefined && !Number.isNaN(v);

// A line is there from the first to the last point of each stretch without gaps.
function stretches(series, axis, values) {
  const found = [];
  let open = null;
  values.forEach((v, i) => {
    const at = is(v) && is(series.y[i]) && is(series.x[i]) ? axis.along(v * axis.factor) : NaN;
    if (Number.isNaN(at)) return (open = null);
    if (open) [open[0], open[1]] = [Math.min(open[0], at), Math.max(open[1], at)];
    else found.push((open = [at, at]));
  });
  return found;
}

function fieldSpan({ field }, axis, across) {
  const [low, step, n] = across ? [field.x_low, field.x_step, field.n_x] : [field.y_low, field.y_step, field.n_y];
  const shift = axis.base ? Math.log(axis.factor) / Math.log(axis.base) : 0;
  const along = (v) => (axis.base ? v * (Math.LN10 / Math.log(axis.base)) + shift : v * axis.factor);
  return [[along(low), along(low + step * n)]];
}

function spansAlongX(series, axis) {
  if (series.field) return fieldSpan(series, axis, true);
  if (!series.x || series.mark === "rule") return []; // a rule goes everywhere, and says nothing
  if (LINES.has(series.mark) && !axis.categories) return stretches(series, axis, series.x);
  const half = axis.categories ? slotWidth(series) / 2 : 0;
  return series.x.flatMap((x, i) => {
    if (!is(x)) return [];
    const middle = axis.categories && series.n_slots > 1 ? slotCentre(series, x) : x, high = series.x_high?.[i] ?? middle + half;
    return [[middle - half, high].map((v) => axis.along(v * axis.factor))];
  });
}

// Where the axes are turned the numbers run to the right.
function spansAlongY(series, axis) {
  if (series.field) return fieldSpan(series, axis, false);
  const columns = ["y", "low", "high", "median"].map((key) => series[key]).filter(Boolean), n = columns[0]?.length || 0;
  return Array.from({ length: n }, (_, i) => columns.map((c) => c[i]).filter(is).map((v) => axis.along(v * axis.factor)).filter(Number.isFinite))
    .filter((values) => values.length).map((values) => [Math.min(...values), Math.max(...values)]);
}

export function spansOf(seen, axis, sideways) {
  const all = seen.flatMap((series) => (sideways ? spansAlongY(series, axis) : spansAlongX(series, axis)));
  return all.filter((span) => span.every(Number.isFinite)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}
