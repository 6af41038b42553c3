// Takes the place of charts.js in a build without a bundle: no library that draws, and pictures stand still.
// SPDX-License-Identifier: MIT
import { Still } from "./still.js";

export const chartsMove = false;

export function drawPicture(picture, display, home) {
  return [new Still(display, home, picture.description || picture.title)];
}
