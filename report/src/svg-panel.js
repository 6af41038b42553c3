// One panel as SVG, which stands still: the axes, and in them what shapes.js gives.
import { layoutOf } from "./layout.js";
import { PanelBase } from "./panel-base.js";
import { Place } from "./place.js";
import { eachCell } from "./raster.js";
import { band, bars, bins, boxes, cellText, errorBars, intervals, pointAlign, pointText, rule, slotX, violins } from "./shapes.js";
import { px, svg, svgPath, svgShape, svgText } from "./svg.js";
import { seriesColor } from "./theme.js";

const ITEMS = { bars, bins, boxes, violins, intervals, rule };
const STROKES = { line: {}, steps: {}, front: { "stroke-dasharray": "6 4", "stroke-width": 2 } };
const FEW_POINTS = 60;
const TICK_PX = 5;

let lastClip = 0;

function range(n, itemsOf) {
  return Array.from({ length: n }, (_, i) => itemsOf(i)).flat();
}

export class SvgPanel extends PanelBase {
  constructor(panel, home, look, size) {
    super(panel, home, look, size);
    const [across, up] = panel.sideways ? [this.y, this.x] : [this.x, this.y];
    this.layout = layoutOf(size, across, up, { font: look.theme.font, hideUp: look.hideUp });
    this.place = new Place(this.layout.area, this.x, this.y, panel.sideways);
    const { left, top, width, height } = this.layout.area, clip = `clip-${++lastClip}`;
    home.replaceChildren(svg("svg", { ...size, viewBox: `0 0 ${px(size.width)} ${px(size.height)}`, "font-family": look.theme.font },
      svg("clipPath", { id: clip }, svg("rect", { x: left, y: top, width, height })),
      this.acrossAxis(across), this.upAxis(up),
      svg("g", { "clip-path": `url(#${clip})` }, panel.series.flatMap((series) => this.mark(series)))));
  }

  share(axis, at) {
    const [low, high] = axis.shown;
    return (at - low) / (high - low);
  }

  acrossAxis(axis) {
    const { area, across } = this.layout, { theme } = this.look, bottom = area.top + area.height;
    const of = ({ at, text }) => {
      const [x] = this.place.pixel(this.share(axis, at), 0);
      return [!axis.categories && svg("path", { d: `M${px(x)} ${px(area.top)}V${px(bottom)}`, stroke: theme.grid }),
        !axis.categories && svg("path", { d: `M${px(x)} ${px(bottom)}v${TICK_PX}`, stroke: theme.axis }),
        svgText(text, x, bottom + 8, { fill: theme.text, size: 12, verticalAlign: "top", turn: across.rotate,
          align: across.rotate ? "right" : "center" })];
    };
    return svg("g", {}, across.labels.map(of).flat(), svg("path", { d: `M${px(area.left)} ${px(bottom)}h${px(area.width)}`, stroke: theme.axis }),
      svgText(axis.label, area.left + area.width / 2, bottom + across.gap, { fill: theme.text, size: 12, verticalAlign: "top" }));
  }

  upAxis(axis) {
    const { area, up } = this.layout, { theme, hideUp } = this.look, middle = area.top + area.height / 2;
    const of = ({ at, text }) => {
      const [, y] = this.place.pixel(0, this.share(axis, at));
      return [!axis.categories && svg("path", { d: `M${px(area.left)} ${px(y)}h${px(area.width)}`, stroke: theme.grid }),
        !axis.categories && svg("path", { d: `M${px(area.left)} ${px(y)}h${-TICK_PX}`, stroke: theme.axis }),
        svgText(text, area.left - 8, y, { fill: theme.text, size: 12, verticalAlign: "middle", align: "right" })];
    };
    return svg("g", {}, up.labels.map(of).flat(), svg("path", { d: `M${px(area.left)} ${px(area.top)}v${px(area.height)}`, stroke: theme.axis }),
      !hideUp && svgText(axis.label, area.left - up.gap, middle, { fill: theme.text, size: 12, turn: 90 }));
  }

  mark(series) {
    if (this.isHidden(series)) return [];
    const { mark } = series;
    if (mark === "cells" || mark === "field") return this.cells(series);
    if (mark === "points") return this.points(series);
    if (STROKES[mark]) return this.line(series);
    const n = (series.x || series.y).length;
    return ITEMS[mark] ? range(n, (i) => ITEMS[mark](series, i, this.context(series, i))).map(svgShape) : [];
  }

  // One path for each colour: fields have thousands of cells.
  cells(series) {
    const paths = new Map(), colorOf = (value, i) => this.cellColor(series, value, i);
    eachCell(series, this.place, colorOf, ({ x, y, width, height }, color) => {
      const gap = width > 6 && height > 6 ? 1 : 0, path = paths.get(color) || [];
      path.push(`M${px(x)} ${px(y)}h${px(width - gap)}v${px(height - gap)}h${px(gap - width)}z`);
      paths.set(color, path);
    });
    const written = series.mark === "cells" && series.text ? range(series.x.length, (i) => {
      const color = colorOf(series.value[i], i);
      return cellText(series, i, { ...this.context(series, i), fill: Array.isArray(color) ? color : [255, 255, 255] });
    }) : [];
    return [...[...paths].map(([fill, path]) => svg("path", { d: path.join(""), fill, "shape-rendering": "crispEdges" })), ...written.map(svgShape)];
  }

  pixels(series) {
    return series.x.map((x, i) => this.place.at(slotX(series, x, this.place), series.y[i]));
  }

  line(series) {
    const stroke = seriesColor(series.color, this.look.theme);
    const around = series.low && series.high ? band(series, this.context(series, 0)) : [];
    const points = this.pixels(series), path = svgPath(points, series.mark === "steps");
    const dots = series.mark === "line" && points.length <= FEW_POINTS ? points.filter((point) => point.every(Number.isFinite)) : [];
    return [...around.map(svgShape), svg("path", { d: path, fill: "none", stroke, "stroke-width": 1.75, "stroke-linecap": "round", ...STROKES[series.mark] }),
      ...dots.map(([cx, cy]) => svg("circle", { cx, cy, r: 2.5, fill: stroke })), ...this.texts(series, points)];
  }

  pointText(written, x, y) {
    const text = pointText(written);
    return svgText(text, x, y - 6, { fill: this.look.theme.text, align: pointAlign(text, x, this.place) });
  }

  texts(series, points) {
    if (points.length > FEW_POINTS || !series.text) return [];
    return points.map(([x, y], i) => Number.isFinite(x) && Number.isFinite(y) && series.text[i] &&
      this.pointText(series.text[i], x, y));
  }

  points(series) {
    const n = series.x.length;
    const bars = series.low || series.x_low ? range(n, (i) => errorBars(series, i, this.context(series, i))) : [];
    const dots = this.pixels(series).map(([x, y], i) => {
      if (!Number.isFinite(x) || !Number.isFinite(y)) return [];
      const written = n <= FEW_POINTS && series.text?.[i];
      return [svg("circle", { cx: x, cy: y, r: n > 2000 ? 1.5 : n > 300 ? 2.5 : 4, fill: this.fillOf(series, i), opacity: n > 300 ? 0.6 : 0.9 }),
        written && this.pointText(series.text[i], x, y)];
    });
    return [...bars.map(svgShape), ...dots.flat()];
  }

  dispose() {
    this.home.replaceChildren();
  }
}
