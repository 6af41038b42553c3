// One picture of the report: caption, description, legend whose names can be switched off, and its panels.
// SPDX-License-Identifier: MIT
import { el, onceAFrame, styled } from "./dom.js";
import { shortened, visible } from "./format.js";
import { legendColor } from "./theme.js";

const NARROW_PX = 720;
const LONGEST_KEY = 48;
const NEAR = "600px"; // of what is seen: charts there are set up before they come into sight

export class Figure {
  // `moves`: what is drawn answers to the pointer, and its legend can be clicked.
  constructor(picture, display, { drawPicture, moves }) {
    Object.assign(this, { picture, display, drawPicture, moves });
    this.hidden = new Set();
    this.charts = [];
    this.near = false;
    this.element = this.build();
    this.width = 0;
    const redraw = onceAFrame(() => this.drawIfResized());
    new ResizeObserver(redraw).observe(this.element);
  }

  // A chart takes many times as long to set up as a picture that stands still, and its memory: those that nobody comes near stay still.
  moveWhenNear() {
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      watch.disconnect();
      setTimeout(() => this.move(), 0); // each in a turn of its own
    }, { rootMargin: NEAR });
    watch.observe(this.element);
  }

  move() {
    this.near = true;
    this.draw();
  }

  build() {
    const { picture } = this, id = `figure-${picture.name}`;
    this.panels = el("div", { class: "panels" });
    this.legend = el("ul", { class: "legend", "aria-label": "Legend" });
    return el("figure", { id, "aria-describedby": `${id}-text` },
      el("figcaption", null, el("h3", null, visible(picture.title || picture.name)),
        el("p", { class: "help", id: `${id}-text` }, visible(picture.description || "")),
        picture.left_out && el("p", { class: "left-out" }, visible(picture.left_out))),
      this.legend, this.panels,
      picture.table && el("p", { class: "source" }, el("a", { href: `#${encodeURIComponent(`table-${picture.table}`)}` },
        `Table ${visible(picture.table)}`)));
  }

  legendItem({ name, color, share }) {
    const on = !this.hidden.has(name), words = shortened(share ? `${name} (${share})` : name, LONGEST_KEY);
    const swatch = styled(el("span", { class: "swatch", "aria-hidden": "true" }), { background: this.moves ? legendColor(color) : color });
    if (!this.moves) return el("li", { class: "key", title: visible(name.slice(0, 500)) }, swatch, words);
    const toggle = () => {
      if (on) this.hidden.add(name);
      else this.hidden.delete(name);
      const at = [...this.legend.children].findIndex((item) => item.contains(document.activeElement));
      this.draw();
      this.legend.children[at]?.firstChild.focus();
    };
    return el("li", null, el("button", { type: "button", "aria-pressed": String(on), title: visible(name.slice(0, 500)), onclick: toggle },
      swatch, words));
  }

  drawIfResized() {
    if (this.element.clientWidth !== this.width && this.width) this.draw();
  }

  // One chart that fails is said in its place: the others, and the tables, are there.
  draw() {
    this.width = this.element.clientWidth;
    try {
      this.drawPanels();
    } catch (error) {
      console.error(error);
      this.charts = [];
      this.panels.replaceChildren(el("p", { class: "note" }, `This chart could not be drawn (${visible(String(error.message))}).`));
    }
  }

  drawPanels() {
    const { picture } = this;
    const onPaper = document.documentElement.classList.contains("print");
    const columns = this.width < NARROW_PX && !onPaper ? 1 : Math.max(1, picture.n_columns || 1);
    for (const chart of this.charts) chart.dispose();
    // The first of two turned panels has the names, and more room for them.
    const named = columns === 2 && picture.panels.length === 2 && picture.panels.every(({ sideways }) => sideways);
    styled(this.panels, { "grid-template-columns": named ? "minmax(0, 1.9fr) minmax(0, 1fr)" : `repeat(${columns}, minmax(0, 1fr))` });
    const title = picture.legend_title ? [el("li", { class: "title" }, `${visible(picture.legend_title)}:`)] : [];
    this.legend.replaceChildren(...title, ...(picture.legend || []).map((key) => this.legendItem(key)));
    this.charts = this.drawPicture(picture, this.display, this.panels, { columns, hidden: this.hidden, still: !this.near });
  }
}
