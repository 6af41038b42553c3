// The colour of a value, and the bar that says so.
// SPDX-License-Identifier: MIT
import { el, styled } from "./dom.js";
import { Axis } from "./axis.js";
import { cssColor, paletteColor, parts } from "./theme.js";

const STOPS = 12;
const SHADES = 255;

export class ColorScale {
  constructor(color) {
    this.axis = new Axis(color);
    this.palette = color.palette;
    this.colors = color.colors?.map(parts);
    this.made = new Map();
  }

  // Red, green, blue; null where there is no value.  As many colours as an eye tells apart: each is made once.
  rgb(value, hue) {
    if (value === null || value === undefined) return null;
    if (this.colors) return this.colors[Math.round(value)] ?? null;
    const share = Math.round(Math.min(Math.max(this.axis.share(value), 0), 1) * SHADES), key = `${share},${hue}`;
    if (Number.isNaN(share)) return null;
    if (!this.made.has(key)) this.made.set(key, paletteColor(this.palette, share / SHADES, hue));
    return this.made.get(key);
  }

  // Colours of names are in the legend.
  bar() {
    if (this.colors) return null;
    const { axis } = this, [low, high] = axis.shown;
    const hue = this.palette === "ramps" ? "#777777" : undefined;
    const stops = Array.from({ length: STOPS + 1 }, (_, i) => cssColor(paletteColor(this.palette, i / STOPS, hue)));
    const strip = styled(el("span", { class: "strip", "aria-hidden": "true" }), { background: `linear-gradient(to right, ${stops.join(",")})` });
    const ticks = axis.ticks(4).map((tick) => styled(el("span", null, axis.tickText(tick, 20)),
      { left: `${((axis.along(tick) - low) / (high - low)) * 100}%` }));
    return el("div", { class: "color-bar" }, el("span", { class: "label" }, axis.label), el("div", { class: "scale" }, strip, el("div", { class: "ticks" }, ticks)));
  }
}
