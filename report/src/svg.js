// Elements of SVG, from what shapes.js gives.
const SVG_SPACE = "http://www.w3.org/2000/svg";
const ANCHORS = { left: "start", center: "middle", right: "end" };
const BELOW = { top: "0.8em", middle: "0.35em", bottom: "-0.1em" }; // of the line that letters stand on

export const px = (v) => String(Math.round(v * 100) / 100);

export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG_SPACE, tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) element.setAttribute(name, typeof value === "number" ? px(value) : value);
  element.append(...children.flat().filter(Boolean));
  return element;
}

function painted({ fill = "none", stroke = "none", lineWidth, lineDash, opacity }) {
  return { fill, stroke, "stroke-width": lineWidth, "stroke-dasharray": lineDash ? lineDash.join(" ") : null, opacity };
}

export function svgText(content, x, y, { fill, stroke, lineWidth, align = "center", verticalAlign = "bottom", size = 11, turn }) {
  return svg("text", { x, y, fill, stroke, "stroke-width": lineWidth, "paint-order": stroke ? "stroke" : null, dy: BELOW[verticalAlign], "text-anchor": ANCHORS[align], "font-size": size,
    transform: turn ? `rotate(${-turn} ${px(x)} ${px(y)})` : null }, document.createTextNode(content));
}

export function svgShape({ type, shape, style }) {
  if (type === "text") return svgText(style.text, style.x, style.y, style);
  if (type === "polygon") return svg("polygon", { points: shape.points.map((point) => point.map(px).join(",")).join(" "), ...painted(style) });
  if (type === "line") return svg("line", { ...shape, ...painted(style) });
  return svg("rect", { ...shape, ...painted(style) });
}

// A line through points that are there; `steps`: level up to the next.
export function svgPath(points, steps) {
  let path = "", before = null;
  for (const [x, y] of points) {
    const there = Number.isFinite(x) && Number.isFinite(y);
    if (there) path += !before ? `M${px(x)} ${px(y)}` : steps ? `H${px(x)}V${px(y)}` : `L${px(x)} ${px(y)}`;
    before = there ? [x, y] : null;
  }
  return path;
}
