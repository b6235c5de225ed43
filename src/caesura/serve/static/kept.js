// What outlives a reload: the text, the choices and the changes, in this tab of the browser and
// nowhere else. What comes back, from there or from a link, is checked, since it may be anything.

import { checkedFixes } from "./edits.js";
import { size } from "./sentences.js";

const KEY = "caesura";

export function keep(what) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(what));
  } catch {
    // Too long a text, or no storage: better nothing than an older text.
    try { sessionStorage.removeItem(KEY); } catch { /* no storage at all */ }
  }
}

function offsets(value, most) {
  return new Set(Array.isArray(value) ? value.filter((o) => Number.isInteger(o) && o >= 0 && o < most) : []);
}

/** Boundaries within a text, of which none is both. */
function boundaries(value, most) {
  const starts = offsets(value?.starts, most);
  const joins = offsets(value?.joins, most);
  for (const offset of starts) joins.delete(offset);
  return { starts, joins };
}

/** What was kept or linked, if it is what it should be; else null. */
export function checked(found) {
  if (typeof found?.text !== "string" || !found.text) return null;
  const name = (value) => (typeof value === "string" ? value : "");
  const most = size(found.text);
  return {
    text: found.text, model: name(found.model), second: name(found.second), lang: name(found.lang), strip: found.strip === true,
    pins: boundaries(found.pins, most), given: boundaries(found.given, most), fixes: checkedFixes(found.fixes),
  };
}

/** What was kept, or null. */
export function kept() {
  try { return checked(JSON.parse(sessionStorage.getItem(KEY))); } catch { return null; }
}
