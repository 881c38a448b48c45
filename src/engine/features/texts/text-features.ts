import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { Atom } from '../extraction/atom.js';
import type { ExtractionPlan } from '../extraction/extraction-plan.js';
import type { PlacedIndex } from '../index/placed-index.js';
import { RowList } from '../index/row-list.js';
import { isOfContext } from '../template/template.js';
import type { TextTable } from './text-table.js';
import { type TextColumns, TextRows, TextWork } from './text-work.js';

/**
 * Finds rows of the state features of many sentences from the numbers of their texts in a
 * `TextTable`. The rows equal those of `FeatureExtractor`, without strings or objects per token.
 */
export class TextFeatures {
  readonly #work: TextWork;
  readonly #templates: number;
  readonly #index: PlacedIndex;
  readonly #rows: RowList;
  readonly #found: number;
  /** Token texts by number, if they are kept. */
  readonly #texts: string[] = [];

  /**
   * Returns whether all features of a plan depend on the texts of single tokens, and none on
   * positions or numbers.
   *
   * @param brought whether the document context is included, as further texts of tokens
   */
  static canMake({ atoms, state, edge }: ExtractionPlan, brought = false): boolean {
    const plain = state.every(
      ({ reals, vector, pieces }) =>
        reals.length === 0 && vector === undefined && !pieces.some(piece => piece.absolute),
    );
    const isOfText = ({ isOfText: is, macro }: Atom) => is || (brought && isOfContext(macro));
    return plain && edge.length === 0 && atoms.every(isOfText);
  }

  /**
   * @param plan plan that satisfies `canMake`
   * @param options whether texts have JSON escapes, whether the kernel adds texts, and whether token texts are kept for
   *   `tokens`
   */
  constructor(
    plan: ExtractionPlan,
    index: PlacedIndex,
    { inJson = true, isForKernel = true, keepsTexts = false } = {},
  ) {
    const { memory } = index;
    this.#index = index;
    this.#templates = plan.state.length;
    this.#work = new TextWork(plan, index, {
      rowsOf: (templates, atoms) => new TextRows(templates, atoms, index),
      inJson,
      isForKernel,
      named: keepsTexts
        ? (number, text) => {
            this.#texts[number] = text;
          }
        : undefined,
    });
    this.#rows = new RowList(memory);
    this.#found = memory.allocate(8 * this.#work.combined + 4);
  }

  get texts(): TextTable {
    return this.#work.texts;
  }

  /**
   * Names of the columns used, with context columns prefixed with a line break; the first is the
   * token.
   */
  get columns(): readonly string[] {
    return this.#work.columns;
  }

  /** Returns the tokens [from, end) of the last `encode`, if texts are kept. */
  tokens({ offset }: TextColumns, from: number, end: number): readonly string[] {
    const numbers = new Uint32Array(this.#index.memory.buffer, offset + 4 * from, end - from);
    const tokens: string[] = new Array(numbers.length);
    for (let i = 0; i < tokens.length; i += 1) tokens[i] = this.#texts[numbers[i]!]!;
    return tokens;
  }

  /**
   * Returns the rows of sentences whose texts `describe` has processed; views, valid until the next call or until
   * memory grows.
   *
   * @param starts first token of each sentence, followed by the number of tokens
   * @param fixed address of a number per token, from 0 on for tokens that need no rows; 0 if all do
   */
  encode(columns: TextColumns, starts: Uint32Array, fixed = 0): PackedRows {
    const sentences = starts.length - 1;
    const tokens = starts[sentences]!;
    const rows = this.#rows;
    this.#work.open(starts);
    rows.open(tokens, tokens * this.#templates, false);
    this.#work.write(columns, { starts: rows.starts, rows: rows.rows, found: this.#found });
    const { encodeTexts } = featureFunctions(this.#index.memory);
    let count = 0;
    for (let s = 0; s < sentences; s += 1) {
      count = encodeTexts(this.#work.offset, starts[s]!, starts[s + 1]!, count, fixed);
    }
    return rows.view(tokens);
  }
}
