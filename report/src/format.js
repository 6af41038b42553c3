// Numbers and texts for people.  Exact values stay in the data, in titles and in what is copied.
// SPDX-License-Identifier: MIT

const DURATIONS = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
const SIZES = [["B", 1], ["KiB", 1024], ["MiB", 1024 ** 2], ["GiB", 1024 ** 3], ["TiB", 1024 ** 4]];
// Characters that move the cursor, reorder what is shown, or cannot be seen.
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

// Made once for each: making one takes longer than using it a hundred times.
const formats = new Map();

export function decimal(number, least, most, digits) {
  const key = `${least},${most},${digits}`;
  if (!formats.has(key))
    formats.set(key, new Intl.NumberFormat("en-US", digits ? { maximumSignificantDigits: digits }
      : { minimumFractionDigits: least, maximumFractionDigits: most }));
  return formats.get(key).format(number);
}

function stepFor(steps, largest) {
  return steps.findLast(([, divisor]) => largest >= divisor) || steps[0];
}

// Three to four digits of the largest value.
function decimalsFor(largest) {
  if (largest >= 100) return 1;
  if (largest >= 10) return 2;
  let decimals = 3;
  for (let v = largest; v > 0 && v < 1 && decimals < 9; v *= 10) decimals++;
  return decimals;
}

// How the numbers of one column, or of one metric, are shown: as in summary.txt.
export function scaleOf(unit, largest, whole) {
  let [shown, divisor] = [unit && unit !== "count" ? unit : "", 1];
  if (shown === "ns") [shown, divisor] = stepFor(DURATIONS, largest);
  else if (shown === "bytes") [shown, divisor] = stepFor(SIZES, largest);
  const exact = whole && divisor === 1;
  if (shown === "percent") return { unit: "%", divisor, decimals: exact ? 0 : 1 };
  return { unit: shown, divisor, decimals: exact ? 0 : decimalsFor(largest / divisor) };
}

export function scaled(value, scale) {
  const number = value / scale.divisor;
  if (!Number.isFinite(number)) return "-";
  if (Math.abs(number) >= 1e15) return number.toExponential(3);
  const { decimals } = scale, least = 10 ** -decimals;
  // What is there is not shown as nothing.
  if (number !== 0 && Math.abs(number) < least / 2) return `${number < 0 ? ">-" : "<"}${decimal(least, decimals, decimals)}`;
  return decimal(number, decimals, decimals);
}

// One number by itself: four digits, and all those of integers.
export function plain(number) {
  if (number === null || !Number.isFinite(number)) return "-";
  const size = Math.abs(number);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return number.toExponential(3);
  if (Number.isInteger(number)) return count(number);
  return size < 1000 ? decimal(number, 0, 0, 4) : decimal(number, 0, 1);
}

// "64 KiB" of 65,536.
export function sizeText(bytes) {
  const [unit, divisor] = stepFor(SIZES, bytes);
  return `${plain(bytes / divisor)} ${unit === "B" ? "bytes" : unit}`;
}

export function count(n) {
  return decimal(n, 0, 0);
}

export function counted(n, one, many) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function visible(text) {
  return text.replace(HARMFUL, (c) => {
    const code = c.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

// At most `most` characters; the middle is given up, as names often differ at their ends.
export function shortened(text, most) {
  if (text.length <= most) return visible(text);
  const half = Math.ceil((most - 1) / 2);
  const head = Array.from(text.slice(0, 2 * most)), tail = Array.from(text.slice(-2 * most).replace(/^[\udc00-\udfff]/, ""));
  if (text.length <= 2 * most && head.length <= most) return visible(text);
  return visible(`${head.slice(0, half).join("")}…${tail.slice(-Math.max(1, most - 1 - half)).join("")}`);
}
