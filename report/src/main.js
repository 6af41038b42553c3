// The page: reads the data that the program put beside this script, and builds every section from it.
// SPDX-License-Identifier: MIT
import { chartsMove, drawPicture } from "./charts.js";
import { el, section } from "./dom.js";
import { Figure } from "./figure.js";
import { buildFindings, followRows } from "./findings.js";
import { counted, visible } from "./format.js";
import { licences } from "./licences.js";
import { buildSummary } from "./summary.js";
import { Table } from "./table.js";
import { forgetTheme } from "./theme.js";
import { buildCaptions, buildLicences, buildProvenance, buildQuality } from "./texts.js";

const MAX_LINKS = 40;

function links(items) {
  if (items.length < 2) return null;
  return el("p", { class: "links" }, items.slice(0, MAX_LINKS).flatMap(({ id, title }) =>
    [el("a", { href: `#${encodeURIComponent(id)}` }, visible(title)), " "]));
}

function buildTables(tables) {
  const home = section("tables");
  const built = tables.map((table) => new Table(table, `table-${table.name}`));
  home.append(links(tables.map(({ name }) => ({ id: `table-${name}`, title: name }))) || "");
  if (!tables.length) home.append(el("p", { class: "note" }, "This run has no tables."));
  home.append(...built.map((table) => table.element));
  return built;
}

const STILL = "This stagemill was built without charts: pictures in its reports stand still, and tell no numbers under the pointer. " +
  "The tables below have every number.";

function buildFigures(data) {
  const home = section("figures");
  if (!data.pictures.length) home.append(el("p", { class: "note" }, "This run declares no charts that have something to show."));
  if (data.pictures.length && !chartsMove) home.append(el("p", { class: "note", id: "still" }, STILL));
  const figures = data.pictures.map((picture, i) => new Figure(picture, data.displays[i], { drawPicture, moves: chartsMove }));
  home.append(links(data.pictures.map(({ name, title }) => ({ id: `figure-${name}`, title: title || name }))) || "");
  home.append(...figures.map((figure) => figure.element));
  if (data.not_drawn.length)
    home.append(el("details", { class: "not-drawn" }, el("summary", null, `${counted(data.not_drawn.length, "chart", "charts")} not drawn`),
      el("ul", null, data.not_drawn.map(({ title, reason }) => el("li", null, `${visible(title)}: ${visible(reason)}`)))));
  return figures;
}

// A turn for the browser now and then: the page can be read while charts are drawn.
const TURN_MS = 100;
// Until charts are set up: the page is shown first.
const READ_FIRST_MS = 150;
const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 0));

async function drawAll(figures) {
  let begun = performance.now();
  for (const figure of figures) {
    figure.draw();
    if (performance.now() - begun < TURN_MS) continue;
    await nextTurn();
    begun = performance.now();
  }
}

function redrawOn(figures, tables) {
  const redraw = () => {
    forgetTheme();
    figures.forEach((figure) => figure.draw());
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", () => {
    document.documentElement.classList.add("print");
    redraw();
    tables.forEach((table) => table.beginPrint());
  });
  addEventListener("afterprint", () => {
    document.documentElement.classList.remove("print");
    redraw();
    tables.forEach((table) => table.endPrint());
  });
}

async function build() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const title = visible(data.title || data.profile || "results");
  document.title = `${title} · stagemill`;
  if (data.verdict) document.querySelector("h1").after(el("p", { class: "verdict" }, visible(data.verdict)));
  const tables = buildSummary(data);
  buildCaptions(data);
  buildQuality(data);
  const figures = buildFigures(data), reported = buildTables(data.tables);
  const byName = new Map(reported.map((table) => [table.table.name, table]));
  buildFindings(data, byName);
  tables.push(...reported);
  buildProvenance(data);
  buildLicences(licences);
  await drawAll(figures);
  followRows(byName);
  redrawOn(figures, tables);
  if (chartsMove) setTimeout(() => figures.forEach((figure) => figure.moveWhenNear()), READ_FIRST_MS);
  document.title = `${title} · stagemill · ready`;
}

build();
