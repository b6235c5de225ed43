// A link that holds the text and what was fixed in it. All of it is in the fragment of the address,
// which browsers keep to themselves: whoever opens the link sends nothing but what the page sends.

const PREFIX = "#v1=";
/** A text that is longer than this has no link; a link that unpacks to more than this is none. */
const LONGEST = 50000;
const MOST = 4 << 20;

const list = (offsets) => [...offsets].sort((a, b) => a - b);
/** Offsets as steps from one to the next, which pack better. */
const steps = (offsets) => list(offsets).map((offset, i, all) => offset - (all[i - 1] ?? 0));
const sums = (value) => {
  let at = 0;
  return Array.isArray(value) ? value.map((step) => (at += Number(step))) : [];
};
const both = (value, change) => ({ starts: change(value?.starts ?? []), joins: change(value?.joins ?? []) });

async function through(stream, bytes, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) { await reader.cancel(); throw new Error("The link holds too much."); }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function base64url(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

/** The fragment for what is to be kept. */
export async function fragment(what) {
  const short = { ...what, pins: both(what.pins, steps), given: both(what.given, steps) };
  const bytes = new TextEncoder().encode(JSON.stringify(short));
  return PREFIX + base64url(await through(new CompressionStream("deflate-raw"), bytes));
}

/** What a fragment holds, unchecked; an Error if it is broken. */
export async function unpacked(hash) {
  try {
    const bytes = await through(new DecompressionStream("deflate-raw"), bytesOf(hash.slice(PREFIX.length)), MOST);
    const what = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return { ...what, pins: both(what.pins, sums), given: both(what.given, sums) };
  } catch {
    throw new Error("The link is broken: what it holds cannot be read. Was it cut?");
  }
}

const isLink = () => location.hash.startsWith(PREFIX);

/** Something has changed: the address does not say it any more. */
export function drop() {
  if (isLink()) history.replaceState(null, "", location.pathname + location.search);
}

/** What the address holds; null if it holds nothing. */
export const taken = async () => (isLink() ? unpacked(location.hash) : null);

/** Put what is to be kept into the address, and on the clipboard if that may be; returns what to say. */
export async function put(what) {
  if (what.text.length > LONGEST) {
    throw new Error(`A text of more than ${LONGEST.toLocaleString("en")} characters is too long for a link. Download it instead.`);
  }
  history.replaceState(null, "", await fragment(what));
  const { href } = location;
  let copied = "";
  try { await navigator.clipboard.writeText(href); copied = " and on the clipboard"; } catch { /* the address bar has it */ }
  const long = href.length > 8000 ? ` It has ${href.length.toLocaleString("en")} characters, and some programs cut such links.` : "";
  return `The link to this text and your changes is in the address bar${copied}.${long}`;
}
