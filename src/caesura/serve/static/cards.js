// One card a sentence: its words, between which boundaries can be set, and its tree, which is drawn
// by the server when the card comes into sight.

import { ask } from "./api.js";
import { make, picture } from "./dom.js";
import { plain, wordsOf } from "./sentences.js";

/** Two cards with the same key look the same; one that is compared has none. */
const keyOf = (sentence, info) => (info.against ? null : JSON.stringify([plain(sentence), info]));

/** Who says a sentence, and when. */
const said = ({ speaker, start_time: from, end_time: to }) => {
  const clock = (time) => `${Math.floor(time / 60)}:${String(Math.floor(time % 60)).padStart(2, "0")}`;
  if (from === undefined || from === null) return speaker;
  return `${speaker}, ${clock(from)}${to === undefined || to === null ? "" : `–${clock(to)}`}`;
};

export class Cards {
  constructor(list, { onSplit, onJoin, onWord, onLeave }) {
    this.list = list;
    this.actions = { onSplit, onJoin };
    this.onWord = onWord;
    this.cards = new WeakMap();
    this.waiting = new Set();
    this.seen = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) this.wants(entry.target);
    }, { rootMargin: "300px" });
    list.addEventListener("click", (event) => this.click(event));
    list.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("pointerover", (event) => this.point(event.target));
    list.addEventListener("focusin", (event) => this.point(event.target));
    list.addEventListener("pointerleave", onLeave);
    let width = this.width;
    addEventListener("resize", () => {
      if (Math.abs(this.width - width) < 40) return;
      width = this.width;
      this.redraw();
    });
  }

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
      // Until its own picture comes a new card shows the one that it replaces, so that nothing jumps.
      const last = old[place];
      if (had.has(card) || !last || stay.has(last)) return;
      card.querySelector(".tree").replaceChildren(...last.querySelector(".tree").childNodes);
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
      const label = i === 0 || info.still ? token.text : `${token.text}, Enter starts a sentence here`;
      line.append(make("span", {
        className: "token", role: "button", tabIndex: i === 0 ? 0 : -1, "aria-label": label,
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
    if (this.cards.get(card)?.drawn === this.width) return;
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
      const place = batch[i].querySelector(".tree");
      const known = this.cards.get(batch[i]);
      known.drawn = width;
      batch[i].classList.remove("stale");
      if (svg) place.replaceChildren(picture(svg));
      else place.replaceChildren(make("p", { className: "note" }, `${known.sentence.words.length} words are too many for a picture.`));
    });
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
    if (gap) this.actions.onSplit(found.info.index, Number(gap.dataset.gap));
    else if (event.target.closest("[data-join]")) this.actions.onJoin(found.info.index + 1);
  }

  key(event) {
    const token = event.target.closest?.(".token");
    const found = this.known(event.target);
    if (!token || !found) return;
    const tokens = [...token.parentElement.querySelectorAll(".token")];
    const at = tokens.indexOf(token);
    const rtl = getComputedStyle(token.parentElement).direction === "rtl";
    const step = { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1 }[event.key];
    let target = null;
    if (step) target = tokens[at + step];
    else if (event.key === "Home") target = tokens[0];
    else if (event.key === "End") target = tokens.at(-1);
    else if (event.key === "Enter" && at > 0 && !found.info.still) this.actions.onSplit(found.info.index, at);
    else if (event.key === "Backspace" && at === 0 && !found.info.still) this.actions.onJoin(found.info.index);
    else if (event.key === "ArrowDown") target = found.card.nextElementSibling?.querySelector(".token");
    else if (event.key === "ArrowUp") target = found.card.previousElementSibling?.querySelector(".token");
    else return;
    event.preventDefault();
    if (!target) return;
    token.tabIndex = -1;
    target.tabIndex = 0;
    target.focus();
  }

  point(target) {
    const place = target.closest?.("[data-word]");
    const found = this.known(target);
    if (!place || !found) return;
    const word = Number(place.dataset.word);
    for (const old of this.list.querySelectorAll(".here")) old.classList.remove("here");
    for (const element of found.card.querySelectorAll(`[data-word="${word}"]`)) element.classList.add("here");
    this.onWord(found.sentence, word, found.info);
  }

  focus(index, token = 0) {
    const card = [...this.list.querySelectorAll(".card:not(.other)")][index];
    const target = card?.querySelectorAll(".token")[token];
    if (target) { target.tabIndex = 0; target.focus(); }
  }
}
