// A tree on a narrow screen: a row for each word, in the order of the text, with lines from heads to
// dependents, as `caesura render` draws it in a terminal (render/terminal.py has the twin of `draw`).

import { make } from "./dom.js";
import { describe, wordsOf } from "./sentences.js";

const [UP, DOWN, LEFT, RIGHT] = [1, 2, 4, 8];
const CELL = 13;
const ROW = 36;
const SVG = "http://www.w3.org/2000/svg";
const RTL = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LIMITS = [0.5, 0.7, 0.85, 0.95];

/** The heads to draw: numbers of words, -1 for the root, -2 where it is unknown. */
export const headsOf = (sentence) => sentence.words.map(({ head }, word) =>
  (head === 0 ? -1 : head === undefined || head === null || head > sentence.words.length || head - 1 === word ? -2 : head - 1));

/** The cells of each row, as sets of the directions in which lines leave them. */
export function draw(heads) {
  const n = heads.length;
  const children = heads.map(() => []);
  heads.forEach((head, word) => { if (head >= 0) children[head].push(word); });
  const grid = heads.map(() => []);
  const put = (row, at, mask) => {
    while (grid[row].length <= at) grid[row].push(0);
    grid[row][at] |= mask;
  };
  const seen = new Array(n).fill(false);
  const column = new Array(n).fill(0);
  const queue = [];
  const visit = (word) => {
    const below = children[word].filter((child) => !seen[child]);
    if (!below.length) return;
    const [first, last] = [Math.min(word, ...below), Math.max(word, ...below)];
    let at = column[word];
    const taken = (row) => (row !== word || at > column[word]) && grid[row][at];
    const blocked = () => { for (let row = first; row <= last; row++) if (taken(row)) return true; return false; };
    while (blocked()) at++;
    for (let between = column[word]; between < at; between++) put(word, between, LEFT | RIGHT);
    put(word, at, LEFT);
    for (let row = first; row <= last; row++) put(row, at, (row > first ? UP : 0) | (row < last ? DOWN : 0));
    for (const child of below) {
      put(child, at, RIGHT);
      seen[child] = true;
      column[child] = at + 1;
      queue.push(child);
    }
  };
  // Words of a cycle have no root above them: start with the first that is left.
  const roots = heads.flatMap((head, word) => (head < 0 ? [word] : []));
  for (const start of [...roots, ...heads.keys()]) {
    if (seen[start]) continue;
    seen[start] = true;
    put(start, 0, LEFT | RIGHT);
    column[start] = 1;
    queue.push(start);
    while (queue.length) visit(queue.shift());
  }
  grid.forEach((cells, row) => { for (let at = column[row]; at < cells.length; at++) put(row, at, LEFT | RIGHT); });
  return grid;
}

function lines(cells) {
  const width = cells.length * CELL + 8;
  const middle = ROW / 2;
  let path = "";
  cells.forEach((mask, i) => {
    const x = i * CELL + CELL / 2;
    if (mask & UP) path += `M${x} 0V${middle}`;
    if (mask & DOWN) path += `M${x} ${middle}V${ROW}`;
    if (mask & LEFT) path += `M${i * CELL} ${middle}H${x}`;
    if (mask & RIGHT) path += `M${x} ${middle}H${(i + 1) * CELL}`;
  });
  path += `M${width - 8} ${middle}h6`;
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({ width, height: ROW, viewBox: `0 0 ${width} ${ROW}`, "aria-hidden": "true" })) svg.setAttribute(name, value);
  const element = document.createElementNS(SVG, "path");
  element.setAttribute("d", path);
  svg.append(element);
  return svg;
}

function tint(confidence) {
  const step = confidence === undefined || confidence === null ? -1 : LIMITS.findIndex((limit) => confidence < limit);
  return step < 0 ? "" : ` t${step}`;
}

/** The rows of a sentence. `differs`: words that another analysis has otherwise. */
export function outline(sentence, { name, differs = new Set(), still = false }) {
  const heads = headsOf(sentence);
  const surfaces = new Map(wordsOf(sentence).flatMap((words, token) =>
    (words.length > 1 ? [[words[0], sentence.tokens[token].text]] : [])));
  const rows = draw(heads).map((cells, word) => {
    const { form, upos, xpos, deprel, arc_conf: sure } = sentence.words[word];
    const row = make("button", {
      type: "button", className: "row", tabIndex: word === 0 ? 0 : -1, "aria-label": describe(sentence, word), data: { word },
    },
    lines(cells),
    make("span", { className: `form${tint(sure)}` }, form), " ",
    make("span", { className: "tag" }, upos || xpos || ""), " ",
    make("span", { className: heads[word] === -1 ? "label root" : "label" }, deprel || (heads[word] === -1 ? "root" : "")));
    if (surfaces.has(word)) row.append(" ", make("span", { className: "surface" }, `(${surfaces.get(word)})`));
    if (differs.has(word)) row.classList.add("differs");
    const item = make("li", { data: { word } }, row);
    if (!still) item.append(make("span", { className: "grip", "aria-hidden": "true", data: { word } }, "⠿"));
    return item;
  });
  const rtl = RTL.test(sentence.tokens.map((token) => token.text).join(" "));
  return make("ol", { className: "outline", dir: rtl ? "rtl" : "ltr", "aria-label": name }, ...rows);
}
