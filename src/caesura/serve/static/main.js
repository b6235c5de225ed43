// The page: what is on it, and what happens when. All that is known of the text is in `state`;
// the cards are drawn from it.

import { ask, askFile, models, parseStream } from "./api.js";
import { Cards } from "./cards.js";
import * as detail from "./detail.js";
import { $, droppable, make, plural, save } from "./dom.js";
import * as evaluation from "./evaluate.js";
import { keep, kept } from "./kept.js";
import { asGiven, base, carried, edit, moved, plain, regions, same, textOf, touched, untouched, windowAround, withChances } from "./sentences.js";

const EXAMPLE = `we waited at the harbour for an hour nobody came

they did not tell me where they were going i think they went home`;

/** Up to so many characters a text is parsed as it is typed, after a pause of so many milliseconds. */
const LIVE = 5000;
const PAUSE = 400;
/** In a longer text boundaries cannot be given. */
const GIVEN = 50000;
const KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ Enter" : "Ctrl+Enter";

const none = () => ({ starts: new Set(), joins: new Set() });
const state = { text: "", model: "", second: "", strip: false, sentences: [], other: null, ...none() };
let running = null; // the request under way
let asked = null; // what was asked for last, unless it failed
let restored = null; // what was kept over a reload
let waiting = 0;
let keeping = 0;
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

function told({ seconds, lost = 0, stopped = false } = {}) {
  const words = state.sentences.reduce((n, s) => n + s.words.length, 0);
  let text = `${plural(state.sentences.length, "sentence")}, ${plural(words, "word")}`;
  if (seconds !== undefined) text += `, ${seconds.toFixed(1)} seconds`;
  if (state.other) {
    const all = regions(state.sentences, state.other);
    const differ = all.filter((r) => !same(r.left, r.right)).length;
    text += `; ${differ ? `${differ} of ${all.length} stretches differ` : "the two models agree"}`;
  }
  if (lost) text += `; ${plural(lost, "boundary", "boundaries")} of yours had to be forgotten`;
  if (stopped) text += "; stopped";
  $("status").textContent = state.sentences.length || stopped ? text : "";
  $("tools").hidden = !state.sentences.length;
  $("undo").hidden = !(state.starts.size + state.joins.size);
  $("empty").hidden = Boolean(state.sentences.length || $("text").value.trim());
}

// ------------------------------------------------------------------- drawing

function info(index) {
  const sentence = state.sentences[index];
  return {
    index, number: index + 1, model: state.model, last: index + 1 === state.sentences.length,
    pinned: state.starts.has(sentence.start), still: state.other !== null,
  };
}

function append(from) {
  const made = [];
  for (let i = from; i < state.sentences.length; i++) made.push(cards.card(state.sentences[i], { ...info(i), last: false }));
  $("results").append(...made);
}

/** All cards; with two models, those of the second where it differs. */
function drawAll() {
  if (!state.other) { cards.show(state.sentences.map((sentence, i) => [sentence, info(i)])); return; }
  let index = 0;
  let number = 0;
  const items = [];
  for (const { left, right } of regions(state.sentences, state.other)) {
    const agree = same(left, right);
    left.forEach((sentence, place) => {
      const extra = agree ? {} : { against: right, beside: left, place, name: state.model };
      items.push([sentence, { ...info(index++), ...extra }]);
    });
    right.forEach((sentence, place) => {
      number++;
      if (agree) return;
      items.push([sentence, {
        number, other: true, still: true, model: state.second, name: state.second, against: left, beside: right, place,
      }]);
    });
  }
  cards.show(items);
}

// ------------------------------------------------------------------- parsing

const wanted = () => ({
  text: $("text").value, model: $("model").value, second: $("other").value, strip: $("strip").checked,
});

function cancel() {
  clearTimeout(waiting);
  running?.abort();
  running = null;
  $("stop").hidden = true;
}

/** The user's boundaries in the text as it is now, and what to give with it so that nothing else moves. */
function carry({ text, model, strip }) {
  const mine = state.starts.size + state.joins.size;
  if (!mine) return { pins: none(), given: none(), lost: 0 };
  if (strip || state.strip || text.length > GIVEN) return { pins: none(), given: none(), lost: mine };
  const change = edit(state.text, text);
  const pins = { starts: new Set(carried(state.starts, change)), joins: new Set(carried(state.joins, change)) };
  let given = pins;
  if (model === state.model && pins.starts.size + pins.joins.size) {
    const shown = asGiven(untouched(state.sentences, change));
    const before = restored?.text === text && restored.model === model ? restored.given : none();
    given = {
      starts: new Set([...before.starts, ...carried(shown.starts, change), ...pins.starts]),
      joins: new Set([...before.joins, ...carried(shown.joins, change), ...pins.joins]),
    };
    for (const offset of given.starts) given.joins.delete(offset);
  }
  return { pins, given, lost: mine - pins.starts.size - pins.joins.size };
}

/** Parse the text as it is now; with `fresh`, without the user's boundaries. */
async function parse({ fresh = false } = {}) {
  cancel();
  const wants = wanted();
  const { pins, given, lost } = fresh ? { pins: none(), given: none(), lost: 0 } : carry(wants);
  const begin = (sentences, other = null) => Object.assign(state, wants, pins, { sentences, other });
  const clear = () => { begin([]); cards.clear(); told(); };
  asked = JSON.stringify(wants);
  restored = null;
  $("error").hidden = true;
  detail.hide();
  keepSoon();
  if (!wants.text.trim()) { clear(); return; }
  const control = (running = new AbortController());
  const short = wants.text.length <= LIVE;
  if (!short) clear();
  $("empty").hidden = true;
  $("stop").hidden = false;
  $("status").textContent = "Parsing …";
  const request = { text: wants.text, strip: wants.strip };
  const list = ({ starts, joins }) => ({ starts: [...starts], joins: [...joins] });
  try {
    let found = [];
    const end = await parseStream({ ...request, ...list(given), model: wants.model }, (some) => {
      if (running !== control) return;
      found.push(...some);
      if (short) return; // what is shown stays until all of it is there
      const from = state.sentences.length;
      state.sentences.push(...some);
      append(from);
      $("status").textContent = `Parsing … ${plural(found.length, "sentence")} so far`;
    }, control.signal);
    if (running !== control) return;
    let other = null;
    if (wants.second) {
      $("status").textContent = `Parsing with ${wants.second} …`;
      other = [];
      await parseStream({ ...request, ...list(pins), model: wants.second }, (some) => other.push(...some), control.signal);
      if (running !== control) return;
    }
    begin(found, other);
    if (short || other) drawAll();
    else cards.markLast();
    cancel();
    told({ seconds: end.seconds, lost });
    keepSoon();
  } catch (error) {
    if (running !== control) return;
    cancel();
    asked = null;
    if (short) clear();
    else told();
    fail(error);
  }
}

/** The text was edited: parse it after a pause, or say what a long one waits for. */
function typed(event) {
  clearTimeout(waiting);
  keepSoon();
  if (event?.isComposing) return;
  const wants = wanted();
  if (JSON.stringify(wants) === asked) { if (!running) told(); return; }
  if (wants.text.length > LIVE) {
    cancel();
    asked = null;
    $("empty").hidden = true;
    $("status").textContent = `A text of more than ${LIVE.toLocaleString("en")} characters is not parsed as you type: press Parse or ${KEYS}.`;
    return;
  }
  waiting = setTimeout(parse, wants.text.trim() ? PAUSE : 0);
}

function stop() {
  if (!running) return;
  cancel();
  asked = null;
  told({ stopped: true });
}

/** Keep what is here over a reload. */
function keepNow() {
  clearTimeout(keeping);
  keeping = 0;
  const wants = wanted();
  const list = ({ starts, joins }) => ({ starts: [...starts], joins: [...joins] });
  const mine = wants.text === state.text && wants.strip === state.strip && state.starts.size + state.joins.size > 0;
  keep({ ...wants, pins: mine ? list(state) : {}, given: mine && state.sentences.length ? asGiven(state.sentences) : {} });
}

function keepSoon() {
  clearTimeout(keeping);
  keeping = setTimeout(keepNow, PAUSE);
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
  if (running) {
    $("status").textContent = "Parsing … boundaries can be changed when all of the text is there";
    return;
  }
  const range = touched(state.sentences, offset, starts);
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
    told({ seconds: answer.seconds });
    keepSoon();
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
    restore();
  } catch (error) { fail(error); }
}

/** The text and the choices as they were before a reload; what was typed meanwhile goes before. */
function restore() {
  const found = $("text").value ? null : kept();
  if (found) {
    const choose = (id, name) => { if ([...$(id).options].some((option) => option.value === name)) $(id).value = name; };
    $("text").value = found.text;
    choose("model", found.model);
    choose("other", found.second);
    $("strip").checked = found.strip;
    restored = found;
    Object.assign(state, { text: found.text, model: $("model").value, strip: found.strip, ...found.pins });
  }
  if ($("text").value.trim()) typed();
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

for (const place of document.querySelectorAll(".shortcut")) place.textContent = KEYS;
for (const place of document.querySelectorAll(".live")) place.textContent = LIVE.toLocaleString("en");
$("parse-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!$("text").value.trim()) $("text").focus();
  parse();
});
$("stop").addEventListener("click", stop);
for (const button of document.querySelectorAll(".example")) {
  button.addEventListener("click", () => { $("text").value = EXAMPLE; parse({ fresh: true }); });
}
for (const id of ["model", "other", "strip"]) $(id).addEventListener("change", () => { if ($("text").value.trim()) parse(); else keepSoon(); });
$("text").addEventListener("input", typed);
$("text").addEventListener("compositionend", () => typed());
$("text").addEventListener("paste", () => setTimeout(parse));
$("text").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) parse(); });
droppable($("text"), () => parse({ fresh: true }));
$("undo").addEventListener("click", () => parse({ fresh: true }));
addEventListener("keydown", (event) => { if (event.key === "Escape") detail.hide(); });
addEventListener("pointerdown", (event) => { if (!event.target.closest("#detail, [data-word]")) detail.hide(); });
addEventListener("pagehide", () => { if (keeping) keepNow(); });
for (const button of document.querySelectorAll("[data-to]")) button.addEventListener("click", () => download(button.dataset.to));
setUpTabs();
evaluation.setUp();
setUpModels();
