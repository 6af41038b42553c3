// Cells and fields: many small rectangles, painted into one picture.
// SPDX-License-Identifier: MIT
import { rectangle } from "./shapes.js";
import { cssColor } from "./theme.js";

// [x0, y0, x1, y1, value] of cell i, in numbers of the document.
function cellOf(series, i) {
  if (series.mark === "cells") {
    const [x, y] = [series.x[i], series.y[i]];
    return [x - 0.5, y - 0.5, x + 0.5, y + 0.5, series.value[i]];
  }
  const { x_low, x_step, y_low, y_step, n_x, value } = series.field;
  const [column, row] = [i % n_x, Math.floor(i / n_x)];
  return [x_low + column * x_step, y_low + row * y_step, x_low + (column + 1) * x_step, y_low + (row + 1) * y_step, value[i]];
}

function nCells(series) {
  return series.mark === "cells" ? series.x.length : series.field.value.length;
}

// Whole pixels, so that no seams show; cells with room get a thin line between them.
function paint(context, shape, area, ratio) {
  const gap = shape.width > 6 && shape.height > 6 ? 1 : 0;
  const [x0, x1] = [shape.x - area.left, shape.x + shape.width - area.left].map((v) => Math.round(v * ratio));
  const [y0, y1] = [shape.y - area.top, shape.y + shape.height - area.top].map((v) => Math.round(v * ratio));
  context.fillRect(x0, y0, Math.max(1, x1 - x0 - gap), Math.max(1, y1 - y0 - gap));
}

// Calls `paintCell` with the rectangle and the colour of each cell that has both.
export function eachCell(series, place, colorOf, paintCell) {
  for (let i = 0; i < nCells(series); i++) {
    const [x0, y0, x1, y1, value] = cellOf(series, i), color = colorOf(value, i);
    const shape = color && rectangle(place, x0, y0, x1, y1);
    if (shape) paintCell(shape, typeof color === "string" ? color : cssColor(color));
  }
}

export function raster(series, place, colorOf) {
  const { area } = place, ratio = window.devicePixelRatio || 1;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(area.width * ratio));
  canvas.height = Math.max(1, Math.round(area.height * ratio));
  const context = canvas.getContext("2d");
  eachCell(series, place, colorOf, (shape, color) => {
    context.fillStyle = color;
    paint(context, shape, area, ratio);
  });
  return { type: "image", silent: true, style: { image: canvas, x: area.left, y: area.top, width: area.width, height: area.height } };
}

// The cell under the pointer, or -1.
export function cellAt(series, place, px, py) {
  const inside = (a, b, v) => v >= Math.min(a, b) && v < Math.max(a, b);
  for (let i = 0; i < nCells(series); i++) {
    const [x0, y0, x1, y1] = cellOf(series, i);
    const [a, b] = [place.at(x0, y0), place.at(x1, y1)];
    if (inside(a[0], b[0], px) && inside(a[1], b[1], py)) return i;
  }
  return -1;
}

export function fieldFacts(series, i, { x, y, color }) {
  const [x0, y0, x1, y1, value] = cellOf(series, i);
  return [[x.name, `${x.valueText(x0)} to ${x.valueText(x1)}`], [y.name, `${y.valueText(y0)} to ${y.valueText(y1)}`],
    [color ? color.name : "value", color ? color.valueText(value) : String(value)]];
}
