// Dragging an arc to another head, with a mouse, a pen or a finger. An arc is held anywhere, a row of
// the outline by its grip; it is let go on a word, or on the mark "root".

import { make } from "./dom.js";

/** So many pixels make a drag of a click. */
const FAR = 5;
const SVG = "http://www.w3.org/2000/svg";

export class Drag {
  /** `known` tells what card an element is on, `onDrop(from, word, to, head)` that it was let go:
   *  cards and numbers of words, -1 for the root. */
  constructor(list, { known, onDrop }) {
    this.known = known;
    this.onDrop = onDrop;
    this.held = null;
    this.moved = false;
    list.addEventListener("pointerdown", (event) => this.hold(event));
    list.addEventListener("pointermove", (event) => this.move(event));
    list.addEventListener("pointerup", (event) => this.drop(event));
    list.addEventListener("pointercancel", () => this.end());
    addEventListener("keydown", (event) => { if (event.key === "Escape") this.end(); });
    // The click at the end of a drag is none.
    list.addEventListener("click", (event) => {
      if (this.moved) event.stopImmediatePropagation();
      this.moved = false;
    }, { capture: true });
  }

  hold(event) {
    this.moved = false;
    const grip = event.target.closest?.(".tree .arc, .grip, .tree svg .word");
    // A finger on a word scrolls the page.
    if (!grip || event.button !== 0 || (grip.matches(".word") && event.pointerType === "touch")) return;
    const found = this.known(grip);
    if (!found || found.info.still) return;
    this.held = { ...found, word: Number(grip.dataset.word), x: event.clientX, y: event.clientY, id: event.pointerId };
  }

  move(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.id) return;
    if (!held.line && Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR) return;
    if (!held.line) this.begin(event);
    event.preventDefault();
    this.follow(event);
    const target = this.under(event);
    if (target?.element === held.target) return;
    held.target?.classList.remove("target");
    held.target = target?.element ?? null;
    held.target?.classList.add("target");
  }

  begin(event) {
    const { held } = this;
    this.moved = true;
    held.card.closest("#results").setPointerCapture(event.pointerId);
    held.card.classList.add("dragging");
    held.root = make("span", { className: "drop", "aria-hidden": "true", data: { root: "1" } }, "root");
    held.card.querySelector(".tree").before(held.root);
    held.line = document.createElementNS(SVG, "path");
    held.line.setAttribute("class", "pulled");
    held.svg = held.card.querySelector(".tree > svg");
    held.svg?.append(held.line);
    held.card.querySelector(`.tree .word[data-word="${held.word}"], .tree li[data-word="${held.word}"]`)?.classList.add("held");
  }

  /** The line from the word to the pointer. */
  follow(event) {
    const { held } = this;
    if (!held.svg) return;
    const text = held.svg.querySelector(`.word[data-word="${held.word}"] .form`);
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(held.svg.getScreenCTM().inverse());
    if (text) held.line.setAttribute("d", `M${text.getAttribute("x")} ${text.getAttribute("y") - 14}L${x} ${y}`);
  }

  /** What the pointer is on: the mark "root" or a word of any sentence. */
  under(event) {
    const at = document.elementFromPoint(event.clientX, event.clientY);
    const root = at?.closest(".drop");
    if (root) return { element: root, found: this.known(root), head: -1 };
    const element = at?.closest(".tree svg .word, .outline li, .token");
    const found = element && this.known(element);
    return found && !found.info.other ? { element, found, head: Number(element.dataset.word) } : null;
  }

  drop(event) {
    const { held } = this;
    const target = held?.line ? this.under(event) : null;
    this.end();
    if (target) this.onDrop(held, held.word, target.found, target.head);
  }

  end() {
    const { held } = this;
    this.held = null;
    if (!held?.line) return;
    held.line.remove();
    held.root.remove();
    held.target?.classList.remove("target");
    held.card.classList.remove("dragging");
    for (const element of held.card.querySelectorAll(".held")) element.classList.remove("held");
  }
}
