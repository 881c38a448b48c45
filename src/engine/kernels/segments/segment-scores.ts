import type { Reals } from '../../core/arrays.js';
import type { FurtherScores } from '../further-scores.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import { RealTable } from '../memory/real-table.js';
import { eachSegment, type SegmentTables, stateAfter, stateAt } from './segment-tables.js';

/** The part of a parameter layout that adds span scores to a chain. */
export interface SegmentLayout {
  readonly maxLength: number;
  /** Whether span features also have weights with the label before the span. */
  readonly paired: boolean;
  /** Returns the tables for the labels known so far. */
  tables(): SegmentTables;
}

/**
 * The scores of a minibatch's spans, and their marginals after inference, in float64. A span of `d` tokens and type
 * `k` that ends at token `t` of the minibatch is at `at(t, d) + k`; spans of more than `maxLength` tokens share the
 * place of `maxLength + 1`.
 */
export class SegmentScores implements FurtherScores {
  tables: SegmentTables;
  readonly #scores: RealTable;
  readonly #nodes: RealTable;

  constructor(memory: LinearMemory, tables: SegmentTables) {
    this.tables = tables;
    this.#scores = new RealTable(memory, 1, 'float64');
    this.#nodes = new RealTable(memory, 1, 'float64');
  }

  /** Scores of the spans; like `nodes`, valid until memory grows, so take it once per minibatch. */
  get scores(): Reals {
    return this.#scores.view;
  }

  /** Span marginals, which losses turn into residuals. */
  get nodes(): Reals {
    return this.#nodes.view;
  }

  /** Offsets of both in memory, for kernels that take addresses. */
  get offsets(): { readonly spanScores: number; readonly spanNodes: number } {
    return { spanScores: this.#scores.offset, spanNodes: this.#nodes.offset };
  }

  /** Number of values per token: lengths times types. */
  get perToken(): number {
    return (this.tables.states - 1) * this.tables.types.length;
  }

  /** Makes room for a minibatch, whose scores must be written next. */
  open(tables: SegmentTables, tokens: number): void {
    this.tables = tables;
    const count = tokens * this.perToken;
    if (this.#scores.capacity > count) return;
    this.#scores.reset(2 * count + 1, 1);
    this.#nodes.reset(2 * count + 1, 1);
  }

  /** Returns the residuals of the spans that end at tokens `[first, end)`. */
  residuals(_s: number, first: number, end: number): Reals {
    return this.nodes.subarray(first * this.perToken, end * this.perToken);
  }

  addPath(_s: number, path: Int32Array, first: number, end: number, amount: number): void {
    eachSegment(this.tables, path, first, end, (kind, last, length, before) => {
      this.nodes[this.at(last, length, before) + kind]! += amount;
    });
  }

  /**
   * Returns the place of the spans of `length` tokens that end with token `t` and follow the label `before` (-1:
   * none).
   */
  at(t: number, length: number, before = -1): number {
    const { tables } = this;
    return this.atState(t, stateAt(tables, stateAfter(tables, before, 1), length));
  }

  /** Returns the place of the spans that end with token `t` in a nonzero state. */
  atState(t: number, state: number): number {
    return (t * (this.tables.states - 1) + state - 1) * this.tables.types.length;
  }
}
