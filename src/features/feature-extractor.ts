import type { Column } from '../core/document.js';
import { TagstreamError } from '../core/errors.js';
import type { Sentence } from '../core/sentence.js';
import { ContentTable, contentOf } from './content-table.js';
import {
  type ExtractionPlan,
  type PlannedPiece,
  type PlannedTemplate,
  planExtraction,
} from './extraction-plan.js';
import type { FeatureIndex } from './feature-index.js';
import { Fingerprint } from './fingerprint.js';
import { FingerprintList } from './fingerprint-list.js';
import type { TemplateSet } from './template/parse-templates.js';
import { fingerprintOf, TemplateProgram } from './template-program.js';

/** Active features of a sentence in compressed rows by token. */
export interface ExtractedRows {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly values?: Float64Array;
}

/**
 * Turns sentences into rows of features.
 *
 * Each distinct function of a column is hashed once a token; a template then combines integers. No
 * string is built. A feature is the hash of the template's literal text and the contents it names, so
 * templates with the same text share features, as in CRF++ and Wapiti. Outside the sentence a macro
 * yields `_B-1`, `_B-2`, ... before it and `_B+1`, ... after it.
 *
 * Three loops a sentence: fingerprints of all features, their rows, and those that have one.
 */
export class FeatureExtractor {
  readonly set: TemplateSet;
  readonly #plan: ExtractionPlan;
  readonly #state: TemplateProgram;
  readonly #edge: TemplateProgram;
  readonly #table: ContentTable;
  readonly #list = new FingerprintList();
  readonly #hash = new Fingerprint();
  #ends = new Uint32Array(64);
  #found = new Int32Array(1024);

  /** @param columns names of the columns by number; the first is the token */
  constructor(set: TemplateSet, columns: readonly string[]) {
    this.set = set;
    this.#plan = planExtraction(set, columns);
    this.#state = new TemplateProgram(this.#plan.state);
    this.#edge = new TemplateProgram(this.#plan.edge);
    this.#table = new ContentTable(this.#plan.atoms.length, this.#plan.reach);
  }

  /** Whether templates condition transitions on observations. */
  get hasEdges(): boolean {
    return !this.#edge.isEmpty;
  }

  /**
   * Hashes the columns of a sentence; `state` and `edges` then read them.
   *
   * @throws TagstreamError `unknown-column`, `length-mismatch`, `not-a-number`
   */
  open(sentence: Sentence): void {
    const { length } = sentence.tokens;
    this.#table.open(length);
    for (const [i, atom] of this.#plan.atoms.entries()) {
      const start = i * this.#table.stride + this.#table.margin;
      atom.fill(columnOf(sentence, atom.column), length, this.#hash, this.#table, start);
    }
  }

  /** State features of the opened sentence: one row for each active feature, in token order. */
  state(length: number, index: FeatureIndex, grow: boolean): ExtractedRows {
    return this.#extract(this.#state, length, index, grow, 0);
  }

  /** Edge features of the opened sentence. Row 0 is the plain transitions, so rows start at 1. */
  edges(length: number, index: FeatureIndex, grow: boolean): ExtractedRows {
    return this.#extract(this.#edge, length, index, grow, 1);
  }

  #extract(
    program: TemplateProgram,
    length: number,
    index: FeatureIndex,
    grow: boolean,
    firstRow: number,
  ): ExtractedRows {
    const list = this.#list;
    if (this.#ends.length < length) this.#ends = new Uint32Array(2 * length);
    const ends = this.#ends;
    program.run(length, this.#table, list, ends, (template, t) =>
      this.#special(template, t, length),
    );
    if (this.#found.length < list.length) this.#found = new Int32Array(2 * list.length);
    const found = this.#found;
    if (grow) index.internAll(list, found);
    else index.findAll(list, found);
    const starts = new Uint32Array(length + 1);
    const rows = new Uint32Array(list.length);
    const { values } = list;
    let count = 0;
    let allOnes = true;
    let k = 0;
    for (let t = 0; t < length; t += 1) {
      for (const end = ends[t]!; k < end; k += 1) {
        const row = found[k]!;
        if (row < 0) continue;
        rows[count] = row + firstRow;
        if (values[k] !== 1) allOnes = false;
        values[count] = values[k]!;
        count += 1;
      }
      starts[t + 1] = count;
    }
    const present = count === rows.length ? rows : rows.slice(0, count);
    return allOnes
      ? { starts, rows: present }
      : { starts, rows: present, values: values.slice(0, count) };
  }

  /** Adds the feature of a template with absolute places or a value, if it is active at a token. */
  #special(template: PlannedTemplate, t: number, length: number): void {
    const place = (piece: PlannedPiece) =>
      piece.absolute
        ? piece.offset >= 0
          ? piece.offset
          : length + piece.offset
        : t + piece.offset;
    const contents: { lo: number; hi: number }[] = [];
    for (const piece of template.pieces) {
      if (piece.atom < 0) {
        contents.push(piece);
        continue;
      }
      const at = place(piece);
      if (at < 0) contents.push(contentOf(`_B${at}`));
      else if (at >= length) contents.push(contentOf(`_B+${at - length + 1}`));
      else {
        const from = piece.atom * this.#table.stride + this.#table.margin + at;
        if (this.#table.present[from] === 0) return;
        contents.push({ lo: this.#table.lo[from]!, hi: this.#table.hi[from]! });
      }
    }
    let value = 1;
    if (template.real !== undefined) {
      const at = place(template.real);
      if (at < 0 || at >= length) return;
      value = this.#plan.atoms[template.real.atom]!.values[at]!;
      if (value === 0) return;
    }
    const list = this.#list;
    const { lo, hi } = fingerprintOf(contents);
    list.lo[list.length] = lo;
    list.hi[list.length] = hi;
    list.values[list.length] = value;
    list.length += 1;
  }
}

function columnOf(sentence: Sentence, name: string): Column {
  if (name === 'form') return sentence.tokens;
  const column = Object.hasOwn(sentence.columns, name) ? sentence.columns[name] : undefined;
  const count = sentence.tokens.length;
  if (column?.length === count) return column;
  if (column !== undefined) {
    throw new TagstreamError(
      'length-mismatch',
      `${count} tokens but ${column.length} values in column "${name}"`,
      { fix: 'give one value for each token' },
    );
  }
  const present = ['form', ...Object.keys(sentence.columns)].join(', ');
  throw new TagstreamError('unknown-column', `the record has no column "${name}"`, {
    fix: `a template asks for it; the record has ${present}`,
  });
}
