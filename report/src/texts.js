// Sections in words: captions, data quality, provenance, licences.
// SPDX-License-Identifier: MIT
import { el, section } from "./dom.js";
import { count, shortened, visible } from "./format.js";

const MAX_CAPTIONS = 12;
const LONGEST_CAPTION = 600;
const LONGEST_TEXT = 2000;
const MAX_RECORDS = 200;
const LEVELS = ["error", "warning", "info"];

function captionsOf(table) {
  const columns = table.columns.flatMap((column, index) => (column.finding ? [index] : []));
  const found = [];
  for (const row of table.rows)
    for (const index of columns) if (row[index]) found.push({ text: String(row[index]), target: `table-${table.name}`, where: table.name });
  return found;
}

function distinct(captions) {
  const seen = new Set();
  return captions.filter(({ text }) => !seen.has(text) && seen.add(text));
}

// Without sentences of a stage, what is largest in each chart is said.
function fallback(data) {
  return data.pictures.flatMap((p) => {
    const at = (p.description || "").indexOf("The largest ");
    return at < 0 ? [] : [{ text: `${p.title || p.name}: t${p.description.slice(at + 1)}`, target: `figure-${p.name}`, where: "chart" }];
  });
}

export function buildCaptions(data) {
  const home = section("captions");
  const own = distinct(data.tables.flatMap(captionsOf));
  const captions = own.length ? own : fallback(data);
  if (!captions.length) {
    home.append(el("p", { class: "note" }, "No stage of this profile says in words what its figures show."));
    return;
  }
  home.append(el("ul", { class: "captions" }, captions.slice(0, MAX_CAPTIONS).map(({ text, target, where }) =>
    el("li", null, shortened(text, LONGEST_CAPTION), " ", el("a", { href: `#${encodeURIComponent(target)}` }, shortened(where, 60))))));
  if (captions.length > MAX_CAPTIONS)
    home.append(el("p", { class: "note" }, `and ${count(captions.length - MAX_CAPTIONS)} more in the tables`));
}

function noticeItem(notice) {
  const said = notice.what.replaceAll(",", "").includes(String(notice.count));
  const times = notice.count > 1 && !said ? ` ${count(notice.count)} times` : "";
  return el("li", { class: `notice ${LEVELS.includes(notice.level) ? notice.level : "info"}` },
    el("p", null, el("span", { class: "badge" }, notice.level), " ", el("code", null, visible(notice.code)), times, " ",
      el("strong", null, shortened(notice.what, LONGEST_TEXT))),
    notice.effect && el("p", null, "Effect: ", shortened(notice.effect, LONGEST_TEXT)),
    (notice.help || "").split("\n").filter(Boolean).map((line, i) => el("p", null, i ? "" : "Help: ", shortened(line, LONGEST_TEXT))));
}

export function buildQuality(data) {
  const home = section("quality");
  const rank = (notice) => (LEVELS.includes(notice.level) ? LEVELS.indexOf(notice.level) : LEVELS.length);
  const notices = [...data.notices].sort((a, b) => rank(a) - rank(b));
  if (notices.length) home.append(el("ul", { class: "notices" }, notices.map(noticeItem)));
  else home.append(el("p", { class: "good" }, "Nothing odd was noticed in the inputs."));
  if (data.left_out.length)
    home.append(el("p", null, "Left out of this page:"), el("ul", null, data.left_out.map((text) => el("li", null, visible(text)))));
}

function isPlain(value) {
  return value === null || typeof value !== "object";
}

function words(key) {
  return shortened(key.replaceAll("_", " "), 80);
}

function isRecords(value) {
  return value.every((item) => item && !Array.isArray(item) && typeof item === "object" && Object.values(item).every(isPlain));
}

// Records as rows: inputs with size and hash, modules with version.
function recordTable(records, name) {
  const keys = [...new Set(records.flatMap(Object.keys))];
  const cell = (v) => el("td", { class: typeof v === "number" && "number" }, typeof v === "number" ? count(v) : shortened(String(v ?? "-"), 120));
  const rows = records.slice(0, MAX_RECORDS).map((record) => el("tr", null, keys.map((key) => cell(record[key]))));
  const more = records.length - rows.length;
  return el("div", { class: "records", tabindex: 0, role: "region", "aria-label": name },
    el("table", null, el("thead", null, el("tr", null, keys.map((key) => el("th", { scope: "col" }, words(key))))), el("tbody", null, rows)),
    more > 0 && el("p", { class: "note" }, `and ${count(more)} more`));
}

// Any JSON value, as lists of names and values.
function valueOf(value, name) {
  if (isPlain(value)) return shortened(String(value ?? "-"), LONGEST_TEXT);
  if (Array.isArray(value) && value.every(isPlain)) return shortened(value.join(" "), LONGEST_TEXT);
  if (Array.isArray(value) && isRecords(value)) return recordTable(value, `Records of ${name}`);
  if (Array.isArray(value)) return el("ul", null, value.map((item, i) => el("li", null, valueOf(item, `${name}, ${i + 1}`))));
  return facts(Object.entries(value));
}

function facts(pairs) {
  return el("dl", null, pairs.flatMap(([key, value]) => [el("dt", null, words(key)), el("dd", null, valueOf(value, words(key)))]));
}

const SAID = ["program", "profile", "plan"]; // in the lines before

export function buildProvenance(data) {
  const { lanes, provenance } = data;
  const more = lanes.n - lanes.names.length;
  const inputs = lanes.names.join(", ") + (more > 0 ? ` and ${count(more)} more` : "");
  section("provenance").append(facts([
    ["program", `${data.program.name} ${data.program.version}`], ["profile", data.profile || "-"],
    ...(data.plan ? [["plan", data.plan]] : []),
    ...(inputs && !provenance?.inputs ? [["inputs", inputs]] : []),
    ...Object.entries(provenance || {}).filter(([key, value]) => !SAID.includes(key) && value !== null && value !== ""),
  ]));
}

export function buildLicences(licences) {
  const home = section("licences");
  home.append(el("p", null, "This page was written by stagemill (MIT). ",
    licences.length ? "Its script contains:" : "Its script contains no other software."));
  for (const { name, version, licence, text } of licences)
    home.append(el("details", null, el("summary", null, `${name} ${version}, ${licence}`), el("pre", { tabindex: 0 }, text)));
}
