// Panels of long lines, drawn by uPlot: it takes hundreds of thousands of points.
// SPDX-License-Identifier: MIT
import uPlot from "uplot";
import { Axis } from "./axis.js";
import { factsOf } from "./facts.js";
import { layoutOf } from "./layout.js";
import { spansOf } from "./spans.js";
import { seriesColor } from "./theme.js";
import { hideTip, showTip } from "./tip.js";
import { zoomable } from "./zoom.js";

const LONG = 5000;
const NEAR_PX = 24;
const KINDS = ["line", "steps"];

export function isLong({ series, sideways }) {
  const points = series.reduce((sum, { x }) => sum + (x ? x.length : 0), 0);
  return points > LONG && !sideways && series.every(({ mark, x }) => KINDS.includes(mark) && isSorted(x));
}

function isSorted(x) {
  return x.every((v, i) => v !== null && (i === 0 || v >= x[i - 1]));
}

export class LongLines {
  constructor(panel, home, look, size) {
    Object.assign(this, { panel, home, look });
    [this.x, this.y] = [new Axis(panel.x), new Axis(panel.y)];
    this.series = panel.series.filter(({ name }) => !look.hidden.has(name));
    const theme = look.theme;
    this.layout = layoutOf(size, this.x, this.y, { font: theme.font });
    this.lines = []; // of each column of uPlot but the first: series and which of its numbers
    const data = this.columns();
    this.plot = new uPlot({
      ...size, legend: { show: false }, padding: [14, 18, 0, 0], axes: [this.axis(this.x, 0), this.axis(this.y, 1)],
      scales: { x: this.scale(this.x), y: this.scale(this.y) },
      cursor: { drag: { x: false, y: false }, points: { size: 7 } },
      series: [{}, ...this.lines.map((line) => this.line(line))], bands: this.bands(),
      hooks: { setCursor: [() => this.tell()], setSelect: [] },
    }, data, home);
    home.addEventListener("mousemove", (event) => (this.pointer = event), true);
    home.addEventListener("mouseleave", hideTip);
    this.moving = this.x;
    this.x.spans = spansOf(this.series, this.x);
    this.place = { shares: (px) => this.shares(px) };
    zoomable(home, this);
  }

  // Of the pointer along x, as Place has it.
  shares(px) {
    const { left, width } = this.plot.over.getBoundingClientRect(), home = this.home.getBoundingClientRect();
    const share = (px + home.left - left) / width;
    return [this.x.down ? 1 - share : share];
  }

  changed() {
    if (!this.plot) return;
    this.plot.redraw(false, true);
    this.plot.setScale("x", { min: this.x.shown[0], max: this.x.shown[1] });
  }

  // Numbers along the axes: of logarithms their exponents, as the other panels have them.
  columns() {
    const along = (axis, v) => (v === null || v === undefined ? null : axis.along(v * axis.factor));
    const tables = this.series.map((series) => {
      const columns = [series.x.map((v) => along(this.x, v))];
      for (const key of ["y", "low", "high"]) {
        if (!series[key]) continue;
        columns.push(series[key].map((v) => along(this.y, v)));
        this.lines.push({ series, key });
      }
      return columns;
    });
    return tables.length ? uPlot.join(tables) : [[]];
  }

  line({ series, key }) {
    const color = seriesColor(series.color, this.look.theme);
    const width = key === "y" ? 1.25 : 0;
    return { stroke: color, width, spanGaps: true, points: { show: false },
      paths: series.mark === "steps" ? uPlot.paths.stepped({ align: 1 }) : undefined };
  }

  bands() {
    return this.lines.flatMap(({ series, key }, i) => {
      if (key !== "high") return [];
      const low = this.lines.findIndex((line) => line.series === series && line.key === "low");
      return low < 0 ? [] : [{ series: [i + 1, low + 1], fill: `${seriesColor(series.color, this.look.theme)}2e` }];
    });
  }

  scale(axis) {
    return { time: false, auto: false, dir: axis.down ? -1 : 1, range: () => axis.shown };
  }

  axis(axis, side) {
    const { theme } = this.look, { gap } = side ? this.layout.up : this.layout.across;
    const most = side ? Math.max(2, Math.floor(this.layout.area.height / 34)) : 8;
    return {
      label: axis.label, labelFont: `12px ${theme.font}`, font: `12px ${theme.font}`, labelSize: 22, labelGap: 0, stroke: theme.text,
      size: side ? gap : 30, gap: 5, grid: { stroke: theme.grid, width: 1 }, ticks: { stroke: theme.axis, width: 1, size: 5 },
      border: { show: true, stroke: theme.axis, width: 1 },
      splits: () => axis.ticks(most).map((tick) => axis.along(tick)),
      values: (_, at) => at.map((v) => axis.tickText(axis.base ? Number((axis.base ** v).toPrecision(12)) : v, 24)),
    };
  }

  tell() {
    const { left, top } = this.plot.cursor;
    if (!this.pointer || left < 0) return hideTip();
    const [x, y] = [this.plot.posToVal(left, "x"), this.plot.posToVal(top, "y")];
    const near = this.nearest(x, y, left, top);
    if (!near) return hideTip();
    const { series, i } = near;
    showTip(this.pointer, { title: series.name || this.panel.title, color: seriesColor(series.color, this.look.theme),
      rows: factsOf(series, i, { x: this.x, y: this.y }) });
  }

  nearest(x, y, left, top) {
    let best = null, least = NEAR_PX ** 2;
    for (const series of this.series) {
      for (let i = indexOf(series.x, x, this.x); i < Math.min(series.x.length, indexOf(series.x, x, this.x) + 2); i++) {
        if (i < 0 || series.y[i] === null) continue;
        const px = this.plot.valToPos(this.x.along(series.x[i] * this.x.factor), "x");
        const py = this.plot.valToPos(this.y.along(series.y[i] * this.y.factor), "y");
        const distance = (px - left) ** 2 + (py - top) ** 2;
        if (distance < least) [best, least] = [{ series, i }, distance];
      }
    }
    return best;
  }

  dispose() {
    hideTip();
    this.plot.destroy();
    this.plot = null;
  }
}

// The last point at or before `along` the axis.
function indexOf(x, along, axis) {
  let low = 0, high = x.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (axis.along(x[middle] * axis.factor) <= along) low = middle;
    else high = middle - 1;
  }
  return low;
}
