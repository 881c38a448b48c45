import { TagstreamError } from '../../core/errors.js';
import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { ContentTable, contentOf } from '../fingerprints/content-table.js';
import { Fingerprint } from '../fingerprints/fingerprint.js';
import { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from '../index/feature-index.js';
import { RowList } from '../index/row-list.js';
import type { Resources } from '../resources/resources.js';
import type { TemplateSet } from '../template/parse-templates.js';
import type { Atom } from './atom.js';
import { columnOf } from './column-of.js';
import {
  type ExtractionPlan,
  type PlannedTemplate,
  placeOf,
  planExtraction,
} from './extraction-plan.js';
import { contextOf, type FeatureKind } from './feature-names.js';
import { fingerprintOf, type SpecialTemplate, TemplateProgram } from './template-program.js';

/** Feature rows, each with the number of its template within its kind. */
export interface LocatedRows extends PackedRows {
  readonly templates: Uint32Array;
}

/**
 * Turns sentences into feature rows.
 *
 * Each distinct function of a column is hashed once per token, and a template combines the
 * resulting integers. No string is built. A feature is the hash of the template's literal text and
 * its macros' values, so templates with the same text share features, as in CRF++ and Wapiti. The
 * value of a macro outside the sentence is `_B-1`, `_B-2`, ... before it and `_B+1`, ... after it.
 *
 * Two kernel loops per sentence: one computes the fingerprints of all features, the other finds their
 * rows.
 */
export class FeatureExtractor {
  readonly set: TemplateSet;
  readonly memory: LinearMemory;
  /** The compiled templates. */
  readonly plan: ExtractionPlan;
  /** Whether templates use the previous text of the document. */
  readonly readsDocuments: boolean;
  /** Whether templates use a first model's predictions for the document. */
  readonly readsPredictions: boolean;
  /** Whether templates use the words seen in the training corpus. */
  readonly readsLexicon: boolean;
  readonly #state: TemplateProgram;
  readonly #edge: TemplateProgram;
  readonly #table: ContentTable;
  readonly #list: FingerprintList;
  readonly #rows: RowList;
  readonly #hash = new Fingerprint();
  /** Values of a sentence's features, by index in the list. */
  #values = new Float64Array(0);

  /**
   * @param columns names of the columns by number; the first is the token
   * @param memory working memory, shared with the indexes
   * @param resources lists that the templates use
   * @param plan the plan of the templates for these columns and lists, if it exists
   */
  constructor(
    set: TemplateSet,
    columns: readonly string[],
    memory = new LinearMemory(),
    resources?: Resources,
    plan = planExtraction(set, columns, resources),
  ) {
    this.set = set;
    this.memory = memory;
    this.plan = plan;
    this.readsDocuments = this.plan.atoms.some(({ macro }) => macro.apply === 'document');
    this.readsPredictions = this.plan.atoms.some(({ macro }) => macro.apply === 'predicted');
    this.readsLexicon = this.plan.atoms.some(({ macro }) => macro.apply === 'seen');
    this.#state = new TemplateProgram(this.plan.state, memory);
    this.#edge = new TemplateProgram(this.plan.edge, memory);
    this.#table = new ContentTable(memory, this.plan.atoms.length, this.plan.reach);
    this.#list = new FingerprintList(memory);
    this.#rows = new RowList(memory);
  }

  /** Whether templates use more than the columns of a sentence. */
  get readsContext(): boolean {
    return this.readsDocuments || this.readsPredictions || this.readsLexicon;
  }

  /** Whether templates condition transitions on observations. */
  get hasEdges(): boolean {
    return !this.#edge.isEmpty;
  }

  /**
   * Hashes the columns of a sentence; `state` and `edges` read the hashes.
   *
   * @throws TagstreamError `unknown-column`, `length-mismatch`, `not-a-number`
   */
  open(sentence: Sentence): void {
    const { length } = sentence.tokens;
    this.#table.open(length);
    const { words } = this.plan;
    const context = this.readsContext ? contextOf(sentence, words, this) : {};
    for (const [i, atom] of this.plan.atoms.entries()) {
      const start = i * this.#table.stride + this.#table.margin;
      const column =
        atom.context === undefined ? columnOf(sentence, atom.column) : context[atom.context]!;
      atom.fill(column, length, this.#hash, this.#table, start);
    }
  }

  /**
   * Hashes tokens as `open` does, from hashed contents: `fill` writes the hashes of an atom, from
   * an index of the table on. Only for templates over text columns.
   */
  openContents(
    length: number,
    fill: (atom: Atom, lo: Int32Array, hi: Int32Array, start: number) => void,
  ): void {
    const table = this.#table;
    table.open(length);
    const { lo, hi } = table;
    for (const [i, atom] of this.plan.atoms.entries()) {
      fill(atom, lo, hi, i * table.stride + table.margin);
    }
  }

  /**
   * Returns the state features of the opened sentence: one row per active feature, in token order.
   */
  state(length: number, index: FeatureIndex, grow: boolean): PackedRows {
    return this.#extract(this.#state, length, index, grow, 0);
  }

  /**
   * Returns the edge features of the opened sentence. Row 0 represents the plain transitions, so
   * rows start at 1.
   */
  edges(length: number, index: FeatureIndex, grow: boolean): PackedRows {
    return this.#extract(this.#edge, length, index, grow, 1);
  }

  /**
   * Returns the features of the opened sentence that an index knows, each with its template. Rows
   * of edge features start at 1.
   */
  locate(kind: FeatureKind, length: number, index: FeatureIndex): LocatedRows {
    const program = kind === 'state' ? this.#state : this.#edge;
    return this.#located(program, length, index, false, kind === 'state' ? 0 : 1);
  }

  /** Returns the state features of the opened sentence, each with its template. */
  locatedState(length: number, index: FeatureIndex, grow: boolean): LocatedRows {
    return this.#located(this.#state, length, index, grow, 0);
  }

  #located(
    program: TemplateProgram,
    length: number,
    index: FeatureIndex,
    grow: boolean,
    firstRow: number,
  ): LocatedRows {
    const found = this.#extract(program, length, index, grow, firstRow, true);
    const templates = this.#rows.takePlaces(length).map(place => place % program.count);
    return { ...found, templates };
  }

  #extract(
    program: TemplateProgram,
    length: number,
    index: FeatureIndex,
    grow: boolean,
    firstRow: number,
    located = false,
  ): PackedRows {
    const list = this.#list;
    const rows = this.#rows;
    const valued = program.isValued;
    list.open(length, program.count);
    rows.open(length, list.places, valued || located);
    if (valued) this.#openValues(list.places);
    program.run(this.#table, list);
    if (program.specials.length > 0) this.#addSpecials(program.specials, length);
    for (const vectors of program.vectors) vectors.write(this.#table, list, this.#values);
    if (grow) index.internAll(list, firstRow, rows);
    else index.findAll(list, firstRow, rows);
    return rows.take(length, valued ? this.#values : undefined);
  }

  #openValues(places: number): void {
    if (this.#values.length < places) this.#values = new Float64Array(2 * places);
    this.#values.fill(1, 0, places);
  }

  #addSpecials(specials: readonly SpecialTemplate[], length: number): void {
    const words = this.#list.words();
    for (let t = 0; t < length; t += 1) {
      for (const { number, template } of specials) {
        const place = t * this.#list.templates + number;
        const fingerprint = this.#special(template, t, length, place);
        words[2 * place] = fingerprint?.lo ?? 0;
        words[2 * place + 1] = fingerprint?.hi ?? 0;
      }
    }
  }

  /**
   * Returns the feature of a template with absolute positions or a value, if it is active at a
   * token.
   */
  #special(
    template: PlannedTemplate,
    t: number,
    length: number,
    place: number,
  ): { lo: number; hi: number } | undefined {
    const contents: { lo: number; hi: number }[] = [];
    for (const piece of template.pieces) {
      if (piece.atom < 0) {
        contents.push(piece);
        continue;
      }
      const at = placeOf(piece, t, length);
      if (at < 0) contents.push(contentOf(`_B${at}`));
      else if (at >= length) contents.push(contentOf(`_B+${at - length + 1}`));
      else {
        const from = piece.atom * this.#table.stride + this.#table.margin + at;
        const content = { lo: this.#table.lo[from]!, hi: this.#table.hi[from]! };
        if ((content.lo | content.hi) === 0) return undefined;
        contents.push(content);
      }
    }
    if (template.reals.length > 0) {
      let value = 1;
      for (const real of template.reals) {
        const at = placeOf(real, t, length);
        if (at < 0 || at >= length) return undefined;
        value *= this.plan.atoms[real.atom]!.values[at]!;
      }
      if (value === 0) return undefined;
      if (!Number.isFinite(value)) throw productTooLarge(template, t);
      this.#values[place] = value;
    }
    return fingerprintOf(contents);
  }
}

function productTooLarge({ template }: PlannedTemplate, t: number): TagstreamError {
  return new TagstreamError(
    'not-a-number',
    `the product "${template.source}" is too large at token ${t}`,
    { fix: 'scale the numbers in the columns' },
  );
}
