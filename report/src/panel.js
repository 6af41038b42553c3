// One panel drawn by ECharts: it draws axes, lines and points; the other marks are shapes of ours.
// SPDX-License-Identifier: MIT
import { CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer } from "echarts/renderers";
import { onceAFrame } from "./dom.js";
import { factsOf } from "./facts.js";
import { layoutOf } from "./layout.js";
import { PanelBase } from "./panel-base.js";
import { Place } from "./place.js";
import { cellAt, fieldFacts, raster } from "./raster.js";
import * as shapes from "./shapes.js";
import { spansOf } from "./spans.js";
import { seriesColor } from "./theme.js";
import { hideTip, showTip } from "./tip.js";
import { zoomable } from "./zoom.js";

use([CanvasRenderer, GridComponent, LabelLayout, LineChart, ScatterChart, CustomChart]);

const NEAR_PX = 24;
const FEW_POINTS = 60;
const MANY_SERIES = 24;

const LINES = { line: {}, steps: { step: "end" }, front: { lineStyle: { type: "dashed", width: 2 } } };
const SHAPES = { bars: shapes.bars, bins: shapes.bins, boxes: shapes.boxes, violins: shapes.violins, intervals: shapes.intervals, rule: shapes.rule };

export class Panel extends PanelBase {
  constructor(panel, home, look, size) {
    super(panel, home, look, size);
    this.axes = { x: this.x, y: this.y, color: this.colors?.axis };
    this.moving = panel.sideways ? this.y : this.x; // what runs to the right: the other one stays
    this.moving.spans = spansOf(panel.series.filter((series) => !this.isHidden(series)), this.moving, panel.sideways);
    this.chart = init(home, null, { renderer: "canvas", ...size });
    this.draw();
    this.changed = onceAFrame(() => this.chart && this.draw());
    zoomable(home, this);
    this.listen();
  }

  draw() {
    const { look, panel } = this, { theme } = look;
    const [across, up] = panel.sideways ? [this.y, this.x] : [this.x, this.y];
    const layout = layoutOf(this.size, across, up, { font: theme.font, hideUp: look.hideUp });
    this.place = new Place(layout.area, this.x, this.y, panel.sideways);
    this.drawn = [];
    const { left, top, width, height } = layout.area;
    this.chart.setOption({
      animation: false, textStyle: { fontFamily: theme.font },
      grid: { left, top, width, height },
      xAxis: this.axisOption(across, layout.across, across.down),
      yAxis: this.axisOption(up, layout.up, this.place.upDown),
      series: this.allOptions(),
    }, { notMerge: true });
  }

  axisOption(axis, { labels, rotate, gap }, inverse) {
    const { theme } = this.look, at = labels.map((label) => label.at);
    const texts = new Map(labels.map((label) => [label.at, label.text]));
    // Ticks are given once each end more than once by the library: its texts are looked up by their place.
    const values = { customValues: at };
    return {
      type: "value", min: axis.shown[0], max: axis.shown[1], inverse, name: labels.length || !this.look.hideUp ? axis.label : "",
      nameLocation: "middle", nameGap: gap, nameTextStyle: { color: theme.text, fontSize: 12 },
      axisLine: { show: true, onZero: false, lineStyle: { color: theme.axis } },
      axisTick: { show: !axis.categories, lineStyle: { color: theme.axis }, ...values },
      axisLabel: { ...values, rotate, color: theme.text, fontSize: 12, hideOverlap: true, formatter: (v) => texts.get(v) ?? "" },
      splitLine: { show: !axis.categories, lineStyle: { color: theme.grid } },
    };
  }

  // A series of the library takes long to set up: many of intervals become one.
  allOptions() {
    const seen = this.panel.series.filter((series) => !this.isHidden(series));
    const bars = seen.filter(({ mark }) => mark === "intervals");
    if (bars.length <= MANY_SERIES) return seen.flatMap((series) => this.seriesOptions(series));
    const items = bars.flatMap((series) => series.x.map((_, i) => [series, i]));
    const others = seen.filter(({ mark }) => mark !== "intervals").flatMap((series) => this.seriesOptions(series));
    return [...others, this.custom({ items }, items.length, (k) => {
      const [series, i] = items[k];
      return shapes.intervals(series, i, this.context(series, i));
    })];
  }

  seriesOptions(series) {
    const { mark } = series;
    if (mark === "cells" || mark === "field") return this.rasterOptions(series);
    if (mark === "points") return this.pointOptions(series);
    if (LINES[mark]) return this.lineOptions(series);
    const n = (series.x || series.y).length;
    return SHAPES[mark] ? [this.custom(series, n, (i) => SHAPES[mark](series, i, this.context(series, i)))] : [];
  }

  // Items have no place of their own for the library: all shapes are in pixels.
  custom(series, n, elementsOf, silent) {
    this.drawn.push(series);
    const origin = [this.x.shown[0], this.y.shown[0]];
    return {
      type: "custom", coordinateSystem: "cartesian2d", clip: true, silent: Boolean(silent), data: Array.from({ length: n }, () => origin),
      renderItem: ({ dataIndex }) => ({ type: "group", children: elementsOf(dataIndex) }),
    };
  }

  rasterOptions(series) {
    const colorOf = (value, i) => this.cellColor(series, value, i);
    const found = [this.custom(series, 1, () => [raster(series, this.place, colorOf)], true)];
    if (series.mark === "cells" && series.text)
      found.push(this.custom(series, series.x.length, (i) => {
        const rgb = colorOf(series.value[i], i);
        return shapes.cellText(series, i, { ...this.context(series, i), fill: Array.isArray(rgb) ? rgb : [255, 255, 255] });
      }, true));
    return found;
  }

  data(series) {
    const { x, y, panel } = this;
    return series.x.map((value, i) => {
      const across = x.along((value === null ? NaN : shapes.slotX(series, value, this.place)) * x.factor);
      const up = series.y[i] === null ? NaN : y.along(series.y[i] * y.factor);
      return panel.sideways ? [up, across] : [across, up];
    });
  }

  lineOptions(series) {
    const color = seriesColor(series.color, this.look.theme), found = [];
    const kind = LINES[series.mark], few = series.x.length <= FEW_POINTS;
    if (series.low && series.high) found.push(this.custom(series, 1, () => shapes.band(series, this.context(series, 0)), true));
    this.drawn.push(series);
    found.push({
      type: "line", data: this.data(series), showSymbol: few && series.mark === "line", symbol: "circle", symbolSize: 5, silent: true, clip: true,
      lineStyle: { color, width: 1.75, ...kind.lineStyle }, itemStyle: { color }, step: kind.step || false, z: 3,
    });
    return found.concat(this.textOptions(series));
  }

  // What is written at the points of a line.
  textOptions(series) {
    if (series.x.length > FEW_POINTS || !series.text?.some(Boolean)) return [];
    this.drawn.push(series);
    return [{
      type: "scatter", symbolSize: 0.01, silent: true, clip: false, labelLayout: { hideOverlap: true }, z: 5,
      data: this.data(series).map((value, i) => ({ value, label: this.label(series, i) })),
    }];
  }

  label(series, i) {
    if (!series.text?.[i]) return undefined;
    const text = shapes.pointText(series.text[i]), [x] = this.place.at(shapes.slotX(series, series.x[i], this.place), series.y[i]);
    return { show: true, formatter: () => text, position: "top", align: shapes.pointAlign(text, x, this.place), color: this.look.theme.text, fontSize: 11 };
  }

  pointOptions(series) {
    const n = series.x.length, found = [];
    if (series.low || series.x_low)
      found.push(this.custom(series, n, (i) => shapes.errorBars(series, i, this.context(series, i)), true));
    this.drawn.push(series);
    const data = this.data(series), plain = !series.value && !series.text;
    const text = (i) => (n <= FEW_POINTS ? this.label(series, i) : undefined);
    found.push({
      type: "scatter", symbolSize: n > 2000 ? 3 : n > 300 ? 5 : 8, clip: true, emphasis: { disabled: true }, z: 4,
      itemStyle: { color: this.fillOf(series, -1), opacity: n > 300 ? 0.6 : 0.9 }, labelLayout: { hideOverlap: true },
      data: plain ? data : data.map((value, i) => ({ value, itemStyle: { color: this.fillOf(series, i) }, label: text(i) })),
    });
    return found;
  }

  // ------------------------------------------------------------- the pointer

  listen() {
    this.chart.on("mousemove", ({ seriesIndex, dataIndex, event }) => {
      const drawn = this.drawn[seriesIndex];
      if (!drawn) return;
      const [series, i] = drawn.items ? drawn.items[dataIndex] : [drawn, dataIndex];
      this.tell(event.event, series, i, factsOf(series, i, this.axes));
    });
    this.chart.on("mouseout", hideTip);
    this.chart.on("globalout", hideTip);
    this.chart.getZr().on("mousemove", (event) => {
      if (event.target && !event.target.silent) return;
      this.tellNearest(event);
    });
  }

  tell(event, series, i, rows) {
    const title = series.name || (series.mark === "points" ? "" : this.panel.title);
    showTip(event, { title, color: this.fillOf(series, i), rows });
  }

  tellNearest({ offsetX, offsetY, event }) {
    const seen = new Set(this.drawn);
    if (!this.place.contains(offsetX, offsetY)) return hideTip();
    for (const series of seen) {
      if (series.mark !== "cells" && series.mark !== "field") continue;
      const i = cellAt(series, this.place, offsetX, offsetY);
      if (i >= 0) return this.tell(event, series, i, series.mark === "cells" ? factsOf(series, i, this.axes) : fieldFacts(series, i, this.axes));
    }
    const near = nearest([...seen].filter(({ mark }) => LINES[mark]), this.place, offsetX, offsetY);
    return near ? this.tell(event, near.series, near.i, factsOf(near.series, near.i, this.axes)) : hideTip();
  }

  dispose() {
    hideTip();
    this.chart.dispose();
    this.chart = null;
  }
}

function nearest(lines, place, px, py) {
  let best = null, least = NEAR_PX ** 2;
  for (const series of lines)
    series.x.forEach((x, i) => {
      const [ax, ay] = place.at(x, series.y[i]), distance = (ax - px) ** 2 + (ay - py) ** 2;
      if (distance < least) [best, least] = [{ series, i }, distance];
    });
  return best;
}
