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

/** The sentences around a place that are parsed again when a boundary there changes. */
export function windowAround(sentences, index, reach = 2) {
  const first = Math.max(0, index - reach);
  return [first, Math.min(sentences.length, index + reach + 1)];
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

function signature(sentences) {
  return JSON.stringify(sentences.map((s) => [
    s.start, s.end, s.tokens.map((t) => [t.start, t.end, t.words ?? 1]),
    s.words.map((w) => [w.upos ?? "", w.head ?? null, w.deprel ?? ""]),
  ]));
}

export const same = (left, right) => signature(left) === signature(right);
