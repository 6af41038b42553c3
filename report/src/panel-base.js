// What panels have in common, whoever draws them: axes, colours, and which series are switched off.
// SPDX-License-Identifier: MIT
import { Axis } from "./axis.js";
import { ColorScale } from "./colors.js";
import { cssColor, seriesColor } from "./theme.js";

export class PanelBase {
  constructor(panel, home, look, size) {
    Object.assign(this, { panel, home, look, size });
    [this.x, this.y] = [new Axis(panel.x), new Axis(panel.y)];
    this.colors = panel.color ? new ColorScale(panel.color) : null;
  }

  isHidden({ name, color }) {
    const { hidden, legend } = this.look;
    return hidden.has(name) || (!name && legend.some((key) => key.color === color && hidden.has(key.name)));
  }

  fillOf(series, i) {
    const rgb = this.colors && series.value && this.colors.rgb(series.value[i], series.color);
    return rgb ? cssColor(rgb) : seriesColor(series.color, this.look.theme);
  }

  // Of a cell or a part of a field: red, green, blue, or a colour; null where nothing is.
  cellColor(series, value, i) {
    const rgb = this.colors?.rgb(value, series.color);
    if (rgb) return rgb;
    return !this.colors && i >= 0 && series.color ? seriesColor(series.color, this.look.theme) : null;
  }

  context(series, i) {
    return { place: this.place, theme: this.look.theme, fill: this.fillOf(series, i), levels: this.levels() };
  }

  // Where the lines of all rules across the panel are, in pixels.
  levels() {
    if (this.levelsOf === this.place) return this.levelPixels;
    const rules = this.panel.series.filter((series) => series.mark === "rule" && series.y && !this.isHidden(series));
    this.levelsOf = this.place;
    this.levelPixels = rules.flatMap(({ y }) => y.map((v) => this.place.across(v)[0][this.place.sideways ? 0 : 1]));
    return this.levelPixels;
  }
}
