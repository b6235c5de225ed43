// What is known of the word that is pointed at: its analysis, how sure the parser is, and what the
// next best analyses of the sentence make of it.

import { ask } from "./api.js";
import { $, make, percent } from "./dom.js";
import { textOf, wordsOf } from "./sentences.js";

const MOST = 1500;
const found = new WeakMap();
let current = null;
let timer = 0;

const headOf = (sentence, word) => {
  const { head } = sentence.words[word];
  if (head === undefined || head === null) return "?";
  return head === 0 ? "root" : sentence.words[head - 1].form;
};

const arcOf = (sentence, word) => {
  const { deprel, head } = sentence.words[word];
  return head === 0 ? (deprel || "root") : `${deprel || "depends"} ← ${headOf(sentence, word)}`;
};

export function hide() {
  clearTimeout(timer);
  current = null;
  $("detail").hidden = true;
}

export function show(sentence, word, info) {
  const key = `${sentence.start}:${word}:${info.model}`;
  if (current === key) return;
  const others = make("div", {});
  $("detail").replaceChildren(make("h2", { dir: "auto" }, sentence.words[word].form), ...linesOf(sentence, word, info), others);
  $("detail").hidden = false;
  soon(sentence, word, info, others, key);
}

/** The same in a place of its own. */
export function fill(place, sentence, word, info) {
  const others = make("div", {});
  place.replaceChildren(...linesOf(sentence, word, info), others);
  soon(sentence, word, info, others, `${sentence.start}:${word}:${info.model}:there`);
}

function linesOf(sentence, word, info) {
  const data = sentence.words[word];
  const surface = sentence.tokens[tokenOf(sentence, word)];
  const lines = [];
  const line = (label, ...rest) => lines.push(make("p", {}, make("b", {}, `${label} `), ...rest));
  const sure = (chance) => (chance === undefined || chance === null ? "" : ` (${percent(chance)} sure)`);
  line("Tag", [data.upos, data.xpos, data.feats].filter(Boolean).join(" · ") || "none", sure(data.tag_conf));
  if (data.lemma) line("Lemma", data.lemma);
  line("Arc", arcOf(sentence, word), sure(data.arc_conf));
  if (info.fixed?.includes(word)) line("Fixed", "by you");
  if ((surface.words ?? 1) > 1) line("Part of", surface.text);
  if (surface.start_conf !== undefined) line("Sentence starts here", percent(surface.start_conf), " likely");
  return lines;
}

const tokenOf = (sentence, word) => wordsOf(sentence).findIndex((words) => words.includes(word));

function soon(sentence, word, info, place, key) {
  current = key;
  clearTimeout(timer);
  timer = setTimeout(() => alternatives(sentence, word, tokenOf(sentence, word), info, place, key), 350);
}

async function alternatives(sentence, word, token, info, place, key) {
  const text = textOf([sentence]).trim();
  if (text.length > MOST) return;
  let analyses = found.get(sentence);
  if (!analyses) {
    analyses = ask("parse", { text, model: info.model, lang: sentence.lang, k: 5, confidence: false }).then((a) => a.analyses);
    found.set(sentence, analyses);
  }
  let list;
  try { list = await analyses; } catch { found.delete(sentence); return; }
  if (current !== key) return;
  const offset = sentence.tokens[token].start - sentence.tokens[0].start;
  const inside = word - wordsOf(sentence)[token][0];
  const mine = arcOf(sentence, word);
  const said = [];
  for (const analysis of list.slice(1)) {
    for (const other of analysis) {
      const at = other.tokens.findIndex((t) => t.start === offset);
      if (at < 0) continue;
      const number = wordsOf(other)[at][inside];
      if (number === undefined) continue;
      const arc = arcOf(other, number);
      const starts = at === 0 && offset > 0 ? "a sentence starts here; " : "";
      if ((arc !== mine || starts) && !said.includes(starts + arc)) said.push(starts + arc);
    }
  }
  place.replaceChildren(make("p", {}, make("b", {}, "Also considered")),
    said.length ? make("ul", {}, ...said.map((s) => make("li", {}, s)))
      : make("p", { className: "note" }, "nothing else: the next best analyses agree"));
}
