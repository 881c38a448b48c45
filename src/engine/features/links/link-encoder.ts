import { TagstreamError } from '../../core/errors.js';
import type { TokenLinks } from '../../core/minibatch/encoded-sentence.js';
import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { counted, grouped, many } from '../../core/wording/numbers.js';
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

/** Links of a sentence, each with the row of its type among those of edge features. */
export interface EncodedLinks {
  readonly links: TokenLinks;
  readonly rows: PackedRows;
}

/** Type of links between equal words. */
const sameWordType = 'same-word';

/**
 * A label-by-label matrix that is scored: that of a link of two tokens, or that of a larger link
 * for one choice of labels of all but its last two tokens.
 */
interface Candidate {
  readonly link: Link;
  readonly name: string;
}

/** Maximum number of label-by-label matrices per link. */
const mostSquares = 4096;
/**
 * Maximum number of scores for all links of a record that has a link of three or more tokens: 256
 * MiB.
 */
const mostScores = 2 ** 25;

/**
 * Turns the links of a sentence into rows: those named by its record, and those between equal words
 * if requested. A link's type is an edge feature, and so is each feature of its tokens, combined
 * with its type. A link of k > 2 tokens has labels^(k - 2) candidates, one for each tuple of labels
 * of all but its last two tokens; their features include these labels. Cost O(tokens * links per
 * token * features), or O(candidates).
 */
export class LinkEncoder {
  readonly #spec: GraphSpec;
  readonly #list: FingerprintList;
  readonly #rows: RowList;
  readonly #types = new Map<string, Fingerprint>();
  readonly #features: readonly { readonly feature: LinkFeature; readonly atom: Atom | undefined }[];
  readonly #hash = new Fingerprint();
  readonly #own = new Fingerprint();
  readonly #labels: { readonly names: readonly string[] };

  /**
   * @param labels labels of the model, whose number may grow
   * @throws TagstreamError `config` for unknown link features
   */
  constructor(
    spec: GraphSpec,
    memory: LinearMemory,
    labels: { readonly names: readonly string[] },
  ) {
    this.#spec = spec;
    this.#labels = labels;
    this.#features = parseLinkFeatures(spec.features ?? []).map(feature => ({
      feature,
      atom: atomOf(feature),
    }));
    this.#list = new FingerprintList(memory);
    this.#rows = new RowList(memory);
  }

  /**
   * Encodes links of two tokens, then larger ones.
   *
   * @param grow whether new types of two-token links get rows; larger links get theirs from
   * `internCliques`
   * @throws TagstreamError `wrong-shape` for invalid links, `unknown-column`, `too-large` for links with more than 4096
   *   candidates
   */
  encode(sentence: Sentence, index: FeatureIndex, grow: boolean): EncodedLinks {
    const links = this.linksOf(sentence);
    requireFitting(links, this.#labels.names.length);
    const candidates = this.#fill(sentence, links, grow ? isPair : () => true);
    this.#rows.open(candidates, this.#list.places, false);
    // Row 0 of edge features represents the plain transitions.
    if (grow) index.internAll(this.#list, 1, this.#rows);
    else index.findAll(this.#list, 1, this.#rows);
    const pairs = links.filter(isPair);
    const nodes = links.slice(pairs.length).map(({ tokens }) => tokens);
    return {
      links: {
        from: Uint32Array.from(pairs, ({ tokens }) => tokens[0]!),
        to: Uint32Array.from(pairs, ({ tokens }) => tokens[1]!),
        ...(nodes.length === 0 ? {} : { cliques: { nodes, labels: this.#labels.names.length } }),
      },
      rows: this.#rows.take(candidates, undefined),
    };
  }

  /**
   * Rejects a sentence whose links of three or more tokens are too large for the number of labels.
   *
   * @throws TagstreamError `too-large` for a link of k tokens with labels^(k - 2) above 4096, and
   * for links with more than 2^25 scores in total, labels^k each
   */
  requireRoom(sentence: Sentence): void {
    requireFitting(this.linksOf(sentence), this.#labels.names.length);
  }

  /** Gives rows to the links of three or more tokens, once all labels are known. */
  internCliques(sentence: Sentence, index: FeatureIndex): void {
    const links = this.linksOf(sentence);
    const candidates = this.#fill(sentence, links, link => !isPair(link));
    this.#rows.open(candidates, this.#list.places, false);
    index.internAll(this.#list, 1, this.#rows);
  }

  /**
   * Visits the sentence's link features that have a row, in the order of `encode`, with the row and
   * the name.
   */
  eachName(
    sentence: Sentence,
    index: FeatureIndex,
    visit: (row: number, name: string) => void,
  ): void {
    const links = this.linksOf(sentence);
    const count = this.#fill(sentence, links, () => true);
    this.#rows.open(count, this.#list.places, true);
    index.findAll(this.#list, 1, this.#rows);
    const { starts, rows } = this.#rows.take(count, undefined);
    const places = this.#rows.takePlaces(count);
    for (const [k, { link, name }] of this.#candidatesOf(links).entries()) {
      for (let i = starts[k]!; i < starts[k + 1]!; i += 1) {
        const number = places[i]! % this.#list.templates;
        const seen = number === 0 ? '' : ` ${this.#textOf(number - 1, link, sentence)}`;
        visit(rows[i]!, name + seen);
      }
    }
  }

  #textOf(number: number, { tokens }: Link, sentence: Sentence): string {
    const { feature, atom } = this.#features[number]!;
    if (atom === undefined) return `${feature.source}:${spread(tokens)}`;
    const column = columnOf(sentence, feature.column);
    const texts = tokens.map(t => atom.textOf(column, t, new TextRecorder()));
    return `${feature.source}:${texts.join('/')}`;
  }

  /**
   * Returns the candidates of links: a link of two tokens is its own candidate; larger ones are
   * expanded by the labels of all but their last two tokens.
   */
  #candidatesOf(links: readonly Link[]): Candidate[] {
    const { names } = this.#labels;
    return links.flatMap(link => {
      const name = linkName(link.type);
      const further = link.tokens.length - 2;
      if (further === 0) return [{ link, name }];
      return Array.from({ length: names.length ** further }, (_, number) => {
        const labels = Array.from(
          { length: further },
          (__, i) => names[Math.floor(number / names.length ** (further - 1 - i)) % names.length]!,
        );
        return { link, name: `${name}[${labels.join(' ')}]` };
      });
    });
  }

  /**
   * Writes the fingerprints of link candidates to the list: each candidate's type, and the values
   * of its features. Skips links that are not selected. Returns the number of candidates.
   */
  #fill(sentence: Sentence, links: readonly Link[], takes: (link: Link) => boolean): number {
    const candidates = this.#candidatesOf(links);
    const count = 1 + this.#features.length;
    this.#list.open(candidates.length, count);
    const words = this.#list.words();
    words.fill(0);
    for (const [k, { link, name }] of candidates.entries()) {
      if (!takes(link)) continue;
      const { lo, hi } = this.#fingerprintOf(name);
      words[2 * k * count] = lo;
      words[2 * k * count + 1] = hi;
    }
    const hash = this.#hash;
    const own = this.#own;
    for (const [number, { feature, atom }] of this.#features.entries()) {
      const column = atom === undefined ? undefined : columnOf(sentence, feature.column);
      for (const [k, { link, name }] of candidates.entries()) {
        if (!takes(link)) continue;
        hash.start();
        hash.text(`${name} ${feature.source}`);
        if (atom === undefined || column === undefined) hash.text(spread(link.tokens));
        else {
          for (const t of link.tokens) {
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
    return candidates.length;
  }

  /**
   * Returns the links of a sentence in the order of `encode`.
   *
   * @throws TagstreamError `config` for links of three tokens in a model with associative
   * potentials
   */
  linksOf(sentence: Sentence): Link[] {
    const { sameWord, potentials } = this.#spec;
    const read = readLinks(sentence);
    const links = read.filter(isPair);
    const cliques = read.filter(link => !isPair(link));
    if (cliques.length > 0 && potentials === 'associative') throw notAssociative(cliques[0]!);
    if (sameWord === undefined) return [...links, ...cliques];
    const { of, perToken } = sameWord;
    const words = columnOf(sentence, sameWord.column);
    const met = new Map<string, number[]>();
    for (let t = 0; t < sentence.tokens.length; t += 1) {
      const word = String(words[t]);
      if (of === 'capitalised' && !/^\p{Lu}/u.test(word)) continue;
      const before = met.get(word) ?? [];
      for (const from of before) links.push({ tokens: [from, t], type: sameWordType });
      met.set(word, [...before, t].slice(-perToken));
    }
    return [...links, ...cliques];
  }

  #fingerprintOf(name: string): Fingerprint {
    let hash = this.#types.get(name);
    if (hash === undefined) {
      hash = new Fingerprint();
      hash.start();
      hash.text(name);
      hash.finish();
      // Types come from records, so their number is unbounded.
      if (this.#types.size < 1000) this.#types.set(name, hash);
    }
    return hash;
  }
}

/** Returns the feature name of a link type. */
export function linkName(type: string): string {
  return `link:${type}`;
}

function atomOf({ apply, column }: LinkFeature): Atom | undefined {
  if (apply === undefined) return undefined;
  const macro = { apply, offset: 0, absolute: false, column, fold: false, count: 0 };
  return new Atom({ ...macro, pattern: undefined }, column, { lexicon: undefined });
}

/** Two or more linked tokens of a sentence, and the type of the link. */
export interface Link {
  readonly tokens: readonly number[];
  readonly type: string;
}

function isPair({ tokens }: Link): boolean {
  return tokens.length === 2;
}

/** Returns the class of the distance between the outermost of some tokens. */
function spread(tokens: readonly number[]): string {
  return distanceClass(Math.min(...tokens), Math.max(...tokens));
}

/** Maximum number of tokens per link. */
const mostTokens = 8;

const fix = `each link is [token, token, "type"]: two different tokens of one sentence, from 0, or up to ${mostTokens}`;

/**
 * Reads the links named in a sentence's record: `links: [[0, 7, "same-word"], [3, 4], [0, 2, 5, "triple"]]`, by tokens of the
 * record; the type defaults to `link`. Links of the record's other sentences are skipped.
 *
 * @throws TagstreamError `wrong-shape` for a value other than a list of links, a missing token, a
 * token linked with itself, more than eight tokens, and a link between two sentences
 * @example
 * const document = { links: [[0, 1, 'cites']] };
 * readLinks({ tokens: ['a', 'b'], columns: {}, document, part: { index: 0, count: 1, start: 0 } })
 * // => [{ tokens: [0, 1], type: 'cites' }]
 */
export function readLinks({ tokens, document, part }: Sentence): Link[] {
  const { links } = document;
  if (links === undefined || links === null) return [];
  if (!Array.isArray(links)) throw wrong(`links is ${typeof links}`);
  const read: Link[] = [];
  const isInside = (token: number) => token >= part.start && token < part.start + tokens.length;
  const most = document.tokens?.length ?? Number.POSITIVE_INFINITY;
  for (const [k, link] of links.entries()) {
    const given: unknown[] = Array.isArray(link) ? link : [];
    const isNamed = given.length > 0 && typeof given.at(-1) !== 'number';
    const type = isNamed ? (given.at(-1) ?? 'link') : 'link';
    const linked = (isNamed ? given.slice(0, -1) : given) as number[];
    const areTokens = linked.every(t => Number.isInteger(t) && t >= 0 && t < most);
    const isSet = linked.length >= 2 && new Set(linked).size === linked.length;
    if (
      !areTokens ||
      !isSet ||
      linked.length > mostTokens ||
      typeof type !== 'string' ||
      type === ''
    ) {
      throw wrong(`links[${k}] is ${JSON.stringify(link)}`);
    }
    const outside = linked.filter(token => !isInside(token));
    if (outside.length === linked.length && part.count > 1) continue;
    if (outside.length > 0) {
      throw wrong(`links[${k}] points to token ${outside[0]}, which is not in the same sentence`);
    }
    read.push({ tokens: linked.map(token => token - part.start), type });
  }
  return read;
}

function wrong(problem: string): TagstreamError {
  return new TagstreamError('wrong-shape', problem, { fix });
}

/** Returns whether links with these numbers of tokens can be scored for a number of labels. */
function fits(sizes: readonly number[], labels: number): boolean {
  if (sizes.every(size => size <= 2)) return true;
  if (sizes.some(size => labels ** (size - 2) > mostSquares)) return false;
  return sizes.reduce((sum, size) => sum + labels ** size, 0) <= mostScores;
}

/**
 * Returns the maximum number of labels for which a sentence with these links can be scored (see
 * `LinkEncoder.requireRoom`); infinite if no link has more than two tokens.
 *
 * @example
 * mostLabels([2, 3]) // => 322
 * mostLabels([8]) // => 4
 * mostLabels([2, 2]) // => Infinity
 */
export function mostLabels(sizes: readonly number[]): number {
  if (fits(sizes, mostScores)) return Number.POSITIVE_INFINITY;
  let most = 1;
  while (fits(sizes, most + 1)) most += 1;
  return most;
}

function requireFitting(links: readonly Link[], labels: number): void {
  const sizes = links.map(({ tokens }) => tokens.length);
  if (fits(sizes, labels)) return;
  const wide = links.find(({ tokens }) => labels ** (tokens.length - 2) > mostSquares);
  if (wide !== undefined) throw tooMany(wide, labels);
  const scores = sizes.reduce((sum, size) => sum + labels ** size, 0);
  const problem = `the links have ${many(scores, 'score')} with ${counted(labels, 'label')}, more than ${grouped(mostScores)}`;
  throw new TagstreamError('too-large', problem, {
    fix: 'link fewer tokens, or divide the record',
  });
}

function tooMany({ tokens, type }: Link, labels: number): TagstreamError {
  const problem = `a link "${type}" of ${tokens.length} tokens has ${labels}^${tokens.length} weights with ${labels} labels`;
  return new TagstreamError('too-large', problem, {
    fix: `link fewer tokens, or several times two: at most ${mostSquares} squares of labels`,
  });
}

function notAssociative({ tokens, type }: Link): TagstreamError {
  const problem = `a link "${type}" has ${tokens.length} tokens, but associative potentials are of two`;
  return new TagstreamError('config', problem, { fix: 'use potentials: free, or link two tokens' });
}
