// Sentences as the server sends them, without anything of the screen: joining, cutting, comparing.

/** What the server takes back: a sentence without the type of its line. */
export function plain(sentence) {
  const { type, ...rest } = sentence;
  return rest;
}

export const textOf = (sentences) =>
  sentences.map((s) => (s.before ?? "") + s.tokens.map((t) => t.text + (t.after ?? "")).join("")).join("");

/** Offsets count code points, as the server's do. */
export const size = (text) => [...text].length;

export const base = (sentence) => sentence.start - size(sentence.before ?? "");

export function moved(sentence, by) {
  return {
    ...sentence,
    start: sentence.start + by,
    end: sentence.end + by,
    tokens: sentence.tokens.map((t) => ({ ...t, start: t.start + by, end: t.end + by })),
  };
}

/** The words of each token, as numbers. */
export function wordsOf(sentence) {
  let at = 0;
  return sentence.tokens.map((token) => {
    const words = Array.from({ length: token.words ?? 1 }, (_, i) => at + i);
    at += words.length;
    return words;
  });
}

/** A word and its place in the tree, in words: "dogs, NOUN, nsubj of bark". */
export function describe(sentence, word) {
  const { form, upos, xpos, head, deprel } = sentence.words[word];
  const parts = [form];
  if (upos || xpos) parts.push(upos || xpos);
  if (head === 0) parts.push(deprel || "root");
  else if (sentence.words[head - 1]) parts.push(`${deprel || "dependent"} of ${sentence.words[head - 1].form}`);
  else parts.push(...(deprel ? [deprel] : []), "head unknown");
  const token = sentence.tokens[wordsOf(sentence).findIndex((words) => words.includes(word))];
  if ((token.words ?? 1) > 1) parts.push(`part of ${token.text}`);
  return parts.join(", ");
}

/** A sentence cut before one of its tokens; the trees of the two are open. */
export function cut(sentence, token) {
  const words = wordsOf(sentence);
  const first = words[token][0];
  const { before, ...rest } = sentence;
  const piece = (tokens, found, more = {}) => ({
    ...rest, ...more, tokens, words: found, start: tokens[0].start, end: tokens.at(-1).end,
  });
  return [
    piece(sentence.tokens.slice(0, token), sentence.words.slice(0, first), before ? { before } : {}),
    piece(sentence.tokens.slice(token), sentence.words.slice(first)),
  ];
}

/** Two sentences as one. */
export function joined(left, right) {
  return {
    ...left, end: right.end, tokens: [...left.tokens, ...right.tokens], words: [...left.words, ...right.words],
  };
}

/** The sentences around some that are parsed again with them, as context. */
export function windowAround(sentences, first, last, reach = 2) {
  return [Math.max(0, first - reach), Math.min(sentences.length, last + reach)];
}

/** What a boundary at an offset touches: the sentence it cuts, or the two that it parts. */
export function touched(sentences, offset, starts) {
  const at = sentences.findIndex((s) => s.start <= offset && offset < s.end);
  if (at < 0) return null;
  if (starts || sentences[at].start !== offset) return [at, at + 1];
  return at === 0 ? null : [at - 1, at + 1];
}

/** Sentences as boundaries that are given: each starts where it does, and at none of its other tokens. */
export function asGiven(sentences) {
  const starts = [];
  const joins = [];
  for (const sentence of sentences) {
    starts.push(sentence.start);
    for (const token of sentence.tokens) if (token.start !== sentence.start) joins.push(token.start);
  }
  return { starts, joins };
}

/** How a text was edited: where its unchanged head ends, where its tail began, how far that moved. */
export function edit(before, after) {
  const [a, b] = [[...before], [...after]];
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { head, tail: a.length - tail, by: b.length - a.length };
}

/** Offsets after an edit; without those at which it was made. */
export function carried(offsets, { head, tail, by }) {
  return [...offsets].filter((o) => o < head || o > tail).map((o) => (o < head ? o : o + by));
}

/** The sentences that an edit left alone. */
export const untouched = (sentences, { head, tail }) => sentences.filter((s) => s.end < head || s.start > tail);

/** How likely a sentence starts at each token, as it was known before some boundaries were given. */
export function withChances(sentences, before, changed) {
  const known = new Map(before.flatMap((s) => s.tokens.map((t) => [t.start, t.start_conf])));
  known.delete(changed);
  return sentences.map((s) => ({
    ...s, tokens: s.tokens.map((t) => (known.get(t.start) === undefined ? t : { ...t, start_conf: known.get(t.start) })),
  }));
}

/** Stretches that begin and end at a boundary of both analyses. */
export function regions(left, right) {
  const ends = new Set(right.map((s) => s.end));
  const found = [];
  let a = 0;
  let b = 0;
  for (let i = 0; i < left.length; i++) {
    if (!ends.has(left[i].end) && i < left.length - 1) continue;
    let j = b;
    while (j < right.length && (right[j].end <= left[i].end || i === left.length - 1)) j++;
    found.push({ left: left.slice(a, i + 1), right: right.slice(b, j) });
    a = i + 1;
    b = j;
  }
  return found;
}

/** The words of a sentence that other sentences over the same text have otherwise, or not at all. */
export function differing(sentence, others) {
  const arcs = (s) => wordsOf(s).flatMap((words, token) => words.map((word, place) => {
    const { head, upos, deprel } = s.words[word];
    const there = head ? wordsOf(s).findIndex((some) => some.includes(head - 1)) : -1;
    const at = there < 0 ? head : `${s.tokens[there].start}.${head - 1 - wordsOf(s)[there][0]}`;
    return JSON.stringify([s.tokens[token].start, s.tokens[token].end, place, upos ?? "", at ?? null, deprel ?? ""]);
  }));
  const there = new Set(others.flatMap(arcs));
  return new Set(arcs(sentence).flatMap((arc, word) => (there.has(arc) ? [] : [word])));
}

function signature(sentences) {
  return JSON.stringify(sentences.map((s) => [
    s.start, s.end, s.tokens.map((t) => [t.start, t.end, t.words ?? 1]),
    s.words.map((w) => [w.upos ?? "", w.head ?? null, w.deprel ?? ""]),
  ]));
}

export const same = (left, right) => signature(left) === signature(right);
