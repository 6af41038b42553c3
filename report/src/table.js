// One table: sorted by its headers, filtered by words, copied as CSV.  Only the rows in sight are elements.
// SPDX-License-Identifier: MIT
import { csvOf, heading } from "./csv.js";
import { el, onceAFrame, styled } from "./dom.js";
import { count, counted, plain, scaled, scaleOf, shortened, visible } from "./format.js";
import { compareNatural, naturalKey } from "./natural.js";

const ROW_PX = 30;
const ROWS_AROUND = 8; // drawn above and below those in sight
const LONGEST_CELL = 60;
const LONGEST_SENTENCE = 150;
const LONGEST_TITLE = 2000;
const PRINTED_ROWS = 100;
const SAMPLE = 200; // rows that decide on the width of columns
const MAX_HEIGHT_PX = 480; // of the rows in sight, as the style sheet says
const PAPER_CH = 108; // what fits on a sheet that stands upright
const SORTING_CH = 3; // of a column: what its button needs on a screen

const isNumber = (column) => column.type === "int" || column.type === "real";

// Where columns stand: first those that tell rows apart, then what all rows share, last those without anything.
function orderOf({ columns, rows }) {
  const kind = columns.map((_, index) => {
    const first = rows.find((row) => row[index] !== null)?.[index];
    if (first === undefined || (first === "" && rows.every((row) => !row[index]))) return 2;
    return rows.length > 1 && rows.every((row) => row[index] === first) ? 1 : 0;
  });
  const at = (wanted) => columns.map((_, index) => index).filter((index) => kind[index] === wanted);
  return [...at(0), ...at(1), ...at(2)];
}

// Integers that a number of this language does not hold exactly come as texts.
const numberOf = (value) => (value === null ? null : Number(value));

function columnScale(column, index, rows) {
  if (!isNumber(column)) return null;
  let largest = 0, whole = true;
  for (const row of rows) {
    const number = numberOf(row[index]);
    if (number === null) continue;
    largest = Math.max(largest, Math.abs(number));
    whole = whole && Number.isInteger(number);
  }
  // Ranks and identifiers are not quantities, and have no separators.
  if (column.key && !column.unit) return { unit: "", divisor: 1, decimals: 0, name: true };
  return scaleOf(column.unit, largest, whole);
}

function cellText(column, scale, value) {
  if (value === null) return "";
  if (!isNumber(column)) return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
  if (scale.name) return String(value);
  if (column.mixed) return plain(numberOf(value)); // of several units: no scale suits them all
  if (typeof value === "string" && scale.divisor === 1) return count(BigInt(value));
  return scaled(numberOf(value), scale);
}

function compareValues(a, b) {
  if (a === null || b === null) return (a === null) - (b === null); // absent ones last, whichever way
  if (typeof a === "object") return compareNatural(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

// Code points and the size of numbers, not a language's rules: the same order everywhere.
function sortValue(column, value) {
  if (value === null) return null;
  if (isNumber(column)) return typeof value === "string" ? BigInt(value) : value;
  return typeof value === "boolean" ? Number(value) : naturalKey(value);
}

export class Table {
  constructor(table, id) {
    this.table = table;
    this.columns = orderOf(table);
    this.scales = table.columns.map((column, index) => columnScale(column, index, table.rows));
    this.order = table.rows.map((_, index) => index);
    this.shown = this.order;
    this.sort = { column: -1, down: false };
    this.marked = new Set(); // rows that a link leads to
    this.element = this.build(id);
    this.filter("");
  }

  build(id) {
    const { table } = this;
    this.status = el("span", { class: "status", role: "status" });
    this.search = el("input", {
      type: "search", placeholder: "Filter", "aria-label": `Filter rows of ${table.name}`, autocomplete: "off",
      oninput: () => this.filter(this.search.value),
    });
    const copy = el("button", { type: "button", class: "copy", onclick: () => this.copy() }, "Copy as CSV");
    this.body = el("tbody");
    this.widths = table.columns.map((_, index) => this.widthOfColumn(index));
    this.grid = this.gridOf(this.columns, this.body, { "aria-rowcount": table.rows.length + 1, "aria-label": table.name });
    styled(this.grid, { "min-width": `${this.widths.reduce((sum, width) => sum + width, 0)}ch` });
    this.scroller = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Rows of ${table.name}` }, this.grid);
    this.scroller.addEventListener("scroll", onceAFrame(() => this.draw()), { passive: true });
    // Laid out only when it comes into sight; until then it takes about as much room as it will.
    const height = Math.min(Math.max(table.rows.length, 1) * ROW_PX + 34, MAX_HEIGHT_PX) + 140;
    const whole = el("section", { id, class: "table", "aria-labelledby": `${id}-name` },
      el("h3", { id: `${id}-name` }, visible(table.title || table.name)),
      table.help && el("p", { class: "help" }, visible(table.help)),
      table.left_out && el("p", { class: "left-out" }, table.left_out),
      el("div", { class: "tools" }, this.search, copy, this.status),
      this.scroller);
    return styled(whole, { "contain-intrinsic-height": `auto ${height}px` });
  }

  // Of all columns, or of those that stand in one part on paper.
  gridOf(columns, body, attributes, widths = this.widths) {
    return el("table", attributes, this.columnGroup(columns, widths),
      el("thead", null, el("tr", { "aria-rowindex": 1 }, columns.map((index) => this.header(index)))), body);
  }

  // Fixed widths: columns do not jump while rows pass by.
  columnGroup(columns, widths) {
    return el("colgroup", null, columns.map((index) => styled(el("col"), { width: `${widths[index]}ch` })));
  }

  widthOfColumn(index) {
    const column = this.table.columns[index];
    let width = Math.ceil(this.headingText(index).length * 1.05) + 2;
    for (const row of this.table.rows.slice(0, SAMPLE))
      width = Math.max(width, this.widthOf(cellText(column, this.scales[index], row[index])));
    return Math.min(width, this.longest(index)) + 2.5;
  }

  longest(index) {
    return this.table.columns[index].finding || this.table.columns.length <= 2 ? LONGEST_SENTENCE : LONGEST_CELL;
  }

  widthOf(text) {
    let width = 0;
    for (const c of text.slice(0, LONGEST_SENTENCE)) width += c.codePointAt(0) >= 0x1100 ? 1.9 : 1;
    return width;
  }

  headingText(index) {
    const unit = this.scales[index]?.unit;
    return this.table.columns[index].name.replaceAll("_", " ") + (unit ? ` (${unit})` : "");
  }

  header(index) {
    const column = this.table.columns[index], scale = this.scales[index];
    const title = [column.help, heading(column)].filter(Boolean).map(visible).join("\n");
    const button = el("button", { type: "button", title, onclick: () => this.sortBy(index) },
      visible(column.name.replaceAll("_", " ")), scale?.unit && el("span", { class: "unit" }, ` ${scale.unit}`),
      el("span", { class: "arrow", "aria-hidden": "true" }));
    return el("th", { scope: "col", "aria-sort": "none", class: isNumber(column) && "number" }, button);
  }

  sortBy(index) {
    const { columns, rows } = this.table;
    const again = this.sort.column === index;
    // Numbers are looked at from the largest, names from the first.
    const down = again ? !this.sort.down : isNumber(columns[index]);
    this.sort = { column: index, down };
    const values = rows.map((row) => sortValue(columns[index], row[index]));
    const sign = down ? -1 : 1;
    this.order = rows.map((_, row) => row).sort((a, b) => {
      const [x, y] = [values[a], values[b]];
      return compareValues(x, y) * (x === null || y === null ? 1 : sign) || a - b;
    });
    this.grid.querySelectorAll("th").forEach((th, at) => {
      th.setAttribute("aria-sort", this.columns[at] !== index ? "none" : down ? "descending" : "ascending");
    });
    this.filter(this.words);
  }

  filter(words) {
    this.words = words;
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    this.texts ||= wanted.length ? this.table.rows.map((row) => this.textOf(row)) : null;
    this.shown = wanted.length
      ? this.order.filter((row) => wanted.every((word) => this.texts[row].includes(word))) : this.order;
    this.element.dataset.rows = this.shown.length;
    this.status.textContent = this.statusText(wanted.length > 0);
    if (this.scroller.isConnected) this.scroller.scrollTop = 0;
    this.draw();
  }

  // As it is shown and as it is.
  textOf(row) {
    return row.map((value, index) => {
      const shown = cellText(this.table.columns[index], this.scales[index], value);
      return value === null || shown === String(value) ? shown : `${shown}\n${value}`;
    }).join("\n").toLowerCase();
  }

  statusText(filtered) {
    const all = this.table.rows.length;
    if (!filtered) return counted(all, "row", "rows");
    return `${count(this.shown.length)} of ${counted(all, "row", "rows")}`;
  }

  rowElement(position, columns = this.columns) {
    const row = this.table.rows[this.shown[position]];
    const cells = columns.map((index) => {
      const value = row[index], column = this.table.columns[index];
      const text = cellText(column, this.scales[index], value), short = shortened(text, this.longest(index));
      const exact = value === null ? "" : visible(String(value).slice(0, LONGEST_TITLE));
      return el("td", { class: isNumber(column) && "number", title: exact !== short && exact }, short);
    });
    return el("tr", { "aria-rowindex": position + 2, "aria-current": this.marked.has(this.shown[position]) && "true" }, cells);
  }

  // An address for some rows, which are counted from 1 in it.
  hrefOf(rows) {
    return `#${encodeURIComponent(this.element.id)}:${rows.map((row) => row + 1).join(",")}`;
  }

  // Marks these rows and brings the first one into sight; a filter that hides one of them is lifted.
  reveal(rows) {
    this.marked = new Set(rows);
    if (!rows.every((row) => this.shown.includes(row))) {
      this.search.value = "";
      this.filter("");
    }
    this.element.scrollIntoView();
    const first = Math.min(...rows.map((row) => this.shown.indexOf(row)));
    this.scroller.scrollTop = first * ROW_PX - MAX_HEIGHT_PX / 3;
    this.draw();
    this.body.querySelector("[aria-current]").scrollIntoView({ block: "nearest" });
    this.scroller.focus({ preventScroll: true });
  }

  spacer(rows) {
    const cell = styled(el("td", { colspan: this.table.columns.length }), { height: `${rows * ROW_PX}px` });
    return rows ? el("tr", { class: "spacer", "aria-hidden": "true" }, cell) : null;
  }

  draw() {
    const n = this.shown.length, { scroller } = this;
    if (!n) {
      const text = this.table.rows.length ? "No row has all of these words." : "This table has no rows.";
      this.body.replaceChildren(el("tr", null, el("td", { colspan: this.table.columns.length || 1, class: "none" }, text)));
      return;
    }
    const inSight = Math.ceil(MAX_HEIGHT_PX / ROW_PX) + 2 * ROWS_AROUND, top = scroller.isConnected ? scroller.scrollTop : 0;
    const first = Math.max(0, Math.min(Math.floor(top / ROW_PX) - ROWS_AROUND, n - inSight));
    this.drawRows(first, Math.min(n, first + inSight));
  }

  drawRows(first, end) {
    const rows = [this.spacer(first)];
    for (let position = first; position < end; position++) rows.push(this.rowElement(position));
    rows.push(this.spacer(this.shown.length - end));
    this.body.replaceChildren(...rows.filter(Boolean));
  }

  // Columns that fit on paper beside each other; the first one is in each part, so that rows can be told apart.
  paperParts(widths) {
    const [first, ...others] = this.columns, head = first === undefined ? 0 : Math.min(widths[first], PAPER_CH / 2);
    const parts = [];
    let left = -1;
    for (const index of others) {
      const width = Math.min(widths[index], PAPER_CH - head);
      if (width > left) {
        parts.push([first]);
        left = PAPER_CH - head;
      }
      parts.at(-1).push(index);
      left -= width;
    }
    return parts.length ? parts : [this.columns];
  }

  // Paper does not scroll.
  beginPrint() {
    const n = this.shown.length, printed = Math.min(n, PRINTED_ROWS);
    if (!n) return;
    this.endParts();
    const widths = this.widths.map((width) => width - SORTING_CH), parts = this.paperParts(widths);
    this.parts = parts.map((columns, at) => {
      const rows = Array.from({ length: printed }, (_, position) => this.rowElement(position, columns));
      const caption = parts.length > 1 && el("caption", null, `Part ${at + 1} of ${parts.length}`);
      const grid = this.gridOf(columns, el("tbody", null, rows), { class: "part" }, widths);
      if (caption) grid.prepend(caption);
      return grid;
    });
    this.scroller.after(...this.parts);
    if (printed < n) this.status.textContent = `the first ${count(printed)} of ${counted(n, "row", "rows")}`;
  }

  endParts() {
    (this.parts || []).forEach((part) => part.remove());
    this.parts = [];
  }

  endPrint() {
    this.endParts();
    this.status.textContent = this.statusText(Boolean(this.words.trim()));
    this.draw();
  }

  async copy() {
    const text = csvOf(this.table.columns, this.shown.map((row) => this.table.rows[row]));
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      if (!copyBySelection(text)) {
        this.status.textContent = "The browser did not allow copying.";
        return;
      }
    }
    this.status.textContent = `${counted(this.shown.length, "row", "rows")} copied`;
  }
}

// For browsers that give pages from a disk no clipboard.
function copyBySelection(text) {
  const area = el("textarea", { "aria-hidden": "true", class: "off-screen" });
  const focused = document.activeElement;
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return done;
}
