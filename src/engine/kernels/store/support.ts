import { grown } from '../../core/arrays.js';
/**
 * The (state feature, label) pairs and plain transitions that may have a weight, if only observed
 * ones may: a byte per pair, in the layout of the tables; all other weights stay 0.
 */
export class Support {
  state: Uint8Array = new Uint8Array(0);
  transitions: Uint8Array = new Uint8Array(0);
  /** Number of changes of `transitions` so far. */
  changes = 0;
  /** Places of `state` allowed one by one, to be consumed by the follower. */
  readonly added: number[] = [];
  /** Number of replacements of `state` so far. */
  states = 0;
  /** The object that follows the changes; only one at a time. */
  follower: object | undefined;
  #width: number;

  constructor(width: number) {
    this.#width = width;
  }

  /** Makes room for `rows` state rows and `labels` rows of transitions. */
  reserve(rows: number, labels: number): void {
    const state = rows * this.#width;
    if (state > this.state.length) this.state = roomier(this.state, state);
    const transitions = labels * this.#width;
    if (transitions > this.transitions.length) {
      this.transitions = roomier(this.transitions, transitions);
    }
  }

  allowState(row: number, label: number): void {
    const place = row * this.#width + label;
    if (this.follower !== undefined && this.state[place] !== 1) this.added.push(place);
    this.state[place] = 1;
  }

  allowTransition(from: number, to: number): void {
    this.changes += 1 - (this.transitions[from * this.#width + to] ?? 0);
    this.transitions[from * this.#width + to] = 1;
  }

  /** Restores saved bytes. */
  restore(state: Uint8Array, transitions: Uint8Array): void {
    this.state = state.slice();
    this.transitions = transitions.slice();
    this.changes += 1;
    this.states += 1;
  }

  /** Lays out the rows for another width. */
  relayout(width: number): void {
    this.state = widened(this.state, this.#width, width);
    this.transitions = widened(this.transitions, this.#width, width);
    this.#width = width;
    this.changes += 1;
    this.states += 1;
  }
}

function roomier(old: Uint8Array, length: number): Uint8Array {
  return grown(old, new Uint8Array(Math.max(length, Math.ceil(1.25 * old.length))));
}

function widened(old: Uint8Array, from: number, to: number): Uint8Array {
  const rows = old.length / from;
  const fresh = new Uint8Array(rows * to);
  for (let row = 0; row < rows; row += 1) {
    fresh.set(old.subarray(row * from, (row + 1) * from), row * to);
  }
  return fresh;
}
