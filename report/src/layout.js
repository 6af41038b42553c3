// Where the plot area of a panel is: what its labels need is taken off first.
// SPDX-License-Identifier: MIT
import { shortened } from "./format.js";

const FONT_PX = 12;
const LINE_PX = 16;
const NAME_PX = 22; // the name of an axis, with what is around it
const TILT = 40;    // degrees

const context = document.createElement("canvas").getContext("2d");

export function textWidth(text, font) {
  context.font = `${FONT_PX}px ${font}`;
  return context.measureText(text).width;
}

function cut(text, limit, font) {
  if (textWidth(text, font) <= limit) return text;
  let most = Math.max(3, Math.floor(limit / 7));
  while (most > 3 && textWidth(shortened(text, most), font) > limit) most--;
  return shortened(text, most);
}

function labelsOf(axis, most, limit, font) {
  return axis.ticks(most).map((printed) => ({ at: axis.along(printed), text: cut(axis.tickText(printed, 200), limit, font) }));
}

const widest = (labels, font) => labels.reduce((width, { text }) => Math.max(width, textWidth(text, font)), 0);

// Labels below a panel: side by side, else tilted, else only every so many.
function below(axis, width, font) {
  const n = axis.categories ? Math.max(1, axis.shown[1] - axis.shown[0]) : 0;
  if (!n) {
    const sample = widest(labelsOf(axis, 6, 90, font), font) + 24;
    return { labels: labelsOf(axis, Math.max(2, Math.min(10, Math.floor(width / sample))), 90, font), rotate: 0, height: LINE_PX };
  }
  const each = width / n, all = labelsOf(axis, n, 130, font), largest = widest(all, font);
  if (largest + 8 <= each) return { labels: all, rotate: 0, height: LINE_PX };
  if (largest <= 36) return { labels: labelsOf(axis, Math.floor(width / (largest + 10)), 130, font), rotate: 0, height: LINE_PX };
  const labels = labelsOf(axis, Math.max(1, Math.floor(width / 18)), 130, font);
  return { labels, rotate: TILT, height: Math.min(largest, 130) * Math.sin(TILT * Math.PI / 180) + LINE_PX };
}

function beside(axis, height, limit, font) {
  return labelsOf(axis, Math.max(2, Math.floor(height / (axis.categories ? 15 : 34))), limit, font);
}

// { area, across: { labels, rotate, gap }, up: { labels, gap } } of a canvas of that size.
export function layoutOf(size, across, up, { font, hideUp }) {
  const top = 14, right = 18;
  const guess = below(across, size.width * 0.75, font);
  const nameAcross = across.label ? NAME_PX : 6, nameUp = up.label && !hideUp ? NAME_PX : 6;
  const height = Math.max(40, size.height - top - guess.height - nameAcross - 6);
  const labels = hideUp ? [] : beside(up, height, Math.min(380, size.width * 0.45), font);
  // The first tilted label reaches out to the left.
  const tilted = guess.rotate ? widest(guess.labels.slice(0, 1), font) * Math.cos(TILT * Math.PI / 180) : 0;
  const left = Math.max(Math.ceil(widest(labels, font)) + nameUp + 10, Math.ceil(tilted));
  const width = Math.max(40, size.width - left - right);
  const under = below(across, width, font);
  return {
    area: { left, top, width, height: Math.max(40, size.height - top - under.height - nameAcross - 6) },
    across: { ...under, gap: under.height + 8 },
    up: { labels, rotate: 0, gap: Math.ceil(widest(labels, font)) + 16 },
  };
}
