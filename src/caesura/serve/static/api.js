// The server's JSON API. A busy server (429) is asked again; what it refuses becomes an Error whose
// message is the server's own sentence.

const ROOT = "api/v1/";
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function refuse(response) {
  let message = `The server answered with status ${response.status}.`;
  try {
    message = (await response.json()).error.message;
  } catch { /* no JSON: keep the status */ }
  throw new Error(message);
}

async function post(name, body, signal) {
  for (let attempt = 0; ; attempt++) {
    let response;
    try {
      response = await fetch(ROOT + name, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal,
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("The server cannot be reached. Is it still running?");
    }
    if (response.status === 429 && attempt < 8) {
      await wait(300 * (attempt + 1));
      continue;
    }
    if (!response.ok) await refuse(response);
    return response;
  }
}

export const ask = async (name, body, signal) => (await post(name, body, signal)).json();

export const askFile = async (name, body) => (await post(name, body)).blob();

export async function models() {
  const response = await fetch(`${ROOT}models`);
  if (!response.ok) await refuse(response);
  return (await response.json()).models;
}

/** Parse a text; `onSentences` is told of sentences as they are decided. Returns how it ended, and a warning if any. */
export async function parseStream(request, onSentences, signal) {
  const response = await post("parse", { ...request, stream: true }, signal);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let end = null;
  let warning = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const lines = rest.split("\n");
    rest = lines.pop();
    const found = [];
    for (const line of lines) {
      if (!line) continue;
      const event = JSON.parse(line);
      if (event.type === "sentence") found.push(event);
      else if (event.type === "start") warning = event.warning ?? "";
      else if (event.type === "end") end = event;
      else if (event.type === "error") throw new Error(event.error.message);
    }
    if (found.length) onSentences(found);
    if (done) break;
  }
  if (!end) throw new Error("The server stopped before the text was done.");
  return { ...end, warning };
}
