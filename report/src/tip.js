// What the pointer is at, in words: one box for the whole page.
// SPDX-License-Identifier: MIT
import { el, styled } from "./dom.js";
import { shortened, visible } from "./format.js";

const AWAY_PX = 14;
let box = null;

export function showTip({ clientX, clientY }, { title, color, rows }) {
  box ||= document.body.appendChild(el("div", { id: "tip", "aria-hidden": "true" }));
  const swatch = color && styled(el("span", { class: "swatch" }), { background: color });
  box.replaceChildren(el("p", null, swatch, el("strong", null, shortened(title || "", 160))),
    el("dl", null, rows.flatMap(([name, value]) => [el("dt", null, visible(name)), el("dd", null, value)])));
  if (!title) box.firstChild.remove();
  const { offsetWidth, offsetHeight } = styled(box, { display: "block" });
  const left = clientX + AWAY_PX + offsetWidth > innerWidth ? clientX - AWAY_PX - offsetWidth : clientX + AWAY_PX;
  const top = clientY + AWAY_PX + offsetHeight > innerHeight ? clientY - AWAY_PX - offsetHeight : clientY + AWAY_PX;
  styled(box, { left: `${Math.max(4, left)}px`, top: `${Math.max(4, top)}px` });
}

export function hideTip() {
  if (box) styled(box, { display: "none" });
}
