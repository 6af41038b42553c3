// Colours of what is drawn on a canvas, from the style sheet: light, dark, and light again on paper.
// SPDX-License-Identifier: MIT

let current = null;

export function forgetTheme() {
  current = null;
}

export function theme() {
  current ||= readTheme();
  return current;
}

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  return {
    text: color("--text"), faint: color("--faint"), grid: color("--grid"), surface: color("--surface"), axis: color("--axis"),
    dark: color("--scheme") === "dark", font: getComputedStyle(document.body).fontFamily,
  };
}

// Black is one of the colours of series; on a dark page it would not be seen.
export function seriesColor(color, { dark, text }) {
  return !color || (dark && /^#(000000|000)$/.test(color)) ? text : color;
}

export function legendColor(color) {
  return seriesColor(color, theme());
}

const VIRIDIS = ["#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];
const PALETTES = {
  magnitude: VIRIDIS,
  worse: ["#ffffff", "#fee0d2", "#fc9272", "#de2d26", "#a50f15"],
  change: ["#2166ac", "#67a9cf", "#d1e5f0", "#f7f7f7", "#fddbc7", "#ef8a62", "#b2182b"],
};

export function parts(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function between(a, b, share) {
  const [from, to] = [parts(a), parts(b)];
  return from.map((v, i) => Math.round(v + (to[i] - v) * share));
}

// Red, green, blue of a place from 0 to 1 in a palette; `hue` is the full colour of a ramp.
export function paletteColor(name, share, hue) {
  const stops = name === "ramps" ? [hueStart(hue), hue || "#0072b2"] : PALETTES[name] || VIRIDIS;
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(at), stops.length - 2);
  return between(stops[index], stops[index + 1], at - index);
}

function hueStart(hue) {
  const pale = between("#ffffff", hue || "#0072b2", 0.12);
  return `#${pale.map((v) => v.toString(16).padStart(2, "0")).join("")}`;
}

export const cssColor = ([r, g, b]) => `rgb(${r},${g},${b})`;

// Of a text that stands on that colour.
export function inkOn([r, g, b]) {
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#000000" : "#ffffff";
}
