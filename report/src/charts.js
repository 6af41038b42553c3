// Draws the panels of a picture into their places.
// SPDX-License-Identifier: MIT
import "uplot/dist/uPlot.min.css";
import { framesOf, sameAsBefore } from "./frames.js";
import { isLong, LongLines } from "./lines.js";
import { Panel } from "./panel.js";
import { Still } from "./still.js";
import { theme } from "./theme.js";

export const chartsMove = true;

const KEYS = "Keys: plus and minus zoom, arrows move, 0 shows all.";

// `still`: as the program has placed its marks, which is there at once, until the picture comes near what is seen.
export function drawPicture(picture, display, home, { columns, hidden, still }) {
  const { panels } = picture, look = { theme: theme(), hidden, legend: picture.legend || [] };
  const frames = framesOf(picture, home, columns, (name) => ({ tabindex: 0, "aria-label": `${name} ${KEYS}` }));
  if (still) return [new Still(display, home, picture.description || picture.title, home.getBoundingClientRect().height)];
  return panels.map((panel, index) => {
    const own = { ...look, hideUp: sameAsBefore(panels, index, columns) };
    const Drawer = isLong(panel) ? LongLines : Panel;
    return new Drawer(panel, frames[index].canvas, own, frames[index].size);
  });
}
