// The places of a picture's panels: how high they are, what stands around them.
// SPDX-License-Identifier: MIT
import { ColorScale } from "./colors.js";
import { el, styled } from "./dom.js";
import { visible } from "./format.js";

// Rows of categories need their height; others get a shape that is easy to read.
function heightOf({ x, y, sideways, series }, columns) {
  const rows = sideways ? x.categories?.length : y.categories?.length;
  if (!rows) return columns > 1 ? 300 : 380;
  const slots = Math.max(1, ...series.map((s) => (s.mark === "bars" || s.mark === "boxes" || s.mark === "violins" ? s.n_slots || 1 : 1)));
  const each = Math.min(Math.max(24, 13 * slots), 80);
  return Math.min(Math.max(180, rows * each + 90), 900);
}

// In a row of turned panels with the same categories, the first one names them.
export function sameAsBefore(panels, index, columns) {
  const [panel, before] = [panels[index], panels[index - 1]];
  if (index % columns === 0 || !panel.sideways || !before.sideways) return false;
  return JSON.stringify(panel.x.categories) === JSON.stringify(before.x.categories);
}

function frame(picture, panel, height, more) {
  const name = [panel.title, picture.description || picture.title].filter(Boolean).map(visible).join(": ");
  const canvas = styled(el("div", { class: "chart", role: "img", "aria-label": name, ...more(name) }), { height: `${height}px` });
  const bar = panel.color ? new ColorScale(panel.color).bar() : null;
  const head = (panel.title || panel.note) && el("div", { class: "head" }, el(panel.title ? "h4" : "span", null, visible(panel.title)),
    panel.note && el("p", { class: "corner" }, visible(panel.note)));
  return { canvas, whole: el("div", { class: "panel" }, head, canvas, bar) };
}

// Puts them into `home`; gives each canvas and its size.  `more` are further attributes of a canvas, by its name.
export function framesOf(picture, home, columns, more) {
  const { panels } = picture, heights = panels.map((panel) => heightOf(panel, columns));
  const frames = panels.map((panel, index) => {
    const row = Math.floor(index / columns) * columns;
    return frame(picture, panel, Math.max(...heights.slice(row, row + columns)), more);
  });
  home.replaceChildren(...frames.map(({ whole }) => whole));
  // All are asked before anything is drawn, which would make the browser lay the page out again for each.
  return frames.map(({ canvas }) => ({ canvas, size: { width: canvas.clientWidth, height: canvas.clientHeight } }));
}
