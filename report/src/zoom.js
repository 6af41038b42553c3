// Zooming and moving a panel: Ctrl and wheel, dragging, a double click for all of it, and keys.
// SPDX-License-Identifier: MIT

const KEYS = {
  "+": (a) => a.zoom(0.7, 0.5), "=": (a) => a.zoom(0.7, 0.5), "-": (a) => a.zoom(1 / 0.7, 0.5), 0: (a) => a.showAll(),
  ArrowLeft: (a) => a.move(-0.15), ArrowRight: (a) => a.move(0.15), Home: (a) => a.move(-1), End: (a) => a.move(1),
};

function insideOf(element, event) {
  const box = element.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

// `panel` has place, the one axis that is zoomed, which runs to the right, and changed().
export function zoomable(element, panel) {
  let drag = null;
  const zoomed = (change) => {
    change(panel.moving);
    panel.changed();
  };
  element.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // the page scrolls
    event.preventDefault();
    const [share] = panel.place.shares(...insideOf(element, event));
    zoomed((axis) => axis.zoom(event.deltaY > 0 ? 1.25 : 0.8, Math.min(Math.max(share, 0), 1)));
  }, { passive: false });
  element.addEventListener("pointerdown", (event) => {
    drag = event.pointerType === "mouse" && event.button === 0 && panel.moving.zoomed ? insideOf(element, event) : null;
    if (drag) element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const now = insideOf(element, event), [[before], [after]] = [panel.place.shares(...drag), panel.place.shares(...now)];
    drag = now;
    zoomed((axis) => axis.move(before - after));
  });
  for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (drag = null));
  element.addEventListener("dblclick", () => zoomed((axis) => axis.showAll()));
  element.addEventListener("keydown", (event) => {
    const change = KEYS[event.key];
    if (!change || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    zoomed(change);
  });
}
