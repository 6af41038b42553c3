// Elements of SVG.
// SPDX-License-Identifier: MIT
const SVG_SPACE = "http://www.w3.org/2000/svg";

export const px = (v) => String(Math.round(v * 100) / 100);

export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG_SPACE, tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) element.setAttribute(name, typeof value === "number" ? px(value) : value);
  element.append(...children.flat().filter(Boolean));
  return element;
}
