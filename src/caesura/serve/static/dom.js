// Small helpers. Text always becomes a text node, so nothing that was typed is taken for markup.

export const $ = (id) => document.getElementById(id);

export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "data") Object.assign(element.dataset, value);
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** An SVG that the server drew, as nodes of this page. */
export function picture(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  return document.adoptNode(parsed.documentElement);
}

export const percent = (value) => (value === undefined || value === null ? "" : `${Math.round(100 * value)}%`);

export const plural = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export function save(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Let a text area take files that are dropped on it. */
export function droppable(area, after = () => {}) {
  area.addEventListener("dragover", (event) => { event.preventDefault(); area.classList.add("over"); });
  area.addEventListener("dragleave", () => area.classList.remove("over"));
  area.addEventListener("drop", async (event) => {
    area.classList.remove("over");
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    area.value = await file.text();
    after();
  });
}
