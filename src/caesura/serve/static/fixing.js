// What the user changes in the trees: boundaries, tags, heads, relations. The sentences that a change
// touches are parsed again, with those around them for context, under all that is fixed; no other
// boundary moves. One change is made after the other, and each can be undone.

import { ask } from "./api.js";
import { ROOT, keysOf, opened, possible, whyNoHead, whyNoJoin, whyNoStart } from "./edits.js";
import { History } from "./history.js";
import { base, cut, joined, moved, touched, windowAround, withChances } from "./sentences.js";

export class Fixing {
  /** `page`: what the page does about it: `busy`, `began`, `refuse`, `failed`, `changed`. */
  constructor(state, page) {
    this.state = state;
    this.page = page;
    this.history = new History();
    this.queue = Promise.resolve();
  }

  get now() {
    const { sentences, starts, joins, fixes } = this.state;
    return { sentences, starts, joins, fixes };
  }

  /** How many changes there are. */
  get count() { return this.state.starts.size + this.state.joins.size + this.state.fixes.size; }

  later(act) { this.queue = this.queue.then(act); }

  // ---------------------------------------------------------------- changes

  /** Start a sentence at an offset, or forbid one there. */
  boundary(offset, starts) { this.later(() => this.boundaryNow(offset, starts)); }

  async boundaryNow(offset, start) {
    if (this.page.busy()) return;
    const { sentences, fixes } = this.state;
    const range = touched(sentences, offset, start);
    if (!range) return;
    const [first, last] = range;
    const token = sentences[first].tokens.findIndex((t) => t.start === offset);
    if (start && token < 1) return;
    const why = start ? whyNoStart(sentences[first], fixes, token) : whyNoJoin(sentences[first], sentences[last - 1], fixes);
    if (why) { this.page.refuse(why); return; }
    const parts = start ? cut(sentences[first], token) : [joined(sentences[first], sentences[last - 1])];
    const [starts, joins] = [new Set(this.state.starts), new Set(this.state.joins)];
    starts.delete(offset);
    joins.delete(offset);
    (start ? starts : joins).add(offset);
    await this.change(range, parts, { starts, joins }, { offset });
  }

  /** Fix something of a word: `upos`, `head` (a number, -1 for the root), `deprel`; null: nothing. */
  word(index, word, change) { this.later(() => this.wordNow(index, word, change)); }

  async wordNow(index, word, change) {
    if (this.page.busy()) return;
    const sentence = this.state.sentences[index];
    if (!sentence?.words[word]) return;
    const keys = keysOf(sentence);
    const fixes = new Map(this.state.fixes);
    const fix = { ...fixes.get(keys[word]) };
    if (change?.upos) fix.upos = change.upos;
    if (change?.head !== undefined) {
      const why = whyNoHead(sentence, fixes, word, change.head);
      if (why) { this.page.refuse(why); return; }
      fix.head = change.head < 0 ? ROOT : keys[change.head];
      delete fix.deprel;
      if (change.deprel) fix.deprel = change.deprel;
    }
    if (change) fixes.set(keys[word], fix);
    else fixes.delete(keys[word]);
    await this.change([index, index + 1], [sentence], { fixes }, { word });
  }

  /** Keep a whole tree as it is. */
  keep(index) { this.later(() => this.keepNow(index)); }

  keepNow(index) {
    if (this.page.busy()) return;
    const sentence = this.state.sentences[index];
    const keys = keysOf(sentence);
    const fixes = new Map(this.state.fixes);
    sentence.words.forEach(({ upos, head, deprel }, word) => {
      const fix = upos ? { upos } : {};
      if (head === 0) fix.head = ROOT;
      else if (sentence.words[head - 1]) fix.head = keys[head - 1];
      if (fix.head && deprel) fix.deprel = deprel;
      if (Object.keys(fix).length) fixes.set(keys[word], fix);
    });
    this.history.push(this.now);
    this.state.fixes = fixes;
    this.page.changed({});
  }

  async change([first, last], parts, fixed, place) {
    const { state } = this;
    const shown = state.sentences;
    const fixes = fixed.fixes ?? state.fixes;
    this.page.began();
    try {
      const { found, seconds } = await complete(shown, [first, last], parts, fixes, state.model, place.offset);
      if (state.sentences !== shown) return; // another text has come in between
      this.history.push(this.now);
      Object.assign(state, fixed, { sentences: shown.toSpliced(first, last - first, ...found) });
      this.page.changed({ seconds, focus: { start: found[0].start, ...place } });
    } catch (error) {
      if (state.sentences === shown) this.page.failed(error);
    }
  }

  // ------------------------------------------------------------ undo and redo

  undo() { this.later(() => this.back(this.history.undo(this.now))); }

  redo() { this.later(() => this.back(this.history.redo(this.now))); }

  back(before) {
    if (!before || this.page.busy()) return;
    Object.assign(this.state, before);
    this.page.changed({});
  }
}

/** Sentences parsed again under what is fixed, in the place of some of those that are shown. */
async function complete(shown, [first, last], parts, fixes, model, changed) {
  const [from, to] = windowAround(shown, first, last);
  const part = [...shown.slice(from, first), ...parts, ...shown.slice(last, to)];
  const origin = base(part[0]);
  const answer = await ask("complete", { sentences: part.map((sentence) => opened(sentence, fixes)), model });
  const found = answer.sentences.map((sentence) => moved(sentence, origin)).slice(first - from, first - from + parts.length);
  // Only what begins a text stands behind nothing; the speaker is whoever was said to speak.
  const whole = found.map((sentence, i) => {
    const { before, ...rest } = sentence;
    const { speaker, start_time, end_time, before: kept } = parts[i];
    return { ...rest, ...(kept ? { before: kept } : {}), ...(speaker ? { speaker, start_time, end_time } : {}) };
  });
  return { found: withChances(whole, shown.slice(from, to), changed), seconds: answer.seconds };
}

/** Sentences that were parsed without what is fixed, with it; and what of it they can obey. */
export async function refilled(sentences, fixes, model) {
  const kept = possible(sentences, fixes);
  let all = sentences;
  for (const [index, sentence] of sentences.entries()) {
    if (!keysOf(sentence).some((key) => kept.has(key))) continue;
    const { found } = await complete(all, [index, index + 1], [sentence], kept, model);
    all = all.toSpliced(index, 1, ...found);
  }
  return { sentences: all, fixes: kept };
}

