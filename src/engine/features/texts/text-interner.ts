import { Region } from '../../kernels/memory/region.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { ExtractionPlan, PlannedTemplate } from '../extraction/extraction-plan.js';
import { leadOf } from '../extraction/template-program.js';
import type { GrowingIndex } from '../index/placed-index.js';
import type { RowsOfTexts, TextTable } from './text-table.js';
import { onlyPiece, orderWords, type TextColumns, TextWork } from './text-work.js';

/** Number of additional words in the work order; see assembly/features/intern-texts.ts. */
const moreWords = 7;

export interface TextInternerOptions {
  /** Whether texts may have JSON escapes. */
  readonly inJson: boolean;
  /**
   * Receives each new text with its number, including those of an additional last column that templates do not use.
   */
  named(number: number, text: string): void;
}

/** Feature rows of consecutive sentences; the starts of each sentence begin at 0. */
export interface TextRowsOfSentences {
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly rows: Uint32Array<ArrayBuffer>;
}

/**
 * Finds rows of the state features of many sentences from the numbers of their texts in a
 * `TextTable`; new features get the next rows. The rows equal those of `FeatureExtractor`, without
 * strings or objects per token.
 */
export class TextInterner {
  readonly #index: GrowingIndex;
  readonly #work: TextWork;
  readonly #templates: number;
  readonly #starts: Region;
  readonly #rows: Region;
  readonly #firsts: Region;
  /**
   * Address of a record per template whose row depends on one text: place of the content, lo and hi
   * of the template's own text.
   */
  readonly #sources: number;

  /**
   * @param plan plan that satisfies `TextFeatures.canMake`
   * @param index index that satisfies `onlyGrows`
   */
  constructor(plan: ExtractionPlan, index: GrowingIndex, { inJson, named }: TextInternerOptions) {
    const { memory } = index;
    const { state } = plan;
    this.#index = index;
    this.#templates = state.length;
    this.#work = new TextWork(plan, index, {
      ...{ moreWords, rowsOf: templates => new RowsToCome(templates.length), inJson, named },
      moreColumns: [{ atoms: [], rows: new RowsToCome(0), named }],
    });
    this.#starts = new Region(memory);
    this.#rows = new Region(memory);
    this.#firsts = new Region(memory);
    const sources = Int32Array.from(state.flatMap(template => this.#sourceOf(template)));
    this.#sources = memory.allocate(sources.byteLength);
    new Int32Array(memory.buffer, this.#sources, sources.length).set(sources);
  }

  get texts(): TextTable {
    return this.#work.texts;
  }

  /** Names of the columns used; the first is the token. */
  get columns(): readonly string[] {
    return this.#work.columns;
  }

  /**
   * Returns the rows of sentences whose texts `describe` has processed.
   *
   * @param firsts first token of each sentence, followed by the number of tokens
   */
  encode(columns: TextColumns, firsts: Uint32Array): TextRowsOfSentences {
    const sentences = firsts.length - 1;
    const tokens = firsts[sentences]!;
    this.#work.open(firsts);
    this.#starts.reserve(4 * (tokens + sentences));
    this.#rows.reserve(4 * tokens * this.#templates);
    this.#firsts.write(firsts);
    const { internTexts } = featureFunctions(this.#index.memory);
    let rows = 0;
    for (let sentence = 0; sentence < sentences; ) {
      this.#write(columns, rows);
      const from = sentence;
      sentence = internTexts(this.#work.offset, from, sentences);
      rows = this.#moreWords()[6]!;
      if (sentence === sentences) break;
      this.#index.makeRoom((firsts[sentence + 1]! - firsts[sentence]!) * this.#templates);
    }
    return {
      starts: this.#starts.words(tokens + sentences).slice(),
      rows: this.#rows.words(rows).slice(),
    };
  }

  #write(columns: TextColumns, count: number): void {
    const output = { starts: this.#starts.offset, rows: this.#rows.offset, found: 0 };
    this.#work.write(columns, output);
    const { counts, most, fresh, freshRow } = this.#index.growth;
    const more = [counts, most, fresh, freshRow, this.#sources, this.#firsts.offset, count];
    this.#moreWords().set(more);
  }

  #moreWords(): Uint32Array {
    const { buffer } = this.#index.memory;
    return new Uint32Array(buffer, this.#work.offset + 4 * orderWords, moreWords);
  }

  #sourceOf(template: PlannedTemplate): number[] {
    const piece = onlyPiece(template);
    if (piece === undefined) return [0, 0, 0];
    const { lo, hi } = leadOf(template);
    return [this.#work.contentPlace(piece.atom), lo, hi];
  }
}

/** Leaves finding the rows to the kernel, on demand. */
class RowsToCome implements RowsOfTexts {
  readonly count: number;

  constructor(count: number) {
    this.count = count;
  }

  find(contents: readonly Int32Array[]): Uint32Array {
    return new Uint32Array(contents.length * this.count);
  }
}
