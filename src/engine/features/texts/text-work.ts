import { Region } from '../../kernels/memory/region.js';
import type {
  ExtractionPlan,
  PlannedPiece,
  PlannedTemplate,
} from '../extraction/extraction-plan.js';
import { TemplateProgram } from '../extraction/template-program.js';
import { ContentTable } from '../fingerprints/content-table.js';
import { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { PlacedIndex } from '../index/placed-index.js';
import { RowList } from '../index/row-list.js';
import {
  type RowsOfTexts,
  type TextColumn,
  TextTable,
  type TextTableOptions,
} from './text-table.js';

/** Number of words in a work order; see assembly/features/encode-texts.ts. */
export const orderWords = 24;

/**
 * Columns of sentences as text numbers: that of token `t` and column `c` is at
 * `4 * (c * stride + t)`.
 */
export interface TextColumns {
  readonly offset: number;
  readonly stride: number;
}

export interface TextWorkOptions extends TextTableOptions {
  /** Returns the finder of rows for templates that use a single column. */
  rowsOf(templates: readonly PlannedTemplate[], atoms: readonly number[]): RowsOfTexts;
  /** Receives each new text of a used column with its number. */
  readonly named?: ((number: number, text: string) => void) | undefined;
  /** Number of additional words at the end of the work order, written by the caller. */
  readonly moreWords?: number;
  /**
   * Additional columns after those that templates use; their numbers follow those of the latter.
   */
  readonly moreColumns?: readonly TextColumn[];
}

/** Addresses at which the kernel writes rows, with room for two words per combined template. */
export interface TextOutput {
  readonly starts: number;
  readonly rows: number;
  readonly found: number;
}

/**
 * The work order of kernel functions that turn text numbers into rows, with all data to which it
 * refers.
 */
export class TextWork {
  readonly texts: TextTable;
  /** Names of the columns used; the first is the token. */
  readonly columns: readonly string[];
  /** Number of templates that use several texts or none. */
  readonly combined: number;
  /** Address of the work order. */
  readonly offset: number;
  readonly #plan: ExtractionPlan;
  readonly #index: PlacedIndex;
  readonly #program: TemplateProgram;
  readonly #table: ContentTable;
  readonly #list: FingerprintList;
  readonly #around: Region;
  readonly #sources: number;
  readonly #templates: number;
  /** Values from which the work order was written. */
  #written: readonly number[] = [];

  /** @param plan plan whose features all depend on the texts of single tokens */
  constructor(plan: ExtractionPlan, index: PlacedIndex, options: TextWorkOptions) {
    const { memory } = index;
    const { atoms, state, reach } = plan;
    this.#plan = plan;
    this.#index = index;
    this.columns = [...new Set(['form', ...atoms.map(({ source }) => source)])];
    const columns = this.columns.map((name): TextColumn => {
      const numbers = [...atoms.keys()].filter(i => atoms[i]!.source === name);
      const templates = state.filter(template => this.#columnOf(template) === name);
      const rows = options.rowsOf(templates, numbers);
      return { atoms: numbers.map(i => atoms[i]!), rows, named: options.named };
    });
    const all = [...columns, ...(options.moreColumns ?? [])];
    this.texts = new TextTable(memory, all, reach, options);
    const combined = state.filter(template => onlyPiece(template) === undefined);
    this.combined = combined.length;
    this.#program = new TemplateProgram(combined, memory);
    this.#table = new ContentTable(memory, atoms.length, reach);
    this.#list = new FingerprintList(memory);
    this.#around = new Region(memory);
    this.offset = memory.allocate(4 * (orderWords + (options.moreWords ?? 0)));
    this.#sources = memory.allocate(8 * atoms.length);
    this.#templates = memory.allocate(8 * state.length);
    this.#writeSources();
  }

  /**
   * Makes room for sentences.
   *
   * @param starts first token of each sentence, followed by the number of tokens
   */
  open(starts: Uint32Array): void {
    let longest = 0;
    for (let s = 1; s < starts.length; s += 1) {
      longest = Math.max(longest, starts[s]! - starts[s - 1]!);
    }
    this.#table.open(longest);
    this.#list.open(longest, this.#program.count);
    this.#around.reserve(4 * this.columns.length * this.#table.stride);
  }

  /** Writes the work order if it has changed. */
  write({ offset, stride }: TextColumns, { starts, rows, found }: TextOutput): void {
    const { places, memory } = this.#index;
    const { texts } = this;
    const table = this.#table;
    const order = [
      ...[this.#program.offset, this.#program.count, this.#list.offset],
      ...[table.loOffset, table.hiOffset, table.stride, table.margin],
      ...[this.columns.length, this.#around.offset, offset, stride],
      ...[this.#plan.atoms.length, this.#sources, texts.records, texts.recordBytes],
      ...[places.table, places.mask, places.filter, places.filterMask],
      ...[starts, rows, found, this.#plan.state.length, this.#templates],
    ];
    if (order.every((word, i) => word === this.#written[i])) return;
    this.#written = order;
    new Uint32Array(memory.buffer, this.offset, orderWords).set(order);
    this.#writeTemplates();
  }

  /** Returns the byte offset of an atom's value in a text record. */
  contentPlace(atom: number): number {
    const { atoms } = this.#plan;
    const { source } = atoms[atom]!;
    return 8 * atoms.slice(0, atom).filter(other => other.source === source).length;
  }

  #columnOf(template: PlannedTemplate): string | undefined {
    const piece = onlyPiece(template);
    return piece && this.#plan.atoms[piece.atom]!.source;
  }

  #writeSources(): void {
    const sources = this.#plan.atoms.flatMap(({ source }, i) => [
      this.columns.indexOf(source),
      this.contentPlace(i),
    ]);
    const { buffer } = this.#index.memory;
    new Uint32Array(buffer, this.#sources, sources.length).set(sources);
  }

  /** Writes the location of each template's row: in a text record, or among the combined ones. */
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
      const column = this.columns.indexOf(atoms[piece.atom]!.source);
      const own = atoms.filter(atom => atom.source === this.columns[column]).length;
      const place = 8 * own + 4 * seen[column]!;
      seen[column]! += 1;
      const token = column * stride + margin + piece.offset;
      return [this.#around.offset + 4 * token, place];
    });
    new Uint32Array(this.#index.memory.buffer, this.#templates, words.length).set(words);
  }
}

/** Returns the only non-literal piece of a template, if nothing follows it. */
export function onlyPiece({ pieces }: PlannedTemplate): PlannedPiece | undefined {
  const [first, second, third] = pieces;
  if (first?.atom === -1) return third === undefined && second?.atom !== -1 ? second : undefined;
  return second === undefined ? first : undefined;
}

/** Finds the rows of features of single-text templates, for texts of one column. */
export class TextRows implements RowsOfTexts {
  readonly count: number;
  readonly #index: PlacedIndex;
  readonly #program: TemplateProgram;
  readonly #table: ContentTable;
  readonly #list: FingerprintList;
  readonly #rows: RowList;

  /**
   * @param templates templates with an `onlyPiece` in the column; the row does not depend on the
   * offset
   * @param atoms numbers of the column's atoms, in the order in which they hash a text
   */
  constructor(templates: readonly PlannedTemplate[], atoms: readonly number[], index: PlacedIndex) {
    const { memory } = index;
    this.count = templates.length;
    this.#index = index;
    const here = templates.map(template => ({
      ...template,
      pieces: template.pieces.map(piece =>
        piece.atom < 0 ? piece : { ...piece, atom: atoms.indexOf(piece.atom), offset: 0 },
      ),
    }));
    this.#program = new TemplateProgram(here, memory);
    this.#table = new ContentTable(memory, atoms.length, 0);
    this.#list = new FingerprintList(memory);
    this.#rows = new RowList(memory);
  }

  find(contents: readonly Int32Array[]): Uint32Array {
    const { length } = contents;
    const found = new Uint32Array(length * this.count);
    if (found.length === 0) return found;
    const list = this.#list;
    const table = this.#table;
    table.open(length);
    list.open(length, this.count);
    this.#rows.open(length, list.places, true);
    const { lo, hi, stride } = table;
    for (const [t, hashes] of contents.entries()) {
      for (let i = 0; i < hashes.length; i += 2) {
        lo[(i / 2) * stride + t] = hashes[i]!;
        hi[(i / 2) * stride + t] = hashes[i + 1]!;
      }
    }
    this.#program.run(table, list);
    this.#index.findAll(list, 1, this.#rows);
    const { rows } = this.#rows.view(length);
    const places = this.#rows.takePlaces(length);
    for (const [i, place] of places.entries()) found[place] = rows[i]!;
    return found;
  }
}
