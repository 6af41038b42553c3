// The marks that are made of shapes: each function gives the elements of one item, in pixels.
// SPDX-License-Identifier: MIT
import { shortened } from "./format.js";
import { inkOn } from "./theme.js";

const CATEGORY_SHARE = 0.8; // of its space, for all slots
const LETTER_PX = 6.2;

// Where the centre of a slot is, in the space of a category around its index.
export function slotCentre(series, x) {
  return x - CATEGORY_SHARE / 2 + ((series.slot || 0) + 0.5) * (CATEGORY_SHARE / (series.n_slots || 1));
}

export function slotWidth(series) {
  return CATEGORY_SHARE / (series.n_slots || 1);
}

// Corners in the document's numbers become a rectangle, also where the axes are turned.
export function rectangle(place, x0, y0, x1, y1) {
  const [a, b] = [place.at(x0, y0), place.at(x1, y1)];
  if (![...a, ...b].every(Number.isFinite)) return null;
  return { x: Math.min(a[0], b[0]), y: Math.min(a[1], b[1]), width: Math.abs(a[0] - b[0]), height: Math.abs(a[1] - b[1]) };
}

function line(place, x0, y0, x1, y1, style) {
  const [a, b] = [place.at(x0, y0), place.at(x1, y1)];
  return { type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style: { lineWidth: 1.5, ...style } };
}

function text(content, x, y, theme, more) {
  return { type: "text", silent: true, style: { text: content, x, y, fill: theme.text, font: `11px ${theme.font}`, align: "center",
    verticalAlign: "bottom", ...more } };
}

// Beside the end of a bar, a box or a whisker.
function beside(place, x, y, content, theme, fill) {
  const [px, py] = place.at(x, y);
  return place.sideways
    ? text(content, px + 4, py, theme, { align: "left", verticalAlign: "middle", fill: fill || theme.text })
    : text(content, px, py - 3, theme, { fill: fill || theme.text });
}

function errorBar(place, x, half, low, high, stroke) {
  return [line(place, x, low, x, high, { stroke }), line(place, x - half, low, x + half, low, { stroke }),
    line(place, x - half, high, x + half, high, { stroke })];
}

export function bars(series, i, { place, theme, fill }) {
  const x = slotCentre(series, series.x[i]), half = slotWidth(series) * 0.46;
  const low = series.low?.[i] ?? 0, high = series.high[i];
  const shape = high === null ? null : rectangle(place, x - half, place.clampY(low), x + half, high);
  if (!shape) return [];
  const found = [{ type: "rect", shape: atLeastAPixel(shape), style: { fill } }];
  if (series.error_low && series.error_low[i] !== null)
    found.push(...errorBar(place, x, half * 0.4, series.error_low[i], series.error_high[i], theme.text));
  const written = series.text?.[i], room = place.sideways ? shape.height >= 11 : shape.width >= written?.length * LETTER_PX;
  if (written && room) found.push(beside(place, x, high, shortened(written, 24), theme));
  return found;
}

// What is there is seen, however small it is.
function atLeastAPixel(shape) {
  return { ...shape, width: Math.max(shape.width, 1), height: Math.max(shape.height, 1) };
}

export function bins(series, i, { place, theme, fill }) {
  const shape = rectangle(place, series.x[i], place.clampY(series.low?.[i] ?? 0), series.x_high[i], series.high[i]);
  return shape ? [{ type: "rect", shape, style: { fill, opacity: 0.75, stroke: theme.surface, lineWidth: shape.width > 4 ? 1 : 0 } }] : [];
}

// Of all boxes in one line along the edge, where no point stands.
function samples(series, i, place, theme, x) {
  const [a, b] = [place.at(x - slotWidth(series) / 2, series.high[i]), place.at(x + slotWidth(series) / 2, series.high[i])];
  const content = series.n && series.n[i] !== null ? `n=${series.n[i]}` : "";
  const room = place.sideways ? Math.abs(a[1] - b[1]) >= 11 : Math.abs(a[0] - b[0]) >= content.length * LETTER_PX * 1.2;
  if (!content || !room) return [];
  return [place.sideways ? text(content, place.right, (a[1] + b[1]) / 2, theme, { align: "right", verticalAlign: "middle", fill: theme.faint })
    : text(content, (a[0] + b[0]) / 2, place.top + 12, theme, { fill: theme.faint })];
}

export function boxes(series, i, { place, theme, fill }) {
  if (series.q1[i] === null) return [];
  const x = slotCentre(series, series.x[i]), half = slotWidth(series) * 0.36;
  const shape = rectangle(place, x - half, series.q1[i], x + half, series.q3[i]);
  if (!shape) return [];
  const found = [line(place, x, series.low[i], x, series.q1[i], { stroke: fill }), line(place, x, series.q3[i], x, series.high[i], { stroke: fill })];
  for (const v of [series.low[i], series.high[i]]) found.push(line(place, x - half / 2, v, x + half / 2, v, { stroke: fill }));
  found.push({ type: "rect", shape: atLeastAPixel(shape), style: { fill, opacity: 0.35 } },
    { type: "rect", silent: true, shape: atLeastAPixel(shape), style: { fill: "none", stroke: fill, lineWidth: 1.5 } },
    line(place, x - half, series.median[i], x + half, series.median[i], { stroke: theme.text, lineWidth: 2 }));
  if (series.mean && series.mean[i] !== null)
    found.push(line(place, x - half, series.mean[i], x + half, series.mean[i], { stroke: theme.text, lineDash: [3, 3], lineWidth: 1 }));
  return [...found, ...samples(series, i, place, theme, x)];
}

export function violins(series, i, { place, theme, fill }) {
  const x = slotCentre(series, series.x[i]), space = slotWidth(series), shape = series.shapes?.[i];
  const found = [];
  if (shape && shape.width.length > 1) {
    const right = shape.width.map((w, k) => place.at(x + w * space, shape.low + k * shape.step));
    const left = shape.width.map((w, k) => place.at(x - w * space, shape.low + k * shape.step)).reverse();
    found.push({ type: "polygon", shape: { points: [...right, ...left] }, style: { fill, opacity: 0.45, stroke: fill, lineWidth: 1 } });
  }
  if (series.low?.[i] === null || !series.low) return found;
  found.push(...errorBar(place, x, space * 0.08, series.low[i], series.high[i], fill),
    line(place, x - space * 0.16, series.median[i], x + space * 0.16, series.median[i], { stroke: theme.text, lineWidth: 2 }));
  if (series.mean && series.mean[i] !== null)
    found.push(line(place, x - space * 0.16, series.mean[i], x + space * 0.16, series.mean[i], { stroke: theme.text, lineDash: [3, 3], lineWidth: 1 }));
  return [...found, ...samples(series, i, place, theme, x)];
}

export function intervals(series, i, { place, theme, fill }) {
  const half = slotWidth(series) / 2, y = slotCentre(series, series.y[i]);
  const shape = rectangle(place, series.x[i], y - half, series.x_high[i], y + half);
  if (!shape || shape.x > place.right || shape.x + shape.width < place.left) return [];
  const found = [{ type: "rect", shape: atLeastAPixel(shape), style: { fill, stroke: theme.surface, lineWidth: shape.width > 3 ? 0.5 : 0 } }];
  const room = Math.floor(shape.width / LETTER_PX) - 1, written = series.text?.[i] || "";
  if (written && shape.height >= 12 && room >= Math.min(4, written.length))
    found.push(text(shortened(written, room), shape.x + shape.width / 2, shape.y + shape.height / 2, theme,
      { verticalAlign: "middle", fill: inkOnCss(fill) }));
  return found;
}

function inkOnCss(fill) {
  const hex = /^#([0-9a-f]{6})$/i.exec(fill);
  return hex ? inkOn([0, 2, 4].map((at) => parseInt(hex[1].slice(at, at + 2), 16))) : "#000000";
}

const RULE_ROW_PX = 14;

// Letters that lie over bars.
const halo = (theme) => ({ stroke: theme.surface, lineWidth: 3 });

// A line down the panel; its text at the side that has more room, below those of others.
function ruleDown(series, i, { place, theme, fill }) {
  const [a, b] = place.down(series.x[i]);
  if (![...a, ...b].every(Number.isFinite)) return [];
  const right = !place.sideways && a[0] > (place.left + place.right) / 2;
  const row = (series.slot + i) * RULE_ROW_PX, at = place.sideways ? [b[0] - 4 - 70 * (series.slot + i), b[1] - 3] : [b[0] + (right ? -4 : 4), place.top + 12 + row];
  return [{ type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style: { stroke: fill, lineWidth: 1.5, lineDash: [6, 4] } },
    text(series.text[i], at[0], at[1], theme, { align: right || place.sideways ? "right" : "left", fill, ...halo(theme) })];
}

export function rule(series, i, context) {
  return series.x ? ruleDown(series, i, context) : ruleAcross(series, i, context);
}

// On the side of its line where no line of `levels`, which are those of all rules, is near; between two at the other end.
function ruleText(name, [a, b], { place, theme, fill, levels }) {
  const at = place.sideways ? a[0] : a[1], room = place.sideways ? name.length * LETTER_PX + 8 : RULE_ROW_PX + 4;
  const before = levels.some((v) => v < at && at - v < room), after = levels.some((v) => v > at && v - at < room);
  const more = { fill, ...halo(theme) };
  if (place.sideways) {
    const y = before && after ? place.top + 2 + RULE_ROW_PX : place.top + 2, left = after && !before;
    return text(name, at + (left ? -4 : 4), y, theme, { align: left ? "right" : "left", verticalAlign: "top", ...more });
  }
  if (before && after) return text(name, a[0] + 4, at - 3, theme, { align: "left", ...more });
  return text(name, b[0] - 4, before ? at + 3 : at - 3, theme, { align: "right", verticalAlign: before ? "top" : "bottom", ...more });
}

function ruleAcross(series, i, context) {
  const { place, fill } = context, [a, b] = place.across(series.y[i]);
  if (!a.every(Number.isFinite)) return [];
  const label = ruleText(shortened(series.text?.[i] || series.name || "", 40), [a, b], context);
  return [{ type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style: { stroke: fill, lineWidth: 1.5, lineDash: [6, 4] } }, label];
}

export function errorBars(series, i, { place, fill }) {
  const [x, y] = [slotX(series, series.x[i], place), series.y[i]], found = [];
  if (series.low && series.low[i] !== null)
    found.push(line(place, x, series.low[i], x, series.high[i], { stroke: fill, lineWidth: 1 }));
  if (series.x_low && series.x_low[i] !== null)
    found.push(line(place, series.x_low[i], y, series.x_high[i], y, { stroke: fill, lineWidth: 1 }));
  return found;
}

// Points of a category stand in its slot; others where they are.
export function slotX(series, x, place) {
  return place.categoriesX && x !== null && series.n_slots > 1 ? slotCentre(series, x) : x;
}

// The band of a line, in one piece for each stretch without gaps.
export function band(series, { place, fill }) {
  const found = [];
  let upper = [], lower = [];
  const end = () => {
    if (upper.length > 1) found.push({ type: "polygon", silent: true, shape: { points: [...upper, ...lower.reverse()] },
      style: { fill, opacity: 0.18 } });
    [upper, lower] = [[], []];
  };
  series.x.forEach((x, i) => {
    const [high, low] = [place.at(x, series.high[i] ?? NaN), place.at(x, series.low[i] ?? NaN)];
    if (![...high, ...low].every(Number.isFinite)) return end();
    upper.push(high);
    lower.push(low);
  });
  end();
  return found;
}

// What is written into cells, where it fits.
export function cellText(series, i, { place, theme, fill }) {
  const written = series.text?.[i], shape = rectangle(place, series.x[i] - 0.5, series.y[i] - 0.5, series.x[i] + 0.5, series.y[i] + 0.5);
  if (!written || !shape || shape.height < 12 || shape.width < written.length * LETTER_PX) return [];
  return [text(written, shape.x + shape.width / 2, shape.y + shape.height / 2, theme, { verticalAlign: "middle", fill: inkOn(fill) })];
}


export const pointText = (written) => shortened(written, 28);

// Above a point, and inside of the panel: it begins or ends at a point that is near an edge.
export function pointAlign(content, x, place) {
  const half = content.length * LETTER_PX / 2;
  if (x - half < place.left) return "left";
  return x + half > place.right ? "right" : "center";
}
