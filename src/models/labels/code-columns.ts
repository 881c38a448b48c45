import { TagstreamError } from '../../core/errors.js';
import { Random } from '../../core/random.js';
import { counted } from '../../core/wording/numbers.js';
import type { CodeDecoder, OutputCodes } from '../../kernels/store/label-columns.js';

/** Labels as words of a code, with a binary chain for each bit; plain data, part of a model's specification. */
export type CodeSpec = (CodeChoice | GivenCode) & { readonly decoder: CodeDecoder };

/**
 * The columns of labels that are words of a code: two for each bit, chosen once all labels are known.
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
  /** The words of the labels; filled in when they are chosen. */
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
   * @throws TagstreamError `config` where there is no such code, or a label has no word in the given one
   */
  choose(names: readonly string[]): void {
    const spec = this.#spec;
    this.place(
      spec.kind === 'words' ? givenWords(spec.words, names) : codeWords(spec, names.length),
    );
  }

  /** Gives the labels these words, of one length, in the place of what they had. */
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
      /** Bits in which any two words differ at least. */
      readonly distance: number;
      readonly seed: number;
    };

/** A code whose words are given: for each label the digits 0 and 1 of its bits. */
export interface GivenCode {
  readonly kind: 'words';
  readonly words: Readonly<Record<string, string>>;
}

/** Most bits of a code. */
export const mostBits = 1024;

/** Words that are drawn for a code in all, and before it is begun again. */
const mostDraws = 400_000;
const mostOfOne = 20_000;

/** What a table of words looks like. */
export const wordsFix =
  "give each label a word of its own, all of one length: { DET: '00', NOUN: '01', VERB: '11' }";

/**
 * Returns the word of each of some labels, all different:
 *
 * - `one-against-rest`: bit b is 1 for label b alone;
 * - `exhaustive`: every way to cut the labels in two, 2^(L - 1) - 1 bits;
 * - `random`: words drawn one by one, those that are nearer than `distance` to an earlier one drawn again, until
 *   no bit is the same for all labels, and no two bits cut the labels in the same way.
 *
 * With words that differ in d bits at least, the nearest is the right one while at most (d - 1) / 2 bits, rounded
 * down, are wrong. Cost O(L^2 B), of `random` for each draw O(L B). Dietterich and Bakiri (1995); Gupta, Conditional
 * Random Fields, section 4.1.
 *
 * @throws TagstreamError `config` where there are less than two labels, or no such code is found
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
      // The first label has 1 throughout: a cut and its complement are the same. Bit b has the digits of b.
      return y === 0 ? 1 : (b >> (labels - 1 - y)) & 1;
    }),
  );
}

/**
 * What is wrong with a table of words, as a problem that names the label or the bit; undefined where nothing is. Words
 * are digits 0 and 1, of one length, no two the same, and no bit is the same in all of them. Cost O(L B).
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

/** The words of labels in a table that has no problem; it may have words of further labels. */
function givenWords(words: GivenCode['words'], names: readonly string[]): number[][] {
  const problem = wordsProblem(words);
  if (problem !== undefined) throw notFound(problem, wordsFix);
  return names.map(name => {
    if (Object.hasOwn(words, name)) return Array.from(words[name]!, Number);
    throw notFound(`the label "${name}" has no word in codes.words`, 'give each label a word');
  });
}

/** Ways to cut labels in two, neither part empty. */
function mostCuts(labels: number): number {
  return 2 ** (labels - 1) - 1;
}

function randomWords(
  { bits, distance, seed }: Extract<CodeChoice, { kind: 'random' }>,
  labels: number,
): number[][] {
  if (bits > mostCuts(labels)) {
    const cuts = mostCuts(labels);
    throw notFound(
      `${bits} bits are more than there are ways to cut ${labels} labels in two, ${cuts}`,
      `give at most ${counted(cuts, 'bit')}`,
    );
  }
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

/** Bits in which two words differ. */
export function hammingDistance(one: readonly number[], other: readonly number[]): number {
  let distance = 0;
  for (let b = 0; b < one.length; b += 1) distance += +(one[b] !== other[b]);
  return distance;
}

/** Whether every bit cuts the labels in two, and each in a way of its own. */
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
