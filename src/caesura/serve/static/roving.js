// The keyboard on the cards: Tab leads to a sentence and to its tree, arrow keys from word to word.
// Of each line of words and of each tree one element is in the order of Tab.

import { headsOf } from "./outline.js";

/** The elements among which the arrow keys move, in the order of the text. */
export function stops(element) {
  const place = element.closest("[role=group], .outline");
  return place ? [...place.querySelectorAll(".token, .word, .row")] : [];
}

export function focus(target) {
  for (const other of stops(target)) other.tabIndex = -1;
  target.tabIndex = 0;
  target.focus();
}

const wordOf = (element) => Number(element.dataset.word);
const headOf = (sentence, word) => headsOf(sentence)[word];
const firstChild = (sentence, word) => headsOf(sentence).indexOf(word);

/** The word to which a key leads from another; undefined if the key does not lead anywhere. */
export function step(event, element, sentence) {
  const all = stops(element);
  const at = all.indexOf(element);
  const byWord = (word) => all.find((other) => wordOf(other) === word);
  if (event.key === "Home") return all[0];
  if (event.key === "End") return all.at(-1);
  const rows = element.matches(".row");
  const rtl = getComputedStyle(element).direction === "rtl" || element.closest("svg")?.classList.contains("rtl");
  const [ahead, back] = rtl ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
  if (rows) {
    // As in an outline: down the rows, outwards to the dependents, back to the head.
    if (event.key === "ArrowDown") return all[at + 1] ?? element;
    if (event.key === "ArrowUp") return all[at - 1] ?? element;
    if (event.key === ahead) return byWord(firstChild(sentence, wordOf(element))) ?? element;
    if (event.key === back) return byWord(headOf(sentence, wordOf(element))) ?? element;
    return undefined;
  }
  if (event.key === ahead) return all[at + 1] ?? element;
  if (event.key === back) return all[at - 1] ?? element;
  if (!element.matches(".word")) return undefined;
  // In a picture heads are above their dependents.
  if (event.key === "ArrowUp") return byWord(headOf(sentence, wordOf(element))) ?? element;
  if (event.key === "ArrowDown") return byWord(firstChild(sentence, wordOf(element))) ?? element;
  return undefined;
}
