import { grown } from '../../core/arrays.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { TableRole } from '../../core/scorer.js';
import { type State, stateArray, wrongState } from '../../core/training/state.js';

/** Rows of back-off chains, most specific template first. */
export interface OrderedRows {
  /** Rows of classes, template by template, in ascending order within each. */
  readonly rows: Uint32Array;
  /** For each known row, the row it backs off to; -1 if there is none. */
  readonly parents: Int32Array;
}

/**
 * The template of each feature row and, for rows of classes, the row of the same column that it backs off to: the next active
 * one, because the classes of a column are nested. Learned from sentences.
 */
export class RowChains {
  readonly #roles: readonly TableRole[];
  /** For each template, the index of its column among the columns with classes; -1 for other templates. */
  readonly #columns: Int32Array;
  /** The last row of each column at the current token. */
  readonly #last: Int32Array;
  /** Number of rows recorded so far; later rows are unknown. */
  #end = 0;
  /** For each row, its template + 1; 0 if unknown. */
  #templates = new Uint32Array(0);
  /** For each row, 1 + the row it backs off to; 0 if there is none. */
  #parents = new Uint32Array(0);
  /** Buffer for the result of `ordered`. */
  #ordered = new Uint32Array(0);
  #orderedParents = new Int32Array(0);

  constructor(roles: readonly TableRole[]) {
    this.#roles = roles;
    const names: string[] = [];
    this.#columns = Int32Array.from(roles, role => {
      if (role.kind !== 'class') return -1;
      if (!names.includes(role.column)) names.push(role.column);
      return names.indexOf(role.column);
    });
    this.#last = new Int32Array(names.length);
  }

  /** Number of columns with a chain. */
  get columns(): number {
    return this.#last.length;
  }

  /** Capacity in rows. */
  get room(): number {
    return this.#templates.length;
  }

  /** Returns the column index of a row of classes. */
  columnOf(row: number): number {
    return this.#columns[this.#templates[row]! - 1]!;
  }

  /** Makes room for rows. */
  reserve(rows: number): void {
    if (rows <= this.#templates.length) return;
    const room = Math.max(rows, 2 * this.#templates.length);
    this.#templates = grown(this.#templates, new Uint32Array(room));
    this.#parents = grown(this.#parents, new Uint32Array(room));
  }

  /** Records the rows of a sentence, for which there must be room. Cost O(active features). */
  note({ length, stateStarts, stateRows, stateTemplates }: EncodedSentence): void {
    if (stateTemplates === undefined) return;
    const last = this.#last;
    const parents = this.#parents;
    let end = this.#end;
    last.fill(-1);
    for (let t = 0; t < length; t += 1) {
      for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
        const row = stateRows[k]!;
        const template = stateTemplates[k]!;
        this.#templates[row] = template + 1;
        if (row >= end) end = row + 1;
        const column = this.#columns[template]!;
        if (column < 0) continue;
        if (last[column]! >= 0) parents[last[column]!] = row + 1;
        last[column] = row;
      }
      for (let column = 0; column < last.length; column += 1) {
        if (last[column]! < 0) continue;
        parents[last[column]!] = 0;
        last[column] = -1;
      }
    }
    this.#end = end;
  }

  /** Returns the row of a template whose role has a single feature; -1 until it is known. */
  rowOf(kind: Exclude<TableRole['kind'], 'class'>, column?: string): number {
    const template = this.#roles.findIndex(
      role =>
        role.kind === kind &&
        (column === undefined || ('column' in role && role.column === column)),
    );
    return template < 0 ? -1 : this.#templates.indexOf(template + 1);
  }

  /** Returns the row for the product of two columns of numbers, in either order; -1 until it is known. */
  productRow(a: string, b: string): number {
    const template = this.#roles.findIndex(
      role =>
        role.kind === 'product' &&
        ((role.column === a && role.other === b) || (role.column === b && role.other === a)),
    );
    return template < 0 ? -1 : this.#templates.indexOf(template + 1);
  }

  /** Returns the rows of all templates with a single feature. */
  single(): number[] {
    return this.#roles.flatMap(({ kind }, template) => {
      const row = kind === 'class' ? -1 : this.#templates.indexOf(template + 1);
      return row < 0 ? [] : [row];
    });
  }

  /**
   * Returns all rows of classes, each before the row that it backs off to; valid until the next call. Cost O(known rows),
   * without allocation while there is room: allocating whenever tables are written would trigger full garbage collections.
   */
  ordered(): OrderedRows {
    const end = this.#end;
    const templates = this.#templates;
    const starts = new Uint32Array(this.#roles.length + 1);
    const isClass = Uint8Array.from([0, ...this.#columns.map(column => Number(column >= 0))]);
    for (let row = 0; row < end; row += 1) {
      const template = templates[row]!;
      if (isClass[template] === 1) starts[template]! += 1;
    }
    for (let i = 1; i < starts.length; i += 1) starts[i]! += starts[i - 1]!;
    const count = starts.at(-1)!;
    if (count > this.#ordered.length) this.#ordered = new Uint32Array(2 * count);
    const rows = this.#ordered.subarray(0, count);
    for (let row = 0; row < end; row += 1) {
      const template = templates[row]!;
      if (isClass[template] === 0) continue;
      rows[starts[template - 1]!] = row;
      starts[template - 1]! += 1;
    }
    if (this.#orderedParents.length !== this.#parents.length) {
      this.#orderedParents = new Int32Array(this.#parents.length);
    }
    const parents = this.#orderedParents.subarray(0, end);
    for (let row = 0; row < end; row += 1) parents[row] = this.#parents[row]! - 1;
    return { rows, parents };
  }

  /**
   * Forgets rows that will be reused; rows that backed off to them now back off to their successors. Cost O(rows).
   */
  forget(rows: Uint32Array): void {
    const gone = new Uint8Array(this.#templates.length);
    for (const row of rows) gone[row] = 1;
    const parents = this.#parents;
    for (let row = 0; row < parents.length; row += 1) {
      while (parents[row]! > 0 && gone[parents[row]! - 1] === 1) {
        parents[row] = parents[parents[row]! - 1]!;
      }
    }
    for (const row of rows) {
      this.#templates[row] = 0;
      parents[row] = 0;
    }
  }

  /** Returns the state for `restore` as arrays. */
  save(): State['arrays'] {
    return { 'chains.templates': this.#templates, 'chains.parents': this.#parents };
  }

  /** @throws TagstreamError `checkpoint` if the state is inconsistent */
  restore(state: State): void {
    const templates = stateArray(state, 'chains.templates', [Uint32Array]);
    const parents = stateArray(state, 'chains.parents', [Uint32Array], templates.length);
    if (templates.some(template => template > this.#roles.length)) {
      throw wrongState('a row belongs to no template');
    }
    if (parents.some(parent => parent > templates.length)) {
      throw wrongState('a row backs off to a missing row');
    }
    this.#templates = templates.slice();
    this.#parents = parents.slice(0, templates.length);
    this.#end = templates.findLastIndex(template => template > 0) + 1;
  }
}
