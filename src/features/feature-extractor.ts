import type { Column } from '../core/document.js';
import { TagstreamError } from '../core/errors.js';
import type { Sentence } from '../core/sentence.js';
import { type ExtractionPlan, type PlannedTemplate, planExtraction } from './extraction-plan.js';
import type { FeatureIndex } from './feature-index.js';
import { Fingerprint } from './fingerprint.js';
import type { TemplateSet } from './template/parse-templates.js';

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
 */
export class FeatureExtractor {
  readonly set: TemplateSet;
  readonly #plan: ExtractionPlan;
  readonly #hash = new Fingerprint();
  readonly #before: { lo: number; hi: number }[] = [];
  readonly #after: { lo: number; hi: number }[] = [];
  #rows = new Uint32Array(1024);
  #values = new Float64Array(1024);
  #count = 0;
  /** Value of the feature being combined. */
  #value = 1;

  /** @param columns names of the columns by number; the first is the token */
  constructor(set: TemplateSet, columns: readonly string[]) {
    this.set = set;
    this.#plan = planExtraction(set, columns);
    for (let i = 1; i <= this.#plan.reach; i += 1) {
      this.#before.push(this.#content(`_B-${i}`));
      this.#after.push(this.#content(`_B+${i}`));
    }
  }

  /** Whether templates condition transitions on observations. */
  get hasEdges(): boolean {
    return this.#plan.edge.length > 0;
  }

  /**
   * Hashes the columns of a sentence; `state` and `edges` then read them.
   *
   * @throws TagstreamError `unknown-column`, `length-mismatch`, `not-a-number`
   */
  open(sentence: Sentence): void {
    for (const atom of this.#plan.atoms) {
      atom.fill(columnOf(sentence, atom.column), sentence.tokens.length, this.#hash);
    }
  }

  /** State features of the opened sentence: one row for each active feature, in token order. */
  state(length: number, index: FeatureIndex, grow: boolean): ExtractedRows {
    return this.#extract(this.#plan.state, length, index, grow, 0);
  }

  /** Edge features of the opened sentence. Row 0 is the plain transitions, so rows start at 1. */
  edges(length: number, index: FeatureIndex, grow: boolean): ExtractedRows {
    return this.#extract(this.#plan.edge, length, index, grow, 1);
  }

  #extract(
    templates: readonly PlannedTemplate[],
    length: number,
    index: FeatureIndex,
    grow: boolean,
    firstRow: number,
  ): ExtractedRows {
    const starts = new Uint32Array(length + 1);
    const hash = this.#hash;
    this.#count = 0;
    let allOnes = true;
    for (let t = 0; t < length; t += 1) {
      for (let k = 0; k < templates.length; k += 1) {
        if (!this.#combine(templates[k]!, t, length)) continue;
        const row = grow ? index.intern(hash.lo, hash.hi) : index.find(hash.lo, hash.hi);
        if (row < 0) continue;
        if (this.#count === this.#rows.length) this.#reserve();
        this.#rows[this.#count] = row + firstRow;
        this.#values[this.#count] = this.#value;
        if (this.#value !== 1) allOnes = false;
        this.#count += 1;
      }
      starts[t + 1] = this.#count;
    }
    const rows = this.#rows.slice(0, this.#count);
    return allOnes
      ? { starts, rows }
      : { starts, rows, values: this.#values.slice(0, this.#count) };
  }

  /** Fingerprint of a template at a token into `#hash`, its value into `#value`; false if inactive. */
  #combine(template: PlannedTemplate, t: number, length: number): boolean {
    const atoms = this.#plan.atoms;
    const pieces = template.pieces;
    const hash = this.#hash;
    let lo = 0x3c6ef372;
    let hi = 0x1b873593;
    for (let i = 0; i < pieces.length; i += 1) {
      const piece = pieces[i]!;
      let pieceLo = piece.lo;
      let pieceHi = piece.hi;
      if (piece.atom >= 0) {
        const at = piece.absolute ? absolute(piece.offset, length) : t + piece.offset;
        if (at >= 0 && at < length) {
          const atom = atoms[piece.atom]!;
          if (atom.present[at] === 0) return false;
          pieceLo = atom.lo[at]!;
          pieceHi = atom.hi[at]!;
        } else {
          const outside = this.#outside(at, length);
          pieceLo = outside.lo;
          pieceHi = outside.hi;
        }
      }
      lo = Math.imul(lo ^ pieceLo, 0x9e3779b1);
      lo = (lo << 15) | (lo >>> 17);
      hi = Math.imul(hi ^ pieceHi, 0x85ebca77);
      hi = (hi << 13) | (hi >>> 19);
    }
    hash.lo = lo;
    hash.hi = hi;
    hash.finish();
    this.#value = 1;
    if (template.real === undefined) return true;
    const real = template.real;
    const at = real.absolute ? absolute(real.offset, length) : t + real.offset;
    const atom = atoms[real.atom]!;
    if (at < 0 || at >= length || atom.present[at] === 0) return false;
    this.#value = atom.values[at]!;
    return true;
  }

  /** Content beyond the sentence; further out than any template reaches by an absolute place. */
  #outside(at: number, length: number): { lo: number; hi: number } {
    const list = at < 0 ? this.#before : this.#after;
    const distance = at < 0 ? -at : at - length + 1;
    while (list.length < distance) {
      list.push(this.#content(`_B${at < 0 ? '-' : '+'}${list.length + 1}`));
    }
    return list[distance - 1]!;
  }

  #content(text: string): { lo: number; hi: number } {
    const hash = new Fingerprint();
    hash.start();
    hash.text(text);
    hash.finish();
    return { lo: hash.lo, hi: hash.hi };
  }

  #reserve(): void {
    const rows = new Uint32Array(this.#rows.length * 2);
    rows.set(this.#rows);
    this.#rows = rows;
    const values = new Float64Array(this.#values.length * 2);
    values.set(this.#values);
    this.#values = values;
  }
}

function absolute(offset: number, length: number): number {
  return offset >= 0 ? offset : length + offset;
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
