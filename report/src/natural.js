// The order of texts that people expect, "rate2" before "rate16": as tables are written (core/base/natural.c).
// SPDX-License-Identifier: MIT

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;

// Characters, and numbers: with a fraction where there is one dot, as in "1.5", not in "1.2.10".
function piecesOf(text) {
  const pieces = [];
  for (const [run] of text.matchAll(/\d+(?:\.\d+)*|\D/gu)) {
    const parts = run.split(".");
    const isWhole = run === "." || parts.length === 1 || (parts.length === 2 && pieces.at(-1) !== ".");
    pieces.push(...(isWhole ? [run] : run.split(/(\.)/)));
  }
  return pieces;
}

// What is compared of a text; made once for each.
export function naturalKey(text) {
  return { text, number: NUMBER.test(text) ? Number(text) : null, pieces: piecesOf(text) };
}

const isNumber = (piece) => piece.charCodeAt(0) >= 48 && piece.charCodeAt(0) <= 57;

// Digits of any length: whole numbers by how many they have, fractions from the first on.
function compareNumbers(a, b) {
  const [x, y] = [a, b].map((piece) => piece.split("."));
  const [whole, other] = [x, y].map((parts) => parts[0].replace(/^0+/, ""));
  if (whole.length !== other.length) return whole.length - other.length;
  if (whole !== other) return whole < other ? -1 : 1;
  const [part, otherPart] = [x, y].map((parts) => (parts[1] ?? "").replace(/0+$/, ""));
  return part < otherPart ? -1 : part > otherPart ? 1 : 0;
}

function comparePoints(a, b) {
  const [x, y] = [[...a], [...b]];
  for (let i = 0; i < Math.min(x.length, y.length); i++)
    if (x[i] !== y[i]) return x[i].codePointAt(0) - y[i].codePointAt(0);
  return x.length - y.length;
}

export function compareNatural(a, b) {
  if ((a.number === null) !== (b.number === null)) return a.number === null ? 1 : -1;
  if (a.number !== null && a.number !== b.number) return a.number < b.number ? -1 : 1;
  for (let i = 0; a.number === null && i < Math.min(a.pieces.length, b.pieces.length); i++) {
    const [x, y] = [a.pieces[i], b.pieces[i]];
    const order = isNumber(x) && isNumber(y) ? compareNumbers(x, y) : comparePoints(x, y);
    if (order) return order;
  }
  return (a.number === null && a.pieces.length - b.pieces.length) || comparePoints(a.text, b.text);
}
