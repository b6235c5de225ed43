// One card a sentence: its words, between which boundaries can be set, and its tree. The tree is drawn
// by the server when the card comes into sight, or, on a narrow screen, as an outline.

import { ask } from "./api.js";
import { make, picture } from "./dom.js";
import { Drag } from "./drag.js";
import { outline } from "./outline.js";
import * as roving from "./roving.js";
import { describe, differing, plain, wordsOf } from "./sentences.js";

const SVG = "http://www.w3.org/2000/svg";
/** A tree of more words than this has no outline either. */
const MOST = 1000;
const narrow = matchMedia("(max-width: 40rem)");
const NOTHING = { words: new Set(), current: new Set(), arcs: new Set() };

/** Two cards with the same key look the same; one that is compared has none. */
const keyOf = (sentence, info) => (info.against ? null : JSON.stringify([plain(sentence), info]));

/** Who says a sentence, and when. */
const said = ({ speaker, start_time: from, end_time: to }) => {
  const clock = (time) => `${Math.floor(time / 60)}:${String(Math.floor(time % 60)).padStart(2, "0")}`;
  if (from === undefined || from === null) return speaker;
  return `${speaker}, ${clock(from)}${to === undefined || to === null ? "" : `–${clock(to)}`}`;
};

export class Cards {
  constructor(list, { onSplit, onJoin, onEdit, onHead, onWord, onLeave }) {
    this.list = list;
    this.actions = { onSplit, onJoin, onEdit };
    this.onWord = onWord;
    this.found = new Map(); // by the start of a sentence, the words that a search found
    this.wanted = null; // the word that gets the focus when its tree is there
    this.cards = new WeakMap();
    this.waiting = new Set();
    this.seen = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) this.wants(entry.target);
    }, { rootMargin: "300px" });
    this.drag = new Drag(list, { known: (target) => this.known(target), onDrop: onHead });
    list.addEventListener("click", (event) => this.click(event));
    list.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("pointerover", (event) => this.point(event.target));
    list.addEventListener("focusin", (event) => this.point(event.target));
    list.addEventListener("pointerleave", onLeave);
    let width = this.width;
    narrow.addEventListener("change", () => this.redraw());
    addEventListener("resize", () => {
      if (narrow.matches || Math.abs(this.width - width) < 40) return;
      width = this.width;
      this.redraw();
    });
  }

  /** How trees are drawn now: as outlines, or how wide. */
  get shape() { return narrow.matches ? "outline" : this.width; }

  get width() { return Math.max(280, this.list.clientWidth - 8); }

  clear() {
    this.waiting.clear();
    this.list.replaceChildren();
  }

  /** Show these sentences; the cards of those that are there already stay as they are. */
  show(items) {
    const old = [...this.list.children];
    const had = new Set(old);
    const known = new Map();
    for (const card of old) if (this.cards.get(card).key) known.set(this.cards.get(card).key, card);
    const made = items.map(([sentence, info]) => {
      const key = keyOf(sentence, info);
      const card = known.get(key);
      known.delete(key);
      return card ?? this.card(sentence, info);
    });
    const stay = new Set(made);
    made.forEach((card, place) => {
      // Until its own picture comes a new card shows the one that it replaces, so that nothing jumps;
      // the words of that one are not its own, and cannot be pointed at.
      const last = old[place];
      if (had.has(card) || !last || stay.has(last)) return;
      const tree = card.querySelector(".tree");
      tree.replaceChildren(...last.querySelector(".tree").childNodes);
      tree.inert = true;
      card.classList.add("stale");
    });
    for (const card of old) if (!stay.has(card)) card.remove();
    let at = this.list.firstElementChild;
    for (const card of made) {
      if (card === at) at = at.nextElementSibling;
      else this.list.insertBefore(card, at);
    }
  }

  /** The last sentence of a text that came in bit by bit has none to be joined with. */
  markLast() {
    const card = this.list.lastElementChild;
    card?.querySelector("[data-join]")?.remove();
    if (card) this.cards.get(card).key = null;
  }

  /** A card for a sentence. `info`: number, pinned, name of the model, the analysis to
   *  compare; `still` if its boundaries cannot be changed. */
  card(sentence, info) {
    const words = wordsOf(sentence);
    const name = `Sentence ${info.number}${info.name ? ` of ${info.name}` : ""}`;
    const line = make("p", { dir: "auto", role: "group", "aria-label": name });
    line.append(make("span", { className: "number", "aria-hidden": "true" }, String(info.number)));
    sentence.tokens.forEach((token, i) => {
      const label = words[i].length > 1 ? token.text : describe(sentence, words[i][0]);
      const hint = info.still ? {} : { "aria-describedby": i === 0 ? "hint-first" : "hint-token" };
      line.append(make("span", {
        className: "token", role: "button", tabIndex: i === 0 ? 0 : -1, "aria-label": label, ...hint,
        data: { token: i, word: words[i][0] },
      }, token.text));
      if (i + 1 < sentence.tokens.length && !info.still) {
        const next = sentence.tokens[i + 1];
        const likely = next.start_conf > 0.2 ? " likely" : "";
        line.append(make("span", {
          className: `gap${likely}${token.after ? "" : " tight"}`, title: "Start a sentence here", data: { gap: i + 1 },
        }, token.after?.replace(/\s+/g, " ") ?? ""));
      } else if (token.after) line.append(" ");
    });
    const card = make("li", { className: `card${info.other ? " other" : ""}${info.pinned ? " pinned" : ""}` });
    if (info.name) card.append(make("p", { className: "by" }, info.name));
    if (sentence.speaker) card.append(make("p", { className: "by speaker" }, said(sentence)));
    card.append(line, make("div", { className: "tree" }));
    if (!info.last && !info.still) {
      card.append(make("button", { type: "button", className: "join", data: { join: "1" } },
        "⌃ join with the next sentence"));
    }
    this.cards.set(card, { sentence, info, drawn: 0, key: keyOf(sentence, info) });
    this.seen.observe(card);
    return card;
  }

  // ------------------------------------------------------------------ trees

  redraw() {
    for (const card of this.list.children) {
      const known = this.cards.get(card);
      if (known) known.drawn = 0;
      this.seen.unobserve(card);
      this.seen.observe(card);
    }
  }

  wants(card) {
    if (this.cards.get(card)?.drawn === this.shape) return;
    this.waiting.add(card);
    if (!this.drawing) this.drawing = this.draw().finally(() => { this.drawing = null; });
  }

  async draw() {
    while (this.waiting.size) {
      await new Promise(requestAnimationFrame);
      const [head] = this.waiting;
      const comparing = this.cards.get(head)?.info.against;
      const batch = comparing ? [head] : [...this.waiting].filter((c) => !this.cards.get(c).info.against).slice(0, 12);
      for (const card of batch) this.waiting.delete(card);
      await this.drawBatch(batch.filter((card) => card.isConnected), comparing);
    }
  }

  async drawBatch(batch, comparing) {
    if (!batch.length) return;
    if (narrow.matches) {
      for (const card of batch) this.place(card, this.outlined(card), "outline");
      return;
    }
    const width = this.width;
    const request = { width };
    let picked = (pictures) => pictures;
    if (comparing) {
      const { info } = this.cards.get(batch[0]);
      request.sentences = info.beside.map(plain);
      request.other = comparing.map(plain);
      picked = (pictures) => [pictures[info.place]];
    } else {
      request.sentences = batch.map((card) => plain(this.cards.get(card).sentence));
    }
    let pictures;
    try {
      ({ pictures } = await ask("draw", request));
    } catch (error) {
      for (const card of batch) card.querySelector(".tree").replaceChildren(make("p", { className: "note" }, error.message));
      return;
    }
    picked(pictures).forEach((svg, i) => {
      if (batch[i].isConnected) this.place(batch[i], svg ? this.pictured(batch[i], svg) : this.outlined(batch[i]), width);
    });
  }

  /** Put a tree into its card. */
  place(card, tree, shape) {
    const known = this.cards.get(card);
    const again = card.querySelector(".tree").contains(document.activeElement);
    if (again) this.wanted ??= { start: known.sentence.start, word: Number(document.activeElement.dataset.word) };
    known.drawn = shape;
    card.classList.remove("stale");
    const place = card.querySelector(".tree");
    place.inert = false;
    place.replaceChildren(tree);
    this.mark(card);
    if (this.wanted?.start === known.sentence.start) this.focusWord(known.sentence.start, this.wanted.word);
  }

  outlined(card) {
    const { sentence, info } = this.cards.get(card);
    if (sentence.words.length > MOST) {
      return make("p", { className: "note" }, `${sentence.words.length} words are too many for a picture.`);
    }
    const differs = info.against ? differing(sentence, info.against) : undefined;
    return outline(sentence, { name: `Tree of sentence ${info.number}`, differs, still: info.still });
  }

  /** What the server drew, with names, places for the focus, and lines thick enough to be held. */
  pictured(card, text) {
    const { sentence, info } = this.cards.get(card);
    const svg = picture(text);
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", `Tree of sentence ${info.number}: ${svg.getAttribute("aria-label")}`);
    svg.querySelector("title")?.remove();
    const words = [...svg.querySelectorAll(".word")];
    for (const element of words) {
      const word = Number(element.dataset.word);
      element.setAttribute("role", "button");
      element.setAttribute("tabindex", word === 0 ? "0" : "-1");
      element.setAttribute("aria-label", describe(sentence, word));
      for (const text of element.querySelectorAll("text")) text.before(" "); // words for who reads it, too
    }
    for (const text of svg.querySelectorAll("text")) text.setAttribute("aria-hidden", "true");
    if (svg.querySelector("[direction=rtl]")) svg.classList.add("rtl");
    for (const line of info.still ? [] : svg.querySelectorAll(".arc .line")) {
      const hit = document.createElementNS(SVG, "path");
      hit.setAttribute("class", "hit");
      hit.setAttribute("d", line.getAttribute("d"));
      line.before(hit);
    }
    return svg;
  }

  // ------------------------------------------------------------------ marks

  /** What is fixed and what was found, on the elements of a card. */
  mark(card) {
    const { sentence, info } = this.cards.get(card);
    const { words, current, arcs } = this.found.get(info.other ? null : sentence.start) ?? NOTHING;
    const fixed = new Set(info.fixed);
    for (const element of card.querySelectorAll(".token, .word, .arc, .outline li")) {
      const word = Number(element.dataset.word);
      const arc = element.matches(".arc");
      element.classList.toggle("fixed", fixed.has(word) && !element.matches(".token"));
      element.classList.toggle("found", (arc ? arcs : words).has(word));
      element.classList.toggle("current", !arc && current.has(word));
      if (!fixed.has(word)) continue;
      const named = element.matches("li") ? element.querySelector(".row") : element;
      if (named.matches(".word, .row")) named.setAttribute("aria-label", `${describe(sentence, word)}, fixed by you`);
    }
  }

  /** Show what a search found: by the start of a sentence, its words and arcs, and the words of the current match. */
  highlight(found) {
    this.found = found;
    for (const card of this.list.children) this.mark(card);
  }

  // --------------------------------------------------------- mouse and keys

  known(target) {
    const card = target.closest?.(".card");
    return card ? { card, ...this.cards.get(card) } : null;
  }

  click(event) {
    const found = this.known(event.target);
    if (!found || found.info.still) return;
    const gap = event.target.closest(".gap");
    const word = event.target.closest(".token, .tree [data-word]");
    if (gap) this.actions.onSplit(found.info.index, Number(gap.dataset.gap));
    else if (event.target.closest("[data-join]")) this.actions.onJoin(found.info.index + 1);
    else if (word) this.actions.onEdit(found, Number(word.dataset.word));
  }

  key(event) {
    const element = event.target.closest?.(".token, .word, .row");
    const found = this.known(event.target);
    if (!element || !found || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = roving.step(event, element, found.sentence);
    if (target) {
      event.preventDefault();
      roving.focus(target);
      return;
    }
    const token = element.matches(".token") ? Number(element.dataset.token) : null;
    const word = Number(element.dataset.word);
    const first = token === null ? word === 0 : token === 0;
    const { index, still } = found.info;
    const up = found.card.previousElementSibling;
    const down = found.card.nextElementSibling;
    if (event.key === "Enter" && token !== null) { if (token > 0 && !still) this.actions.onSplit(index, token); }
    else if (["Enter", " ", "F2"].includes(event.key)) { if (!still) this.actions.onEdit(found, word); }
    else if (event.key === "Backspace") { if (first && !still) this.actions.onJoin(index); }
    else if (token !== null && event.key === "ArrowDown") { if (down) roving.focus(down.querySelector(".token")); }
    else if (token !== null && event.key === "ArrowUp") { if (up) roving.focus(up.querySelector(".token")); }
    else return;
    event.preventDefault();
  }

  point(target) {
    const place = target.closest?.("[data-word]");
    const found = this.known(target);
    if (!place || !found) return;
    const word = Number(place.dataset.word);
    for (const old of this.list.querySelectorAll(".here")) old.classList.remove("here");
    for (const element of found.card.querySelectorAll(`[data-word="${word}"]`)) element.classList.add("here");
    // On a narrow screen it would lie on the tree; a tap opens the dialog, which says the same.
    if (!narrow.matches || found.info.still) this.onWord(found.sentence, word, found.info);
  }

  focus(index, token = 0) {
    const card = [...this.list.querySelectorAll(".card:not(.other)")][index];
    const target = card?.querySelectorAll(".token")[token];
    if (target) roving.focus(target);
  }

  /** Focus a word in the tree of a sentence, now or when it is drawn. */
  focusWord(start, word) {
    this.wanted = { start, word };
    const card = [...this.list.querySelectorAll(".card:not(.other)")].find((c) => this.cards.get(c).sentence.start === start);
    if (!card || this.cards.get(card).drawn !== this.shape) return;
    const target = card.querySelector(`.tree .word[data-word="${word}"], .tree .row[data-word="${word}"]`);
    this.wanted = null;
    if (target) roving.focus(target);
  }

  /** Bring a word of a sentence into sight. */
  reveal(start) {
    const card = [...this.list.querySelectorAll(".card:not(.other)")].find((c) => this.cards.get(c).sentence.start === start);
    card?.scrollIntoView({ block: "nearest" });
  }
}
