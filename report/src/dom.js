// Elements without markup: all text goes in as text, so that no name of an input can become an element.
// SPDX-License-Identifier: MIT

export function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child || child === 0));
  return element;
}

// The policy of the page allows no style attributes: they are set one by one.
export function styled(element, styles) {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value);
  return element;
}

export function section(id) {
  return document.getElementById(id);
}

// Runs `task` before the next picture of the page is shown, once for any number of calls.
export function onceAFrame(task) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      task();
    });
  };
}
