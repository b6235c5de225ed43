// The dialog in which a word is changed: its tag, its head, its relation, the boundary before it.

import { $, make } from "./dom.js";
import { whyNoHead, whyNoLabel } from "./edits.js";
import { headsOf } from "./outline.js";
import { describe } from "./sentences.js";

// The tags and relations of Universal Dependencies; what else occurs in the text is suggested too.
const TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split(" ");
const RELATIONS = `acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse
  dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum
  root vocative xcomp`.split(/\s+/);

let current = null;

function suggest(id, usual, column, sentences) {
  const used = new Set(sentences.flatMap((sentence) => sentence.words.map((word) => word[column] || "")));
  used.delete("");
  const all = [...new Set([...usual, ...used])].sort();
  $(id).replaceChildren(...all.map((value) => make("option", { value })));
}

function complain(why) {
  $("editor-error").textContent = why ?? "";
  $("editor-error").hidden = !why;
  return Boolean(why);
}

/** Open the dialog on a word. `info`: what its card knows; `fixes`: all that is fixed. */
export function open({ sentence, word, info, fix, sentences, fixes }, actions) {
  const data = sentence.words[word];
  const head = headsOf(sentence)[word];
  current = { sentence, word, info, fixes, actions, was: { upos: data.upos ?? "", head, deprel: data.deprel ?? "" } };
  $("editor-title").textContent = data.form;
  const kept = ["upos", "head", "deprel"].filter((name) => fix?.[name] !== undefined);
  const names = { upos: "tag", head: "head", deprel: "relation" };
  $("editor-now").textContent = describe(sentence, word)
    + (kept.length ? `. You fixed: ${kept.map((name) => names[name]).join(", ")}.` : "");
  $("edit-tag").value = data.upos ?? "";
  $("edit-relation").value = data.deprel ?? "";
  const options = sentence.words.flatMap(({ form }, other) =>
    (other === word ? [] : [make("option", { value: String(other) }, `${other + 1} ${form}`)]));
  $("edit-head").replaceChildren(make("option", { value: "-1" }, "root"), ...options);
  if (head === -2) $("edit-head").prepend(make("option", { value: "-2" }, "unknown"));
  $("edit-head").value = String(head);
  suggest("tags", TAGS, "upos", sentences);
  suggest("relations", RELATIONS, "deprel", sentences);
  $("edit-release").hidden = !kept.length;
  $("edit-split").hidden = actions.token === 0;
  $("edit-join").hidden = actions.token !== 0 || info.index === 0;
  complain(null);
  headChanged();
  $("editor").showModal();
  $("edit-tag").focus();
  $("edit-tag").select();
}

const chosenHead = () => Number($("edit-head").value);

/** The root has the relation root; another word has what the parser says, unless one is typed. */
function headChanged() {
  const { was } = current;
  const root = chosenHead() === -1;
  $("edit-relation").disabled = root;
  if (root) $("edit-relation").value = was.head === -1 ? was.deprel : "root";
  else if (chosenHead() !== was.head) $("edit-relation").value = "";
  else $("edit-relation").value = was.deprel;
}

function submit() {
  const { sentence, word, fixes, actions, was } = current;
  const [upos, head, deprel] = [$("edit-tag").value.trim(), chosenHead(), $("edit-relation").value.trim()];
  const change = {};
  if (upos !== was.upos) change.upos = upos;
  if (head !== was.head) change.head = head;
  if (deprel && deprel !== was.deprel) Object.assign(change, { head, deprel });
  // Nothing was changed: all of it is to stay as it is.
  if (!Object.keys(change).length) Object.assign(change, { upos, head }, deprel ? { deprel } : {});
  if (change.head === -2) delete change.head;
  if (change.upos === "") delete change.upos;
  const why = (change.upos && whyNoLabel("tag", change.upos))
    || (change.deprel && whyNoLabel("relation", change.deprel, change.head))
    || (change.head !== undefined && whyNoHead(sentence, fixes, word, change.head));
  if (complain(why || null)) return;
  $("editor").close();
  actions.onChange(change);
}

export function setUp() {
  $("editor-form").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
  $("edit-head").addEventListener("change", headChanged);
  const button = (id, act) => $(id).addEventListener("click", () => { $("editor").close(); act(current.actions); });
  button("edit-release", (actions) => actions.onChange(null));
  button("edit-keep", (actions) => actions.onKeep());
  button("edit-split", (actions) => actions.onSplit());
  button("edit-join", (actions) => actions.onJoin());
  button("edit-cancel", () => {});
  // A click beside the dialog closes it.
  $("editor").addEventListener("click", (event) => { if (event.target === $("editor")) $("editor").close(); });
  $("editor").addEventListener("close", () => current?.actions.onClose());
}
