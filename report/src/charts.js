// Draws the panels of a picture into their places.
import "uplot/dist/uPlot.min.css";
import { framesOf, sameAsBefore } from "./frames.js";
import { isLong, LongLines } from "./lines.js";
import { Panel } from "./panel.js";
import { SvgPanel } from "./svg-panel.js";
import { theme } from "./theme.js";

export const chartsMove = true;

const KEYS = "Keys: plus and minus zoom, arrows move, 0 shows all.";

// `still`: as SVG, which is there at once, until the picture comes near what is seen.
export function drawPicture(picture, home, { columns, hidden, still }) {
  const { panels } = picture, look = { theme: theme(), hidden, legend: picture.legend || [] };
  const frames = framesOf(picture, home, columns, (name) => ({ tabindex: 0, "aria-label": `${name} ${KEYS}` }));
  return panels.map((panel, index) => {
    const own = { ...look, hideUp: sameAsBefore(panels, index, columns) };
    const Drawer = isLong(panel) ? LongLines : still ? SvgPanel : Panel;
    return new Drawer(panel, frames[index].canvas, own, frames[index].size);
  });
}
