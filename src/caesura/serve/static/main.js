// The page: what is on it, and what happens when. All that is known of the text is in `state`;
// the cards are drawn from it.

import { askFile, models, parseStream } from "./api.js";
import { Cards } from "./cards.js";
import * as detail from "./detail.js";
import { $, droppable, make, plural, save } from "./dom.js";
import * as editor from "./editor.js";
import { carriedFixes, fixedWords, keysOf } from "./edits.js";
import * as evaluation from "./evaluate.js";
import { Find } from "./find.js";
import { Fixing, refilled } from "./fixing.js";
import { checked, keep, kept } from "./kept.js";
import * as link from "./link.js";
import { asGiven, carried, edit, plain, regions, same, untouched, wordsOf } from "./sentences.js";
import * as tabs from "./tabs.js";

const EXAMPLE = `we waited at the harbour for an hour nobody came

they did not tell me where they were going we waited all night`;

/** Up to so many characters a text is parsed as it is typed, after a pause of so many milliseconds. */
const LIVE = 5000;
const PAUSE = 400;
/** In a longer text boundaries cannot be given. */
const GIVEN = 50000;
const KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ Enter" : "Ctrl+Enter";

const none = () => ({ starts: new Set(), joins: new Set() });
const noPins = () => ({ ...none(), fixes: new Map() });
const state = { text: "", model: "", second: "", lang: "", strip: false, warning: "", sentences: [], other: null, ...noPins() };
let running = null; // the request under way
let asked = null; // what was asked for last, unless it failed
let restored = null; // what was kept over a reload
let waiting = 0;
let keeping = 0;
const languages = {}; // of each model that knows many: their names by code

const split = (index, token) => fixing.boundary(state.sentences[index].tokens[token].start, true);
const join = (index) => { if (state.sentences[index]) fixing.boundary(state.sentences[index].start, false); };

const cards = new Cards($("results"), {
  onSplit: split,
  onJoin: join,
  onEdit: editWord,
  onHead: (from, word, to, head) => {
    if (from.sentence.start === to.sentence.start) fixing.word(from.info.index, word, { head });
    else refuse(`“${to.sentence.words[head].form}” is in another sentence, and a head is in the sentence of its word. Join the sentences first.`);
  },
  onWord: detail.show,
  onLeave: detail.hide,
});
const find = new Find(state, cards);

const fixing = new Fixing(state, {
  busy: () => {
    if (running) $("status").textContent = "Parsing … trees can be changed when all of the text is there";
    return Boolean(running);
  },
  began: () => {
    $("error").hidden = true;
    $("status").textContent = "Parsing again …";
  },
  refuse,
  failed: (error) => { told(); fail(error); },
  changed: ({ seconds, focus }) => {
    $("error").hidden = true;
    drawAll();
    told({ seconds });
    link.drop();
    keepSoon();
    find.refresh();
    if (focus?.word !== undefined) cards.focusWord(focus.start, focus.word);
    else if (focus) focusToken(focus.offset);
  },
});

function fail(error) {
  if (error.name === "AbortError") return;
  refuse(error.message);
}

function refuse(why) {
  $("error").textContent = why;
  $("error").hidden = false;
  $("error").scrollIntoView({ block: "nearest" });
}

function focusToken(offset) {
  const at = state.sentences.findIndex((s) => s.start <= offset && offset < s.end);
  const token = state.sentences[at]?.tokens.findIndex((t) => t.start === offset) ?? 0;
  cards.focus(at, Math.max(0, token));
}

/** Open the dialog on a word. */
function editWord({ sentence, info }, word) {
  detail.hide();
  const token = wordsOf(sentence).findIndex((words) => words.includes(word));
  const fix = state.fixes.get(keysOf(sentence)[word]);
  const about = { sentence, word, info, fix, sentences: state.sentences, fixes: state.fixes };
  detail.fill($("editor-detail"), sentence, word, info);
  editor.open(about, {
    token,
    onChange: (change) => fixing.word(info.index, word, change),
    onKeep: () => fixing.keep(info.index),
    onSplit: () => split(info.index, token),
    onJoin: () => join(info.index),
    onClose: () => cards.focusWord(sentence.start, word),
  });
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
  const spoken = [...new Set(state.sentences.map((s) => s.lang).filter(Boolean))].map((code) => languages[state.model]?.[code] ?? code);
  if (spoken.length) text += `; ${state.lang ? "taken for" : "recognised:"} ${spoken.join(", ")}`;
  // What to do about it is said for commands.
  if (state.warning) text += `; ${state.warning[0].toLowerCase()}${state.warning.slice(1).split(". ")[0]}`;
  if (lost) text += `; ${plural(lost, "change")} of yours had to be forgotten`;
  if (stopped) text += "; stopped";
  $("status").textContent = state.sentences.length || stopped ? text : "";
  $("tools").hidden = !state.sentences.length;
  $("forget").hidden = !fixing.count;
  $("undo").disabled = !fixing.history.past.length;
  $("redo").disabled = !fixing.history.future.length;
  $("empty").hidden = Boolean(state.sentences.length || $("text").value.trim());
}

// ------------------------------------------------------------------- drawing

function info(index) {
  const sentence = state.sentences[index];
  return {
    index, number: index + 1, model: state.model, last: index + 1 === state.sentences.length,
    pinned: state.starts.has(sentence.start), still: state.other !== null, fixed: fixedWords(sentence, state.fixes),
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
  text: $("text").value, model: $("model").value, second: $("other").value,
  lang: $("lang").closest("label").hidden ? "" : $("lang").value, strip: $("strip").checked,
});

/** A model, and the language that is chosen if it is one of those that the model knows. */
const by = (model, lang) => (languages[model]?.[lang] ? { model, lang } : { model });

/** Offer the languages of the chosen model, if it knows many; the one that was chosen stays. */
function offerLanguages(chosen = $("lang").value) {
  const known = languages[$("model").value];
  $("lang").closest("label").hidden = !known;
  const rows = Object.entries(known ?? {}).sort(([, a], [, b]) => a.localeCompare(b, "en"));
  $("lang").replaceChildren(...[["", "recognised"], ...rows].map(([value, name]) => make("option", { value }, name)));
  $("lang").value = known?.[chosen] ? chosen : "";
}

function cancel() {
  clearTimeout(waiting);
  running?.abort();
  running = null;
  $("stop").hidden = true;
}

/** The user's changes in the text as it is now, and what boundaries to give with it so that nothing else moves. */
function carry({ text, model, lang, strip }) {
  const mine = fixing.count;
  if (!mine) return { pins: noPins(), given: none(), lost: 0 };
  if (strip || state.strip || text.length > GIVEN) return { pins: noPins(), given: none(), lost: mine };
  const change = edit(state.text, text);
  const pins = {
    starts: new Set(carried(state.starts, change)), joins: new Set(carried(state.joins, change)),
    fixes: carriedFixes(state.fixes, (offsets) => carried(offsets, change)),
  };
  let given = pins;
  if (model === state.model && lang === state.lang && pins.starts.size + pins.joins.size + pins.fixes.size) {
    const shown = asGiven(untouched(state.sentences, change));
    const before = restored?.text === text && restored.model === model && restored.lang === lang ? restored.given : none();
    given = {
      starts: new Set([...before.starts, ...carried(shown.starts, change), ...pins.starts]),
      joins: new Set([...before.joins, ...carried(shown.joins, change), ...pins.joins]),
    };
    for (const offset of given.starts) given.joins.delete(offset);
  }
  return { pins, given, lost: mine - pins.starts.size - pins.joins.size - pins.fixes.size };
}

/** Parse the text as it is now; with `fresh`, without the user's changes. */
async function parse({ fresh = false } = {}) {
  cancel();
  const wants = wanted();
  const { pins, given, lost } = fresh ? { pins: noPins(), given: none(), lost: 0 } : carry(wants);
  const before = { ...state };
  const begin = (sentences, other = null, fixes = pins.fixes) => Object.assign(state, wants, pins, { sentences, other, fixes, warning: "" });
  const clear = () => { begin([]); cards.clear(); fixing.history.clear(); told(); };
  asked = JSON.stringify(wants);
  if (!restored) link.drop();
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
    const end = await parseStream({ ...request, ...list(given), ...by(wants.model, wants.lang) }, (some) => {
      if (running !== control) return;
      found.push(...some);
      if (short) return; // what is shown stays until all of it is there
      const from = state.sentences.length;
      state.sentences.push(...some);
      append(from);
      $("status").textContent = `Parsing … ${plural(found.length, "sentence")} so far`;
    }, control.signal);
    if (running !== control) return;
    const filled = await refilled(found, pins.fixes, wants.model);
    if (running !== control) return;
    let other = null;
    if (wants.second) {
      $("status").textContent = `Parsing with ${wants.second} …`;
      other = [];
      await parseStream({ ...request, ...list(pins), ...by(wants.second, wants.lang) }, (some) => other.push(...some), control.signal);
      if (running !== control) return;
    }
    begin(filled.sentences, other, filled.fixes);
    state.warning = end.warning;
    // Only what was done to this text can be undone.
    if (fresh && before.text === wants.text && before.model === wants.model && before.sentences.length) fixing.history.push(before);
    else if (before.text !== wants.text || before.model !== wants.model || before.lang !== wants.lang || before.strip !== wants.strip) fixing.history.clear();
    if (short || other || pins.fixes.size) drawAll();
    else cards.markLast();
    cancel();
    told({ seconds: end.seconds, lost: lost + pins.fixes.size - filled.fixes.size });
    keepSoon();
    find.refresh();
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

/** What is here, as it outlives a reload and goes into a link. */
function snapshot() {
  const wants = wanted();
  const list = ({ starts, joins }) => ({ starts: [...starts], joins: [...joins] });
  const mine = wants.text === state.text && wants.strip === state.strip && fixing.count > 0;
  if (!mine) return { ...wants, pins: {}, given: {}, fixes: [] };
  return { ...wants, pins: list(state), given: state.sentences.length ? asGiven(state.sentences) : {}, fixes: [...state.fixes] };
}

function keepNow() {
  clearTimeout(keeping);
  keeping = 0;
  keep(snapshot());
}

function keepSoon() {
  clearTimeout(keeping);
  keeping = setTimeout(keepNow, PAUSE);
}

// --------------------------------------------------------------------- links

async function makeLink() {
  $("error").hidden = true;
  try {
    $("status").textContent = await link.put(snapshot());
  } catch (error) { fail(error); }
}

/** What the address holds, checked; null if it holds nothing. */
async function linked() {
  try {
    return checked(await link.taken());
  } catch (error) {
    fail(error);
    return null;
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
    for (const { name, languages: known } of await models()) {
      if (known) languages[name] = known;
      $("model").append(make("option", { value: name }, name));
      $("other").append(make("option", { value: name }, name));
    }
    $("other").closest("label").hidden = $("model").options.length < 2;
    offerLanguages();
    restore(await linked() ?? ($("text").value ? null : kept()));
  } catch (error) { fail(error); }
}

/** The text, the choices and the changes as they were before a reload, or as a link has them. */
function restore(found) {
  if (found) {
    const choose = (id, name) => { if ([...$(id).options].some((option) => option.value === name)) $(id).value = name; };
    $("text").value = found.text;
    choose("model", found.model);
    choose("other", found.second);
    offerLanguages(found.lang);
    $("strip").checked = found.strip;
    restored = found;
    Object.assign(state, { text: found.text, model: $("model").value, lang: $("lang").value, strip: found.strip, sentences: [], ...found.pins, fixes: found.fixes });
    asked = null;
  }
  if ($("text").value.trim()) typed();
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
$("model").addEventListener("change", () => offerLanguages());
for (const id of ["model", "other", "lang", "strip"]) $(id).addEventListener("change", () => { if ($("text").value.trim()) parse(); else keepSoon(); });
$("text").addEventListener("input", typed);
$("text").addEventListener("compositionend", () => typed());
$("text").addEventListener("paste", () => setTimeout(parse));
$("text").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) parse(); });
droppable($("text"), () => parse({ fresh: true }));
$("forget").addEventListener("click", () => parse({ fresh: true }));
$("undo").addEventListener("click", () => fixing.undo());
$("redo").addEventListener("click", () => fixing.redo());
$("link").addEventListener("click", makeLink);
addEventListener("hashchange", async () => {
  const found = await linked();
  if (found) restore(found);
});
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.closest("textarea, input, dialog")) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) fixing.redo();
  else fixing.undo();
});
addEventListener("keydown", (event) => { if (event.key === "Escape") detail.hide(); });
addEventListener("pointerdown", (event) => { if (!event.target.closest("#detail, [data-word]")) detail.hide(); });
addEventListener("pagehide", () => { if (keeping) keepNow(); });
for (const button of document.querySelectorAll("[data-to]")) button.addEventListener("click", () => download(button.dataset.to));
tabs.setUp(detail.hide);
editor.setUp();
evaluation.setUp();
setUpModels();
