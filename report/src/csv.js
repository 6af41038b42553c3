// What is copied from a table: the same lines as in tables/NAME.csv.
// SPDX-License-Identifier: MIT

// Leading white space does not stop a spreadsheet from seeing a formula.
function quoted(text) {
  const formula = /^[\t\r\n]|^ *[=+\-@]/.test(text);
  if (!formula && !/[,"\r\n]|^ | $/.test(text)) return text;
  return `"${formula ? "'" : ""}${text.replaceAll('"', '""')}"`;
}

// As the program writes a real number: its shortest digits, and always as one that may have a fraction.
function realText(value) {
  const [digits, exponent] = value.toExponential().split("e"), power = Number(exponent);
  if (power < -4 || power >= 16) {
    const size = String(Math.abs(power)).padStart(2, "0");
    return `${digits}e${power < 0 ? "-" : "+"}${size}`;
  }
  return (Object.is(value, -0) ? "-0" : String(value)) + (Number.isInteger(value) ? ".0" : "");
}

function cell(column, value) {
  if (value === null) return "";
  if (column.type === "real" && typeof value === "number") return realText(value);
  return column.type === "text" ? quoted(String(value)) : String(value);
}

// What is counted, the name says.
export function heading({ name, unit }) {
  return unit && unit !== "count" && unit !== name ? `${name}_${unit}` : name;
}

export function csvOf(columns, rows) {
  const lines = [columns.map((column) => quoted(heading(column)))];
  for (const row of rows) lines.push(row.map((value, index) => cell(columns[index], value)));
  return lines.map((line) => `${line.join(",")}\r\n`).join("");
}
