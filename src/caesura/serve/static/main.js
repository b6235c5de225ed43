// The page: what is on it, and what happens when. All that is known of the text is in `state`;
// the cards are drawn from it.

import { ask, askFile, models, parseStream } from "./api.js";
import { Cards } from "./cards.js";
import * as detail from "./detail.js";
import { $, droppable, make, plural, save } from "./dom.js";
import * as evaluation from "./evaluate.js";
import { asGiven, base, moved, plain, regions, same, textOf, touched, windowAround, withChances } from "./sentences.js";

const EXAMPLE = `we waited at the harbour for an hour nobody came

they did not tell me where they were going i think they went home`;

const state = { sentences: [], other: null, starts: new Set(), joins: new Set(), model: "", second: "" };
let running = null;
let fixing = Promise.resolve();

const cards = new Cards($("results"), {
  onSplit: (index, token) => fix(state.sentences[index].tokens[token].start, true),
  onJoin: (index) => { if (state.sentences[index]) fix(state.sentences[index].start, false); },
  onWord: detail.show,
  onLeave: detail.hide,
});

function fail(error) {
  if (error.name === "AbortError") return;
  $("error").textContent = error.message;
  $("error").hidden = false;
}

function told(seconds) {
  const words = state.sentences.reduce((n, s) => n + s.words.length, 0);
  let text = `${plural(state.sentences.length, "sentence")}, ${plural(words, "word")}`;
  if (seconds !== undefined) text += `, ${seconds.toFixed(1)} seconds`;
  if (state.other) {
    const all = regions(state.sentences, state.other);
    const differ = all.filter((r) => !same(r.left, r.right)).length;
    text += `; ${differ ? `${differ} of ${all.length} stretches differ` : "the two models agree"}`;
  }
  $("status").textContent = text;
  $("tools").hidden = !state.sentences.length;
  $("undo").hidden = !(state.starts.size + state.joins.size);
}

// ------------------------------------------------------------------- drawing

function info(index) {
  const sentence = state.sentences[index];
  return {
    index, number: index + 1, model: state.model, last: index + 1 === state.sentences.length,
    pinned: state.starts.has(sentence.start),
  };
}

function append(from) {
  const made = [];
  for (let i = from; i < state.sentences.length; i++) made.push(cards.card(state.sentences[i], { ...info(i), last: false }));
  $("results").append(...made);
}

/** All cards anew; with two models, those of the second where it differs. */
function drawAll() {
  cards.clear();
  if (!state.other) { append(0); markLast(); return; }
  let index = 0;
  let number = 0;
  const made = [];
  for (const { left, right } of regions(state.sentences, state.other)) {
    const agree = same(left, right);
    left.forEach((sentence, place) => {
      const extra = agree ? {} : { against: right, beside: left, place, name: state.model };
      made.push(cards.card(sentence, { ...info(index++), ...extra }));
    });
    right.forEach((sentence, place) => {
      number++;
      if (agree) return;
      made.push(cards.card(sentence, {
        number, other: true, model: state.second, name: state.second, against: left, beside: right, place,
      }));
    });
  }
  $("results").append(...made);
}

function markLast() {
  const last = $("results").lastElementChild;
  last?.querySelector("[data-join]")?.remove();
}

// ------------------------------------------------------------------- parsing

async function parse() {
  running?.abort();
  const control = (running = new AbortController());
  $("error").hidden = true;
  detail.hide();
  cards.clear();
  Object.assign(state, { sentences: [], other: null, starts: new Set(), joins: new Set(), model: $("model").value, second: $("other").value });
  const text = $("text").value;
  told();
  if (!text.trim()) { $("status").textContent = "There is no text yet."; return; }
  $("stop").hidden = false;
  $("status").textContent = "Parsing …";
  const request = { text, strip: $("strip").checked };
  try {
    const end = await parseStream({ ...request, model: state.model }, (found) => {
      if (running !== control) return;
      const from = state.sentences.length;
      state.sentences.push(...found);
      append(from);
      $("status").textContent = `Parsing … ${plural(state.sentences.length, "sentence")} so far`;
    }, control.signal);
    if (running !== control) return;
    if (state.second) {
      $("status").textContent = `Parsing with ${state.second} …`;
      const other = [];
      await parseStream({ ...request, model: state.second }, (found) => other.push(...found), control.signal);
      state.other = other;
      drawAll();
    } else markLast();
    told(end.seconds);
  } catch (error) {
    if (running !== control) return;
    told();
    fail(error);
  } finally {
    if (running === control) { running = null; $("stop").hidden = true; }
  }
}

/** Start a sentence at an offset, or forbid one there; one change after the other. */
function fix(offset, starts) {
  fixing = fixing.then(() => fixNow(offset, starts));
}

/**
 * The sentences that a boundary touches are parsed again, with those around them for context. All
 * boundaries that are shown are given with it: the change that was asked for is the only one.
 */
async function fixNow(offset, starts) {
  const range = running || state.other ? null : touched(state.sentences, offset, starts);
  if (!range) return;
  const before = { starts: new Set(state.starts), joins: new Set(state.joins) };
  state.starts.delete(offset);
  state.joins.delete(offset);
  (starts ? state.starts : state.joins).add(offset);
  const shown = state.sentences;
  const [first, last] = range;
  const part = shown.slice(...windowAround(shown, first, last));
  const origin = base(part[0]);
  const given = asGiven(part);
  const sent = (offsets, add) => [...offsets.filter((o) => o !== offset), ...(add ? [offset] : [])].map((o) => o - origin);
  $("error").hidden = true;
  $("status").textContent = "Parsing again …";
  try {
    const answer = await ask("parse", {
      text: textOf(part), model: state.model, starts: sent(given.starts, starts), joins: sent(given.joins, !starts),
    });
    if (state.sentences !== shown) return; // another text has come in between
    const end = shown[last - 1].end;
    const found = withChances(answer.sentences.map((s) => moved(s, origin)), part, offset)
      .filter((s) => s.start >= shown[first].start && s.start < end);
    found[0] = { ...found[0], before: shown[first].before };
    state.sentences = shown.toSpliced(first, last - first, ...found);
    drawAll();
    told(answer.seconds);
    const at = state.sentences.findIndex((s) => s.start <= offset && offset < s.end);
    const token = state.sentences[at]?.tokens.findIndex((t) => t.start === offset) ?? 0;
    cards.focus(at, Math.max(0, token));
  } catch (error) {
    if (state.sentences !== shown) return;
    Object.assign(state, before);
    told();
    fail(error);
  }
}

// --------------------------------------------------------------------- setup

async function download(to) {
  $("error").hidden = true;
  try {
    const width = Math.max(700, cards.width);
    const blob = await askFile("convert", { sentences: state.sentences.map(plain), to, width });
    save(blob, `caesura.${to}`);
  } catch (error) { fail(error); }
}

async function setUpModels() {
  try {
    for (const { name } of await models()) {
      $("model").append(make("option", { value: name }, name));
      $("other").append(make("option", { value: name }, name));
    }
    $("other").closest("label").hidden = $("model").options.length < 2;
  } catch (error) { fail(error); }
}

function setUpTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const choose = (tab) => {
    for (const other of tabs) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      $(other.getAttribute("aria-controls")).hidden = !chosen;
    }
    detail.hide();
  };
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(i + step + tabs.length) % tabs.length];
      choose(next);
      next.focus();
    });
  }
}

$("parse-form").addEventListener("submit", (event) => { event.preventDefault(); parse(); });
$("stop").addEventListener("click", () => running?.abort());
$("example").addEventListener("click", () => { $("text").value = EXAMPLE; parse(); });
$("strip").addEventListener("change", () => { if ($("text").value.trim()) parse(); });
for (const id of ["model", "other"]) $(id).addEventListener("change", () => { if ($("text").value.trim()) parse(); });
$("text").addEventListener("paste", () => setTimeout(parse));
$("text").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) parse(); });
droppable($("text"), parse);
$("undo").addEventListener("click", parse);
addEventListener("keydown", (event) => { if (event.key === "Escape") detail.hide(); });
for (const button of document.querySelectorAll("[data-to]")) button.addEventListener("click", () => download(button.dataset.to));
setUpTabs();
evaluation.setUp();
setUpModels();
