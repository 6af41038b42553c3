// A picture that stands still: the marks that the program has placed, as elements of SVG.  Colours are those of paper.
// SPDX-License-Identifier: MIT
import { el } from "./dom.js";
import { visible } from "./format.js";
import { px, svg } from "./svg.js";

const FONT = "'DejaVu Sans', Verdana, sans-serif"; // its widths are those that the program reckons with
const ANCHORS = { left: "start", centre: "middle", right: "end" };
const BASELINE = 0.36; // of the size: from the middle of capitals down to the line they stand on
const RIM_PX = 3;

let lastName = 0;

const ground = ({ color, alpha = 1 }) => ({ fill: color, "fill-opacity": alpha === 1 ? null : alpha });
const edge = ({ color, width, own_edge, edge: other }) => (width ? { stroke: own_edge ? color : other, "stroke-width": width } : {});

// Corners of a line or an area; a corner that is not there ends the piece.
function outline(at, end) {
  let path = "", open = false;
  for (let i = 0; i < at.length; i += 2) {
    const there = at[i] !== null && at[i + 1] !== null;
    if (there) path += `${open ? "L" : "M"}${px(at[i])} ${px(at[i + 1])}`;
    else if (open) path += end;
    open = there;
  }
  return open ? path + end : path;
}

// One path for each colour that follows another.
function byColor({ color, colors, color_of }, n, pieceOf, elementOf) {
  const found = [];
  let now = null;
  for (let i = 0; i < n; i++) {
    const own = colors ? colors[color_of[i]] : color, piece = own && pieceOf(i);
    if (!piece) continue;
    if (now?.color !== own) found.push(now = { color: own, path: "" });
    now.path += piece;
  }
  return found.map((item) => elementOf(item.color, item.path));
}

const box = (left, top, right, bottom) => `M${px(left)} ${px(top)}H${px(right)}V${px(bottom)}H${px(left)}z`;

function lines(mark) {
  return svg("path", { d: outline(mark.at, ""), fill: "none", stroke: mark.color, "stroke-width": mark.width, "stroke-linejoin": "round",
    "stroke-dasharray": mark.dashed ? "6 5" : null });
}

function polygons(mark) {
  return svg("path", { d: outline(mark.at, "z"), ...ground(mark), ...edge(mark) });
}

function rects(mark) {
  const { at } = mark, pieceOf = (i) => at.slice(4 * i, 4 * i + 4).includes(null) ? null : box(...at.slice(4 * i, 4 * i + 4));
  return byColor(mark, at.length / 4, pieceOf, (color, d) => svg("path", { d, ...ground({ ...mark, color }), ...edge({ ...mark, color }) }));
}

// The round ends of lines of no length.
function discs(mark) {
  const { at } = mark, pieceOf = (i) => (at[2 * i] === null || at[2 * i + 1] === null ? null : `M${px(at[2 * i])} ${px(at[2 * i + 1])}h0`);
  return byColor(mark, at.length / 2, pieceOf, (stroke, d) =>
    svg("path", { d, fill: "none", stroke, "stroke-opacity": mark.alpha ?? null, "stroke-width": 2 * mark.radius, "stroke-linecap": "round" }));
}

// Neighbours of one colour in a row are one piece.
function image(mark) {
  const { at: [left, top, right, bottom], n_across, color_of, colors } = mark, paths = new Map();
  const width = (right - left) / n_across, height = (bottom - top) / (color_of.length / n_across);
  for (let i = 0, end; i < color_of.length; i = end) {
    const column = i % n_across, row = Math.floor(i / n_across);
    for (end = i + 1; end % n_across && color_of[end] === color_of[i]; end++);
    if (color_of[i] < 0) continue;
    const path = paths.get(color_of[i]) || paths.set(color_of[i], []).get(color_of[i]);
    path.push(box(left + column * width, top + row * height, left + (column + end - i) * width, top + (row + 1) * height));
  }
  return [...paths].map(([which, path]) => svg("path", { d: path.join(""), fill: colors[which], "shape-rendering": "crispEdges" }));
}

function gradient({ at: [x, top, right, bottom], colors, color_of }) {
  const id = `ramp-${++lastName}`;
  return [svg("linearGradient", { id, x1: 0, x2: 0, y1: 1, y2: 0 },
    color_of.map((which, i) => svg("stop", { offset: String(i / (color_of.length - 1)), "stop-color": colors[which] }))),
  svg("rect", { x, y: top, width: right - x, height: bottom - top, fill: `url(#${id})` })];
}

// A rim parts letters from what lies below them.
function text({ text: words, at: [x, y], align, size, turn, color, rim }) {
  return svg("text", { x, y: turn ? y : y + BASELINE * size, dy: turn ? `${BASELINE}em` : null, "text-anchor": ANCHORS[align], "font-size": size, fill: color,
    transform: turn ? `rotate(${-turn} ${px(x)} ${px(y)})` : null, "paint-order": rim ? "stroke" : null, stroke: rim ? "#ffffff" : null,
    "stroke-width": rim ? RIM_PX : null, "stroke-linejoin": rim ? "round" : null }, document.createTextNode(words));
}

const KINDS = { lines, polygons, rects, discs, image, gradient, text };

function clipped({ clip: [x, y, right, bottom] }, elements) {
  const id = `clip-${++lastName}`;
  return [svg("clipPath", { id }, svg("rect", { x, y, width: right - x, height: bottom - y })), svg("g", { "clip-path": `url(#${id})` }, elements)];
}

function elementsOf(mark) {
  const elements = [KINDS[mark.kind](mark)].flat();
  return mark.clip ? clipped(mark, elements) : elements;
}

export class Still {
  // `height`: of the place that it has to keep; else it is as high as its width lets it be.
  constructor({ width, height: own, marks }, home, name, height) {
    this.home = home;
    const whole = svg("svg", { viewBox: `0 0 ${px(width)} ${px(own)}`, role: "img", "aria-label": visible(name), "font-family": FONT }, marks.flatMap(elementsOf));
    if (height) whole.style.setProperty("height", `${height}px`);
    home.replaceChildren(el("div", { class: "still", tabindex: 0, role: "group", "aria-label": "Drawing" }, whole));
  }

  dispose() {
    this.home.replaceChildren();
  }
}
