// What the user fixed in the trees, without anything of the screen. A word goes by the offset of its
// token and its place in it, so that a fix outlives boundaries and edits of the text elsewhere.
// A fix has some of `upos`, `head` (another word, or ROOT) and `deprel`, which stays with its head.

import { wordsOf } from "./sentences.js";

export const ROOT = "root";
const KEY = /^\d{1,9}\.\d{1,3}$/;
const LABEL = /^[^\s\p{C}]{1,60}$/u;
const MOST = 20000;
const known = new WeakMap();

/** The name of each word of a sentence. */
export function keysOf(sentence) {
  if (!known.has(sentence)) {
    known.set(sentence, wordsOf(sentence).flatMap((words, token) =>
      words.map((_, place) => `${sentence.tokens[token].start}.${place}`)));
  }
  return known.get(sentence);
}

/** Where the words of a sentence hang by what is fixed: a number, -1 for the root, null where it is open. */
export function fixedHeads(sentence, fixes) {
  const keys = keysOf(sentence);
  const place = new Map(keys.map((key, word) => [key, word]));
  return keys.map((key) => {
    const head = fixes.get(key)?.head;
    return head === ROOT ? -1 : place.get(head) ?? null;
  });
}

/** The words of a sentence of which something is fixed. */
export function fixedWords(sentence, fixes) {
  const keys = keysOf(sentence);
  return fixes.size ? keys.flatMap((key, word) => (fixes.has(key) ? [word] : [])) : [];
}

/** A sentence of which only what is fixed is known, as the server takes it. */
export function opened(sentence, fixes) {
  const heads = fixedHeads(sentence, fixes);
  const keys = keysOf(sentence);
  const words = sentence.words.map(({ form }, word) => {
    const open = { form };
    const { upos, deprel } = fixes.get(keys[word]) ?? {};
    if (upos) open.upos = upos;
    if (heads[word] !== null) {
      open.head = heads[word] + 1;
      if (deprel) open.deprel = deprel;
    }
    return open;
  });
  const { type, ...rest } = sentence;
  return { ...rest, tokens: sentence.tokens.map(({ start_conf, ...token }) => token), words };
}

// ------------------------------------------------------------------- refusals

const quoted = (sentence, word) => `“${sentence.words[word].form}”`;
const RELEASE = "Let the parser decide one of them first.";

/** Why a word cannot hang on another (-1: be the root) under what else is fixed; null if it can. */
export function whyNoHead(sentence, fixes, word, head) {
  const heads = fixedHeads(sentence, fixes);
  if (head === word) return `${quoted(sentence, word)} cannot be its own head.`;
  if (head < 0) {
    const other = heads.findIndex((fixed, place) => fixed === -1 && place !== word);
    return other < 0 ? null : `${quoted(sentence, other)} is fixed as the root, and a sentence has one root. Let the parser decide there first.`;
  }
  const path = [head];
  while (heads[path.at(-1)] !== null && heads[path.at(-1)] >= 0 && path.at(-1) !== word) path.push(heads[path.at(-1)]);
  if (path.at(-1) !== word) return null;
  const chain = path.map((at) => sentence.words[at].form).join(" → ");
  return `${quoted(sentence, word)} cannot hang on ${quoted(sentence, head)}, which hangs on it by what is fixed (${chain}): a tree has no circle. ${RELEASE}`;
}

/** Why no sentence can start at a token: an arc that is fixed spans the place. */
export function whyNoStart(sentence, fixes, token) {
  const first = wordsOf(sentence)[token][0];
  const heads = fixedHeads(sentence, fixes);
  const word = heads.findIndex((head, at) => head !== null && head >= 0 && (head < first) !== (at < first));
  if (word < 0) return null;
  return `No sentence can start here: ${quoted(sentence, word)} is fixed as a dependent of ${quoted(sentence, heads[word])}, and a head is in the sentence of its word. Let the parser decide there first.`;
}

/** Why two sentences cannot be one: both roots are fixed. */
export function whyNoJoin(left, right, fixes) {
  const [a, b] = [left, right].map((sentence) => fixedHeads(sentence, fixes).indexOf(-1));
  if (a < 0 || b < 0) return null;
  return `${quoted(left, a)} and ${quoted(right, b)} are both fixed as roots, and a sentence has one root. ${RELEASE}`;
}

/** Why a tag or a label cannot be; null if it can. */
export function whyNoLabel(kind, value, head) {
  if (!LABEL.test(value)) return `A ${kind} has no spaces and at most 60 characters.`;
  if (kind === "relation" && value === ROOT && head >= 0) return "Only the root of a sentence has the relation “root”.";
  return null;
}

// --------------------------------------------------------------- what remains

/** Fixes after the text was edited; without those of words that are gone. */
export function carriedFixes(fixes, carriedOffsets) {
  const move = (key) => {
    const [offset, place] = key.split(".");
    const [to] = carriedOffsets([Number(offset)]);
    return to === undefined ? null : `${to}.${place}`;
  };
  const found = new Map();
  for (const [key, fix] of fixes) {
    const to = move(key);
    if (!to) continue;
    const { head, deprel, ...rest } = fix;
    const there = head === undefined || head === ROOT ? head : move(head);
    const moved = there ? { ...rest, head: there, ...(deprel ? { deprel } : {}) } : rest;
    if (Object.keys(moved).length) found.set(to, moved);
  }
  return found;
}

/** The fixes that sentences can obey: words that there are, heads in their own sentence, one root. */
export function possible(sentences, fixes) {
  const found = new Map();
  for (const sentence of fixes.size ? sentences : []) {
    const keys = keysOf(sentence);
    const here = new Set(keys);
    keys.forEach((key, word) => {
      const fix = fixes.get(key);
      if (!fix) return;
      const { head, deprel, ...kept } = fix;
      const place = head === ROOT ? -1 : keys.indexOf(head);
      const fits = head !== undefined && (head === ROOT || here.has(head)) && !whyNoHead(sentence, found, word, place);
      if (fits) Object.assign(kept, { head }, deprel ? { deprel } : {});
      if (Object.keys(kept).length) found.set(key, kept);
    });
  }
  return found;
}

/** Fixes as they were kept or sent; whatever is none is left out. */
export function checkedFixes(value) {
  const found = new Map();
  for (const entry of Array.isArray(value) ? value.slice(0, MOST) : []) {
    const [key, fix] = Array.isArray(entry) ? entry : [];
    if (!KEY.test(key) || typeof fix !== "object" || fix === null) continue;
    const good = {};
    const label = (text) => typeof text === "string" && LABEL.test(text);
    if (label(fix.upos)) good.upos = fix.upos;
    if (typeof fix.head === "string" && (fix.head === ROOT || KEY.test(fix.head))) {
      good.head = fix.head;
      if (label(fix.deprel)) good.deprel = fix.deprel;
    }
    if (Object.keys(good).length) found.set(String(key), good);
  }
  return found;
}
