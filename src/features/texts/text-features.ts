import type { PackedRows } from '../../core/pack-rows.js';
import { Region } from '../../kernels/region.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import { ContentTable } from '../content-table.js';
import type { ExactIndex } from '../exact-index.js';
import type { ExtractionPlan, PlannedTemplate } from '../extraction-plan.js';
import { FingerprintList } from '../fingerprint-list.js';
import { RowList } from '../row-list.js';
import { TemplateProgram } from '../template-program.js';
import { onlyPiece, TextRows } from './text-rows.js';
import { TextTable } from './text-table.js';

/** Words of a work order; see assembly/features/encode-texts.ts. */
const orderWords = 24;

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
  /** Templates that look at several texts, or none. */
  readonly #program: TemplateProgram;
  readonly #table: ContentTable;
  readonly #list: FingerprintList;
  readonly #rows: RowList;
  readonly #around: Region;
  readonly #found: number;
  readonly #order: number;
  readonly #sources: number;
  readonly #templates: number;
  /** What the work order was written from. */
  #written: readonly number[] = [];

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
    const { atoms, state, reach } = plan;
    this.#plan = plan;
    this.#index = index;
    this.columns = [...new Set(['form', ...atoms.map(({ column }) => column)])];
    const columns = this.columns.map(name => {
      const numbers = [...atoms.keys()].filter(i => atoms[i]!.column === name);
      const templates = state.filter(template => this.#columnOf(template) === name);
      const rows = new TextRows(templates, numbers, index);
      return { atoms: numbers.map(i => atoms[i]!), rows };
    });
    this.texts = new TextTable(memory, columns, reach);
    const combined = state.filter(template => onlyPiece(template) === undefined);
    this.#program = new TemplateProgram(combined, memory);
    this.#table = new ContentTable(memory, atoms.length, reach);
    this.#list = new FingerprintList(memory);
    this.#rows = new RowList(memory);
    this.#around = new Region(memory);
    this.#found = memory.allocate(8 * combined.length + 4);
    this.#order = memory.allocate(4 * orderWords);
    this.#sources = memory.allocate(8 * atoms.length);
    this.#templates = memory.allocate(8 * state.length);
    this.#writeSources();
  }

  /**
   * The rows of sentences whose texts `describe` has made records of; views, until the next call and until
   * memory grows.
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
    this.#around.reserve(4 * this.columns.length * this.#table.stride);
    this.#rows.open(tokens, tokens * this.#plan.state.length, false);
    this.#writeOrder(columns);
    const { encodeTexts } = featureFunctions(this.#index.memory);
    let count = 0;
    for (let s = 0; s < sentences; s += 1) {
      count = encodeTexts(this.#order, starts[s]!, starts[s + 1]!, count);
    }
    return this.#rows.view(tokens);
  }

  #columnOf(template: PlannedTemplate): string | undefined {
    const piece = onlyPiece(template);
    return piece && this.#plan.atoms[piece.atom]!.column;
  }

  /** Number of an atom among those of its column. */
  #placeOf(atom: number): number {
    const { atoms } = this.#plan;
    const { column } = atoms[atom]!;
    return atoms.slice(0, atom).filter(other => other.column === column).length;
  }

  #writeSources(): void {
    const sources = this.#plan.atoms.flatMap(({ column }, i) => [
      this.columns.indexOf(column),
      8 * this.#placeOf(i),
    ]);
    const { buffer } = this.#index.memory;
    new Uint32Array(buffer, this.#sources, sources.length).set(sources);
  }

  #writeOrder({ offset, stride }: TextColumns): void {
    const { places, memory } = this.#index;
    const { texts } = this;
    const table = this.#table;
    const order = [
      ...[this.#program.offset, this.#program.count, this.#list.offset],
      ...[table.loOffset, table.hiOffset, table.stride, table.margin],
      ...[this.columns.length, this.#around.offset, offset, stride],
      ...[this.#plan.atoms.length, this.#sources, texts.records, texts.recordBytes],
      ...[places.table, places.mask, places.filter, places.filterMask],
      ...[this.#rows.starts, this.#rows.rows, this.#found],
      ...[this.#plan.state.length, this.#templates],
    ];
    if (order.every((word, i) => word === this.#written[i])) return;
    this.#written = order;
    new Uint32Array(memory.buffer, this.#order, orderWords).set(order);
    this.#writeTemplates();
  }

  /** Where each template finds its row: with a text, or among those that are combined. */
  #writeTemplates(): void {
    const { atoms, state } = this.#plan;
    const { stride, margin } = this.#table;
    const seen = this.columns.map(() => 0);
    let combined = 0;
    const words = state.flatMap(template => {
      const piece = onlyPiece(template);
      if (piece === undefined) {
        combined += 1;
        return [0, combined - 1];
      }
      const column = this.columns.indexOf(atoms[piece.atom]!.column);
      const own = atoms.filter(atom => atom.column === this.columns[column]).length;
      const place = 8 * own + 4 * seen[column]!;
      seen[column]! += 1;
      const token = column * stride + margin + piece.offset;
      return [this.#around.offset + 4 * token, place];
    });
    new Uint32Array(this.#index.memory.buffer, this.#templates, words.length).set(words);
  }
}
