import { TagstreamError } from '../../core/errors.js';
import type { TokenLinks } from '../../core/minibatch/encoded-sentence.js';
import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { Atom } from '../extraction/atom.js';
import { columnOf } from '../extraction/column-of.js';
import { Fingerprint, TextRecorder } from '../fingerprints/fingerprint.js';
import { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from '../index/feature-index.js';
import { RowList } from '../index/row-list.js';
import {
  distanceClass,
  type GraphSpec,
  type LinkFeature,
  parseLinkFeatures,
} from './link-feature.js';

/** The links of a sentence, each with the row of its type among those of edge features. */
export interface EncodedLinks {
  readonly links: TokenLinks;
  readonly rows: PackedRows;
}

/** The type of links between equal words. */
const sameWordType = 'same-word';

/**
 * Turns the links of a sentence into rows: those that its record names, and those between equal words, where they are
 * asked for. A type is an edge feature, and so is each feature of a link of a type, of what its two ends are. Cost O(tokens *
 * links per token * features).
 */
export class LinkEncoder {
  readonly #spec: GraphSpec;
  readonly #list: FingerprintList;
  readonly #rows: RowList;
  readonly #types = new Map<string, Fingerprint>();
  readonly #features: readonly { readonly feature: LinkFeature; readonly atom: Atom | undefined }[];
  readonly #hash = new Fingerprint();
  readonly #own = new Fingerprint();

  /** @throws TagstreamError `config` for features of links that there are not */
  constructor(spec: GraphSpec, memory: LinearMemory) {
    this.#spec = spec;
    this.#features = parseLinkFeatures(spec.features ?? []).map(feature => ({
      feature,
      atom: atomOf(feature),
    }));
    this.#list = new FingerprintList(memory);
    this.#rows = new RowList(memory);
  }

  /**
   * @param grow whether new types get rows
   * @throws TagstreamError `wrong-shape` for links that there cannot be, `unknown-column`
   */
  encode(sentence: Sentence, index: FeatureIndex, grow: boolean): EncodedLinks {
    const links = this.#fill(sentence);
    this.#rows.open(links.length, this.#list.places, false);
    // Row 0 of edge features is the plain transitions.
    if (grow) index.internAll(this.#list, 1, this.#rows);
    else index.findAll(this.#list, 1, this.#rows);
    return {
      links: {
        from: Uint32Array.from(links, ({ from }) => from),
        to: Uint32Array.from(links, ({ to }) => to),
      },
      rows: this.#rows.take(links.length, undefined),
    };
  }

  /** The features of the links of a sentence that have a row, in the order of `encode`: the row of each and its name. */
  eachName(
    sentence: Sentence,
    index: FeatureIndex,
    visit: (row: number, name: string) => void,
  ): void {
    const links = this.#fill(sentence);
    this.#rows.open(links.length, this.#list.places, true);
    index.findAll(this.#list, 1, this.#rows);
    const { starts, rows } = this.#rows.take(links.length, undefined);
    const places = this.#rows.takePlaces(links.length);
    for (const [k, link] of links.entries()) {
      for (let i = starts[k]!; i < starts[k + 1]!; i += 1) {
        const number = places[i]! % this.#list.templates;
        const seen = number === 0 ? '' : ` ${this.#textOf(number - 1, link, sentence)}`;
        visit(rows[i]!, linkName(link.type) + seen);
      }
    }
  }

  #textOf(number: number, { from, to }: Link, sentence: Sentence): string {
    const { feature, atom } = this.#features[number]!;
    if (atom === undefined) return `${feature.source}:${distanceClass(from, to)}`;
    const column = columnOf(sentence, feature.column);
    const [first, second] = [from, to].map(t => atom.textOf(column, t, new TextRecorder()));
    return `${feature.source}:${first}/${second}`;
  }

  /** Fingerprints of all links into the list: the type of each, and what its features find. */
  #fill(sentence: Sentence): Link[] {
    const links = this.linksOf(sentence);
    const count = 1 + this.#features.length;
    this.#list.open(links.length, count);
    const words = this.#list.words();
    for (const [k, { type }] of links.entries()) {
      const { lo, hi } = this.#fingerprintOf(type);
      words[2 * k * count] = lo;
      words[2 * k * count + 1] = hi;
    }
    const hash = this.#hash;
    const own = this.#own;
    for (const [number, { feature, atom }] of this.#features.entries()) {
      const column = atom === undefined ? undefined : columnOf(sentence, feature.column);
      for (const [k, { from, to, type }] of links.entries()) {
        hash.start();
        hash.text(`${linkName(type)} ${feature.source}`);
        if (atom === undefined || column === undefined) hash.text(distanceClass(from, to));
        else {
          for (const t of [from, to]) {
            atom.hash(String(column[t]), own);
            hash.word(own.lo);
            hash.word(own.hi);
          }
        }
        hash.finish();
        const place = 2 * (k * count + number + 1);
        words[place] = hash.lo;
        words[place + 1] = hash.hi;
      }
    }
    return links;
  }

  /** The links of a sentence in the order of `encode`. */
  linksOf(sentence: Sentence): Link[] {
    const { sameWord } = this.#spec;
    const links = readLinks(sentence);
    if (sameWord === undefined) return links;
    const { of, perToken } = sameWord;
    const words = columnOf(sentence, sameWord.column);
    const met = new Map<string, number[]>();
    for (let t = 0; t < sentence.tokens.length; t += 1) {
      const word = String(words[t]);
      if (of === 'capitalised' && !/^\p{Lu}/u.test(word)) continue;
      const before = met.get(word) ?? [];
      for (const from of before) links.push({ from, to: t, type: sameWordType });
      met.set(word, [...before, t].slice(-perToken));
    }
    return links;
  }

  #fingerprintOf(type: string): Fingerprint {
    let hash = this.#types.get(type);
    if (hash === undefined) {
      hash = new Fingerprint();
      hash.start();
      hash.text(linkName(type));
      hash.finish();
      // Types come from records, and may never end.
      if (this.#types.size < 1000) this.#types.set(type, hash);
    }
    return hash;
  }
}

/** What a link type is called among features. */
export function linkName(type: string): string {
  return `link:${type}`;
}

function atomOf({ apply, column }: LinkFeature): Atom | undefined {
  if (apply === undefined) return undefined;
  const macro = { apply, offset: 0, absolute: false, column, fold: false, count: 0 };
  return new Atom({ ...macro, pattern: undefined }, column, { lexicon: undefined });
}

/** Two tokens of a sentence that are linked, and how. */
export interface Link {
  readonly from: number;
  readonly to: number;
  readonly type: string;
}

const fix = 'each link is [token, token, "type"]: two different tokens of one sentence, from 0';

/**
 * The links that the record of a sentence names: `links: [[0, 7, "same-word"], [3, 4]]`, by tokens of the record; the
 * type is `link` where there is none. Those of its other sentences are left out.
 *
 * @throws TagstreamError `wrong-shape` for anything but a list of links, a missing token, a token that is linked with
 * itself, and a link between two sentences
 * @example
 * const document = { links: [[0, 1, 'cites']] };
 * readLinks({ tokens: ['a', 'b'], columns: {}, document, part: { index: 0, count: 1, start: 0 } })
 * // => [{ from: 0, to: 1, type: 'cites' }]
 */
export function readLinks({ tokens, document, part }: Sentence): Link[] {
  const { links } = document;
  if (links === undefined || links === null) return [];
  if (!Array.isArray(links)) throw wrong(`links is ${typeof links}`);
  const read: Link[] = [];
  const isInside = (token: number) => token >= part.start && token < part.start + tokens.length;
  const most = document.tokens?.length ?? Number.POSITIVE_INFINITY;
  for (const [k, link] of links.entries()) {
    const [from, to, type = 'link'] = Array.isArray(link) && link.length <= 3 ? link : [];
    for (const token of [from, to]) {
      if (!Number.isInteger(token) || token < 0 || token >= most) {
        throw wrong(`links[${k}] is ${JSON.stringify(link)}`);
      }
    }
    if (typeof type !== 'string' || type === '' || from === to) {
      throw wrong(`links[${k}] is ${JSON.stringify(link)}`);
    }
    if (!isInside(from) && !isInside(to) && part.count > 1) continue;
    if (!isInside(from) || !isInside(to)) {
      const outside = isInside(from) ? to : from;
      throw wrong(`links[${k}] points to token ${outside}, which is not in the same sentence`);
    }
    read.push({ from: from - part.start, to: to - part.start, type });
  }
  return read;
}

function wrong(problem: string): TagstreamError {
  return new TagstreamError('wrong-shape', problem, { fix });
}
