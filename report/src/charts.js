// Draws the panels of a picture into their places.
import "uplot/dist/uPlot.min.css";
import { ColorScale } from "./colors.js";
import { el, styled } from "./dom.js";
import { visible } from "./format.js";
import { isLong, LongLines } from "./lines.js";
import { Panel } from "./panel.js";
import { theme } from "./theme.js";

export const chartsAvailable = true;

const KEYS = "Keys: plus and minus zoom, arrows move, 0 shows all.";

// Rows of categories need their height; others get a shape that is easy to read.
function heightOf({ x, y, sideways, series }, columns) {
  const rows = sideways ? x.categories?.length : y.categories?.length;
  if (!rows) return columns > 1 ? 300 : 380;
  const slots = Math.max(1, ...series.map((s) => (s.mark === "bars" || s.mark === "boxes" || s.mark === "violins" ? s.n_slots || 1 : 1)));
  const each = Math.min(Math.max(24, 13 * slots), 80);
  return Math.min(Math.max(180, rows * each + 90), 900);
}

// In a row of turned panels with the same categories, the first one names them.
function sameAsBefore(panels, index, columns) {
  const [panel, before] = [panels[index], panels[index - 1]];
  if (index % columns === 0 || !panel.sideways || !before.sideways) return false;
  return JSON.stringify(panel.x.categories) === JSON.stringify(before.x.categories);
}

function frame(picture, panel, height) {
  const name = [panel.title, picture.description || picture.title].filter(Boolean).map(visible).join(": ");
  const canvas = styled(el("div", { class: "chart", role: "img", tabindex: 0, "aria-label": `${name} ${KEYS}` }), { height: `${height}px` });
  const bar = panel.color ? new ColorScale(panel.color).bar() : null;
  return { canvas, whole: el("div", { class: "panel" }, panel.title && el("h4", null, visible(panel.title)),
    el("div", { class: "stack" }, canvas, panel.note && el("p", { class: "corner" }, visible(panel.note))), bar) };
}

export function drawPicture(picture, home, { columns, hidden }) {
  const { panels } = picture, look = { theme: theme(), hidden, legend: picture.legend || [] };
  const heights = panels.map((panel) => heightOf(panel, columns));
  const frames = panels.map((panel, index) => {
    const row = Math.floor(index / columns) * columns;
    return frame(picture, panel, Math.max(...heights.slice(row, row + columns)));
  });
  home.replaceChildren(...frames.map(({ whole }) => whole));
  // All are asked before anything is drawn, which would make the browser lay the page out again for each.
  const sizes = frames.map(({ canvas }) => ({ width: canvas.clientWidth, height: canvas.clientHeight }));
  return panels.map((panel, index) => {
    const own = { ...look, hideUp: sameAsBefore(panels, index, columns) };
    const Drawer = isLong(panel) ? LongLines : Panel;
    return new Drawer(panel, frames[index].canvas, own, sizes[index]);
  });
}
