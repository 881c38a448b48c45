import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { Atom } from '../extraction/atom.js';
import { columnOf } from '../extraction/column-of.js';
import type { FeatureKind } from '../extraction/feature-names.js';
import { Fingerprint, TextRecorder } from '../fingerprints/fingerprint.js';
import { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from '../index/feature-index.js';
import { RowList } from '../index/row-list.js';
import { GazetteerLookup } from '../resources/gazetteer-lookup.js';
import type { Resources } from '../resources/resources.js';
import type { TokenFunction } from '../template/template.js';
import { parseSegmentFeatures, type SegmentFeature, type SegmentSpec } from './segment-feature.js';

/** The token function of each kind of feature. */
const functions: Readonly<Record<string, TokenFunction>> = {
  lower: 'lower',
  shape: 'shape',
  type: 'type',
};

/** A component of a feature. */
interface Part {
  readonly feature: SegmentFeature;
  /** Hash of the component's name, so that no two features share a fingerprint. */
  readonly lo: number;
  readonly hi: number;
  readonly atom: Atom;
  readonly list: GazetteerLookup | undefined;
}

/**
 * Turns the candidates of a sentence, all of its spans of up to `maxLength` tokens, into feature
 * rows. The span of d tokens that ends at token t is candidate `t * (maxLength + 1) + d - 1`. The
 * last candidate of each token represents all longer spans that end there, and has the feature
 * `longer`.
 *
 * Tokens are hashed once per feature, and spans from their tokens' hashes; no string is built
 * except for lower case. Cost O(tokens * maxLength * features).
 */
export class SegmentEncoder {
  readonly maxLength: number;
  readonly features: readonly SegmentFeature[];
  /**
   * Components of features with a weight for each type, and of features with a weight for each pair
   * of labels.
   */
  readonly #parts: Readonly<Record<FeatureKind, readonly Part[]>>;
  readonly #longer: Fingerprint;
  readonly #list: FingerprintList;
  readonly #rows: RowList;
  readonly #hash = new Fingerprint();
  /** Hashes of tokens, alternating lo and hi. */
  #tokens = new Int32Array(128);

  /** @throws TagstreamError `config` for unknown features */
  constructor(
    { maxLength, features }: SegmentSpec,
    columns: readonly string[],
    memory: LinearMemory,
    resources: Resources = {},
  ) {
    const { gazetteers = {} } = resources;
    this.maxLength = maxLength;
    this.features = parseSegmentFeatures(features, columns, Object.keys(gazetteers));
    const parts = this.features.map(feature => {
      const { lo, hi } = named(feature.source);
      const list = feature.list === undefined ? undefined : gazetteers[feature.list]!;
      return {
        ...{ feature, lo, hi, atom: atomOf(feature) },
        list: list === undefined ? undefined : new GazetteerLookup(list),
      };
    });
    this.#parts = {
      state: parts.filter(({ feature }) => !feature.paired),
      edge: parts.filter(({ feature }) => feature.paired),
    };
    this.#longer = named('longer');
    this.#list = new FingerprintList(memory);
    this.#rows = new RowList(memory);
  }

  /** Whether some features have a weight for each pair of labels. */
  get hasPairs(): boolean {
    return this.#parts.edge.length > 0;
  }

  /** Returns the maximum number of features of one kind per candidate. */
  count(kind: FeatureKind): number {
    return Math.max(kind === 'state' ? 1 : 0, this.#parts[kind].length);
  }

  /** Returns the number of candidates of a sentence. */
  candidates(length: number): number {
    return length * (this.maxLength + 1);
  }

  /**
   * Returns the rows of all candidates of a sentence: those of features for one label, or those of
   * features for two labels, which begin at 1.
   *
   * @param grow whether new features get rows
   * @throws TagstreamError `unknown-column`, `length-mismatch`
   */
  encode(kind: FeatureKind, sentence: Sentence, index: FeatureIndex, grow: boolean): PackedRows {
    const candidates = this.candidates(sentence.tokens.length);
    const firstRow = firstRowOf(kind);
    this.#fill(kind, sentence);
    this.#rows.open(candidates, this.#list.places, false);
    if (grow) index.internAll(this.#list, firstRow, this.#rows);
    else index.findAll(this.#list, firstRow, this.#rows);
    return this.#rows.take(candidates, undefined);
  }

  /**
   * Visits the candidates' features that have a row, in the order of `encode`, with the row and a
   * name such as `segment:text:New York`. Slow, for feature names only.
   *
   * @param visit first called to ask whether the name is needed
   */
  eachName(
    kind: FeatureKind,
    sentence: Sentence,
    index: FeatureIndex,
    wants: (row: number) => boolean,
    visit: (row: number, name: string) => void,
  ): void {
    const { length } = sentence.tokens;
    this.#fill(kind, sentence);
    this.#rows.open(this.candidates(length), this.#list.places, true);
    index.findAll(this.#list, firstRowOf(kind), this.#rows);
    const { starts, rows } = this.#rows.take(this.candidates(length), undefined);
    const places = this.#rows.takePlaces(this.candidates(length));
    for (let candidate = 0; candidate + 1 < starts.length; candidate += 1) {
      const end = Math.floor(candidate / (this.maxLength + 1)) + 1;
      const tokens = (candidate % (this.maxLength + 1)) + 1;
      for (let k = starts[candidate]!; k < starts[candidate + 1]!; k += 1) {
        if (!wants(rows[k]!)) continue;
        const part = this.#parts[kind][places[k]! % this.#list.templates]!;
        const name = tokens > this.maxLength ? 'longer' : nameOf(part, sentence, end - tokens, end);
        visit(rows[k]!, `segment:${name}`);
      }
    }
  }

  /** Writes the fingerprints of all candidates to the list. */
  #fill(kind: FeatureKind, sentence: Sentence): void {
    const { length } = sentence.tokens;
    const count = Math.max(1, this.#parts[kind].length);
    this.#list.open(this.candidates(length), count);
    const words = this.#list.words();
    words.fill(0);
    for (const [number, part] of this.#parts[kind].entries()) {
      this.#write(part, number, sentence, words, count);
    }
    if (kind === 'edge') return;
    for (let t = this.maxLength; t < length; t += 1) {
      const place = ((t + 1) * (this.maxLength + 1) - 1) * count;
      words[2 * place] = this.#longer.lo;
      words[2 * place + 1] = this.#longer.hi;
    }
  }

  #write(part: Part, number: number, sentence: Sentence, words: Uint32Array, count: number): void {
    const { feature, list } = part;
    const { length } = sentence.tokens;
    const { maxLength } = this;
    const put = (start: number, end: number, lo: number, hi: number) => {
      const candidate = (end - 1) * (maxLength + 1) + end - start - 1;
      const place = 2 * (candidate * count + number);
      words[place] = lo;
      words[place + 1] = hi;
    };
    if (list !== undefined) {
      const column = columnOf(sentence, feature.column);
      list.eachEntry(column, length, maxLength, (start, end) => put(start, end, part.lo, part.hi));
      return;
    }
    if (feature.kind !== 'length') this.#hashTokens(part, sentence);
    const tokens = this.#tokens;
    const hash = this.#hash;
    const [isFirst, isLast] = [feature.kind === 'first', feature.kind === 'last'];
    const [isBefore, isAfter] = [feature.kind === 'before', feature.kind === 'after'];
    const isLength = feature.kind === 'length';
    const feed = (token: number) => {
      // Positions outside the sentence have only the boundary mark.
      const inside = token >= 0 && token < length;
      hash.word(inside ? tokens[2 * token]! : 1);
      hash.word(inside ? tokens[2 * token + 1]! : 2);
    };
    for (let start = 0; start < length; start += 1) {
      let lo = part.lo;
      let hi = part.hi;
      for (let end = start + 1; end <= Math.min(length, start + maxLength); end += 1) {
        hash.lo = lo;
        hash.hi = hi;
        if (isLength) hash.word(end - start);
        else if (isFirst) feed(start);
        else if (isLast) feed(end - 1);
        else if (isBefore) feed(start - 1);
        else if (isAfter) feed(end);
        else {
          feed(end - 1);
          lo = hash.lo;
          hi = hash.hi;
        }
        hash.finish();
        put(start, end, hash.lo, hash.hi);
      }
    }
  }

  #hashTokens({ feature, atom }: Part, sentence: Sentence): void {
    const column = columnOf(sentence, feature.column);
    const { length } = sentence.tokens;
    if (this.#tokens.length < 2 * length) this.#tokens = new Int32Array(4 * length);
    for (let t = 0; t < length; t += 1) {
      const item = column[t]!;
      atom.hash(typeof item === 'string' ? item : String(item), this.#hash);
      this.#tokens[2 * t] = this.#hash.lo;
      this.#tokens[2 * t + 1] = this.#hash.hi;
    }
  }
}

/** Row 0 of edge features represents the plain transitions. */
function firstRowOf(kind: FeatureKind): number {
  return kind === 'state' ? 0 : 1;
}

function named(source: string): Fingerprint {
  const hash = new Fingerprint();
  hash.start();
  hash.text(`segment ${source}`);
  hash.finish();
  return hash;
}

/** Returns a feature of a span as text. */
function nameOf(
  { feature, atom, list }: Part,
  sentence: Sentence,
  start: number,
  end: number,
): string {
  const { kind, source } = feature;
  if (list !== undefined) return source;
  if (kind === 'length') return `${source}:${end - start}`;
  const column = columnOf(sentence, feature.column);
  const textOf = (t: number) => {
    if (t < 0) return '_B-1';
    return t >= column.length ? '_B+1' : atom.textOf(column, t, new TextRecorder());
  };
  const one = { first: start, last: end - 1, before: start - 1, after: end }[kind];
  if (one !== undefined) return `${source}:${textOf(one)}`;
  return `${source}:${Array.from({ length: end - start }, (_, i) => textOf(start + i)).join(' ')}`;
}

function atomOf({ kind, column }: SegmentFeature): Atom {
  const apply = functions[kind] ?? 'value';
  const macro = { apply, offset: 0, absolute: false, column, fold: false, count: 0 };
  return new Atom({ ...macro, pattern: undefined }, column, { lexicon: undefined });
}
