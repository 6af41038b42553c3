// The search of the documentation's site: pages with all words, those with them in the title first.  It needs no server.
// SPDX-License-Identifier: MIT
const up = document.currentScript.dataset.up;
const pages = [/* PAGES */];
const box = document.getElementById("search");
const found = document.getElementById("found");
const MOST = 20;
const AROUND = 60;

function score(page, words) {
  const title = page[0].toLowerCase(), text = page[3].toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (title.includes(word)) sum += title === word ? 200 : 100;
    else if (text.includes(word)) sum += Math.min(text.split(word).length, 20);
    else return 0;
  }
  return sum;
}

function excerpt(text, word) {
  const at = Math.max(text.toLowerCase().indexOf(word), 0);
  const begin = Math.max(at - AROUND, 0);
  return (begin > 0 ? "…" : "") + text.slice(begin, at + AROUND * 2) + "…";
}

function line(page, words) {
  const item = document.createElement("li"), link = document.createElement("a"), more = document.createElement("small");
  link.href = up + page[1];
  link.textContent = page[0];
  more.textContent = page[2] + " · " + excerpt(page[3], words[0]);
  item.append(link, more);
  return item;
}

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length ? pages.map((page) => [score(page, words), page]).filter(([sum]) => sum > 0) : [];
  hits.sort((a, b) => b[0] - a[0]);
  const lines = hits.slice(0, MOST).map(([, page]) => line(page, words));
  if (words.length && !lines.length) lines.push(Object.assign(document.createElement("li"), { textContent: "No page has these words." }));
  found.replaceChildren(...lines);
  found.hidden = !words.length;
}

box.addEventListener("input", search);
// A narrow screen shows the page first.
if (matchMedia("(max-width: 50rem)").matches) document.querySelector("nav .menu").open = false;
