import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { LocatedRows } from '../../features/extraction/feature-extractor.js';
import { type FeatureKind, FeatureNames } from '../../features/extraction/feature-names.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import type { Model } from '../model.js';

/** Rows to name: those with a nonzero entry. */
export interface WantedRows {
  readonly state: Uint8Array;
  readonly edge: Uint8Array;
}

/** State for the features of one kind. */
interface Side {
  readonly kind: FeatureKind;
  readonly index: FeatureIndex;
  /** Number that sentences use for the index's first row. */
  readonly firstRow: number;
  /** Number of templates of this kind, which is the maximum number of a token's features. */
  readonly count: number;
  readonly wanted: Uint8Array | undefined;
  /** Scratch for the numbers of the templates with a feature at a token. */
  readonly active: Uint32Array;
  /** Template number + 1 of each row of the index; 0 while unknown. */
  readonly templates: Uint16Array;
  /**
   * Number of the first row that may be unknown; nearly all rows are known if they follow the order
   * of the sentences.
   */
  known: number;
  readonly names: Map<number, string>;
}

/**
 * Finds the template of each row in a model's indexes, and the names of some rows, by visiting the
 * sentences from which the features come. A row belongs to the first template that produces it.
 *
 * Costs one step per row of a sentence; features are extracted again only if a token has both
 * features without a row (such as those below a cutoff) and a new one.
 */
export class FeatureNamer {
  readonly #model: Model;
  readonly #names: FeatureNames;
  readonly #state: Side;
  readonly #edge: Side;
  /** Number of rows not yet known. */
  #left: number;

  /** @param wanted rows to name; default: all */
  constructor(model: Model, wanted?: WantedRows) {
    this.#model = model;
    this.#names = new FeatureNames(model.extractor.plan);
    const side = (kind: FeatureKind, index: FeatureIndex, firstRow: number): Side => ({
      ...{ kind, index, firstRow, wanted: wanted?.[kind], names: new Map() },
      count: this.#names.count(kind),
      templates: new Uint16Array(index.size),
      known: 0,
      active: new Uint32Array(this.#names.count(kind)),
    });
    this.#state = side('state', model.stateIndex, 0);
    this.#edge = side('edge', model.edgeIndex, 1);
    const edges = this.#edge.count > 0 ? this.#edge.templates.length : 0;
    this.#left = this.#state.templates.length + edges;
  }

  /** Whether all rows are known, so that more sentences would add nothing. */
  get done(): boolean {
    return this.#left === 0;
  }

  /** Returns each row's template number within its kind + 1; 0 if the row was not seen. */
  templates(kind: FeatureKind): Uint16Array {
    const written = this.#names.writtenOf(kind);
    return this.#side(kind).templates.map(number => (number === 0 ? 0 : written[number - 1]! + 1));
  }

  templateCount(kind: FeatureKind): number {
    return this.#names.templates(kind).length;
  }

  /** Returns names by row, for requested rows that were seen. */
  names(kind: FeatureKind): ReadonlyMap<number, string> {
    return this.#side(kind).names;
  }

  /** Records a sentence encoded by the model, with its current rows. */
  addEncoded(encoded: EncodedSentence): void {
    const { length, stateStarts, stateRows, edgeStarts, edgeRows, sentence } = encoded;
    this.#walk(this.#state, encoded, stateStarts, stateRows);
    // Segment candidates follow the tokens.
    if (this.#model.segments !== undefined) {
      for (const [side, starts, rows] of [
        [this.#state, stateStarts, stateRows],
        [this.#edge, edgeStarts ?? noStarts, edgeRows ?? noStarts],
      ] as const) {
        for (let k = starts[length] ?? rows.length; k < rows.length; k += 1) {
          if (!lacksName(side, rows[k]!)) continue;
          this.#nameSegments(side, sentence);
          break;
        }
      }
    }
    if (edgeRows === undefined) return;
    this.#walk(this.#edge, encoded, edgeStarts!, edgeRows);
    this.#nameLinks(sentence);
  }

  /**
   * Extracts the features of a sentence and records them.
   *
   * @throws TagstreamError `unknown-column`, `length-mismatch`, `not-a-number`
   */
  addSentence(sentence: Sentence): void {
    this.#model.extractor.open(sentence);
    for (const side of [this.#state, this.#edge]) {
      if (side.count > 0) this.#takeAll(side, sentence, this.#locate(side, sentence));
    }
    for (const side of [this.#state, this.#edge]) this.#nameSegments(side, sentence);
    this.#nameLinks(sentence);
  }

  /** Names link types, which belong to no template. */
  #nameLinks(sentence: Sentence): void {
    const { links } = this.#model;
    if (links === undefined) return;
    const { names, index, firstRow } = this.#edge;
    links.eachName(sentence, index, (row, name) => names.set(row - firstRow, name));
  }

  /** Names span features, which belong to no template. */
  #nameSegments(side: Side, sentence: Sentence): void {
    const { kind, names, index, firstRow } = side;
    const lacks = (row: number) => lacksName(side, row);
    this.#model.segments?.eachName(kind, sentence, index, lacks, (row, name) =>
      names.set(row - firstRow, name),
    );
  }

  #side(kind: FeatureKind): Side {
    return kind === 'state' ? this.#state : this.#edge;
  }

  #locate({ kind, index }: Side, sentence: Sentence): LocatedRows {
    return this.#model.extractor.locate(kind, sentence.tokens.length, index);
  }

  #walk(
    side: Side,
    { length, sentence }: EncodedSentence,
    starts: Uint32Array,
    rows: Uint32Array,
  ): void {
    const { templates, firstRow, count, active } = side;
    let { known } = side;
    let looked = -1;
    let found = 0;
    for (let t = 0; t < length; t += 1) {
      const start = starts[t]!;
      const end = starts[t + 1]!;
      for (let k = start; k < end; k += 1) {
        const row = rows[k]! - firstRow;
        if (row < known || templates[row] !== 0) continue;
        let number = k - start;
        if (end - start !== count) {
          // Some templates have no feature here, and some features of the others may have no row.
          if (looked !== t) found = this.#names.activeAt(side.kind, sentence, t, active);
          looked = t;
          if (found !== end - start) {
            this.#model.extractor.open(sentence);
            this.#takeAll(side, sentence, this.#locate(side, sentence));
            return;
          }
          number = active[number]!;
        }
        this.#take(side, row, number, sentence, t);
        known = side.known;
      }
    }
  }

  #takeAll(side: Side, sentence: Sentence, { starts, rows, templates }: LocatedRows): void {
    for (let t = 0; t + 1 < starts.length; t += 1) {
      for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
        const row = rows[k]! - side.firstRow;
        if (side.templates[row] === 0) this.#take(side, row, templates[k]!, sentence, t);
      }
    }
  }

  #take(side: Side, row: number, number: number, sentence: Sentence, t: number): void {
    const { templates } = side;
    templates[row] = number + 1;
    if (row === side.known) {
      let next = row + 1;
      while (next < templates.length && templates[next] !== 0) next += 1;
      side.known = next;
    }
    this.#left -= 1;
    if (side.wanted !== undefined && side.wanted[row] === 0) return;
    side.names.set(row, this.#names.name(side.kind, number, sentence, t)!);
  }
}

const noStarts = new Uint32Array(0);

/** Whether a row, numbered as in sentences, is wanted and has no name. */
function lacksName({ wanted, names, firstRow }: Side, row: number): boolean {
  return wanted?.[row - firstRow] !== 0 && !names.has(row - firstRow);
}
