// The search box: a pattern over words and arcs, its matches marked in the sentences and the trees.

import { ask } from "./api.js";
import { $, plural } from "./dom.js";
import { headsOf } from "./outline.js";
import { plain } from "./sentences.js";

export class Find {
  constructor(state, cards) {
    this.state = state;
    this.cards = cards;
    this.matches = [];
    this.at = 0;
    this.more = []; // what else is to be told: not all matches are shown, or not all were found
    this.asked = null; // the sentences and the pattern that the matches are of
    $("find-form").addEventListener("submit", (event) => { event.preventDefault(); this.search(); });
    $("find-next").addEventListener("click", () => this.go(1));
    $("find-back").addEventListener("click", () => this.go(-1));
    $("pattern").addEventListener("input", () => { if (!$("pattern").value.trim()) this.clear(); });
    $("pattern").addEventListener("keydown", (event) => { if (event.key === "Escape") { $("pattern").value = ""; this.clear(); } });
  }

  clear() {
    this.matches = [];
    this.asked = null;
    this.show();
    $("found").textContent = "";
    $("find-error").hidden = true;
  }

  /** Search for the pattern in the box; once more for the same one, go to the next match. */
  async search({ again = false } = {}) {
    const pattern = $("pattern").value.trim();
    const { sentences } = this.state;
    if (!pattern || !sentences.length) { this.clear(); return; }
    if (!again && this.asked?.pattern === pattern && this.asked.sentences === sentences) { this.go(1); return; }
    const asked = (this.asked = { pattern, sentences });
    $("find-error").hidden = true;
    $("found").textContent = "Searching …";
    try {
      const answer = await ask("find", { document: { sentences: sentences.map(plain) }, pattern });
      if (this.asked !== asked) return;
      const { matches } = answer;
      this.matches = matches;
      this.more = [
        answer.found > matches.length ? `the first ${matches.length.toLocaleString("en")} of ${answer.found.toLocaleString("en")} are shown` : "",
        answer.warning ?? "",
      ].filter(Boolean);
      this.at = again ? Math.min(this.at, Math.max(0, matches.length - 1)) : 0;
      this.show();
      if (!again) this.reveal();
    } catch (error) {
      if (this.asked !== asked) return;
      this.clear();
      $("find-error").textContent = error.message;
      $("find-error").hidden = false;
    }
  }

  /** The sentences have changed: what was found in them is found again. */
  refresh() {
    if (this.asked && this.asked.sentences !== this.state.sentences) this.search({ again: true });
  }

  go(step) {
    const n = this.matches.length;
    if (!n) return;
    this.at = (this.at + step + n) % n;
    this.show();
    this.reveal();
  }

  reveal() {
    const match = this.matches[this.at];
    if (match) this.cards.reveal(this.asked.sentences[match.sentence].start);
  }

  show() {
    const found = new Map();
    const sentences = this.asked?.sentences ?? [];
    this.matches.forEach((match, number) => {
      const { start } = sentences[match.sentence];
      if (!found.has(start)) found.set(start, { words: new Set(), current: new Set(), arcs: new Set() });
      const { words, current, arcs } = found.get(start);
      const heads = headsOf(sentences[match.sentence]);
      for (const word of match.words) {
        words.add(word);
        if (number === this.at) current.add(word);
        if (match.words.includes(heads[word])) arcs.add(word);
      }
    });
    this.cards.highlight(found);
    for (const id of ["find-next", "find-back"]) $(id).hidden = this.matches.length < 2;
    if (this.asked) $("found").textContent = this.told(found.size, sentences);
  }

  told(within, sentences) {
    const n = this.matches.length;
    if (!n) return "No match.";
    const { sentence, nodes } = this.matches[this.at];
    const named = Object.entries(nodes).map(([name, word]) => `${name} = ${sentences[sentence].words[word].form}`);
    const all = `${plural(n, "match", "matches")} in ${plural(within, "sentence")}`;
    const at = `this is ${this.at + 1}, in sentence ${sentence + 1}${named.length ? `: ${named.join(", ")}` : ""}`;
    return [all, at, ...this.more].join("; ");
  }
}
