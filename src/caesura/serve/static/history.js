// What can be undone and redone: states of the sentences, which are never changed in place.

const MOST = 200;

export class History {
  constructor() { this.clear(); }

  clear() {
    this.past = [];
    this.future = [];
  }

  /** A change was made; this is what was there before it. */
  push(before) {
    this.past.push(before);
    if (this.past.length > MOST) this.past.shift();
    this.future = [];
  }

  /** What was there before the last change, given what is there now; null if there was none. */
  undo(now) { return this.step(this.past, this.future, now); }

  redo(now) { return this.step(this.future, this.past, now); }

  step(from, to, now) {
    if (!from.length) return null;
    to.push(now);
    return from.pop();
  }
}
