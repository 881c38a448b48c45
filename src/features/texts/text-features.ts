import type { PackedRows } from '../../core/pack-rows.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import { ContentTable } from '../content-table.js';
import type { ExactIndex } from '../exact-index.js';
import type { ExtractionPlan } from '../extraction-plan.js';
import { FingerprintList } from '../fingerprint-list.js';
import { RowList } from '../row-list.js';
import { TemplateProgram } from '../template-program.js';
import { TextTable } from './text-table.js';

/** Words of a work order; see assembly/features/encode-texts.ts. */
const orderWords = 18;

/** Columns of sentences as numbers of texts: that of token `t` and column `c` at `4 * (c * stride + t)`. */
export interface TextColumns {
  readonly offset: number;
  readonly stride: number;
}

/**
 * Rows of the state features of many sentences, from the numbers of their texts in a `TextTable`: those
 * that `FeatureExtractor` finds, without strings or objects for tokens.
 */
export class TextFeatures {
  readonly texts: TextTable;
  /** The columns that are looked at; the first is the token. */
  readonly columns: readonly string[];
  readonly #plan: ExtractionPlan;
  readonly #index: ExactIndex;
  readonly #program: TemplateProgram;
  readonly #table: ContentTable;
  readonly #list: FingerprintList;
  readonly #rows: RowList;
  readonly #order: number;
  readonly #sources: number;
  readonly #after: number;

  /** Whether all features of a plan follow from the texts of single tokens, and none from places or numbers. */
  static canMake({ atoms, state, edge }: ExtractionPlan): boolean {
    const plain = state.every(
      ({ real, pieces }) => real === undefined && !pieces.some(piece => piece.absolute),
    );
    return plain && edge.length === 0 && atoms.every(atom => atom.isOfText);
  }

  /** @param plan one that `canMake` */
  constructor(plan: ExtractionPlan, index: ExactIndex) {
    const { memory } = index;
    this.#plan = plan;
    this.#index = index;
    this.columns = [...new Set(['form', ...plan.atoms.map(({ column }) => column)])];
    const atoms = this.columns.map(name => plan.atoms.filter(({ column }) => column === name));
    this.texts = new TextTable(memory, atoms);
    this.#program = new TemplateProgram(plan.state, memory);
    this.#table = new ContentTable(memory, plan.atoms.length, plan.reach);
    this.#list = new FingerprintList(memory);
    this.#rows = new RowList(memory);
    this.#order = memory.allocate(4 * orderWords);
    this.#sources = memory.allocate(8 * plan.atoms.length);
    const { after } = this.#table;
    this.#after = memory.allocate(after.byteLength);
    new Int32Array(memory.buffer, this.#after, after.length).set(after);
  }

  /**
   * The rows of sentences whose texts `describe` has hashed; views, until the next call and until memory
   * grows.
   *
   * @param starts first token of each sentence, and after the last the number of tokens
   */
  encode(columns: TextColumns, starts: Uint32Array): PackedRows {
    const sentences = starts.length - 1;
    const tokens = starts[sentences]!;
    let longest = 0;
    for (let s = 0; s < sentences; s += 1) {
      longest = Math.max(longest, starts[s + 1]! - starts[s]!);
    }
    this.#table.open(longest);
    this.#list.open(longest, this.#program.count);
    this.#rows.open(tokens, tokens * this.#program.count, false);
    this.#writeOrder(columns);
    const { encodeTexts } = featureFunctions(this.#index.memory);
    let count = 0;
    for (let s = 0; s < sentences; s += 1) {
      count = encodeTexts(this.#order, starts[s]!, starts[s + 1]!, count);
    }
    return this.#rows.view(tokens);
  }

  #writeOrder({ offset, stride }: TextColumns): void {
    const { memory, places } = this.#index;
    const { atoms } = this.#plan;
    const seen = new Map<string, number>();
    const sources = atoms.flatMap(({ column }) => {
      const number = seen.get(column) ?? 0;
      seen.set(column, number + 1);
      return [offset + 4 * stride * this.columns.indexOf(column), 8 * number];
    });
    new Uint32Array(memory.buffer, this.#sources, sources.length).set(sources);
    const table = this.#table;
    const list = [this.#program.offset, this.#program.count, this.#list.offset];
    const contents = [table.loOffset, table.hiOffset, table.stride, table.margin, this.#after];
    const of = [atoms.length, this.#sources, this.texts.contents, this.texts.contentBytes];
    const found = [places.table, places.mask, places.filter, places.filterMask];
    const order = [...list, ...contents, ...of, ...found, this.#rows.starts, this.#rows.rows];
    new Uint32Array(memory.buffer, this.#order, orderWords).set(order);
  }
}
