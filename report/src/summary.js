// The first lines of the page: what was looked at, and a card for each headline metric.
// SPDX-License-Identifier: MIT
import { el, section } from "./dom.js";
import { count, counted, scaled, scaleOf, shortened, visible } from "./format.js";
import { Table } from "./table.js";

const MAX_CARDS = 12;
const MAX_STATS = 5;
const LONGEST_NAME = 40;

function groupText(group) {
  return Object.entries(group || {}).map(([tag, value]) => `${tag}=${value}`).join(" ");
}

// A run of one lane is summed up by that lane's metrics.
function isHeadline(metric, nLanes) {
  return !metric.group && typeof metric.value !== "object" && (metric.lane === undefined || nLanes === 1);
}

function byName(metrics) {
  const names = new Map();
  for (const metric of metrics) {
    if (!names.has(metric.name)) names.set(metric.name, []);
    names.get(metric.name).push(metric);
  }
  return [...names.values()];
}

function scaleOfAll(items) {
  const values = items.map((item) => Number(item.value));
  const whole = values.every(Number.isInteger);
  return scaleOf(items[0].unit, Math.max(...values.map(Math.abs)), whole);
}

function card(items) {
  const present = items.filter((item) => item.value !== undefined && item.stat !== "n");
  const [first, ...others] = present;
  const n = Math.max(...items.map((item) => item.n || 0));
  const scale = scaleOfAll(present);
  const stats = others.slice(0, MAX_STATS).map((item) => el("span", null,
    el("span", { class: "stat" }, shortened(item.stat || "", LONGEST_NAME)), ` ${scaled(Number(item.value), scale)}`));
  const { better } = first;
  return el("div", { class: "card", title: first.help && visible(first.help) },
    el("p", { class: "name" }, shortened(first.name.replaceAll("_", " "), LONGEST_NAME), first.stat && ` ${shortened(first.stat, LONGEST_NAME)}`),
    el("p", { class: "value" }, scaled(Number(first.value), scale), scale.unit && el("span", { class: "unit" }, ` ${shortened(scale.unit, 20)}`)),
    stats.length > 0 && el("p", { class: "stats" }, stats),
    el("p", { class: "n" }, n > 1 ? `n = ${count(n)}` : "", n > 1 && better ? " · " : "", better ? `${better} is better` : ""));
}

// Metrics that have no card: of single lanes, of groups, and those beyond the first cards.
function metricTable(metrics) {
  const columns = [
    { name: "metric", type: "text", key: true }, { name: "stat", type: "text", key: true }, { name: "of", type: "text", key: true },
    { name: "value", type: "real", mixed: true }, { name: "unit", type: "text" }, { name: "n", type: "int" },
    { name: "not applicable", type: "text" },
  ];
  const rows = metrics.map((m) => [m.name, m.stat || "", groupText(m.group) || m.label || (m.rank === undefined ? "" : `rank ${m.rank}`),
    typeof m.value === "object" ? null : m.value ?? null, m.unit || "", m.n ?? null,
    m.reason || (typeof m.value === "object" ? "an object, see summary.json" : "")]);
  const name = "all metrics";
  return new Table({ name, columns, rows, help: "In base units: ns, bytes." }, "metrics-all");
}

function leadText(data) {
  const { lanes } = data, n = lanes.n;
  const warnings = data.notices.filter((notice) => notice.level !== "info").length;
  const parts = [`profile ${visible(data.profile || "?")}`, n > 0 && counted(n, "input", "inputs"), `stagemill ${visible(data.program.version || "")}`];
  return [parts.filter(Boolean).join(" · "), warnings > 0 && [" · ", el("a", { href: "#quality" }, counted(warnings, "kind of warning", "kinds of warning"))]];
}

export function buildSummary(data) {
  const title = visible(data.title || data.profile || "Results").replace(/\.$/, "");
  document.querySelector("h1").append(title);
  document.querySelector("header .lead").append(...leadText(data).flat().filter(Boolean));
  const headline = data.metrics.filter((metric) => isHeadline(metric, data.lanes.n));
  const named = byName(headline);
  const present = named.filter((items) => items.some((item) => item.value !== undefined && item.stat !== "n"));
  const absent = named.filter((items) => !present.includes(items));
  const home = section("summary");
  home.append(el("div", { class: "cards" }, present.slice(0, MAX_CARDS).map(card)));
  if (absent.length)
    home.append(el("ul", { class: "absent" }, absent.map(([m]) => el("li", null,
      el("strong", null, visible(m.name.replaceAll("_", " "))), ` does not apply: ${visible(m.reason || "no value")}`))));
  if (!data.metrics.length) home.append(el("p", { class: "note" }, "This profile reports no metrics; its tables are below."));
  if (data.metrics.length === headline.length && present.length <= MAX_CARDS) return [];
  const all = metricTable(data.metrics);
  home.append(el("details", { ontoggle: () => all.draw(), open: !present.length }, el("summary", null, `All ${counted(data.metrics.length, "metric", "metrics")}`), all.element));
  return [all];
}
