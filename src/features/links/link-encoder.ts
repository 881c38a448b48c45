import type { TokenLinks } from '../../core/minibatch/encoded-sentence.js';
import type { PackedRows } from '../../core/minibatch/pack-rows.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { columnOf } from '../extraction/column-of.js';
import { Fingerprint } from '../fingerprints/fingerprint.js';
import { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from '../index/feature-index.js';
import { RowList } from '../index/row-list.js';
import type { GraphSpec } from './link-spec.js';
import { type Link, readLinks } from './read-links.js';

/** The links of a sentence, each with the row of its type among those of edge features. */
export interface EncodedLinks {
  readonly links: TokenLinks;
  readonly rows: PackedRows;
}

/** The type of links between equal words. */
const sameWordType = 'same-word';

/**
 * Turns the links of a sentence into rows: those that its record names, and those between equal words, where they are
 * asked for. A type is an edge feature. Cost O(tokens * links per token).
 */
export class LinkEncoder {
  readonly #spec: GraphSpec;
  readonly #list: FingerprintList;
  readonly #rows: RowList;
  readonly #types = new Map<string, Fingerprint>();

  constructor(spec: GraphSpec, memory: LinearMemory) {
    this.#spec = spec;
    this.#list = new FingerprintList(memory);
    this.#rows = new RowList(memory);
  }

  /**
   * @param grow whether new types get rows
   * @throws TagstreamError `wrong-shape` for links that there cannot be, `unknown-column`
   */
  encode(sentence: Sentence, index: FeatureIndex, grow: boolean): EncodedLinks {
    const links = this.linksOf(sentence);
    this.#list.open(links.length, 1);
    const words = this.#list.words();
    for (const [k, { type }] of links.entries()) {
      const { lo, hi } = this.#fingerprintOf(type);
      words[2 * k] = lo;
      words[2 * k + 1] = hi;
    }
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
