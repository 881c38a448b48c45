import { TagstreamError } from '../../core/errors.js';
import { Random } from '../../core/random.js';
import { counted } from '../../core/wording/numbers.js';
import type { CodeDecoder, OutputCodes } from '../../kernels/store/label-columns.js';
import type { ConfusionCell } from '../../metrics/evaluation/confusion.js';

/** Labels as words of a code, with a binary chain for each bit; plain data, part of a model's specification. */
export type CodeSpec = (CodeChoice | ChosenCode | GivenCode) & { readonly decoder: CodeDecoder };

/**
 * The columns of labels that are words of a code: two per bit, chosen once all labels are known.
 *
 * @example
 * const columns = new CodeColumns({ kind: 'one-against-rest', decoder: 'product' });
 * columns.choose(['X', 'Y']);
 * columns.names // => ['bit1=0', 'bit1=1', 'bit2=0', 'bit2=1']
 */
export class CodeColumns {
  readonly #spec: CodeSpec;
  readonly #words: (readonly number[])[] = [];
  readonly #names: string[] = [];
  /** Words of the labels; filled in when they are chosen. */
  readonly codes: OutputCodes;

  constructor(spec: CodeSpec) {
    this.#spec = spec;
    this.codes = { words: this.#words, decoder: spec.decoder };
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /**
   * Chooses the word of each label.
   *
   * @throws TagstreamError `config` if there is no such code, or the given one has no word for a
   *   label
   */
  choose(names: readonly string[]): void {
    const spec = this.#spec;
    if (spec.kind === 'words') this.place(givenWords(spec.words, names));
    else if (spec.kind === 'chosen') this.place(chooseWords(names, spec));
    else this.place(codeWords(spec, names.length));
  }

  /** Assigns words of equal length to the labels, replacing the old ones. */
  place(words: readonly (readonly number[])[]): void {
    this.#words.splice(0, this.#words.length, ...words);
    this.#names.length = 0;
    for (let b = 1; b <= (words[0]?.length ?? 0); b += 1) {
      this.#names.push(`bit${b}=0`, `bit${b}=1`);
    }
  }
}

/** A code for any number of labels. */
export type CodeChoice =
  | { readonly kind: 'one-against-rest' }
  | { readonly kind: 'exhaustive' }
  | {
      readonly kind: 'random';
      readonly bits: number;
      /** Minimum number of bits in which any two words differ. */
      readonly distance: number;
      readonly seed: number;
    };

/**
 * A code found by search, whose words are far apart, especially those of labels that are often
 * confused.
 */
export interface ChosenCode {
  readonly kind: 'chosen';
  readonly bits: number;
  /** Label confusions of an earlier model, as reported by `evaluate`; all equal if absent. */
  readonly confusions?: readonly ConfusionCell[];
  readonly seed: number;
}

/** A given code: the digits 0 and 1 of each label's bits. */
export interface GivenCode {
  readonly kind: 'words';
  readonly words: Readonly<Record<string, string>>;
}

/** Maximum number of bits of a code. */
export const mostBits = 1024;

/** Maximum number of words drawn for a code in total, and before a restart. */
const mostDraws = 400_000;
const mostOfOne = 20_000;

/** Fix that describes the format of a word table. */
export const wordsFix =
  "give each label a word of its own, all of one length: { DET: '00', NOUN: '01', VERB: '11' }";

/**
 * Returns a distinct word for each of some labels:
 *
 * - `one-against-rest`: bit b is 1 for label b alone;
 * - `exhaustive`: every way to split the labels in two, 2^(L - 1) - 1 bits;
 * - `random`: words drawn one by one, redrawing those nearer than `distance` to an earlier one, until
 *   no bit is the same for all labels, and no two bits split the labels in the same way.
 *
 * If words differ in at least d bits, the nearest word is correct if at most (d - 1) / 2 bits, rounded down, are
 * wrong. Cost O(L^2 B), for `random` O(L B) per draw. Dietterich and Bakiri (1995); Gupta, Conditional Random
 * Fields, section 4.1.
 *
 * @throws TagstreamError `config` if there are fewer than two labels, or no such code is found
 * @example
 * codeWords({ kind: 'exhaustive' }, 3) // => [[1, 1, 1], [0, 0, 1], [0, 1, 0]]
 */
export function codeWords(code: CodeChoice, labels: number): number[][] {
  if (labels < 2) {
    throw notFound(`${counted(labels, 'label')} need no code`, 'leave codes out');
  }
  if (code.kind === 'random') return randomWords(code, labels);
  const bits = code.kind === 'exhaustive' ? mostCuts(labels) : labels;
  if (bits > mostBits) {
    const problem = `the code ${code.kind} of ${labels} labels has ${bits} bits`;
    throw notFound(problem, `use a random code of at most ${mostBits} bits`);
  }
  return Array.from({ length: labels }, (_, y) =>
    Array.from({ length: bits }, (__, b) => {
      if (code.kind === 'one-against-rest') return +(b === y);
      // The first label has only ones, because a split and its complement are equivalent. Bit b has the
      // digits of b.
      return y === 0 ? 1 : (b >> (labels - 1 - y)) & 1;
    }),
  );
}

/**
 * Describes the error in a table of words, naming the label or the bit; returns undefined if it is valid. Words
 * consist of digits 0 and 1, have equal length and are distinct, and no bit is the same in all of them. Cost O(L B).
 *
 * @example
 * wordsProblem({ X: '01', Y: '11' }) // => 'bit 2 is 1 in every word, so it tells no labels apart'
 */
export function wordsProblem(words: GivenCode['words']): string | undefined {
  const entries = Object.entries(words);
  if (entries.length < 2) return 'a code needs the words of two labels at least';
  const [[first, { length }]] = entries as [[string, string]];
  if (length > mostBits) return `the word of "${first}" has more than ${mostBits} bits`;
  const owners = new Map<string, string>();
  for (const [label, word] of entries) {
    if (!/^[01]+$/.test(word))
      return `the word "${word}" of "${label}" is not of the digits 0 and 1`;
    if (word.length !== length) {
      return `the word of "${label}" has ${counted(word.length, 'bit')}, that of "${first}" has ${length}`;
    }
    const owner = owners.get(word);
    if (owner !== undefined) return `"${owner}" and "${label}" have the same word, ${word}`;
    owners.set(word, label);
  }
  for (let b = 0; b < length; b += 1) {
    const bit = entries[0]![1][b]!;
    if (entries.every(([, word]) => word[b] === bit)) {
      return `bit ${b + 1} is ${bit} in every word, so it tells no labels apart`;
    }
  }
  return undefined;
}

/** Returns the words of labels from a valid table, which may contain other labels too. */
function givenWords(words: GivenCode['words'], names: readonly string[]): number[][] {
  const problem = wordsProblem(words);
  if (problem !== undefined) throw notFound(problem, wordsFix);
  return names.map(name => {
    if (Object.hasOwn(words, name)) return Array.from(words[name]!, Number);
    throw notFound(`the label "${name}" has no word in codes.words`, 'give each label a word');
  });
}

/**
 * Number of random codes from which the search starts, and maximum number of sweeps over each
 * code's bits.
 */
const starts = 10;
const mostSweeps = 100;

/** Cost of a useless or duplicate bit, and of two equal words. */
const useless = 1e6;

/**
 * Chooses words of `bits` bits for labels, the same for the same `seed`. Let d be the Hamming distance of two words,
 * h that of two bits as splits of the labels (a bit and its complement are one split), and w_yz the share of labels y
 * and z in all confusions, half of it spread evenly. A local search flips single bits until none lowers
 *
 *     sum_{y < z} w_yz 2^-d(y, z) + (2 / B^2) sum_{b < c} 2^-h(b, c)
 *
 * starting from several random codes; the best result is returned. The first sum bounds, up to a factor, the rate of
 * wrong nearest words if bits fail independently at 7 of 100 tokens: two words are confused with probability at most
 * (4 e (1 - e))^(d / 2). The second keeps bits apart, because similar splits fail together: separation of rows and of
 * columns, Dietterich and Bakiri (1995). Confusions of labels outside `labels` are ignored. Cost O(L B (L + B)) per
 * sweep.
 *
 * @throws TagstreamError `config` if there is no such code
 * @example
 * chooseWords(['X', 'Y', 'Z'], { bits: 3 }).length // => 3
 */
export function chooseWords(
  labels: readonly string[],
  {
    bits,
    confusions = [],
    seed = 1,
  }: Omit<Partial<ChosenCode>, 'bits'> & { readonly bits: number },
): number[][] {
  requireBits(bits, labels.length);
  if (2 ** bits < labels.length) throw noWords(bits, labels);
  const random = new Random(seed);
  const weights = pairWeights(labels, confusions);
  let best: WordSearch | undefined;
  for (let start = 0; start < starts; start += 1) {
    const search = new WordSearch(weights, bits, random);
    if (best === undefined || search.cost < best.cost) best = search;
  }
  const words = best!.words.map(word => Array.from(word));
  const different = words.every((word, y) =>
    words.slice(0, y).every(other => hammingDistance(word, other) > 0),
  );
  if (different && cutsDiffer(words, bits)) return words;
  throw noWords(bits, labels);
}

function noWords(bits: number, { length }: readonly string[]): TagstreamError {
  const problem = `no code of ${counted(bits, 'bit')} was found for ${counted(length, 'label')}`;
  return notFound(problem, 'give more bits or another seed');
}

/** Draws distinct random words. */
function differentWords(labels: number, bits: number, random: Random): Uint8Array[] {
  const words = new Map<string, Uint8Array>();
  while (words.size < labels) {
    const word = Uint8Array.from({ length: bits }, () => random.below(2));
    words.set(word.join(''), word);
  }
  return [...words.values()];
}

/** Returns the share of each label pair in all confusions, in both orders. */
function pairWeights(
  labels: readonly string[],
  confusions: readonly ConfusionCell[],
): Float64Array[] {
  const numbers = new Map(labels.map((label, y) => [label, y]));
  const weights = labels.map(() => new Float64Array(labels.length));
  let total = 0;
  for (const { gold, predicted, count } of confusions) {
    const y = numbers.get(gold);
    const z = numbers.get(predicted);
    if (y === undefined || z === undefined || y === z) continue;
    weights[y]![z]! += count;
    weights[z]![y]! += count;
    total += count;
  }
  const even = 2 / (labels.length * (labels.length - 1));
  for (const row of weights) {
    for (let z = 0; z < row.length; z += 1) {
      row[z] = total === 0 ? even : (row[z]! / total + even) / 2;
    }
  }
  return weights;
}

/**
 * Local search that starts from random words and ends when no single-bit change improves them; see
 * `chooseWords`.
 */
class WordSearch {
  readonly words: Uint8Array[];
  cost = 0;
  readonly #weights: readonly Float64Array[];
  readonly #bits: number;
  /** Distances of words, and numbers of labels that two bits split differently. */
  readonly #rows: Int32Array[];
  readonly #columns: Int32Array[];
  readonly #ones: Int32Array;

  constructor(weights: readonly Float64Array[], bits: number, random: Random) {
    const words = differentWords(weights.length, bits, random);
    const cuts = Array.from({ length: bits }, (_, b) => Uint8Array.from(words, word => word[b]!));
    this.words = words;
    this.#weights = weights;
    this.#bits = bits;
    this.#rows = distances(words);
    this.#columns = distances(cuts);
    this.#ones = Int32Array.from(cuts, cut => cut.reduce((sum, bit) => sum + bit, 0));
    for (let sweep = 0; sweep < mostSweeps && this.#sweep(); sweep += 1);
    for (let y = 0; y < words.length; y += 1) this.cost += this.#costOfWord(y) / 2;
    for (let b = 0; b < bits; b += 1) this.cost += this.#costOfBit(b) / 2;
  }

  /** Flips each bit that improves the words; returns false if none does. */
  #sweep(): boolean {
    let flipped = false;
    for (let y = 0; y < this.words.length; y += 1) {
      for (let b = 0; b < this.#bits; b += 1) {
        const before = this.#costOfWord(y) + this.#costOfBit(b);
        this.#flip(y, b);
        if (this.#costOfWord(y) + this.#costOfBit(b) < before * (1 - 1e-12)) flipped = true;
        else this.#flip(y, b);
      }
    }
    return flipped;
  }

  #costOfWord(y: number): number {
    const weights = this.#weights[y]!;
    const row = this.#rows[y]!;
    let cost = 0;
    for (let z = 0; z < row.length; z += 1) {
      if (z !== y) cost += row[z] === 0 ? useless : weights[z]! * 2 ** -row[z]!;
    }
    return cost;
  }

  #costOfBit(b: number): number {
    const labels = this.words.length;
    const row = this.#columns[b]!;
    const ones = this.#ones[b]!;
    let cost = ones === 0 || ones === labels ? useless : 0;
    for (let c = 0; c < row.length; c += 1) {
      const apart = Math.min(row[c]!, labels - row[c]!);
      if (c !== b) cost += apart === 0 ? useless : (2 / this.#bits ** 2) * 2 ** -apart;
    }
    return cost;
  }

  #flip(y: number, b: number): void {
    const word = this.words[y]!;
    const old = word[b]!;
    word[b] = 1 - old;
    this.#ones[b]! += 1 - 2 * old;
    for (let z = 0; z < this.words.length; z += 1) {
      if (z === y) continue;
      const change = this.words[z]![b] === old ? 1 : -1;
      this.#rows[y]![z]! += change;
      this.#rows[z]![y]! += change;
    }
    for (let c = 0; c < this.#bits; c += 1) {
      if (c === b) continue;
      const change = word[c] === old ? 1 : -1;
      this.#columns[b]![c]! += change;
      this.#columns[c]![b]! += change;
    }
  }
}

function distances(rows: readonly Uint8Array[]): Int32Array[] {
  return rows.map(row => Int32Array.from(rows, other => hammingDistance(row, other)));
}

/** Returns the number of ways to split labels into two non-empty parts. */
function mostCuts(labels: number): number {
  return 2 ** (labels - 1) - 1;
}

/** Rejects codes that have more bits than there are splits. */
function requireBits(bits: number, labels: number): void {
  if (labels < 2) throw notFound(`${counted(labels, 'label')} need no code`, 'leave codes out');
  if (bits <= mostCuts(labels)) return;
  const cuts = mostCuts(labels);
  throw notFound(
    `${bits} bits are more than there are ways to cut ${labels} labels in two, ${cuts}`,
    `give at most ${counted(cuts, 'bit')}`,
  );
}

function randomWords(
  { bits, distance, seed }: Extract<CodeChoice, { kind: 'random' }>,
  labels: number,
): number[][] {
  requireBits(bits, labels);
  const random = new Random(seed);
  let fix = 'give more bits, a smaller distance or another seed';
  let draws = 0;
  while (draws < mostDraws) {
    const words: number[][] = [];
    const end = Math.min(mostDraws, draws + mostOfOne);
    for (; draws < end && words.length < labels; draws += 1) {
      const word = Array.from({ length: bits }, () => random.below(2));
      if (words.every(other => hammingDistance(word, other) >= distance)) words.push(word);
    }
    if (words.length < labels) continue;
    if (cutsDiffer(words, bits)) return words;
    fix = 'give fewer bits, or use the code exhaustive';
  }
  const code = `${counted(bits, 'bit')} and distance ${distance}`;
  throw notFound(`no code with ${code} was found for ${labels} labels`, fix);
}

/** Returns the number of bits in which two words differ. */
export function hammingDistance(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let distance = 0;
  for (let b = 0; b < one.length; b += 1) distance += +(one[b] !== other[b]);
  return distance;
}

/** Whether every bit splits the labels in two, each in a different way. */
function cutsDiffer(words: readonly (readonly number[])[], bits: number): boolean {
  const cuts = new Set<string>();
  for (let b = 0; b < bits; b += 1) {
    const first = words[0]![b]!;
    const cut = words.map(word => +(word[b] !== first)).join('');
    if (!cut.includes('1')) return false;
    cuts.add(cut);
  }
  return cuts.size === bits;
}

function notFound(problem: string, fix: string): TagstreamError {
  return new TagstreamError('config', problem, { fix });
}
