// Takes the place of charts.js where no library that draws could be fetched.
import { framesOf, sameAsBefore } from "./frames.js";
import { SvgPanel } from "./svg-panel.js";
import { theme } from "./theme.js";

export const chartsMove = false;

export function drawPicture(picture, home, { columns, hidden }) {
  const { panels } = picture, look = { theme: theme(), hidden, legend: picture.legend || [] };
  const frames = framesOf(picture, home, columns, () => ({}));
  return panels.map((panel, index) =>
    new SvgPanel(panel, frames[index].canvas, { ...look, hideUp: sameAsBefore(panels, index, columns) }, frames[index].size));
}
