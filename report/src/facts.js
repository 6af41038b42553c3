// What a tooltip says of one mark.
// SPDX-License-Identifier: MIT
import { plain } from "./format.js";

const AT = { line: true, steps: true, points: true, front: true };

function ends(axis, low, high) {
  return `${axis.valueText(low)} to ${axis.valueText(high)}`;
}

function ofBox(series, i, y) {
  const names = [["high", "upper whisker"], ["q3", "upper quartile"], ["median", "median"], ["mean", "mean"], ["q1", "lower quartile"],
    ["low", "lower whisker"]];
  const violin = series.mark === "violins";
  const rows = names.filter(([key]) => series[key] && series[key][i] !== null)
    .map(([key, name]) => [violin && key === "high" ? "highest" : violin && key === "low" ? "lowest" : name, y.valueText(series[key][i])]);
  if (series.n) rows.push(["n", plain(series.n[i])]);
  return rows;
}

function band(series, i, y) {
  if (!series.low || !series.high || series.low[i] === null) return [];
  return [["from … to", ends(y, series.low[i], series.high[i])]];
}

function ofBar(series, i, y) {
  const low = series.low ? series.low[i] : 0, high = series.high[i];
  const rows = [[y.name || "value", y.valueText(low ? high - low : high)]];
  if (low) rows.push(["up to here", y.valueText(high)]);
  if (series.error_low && series.error_low[i] !== null) rows.push(["error bar", ends(y, series.error_low[i], series.error_high[i])]);
  return rows;
}

export function factsOf(series, i, { x, y, color }) {
  const rows = [];
  if (series.mark === "rule") return series.x ? [[x.name, series.text[i]]] : [[y.name, y.valueText(series.y[i])]];
  if (series.mark === "intervals")
    rows.push([y.name || "row", y.valueText(series.y[i])], [x.name || "time", ends(x, series.x[i], series.x_high[i])],
      ["length", x.base ? "" : x.valueText(series.x_high[i] - series.x[i])]);
  else if (series.mark === "bins") rows.push([x.name || "bin", ends(x, series.x[i], series.x_high[i])]);
  else rows.push([x.name || "x", x.valueText(series.x[i])]);
  if (AT[series.mark]) rows.push([y.name || "y", y.valueText(series.y[i])], ...band(series, i, y));
  if (series.mark === "cells") rows.push([y.name || "y", y.valueText(series.y[i])]);
  if (series.mark === "bars" || series.mark === "bins") rows.push(...ofBar(series, i, y));
  if (series.mark === "boxes" || series.mark === "violins") rows.push(...ofBox(series, i, y));
  if (series.value && color) rows.push([color.name || "value", color.valueText(series.value[i])]);
  if (series.text?.[i] && !["bars", "boxes", "violins"].includes(series.mark)) rows.push(["", series.text[i]]);
  return rows.filter(([, value]) => value !== "");
}
