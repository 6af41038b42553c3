// What rules found: severity, share, cost, advice, and links to the rows that show it.
// SPDX-License-Identifier: MIT
import { heading } from "./csv.js";
import { el, section } from "./dom.js";
import { count, counted, scaled, scaleOf, shortened, visible } from "./format.js";

const MAX_FINDINGS = 100;
const MAX_EVIDENCE = 20;
const MAX_KEYS = 4;
const MAX_ROWS = 100; // that one link marks
const LONGEST_TEXT = 600;
const LONGEST_KEY = 60;
const SEVERITIES = ["note", "warning", "critical"];

// SQL has no truth values; of integers that a number does not hold exactly, tables have the text.
function isValue(cell, wanted) {
  if (cell === null || wanted === null) return cell === wanted;
  return typeof wanted === "number" ? Number(cell) === wanted : String(cell) === String(wanted);
}

// The numbers of the rows that have all these values, from 0.
function rowsOf({ columns, rows }, keys) {
  const wanted = Object.entries(keys).map(([key, value]) =>
    [columns.findIndex((column) => heading(column) === key || column.name === key), value]);
  if (wanted.some(([index]) => index < 0)) return [];
  const found = [];
  for (let row = 0; row < rows.length && found.length < MAX_ROWS; row++)
    if (wanted.every(([index, value]) => isValue(rows[row][index], value))) found.push(row);
  return found;
}

// A link to where the page is already changes nothing by itself.
function rowsLink(table, rows, text) {
  const href = table.hrefOf(rows);
  return el("a", { href, onclick: () => location.hash === href && table.reveal(rows) }, text);
}

function evidenceText({ table, keys }) {
  const said = Object.entries(keys).filter(([, value]) => value !== null && value !== "").slice(0, MAX_KEYS)
    .map(([key, value]) => `${key.replaceAll("_", " ")} ${shortened(String(value), LONGEST_KEY)}`);
  return `${shortened(table, LONGEST_KEY)}${said.length ? ": " : ""}${visible(said.join(", "))}`;
}

function evidenceItem(evidence, tables) {
  const text = evidenceText(evidence), table = tables.get(evidence.table);
  if (!table) return el("span", null, text);
  const rows = rowsOf(table.table, evidence.keys);
  if (rows.length) return rowsLink(table, rows, text);
  return el("span", null, el("a", { href: `#${encodeURIComponent(table.element.id)}` }, text), " (row left out of this page)");
}

const shareText = (share) => `${scaled(share, { divisor: 1, decimals: share < 10 ? 1 : 0 })} %`;

function costText(ns) {
  const scale = scaleOf("ns", Math.abs(ns), true);
  return `${scaled(ns, scale)} ${scale.unit}`;
}

function findingItem(finding, tables) {
  const severity = SEVERITIES.includes(finding.severity) ? finding.severity : SEVERITIES[0];
  const evidence = finding.evidence.slice(0, MAX_EVIDENCE), more = finding.evidence.length - evidence.length;
  return el("li", { class: `finding ${severity}` },
    el("p", { class: "rank" }, el("span", { class: "badge" }, severity), " ",
      el("strong", null, shareText(finding.share)),
      finding.cost_ns !== undefined && `, ${costText(finding.cost_ns)}`, " ", el("code", null, visible(finding.name))),
    el("p", { class: "said" }, shortened(finding.text, LONGEST_TEXT)),
    el("p", { class: "advice" }, "Advice: ", shortened(finding.advice, LONGEST_TEXT)),
    el("p", { class: "evidence" }, "Evidence:", evidence.flatMap((item) => [" ", evidenceItem(item, tables)]),
      more > 0 && ` and ${count(more)} more`));
}

function findingsList(findings, tables) {
  const more = findings.length - MAX_FINDINGS;
  return [findings.length > 1 && el("p", { class: "note" }, "The most costly first; what they cost overlaps."),
    el("ol", { class: "found" }, findings.slice(0, MAX_FINDINGS).map((finding) => findingItem(finding, tables))),
    more > 0 && el("p", { class: "note" }, `and ${count(more)} more: stagemill metric --findings`)];
}

// What became of findings between runs: a row of that table each.
const CHANGES = "findings-changes";
const BAD = ["came", "grew"];

function changeShares({ base_percent: base, new_percent: now }) {
  if (base === null) return shareText(now);
  return now === null ? `was ${shareText(base)}` : `${shareText(base)} to ${shareText(now)}`;
}

function changeItem(table, row) {
  const cells = Object.fromEntries(table.table.columns.map(({ name }, index) => [name, table.table.rows[row][index]]));
  return el("li", { class: `finding ${BAD.includes(cells.what) ? "warning" : "note"}` },
    el("p", { class: "rank" }, el("span", { class: "badge" }, visible(cells.what)), " ", el("strong", null, changeShares(cells)), " ",
      el("code", null, visible(cells.finding)), cells.where && `, ${shortened(cells.where, LONGEST_KEY)}`),
    el("p", { class: "said" }, shortened(cells.text, LONGEST_TEXT)),
    el("p", { class: "evidence" }, "Evidence: ", rowsLink(table, [row], CHANGES)));
}

function changesList(table) {
  const n = table.table.rows.length;
  return [el("ol", { class: "found" }, table.table.rows.slice(0, MAX_FINDINGS).map((_, row) => changeItem(table, row))),
    n > MAX_FINDINGS && el("p", { class: "note" }, `and ${count(n - MAX_FINDINGS)} more in the table ${CHANGES}`)];
}

const noneText = (said, nRules) => said ? shortened(said, LONGEST_TEXT) : `no findings of ${counted(nRules, "rule", "rules")}`;

// Tables by name, whose rows findings point at.  Without rules there is nothing to be said.
export function buildFindings(data, tables) {
  const home = section("findings");
  const rules = data.provenance?.rules || [], changes = tables.get(CHANGES);
  if (!data.findings.length && !data.no_findings && !rules.length && !changes) {
    home.hidden = true;
    document.querySelector("nav a[href='#findings']").remove();
    return;
  }
  if (changes) home.append(...changesList(changes).filter(Boolean));
  else if (data.findings.length) home.append(...findingsList(data.findings, tables).filter(Boolean));
  else home.append(el("p", null, noneText(data.no_findings, rules.length)));
}

// Where the address of the page names rows of a table: "#table-NAME:1,2".
export function followRows(tables) {
  const show = () => {
    const [, id, rows] = decodeURIComponent(location.hash).match(/^#(.*):([\d,]+)$/s) || [];
    const table = [...tables.values()].find(({ element }) => element.id === id);
    const known = (rows || "").split(",").map((row) => row - 1).filter((row) => table?.table.rows[row]);
    if (known.length) table.reveal(known);
  };
  addEventListener("hashchange", show);
  show();
}
