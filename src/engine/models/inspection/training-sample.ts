import type { Sentence } from '../../core/sentence/sentence.js';
import { Fingerprint } from '../../features/fingerprints/fingerprint.js';

/** Number of sentences kept. */
const size = 8;

/**
 * Fingerprints of a corpus's first distinct sentences, which identify the same data in any file and format.
 *
 * @example
 * const sample = new TrainingSample();
 * sample.add({ tokens: ['so', 'it', 'goes'] });
 * sample.look({ tokens: ['so', 'it', 'goes'] });
 * sample.isFound // => true
 */
export class TrainingSample {
  readonly #marks: Set<string>;
  readonly #missing: Set<string>;

  /** @param marks the fingerprints of an earlier sample */
  constructor(marks: readonly string[] = []) {
    this.#marks = new Set(marks);
    this.#missing = new Set(marks);
  }

  /** Whether no more sentences are needed. */
  get isFull(): boolean {
    return this.#marks.size >= size;
  }

  get marks(): readonly string[] {
    return [...this.#marks];
  }

  add({ tokens }: Pick<Sentence, 'tokens'>): void {
    if (this.isFull) return;
    const mark = markOf(tokens);
    this.#marks.add(mark);
    this.#missing.add(mark);
  }

  /** Searches other data for the sample's sentences, one sentence at a time. */
  look({ tokens }: Pick<Sentence, 'tokens'>): void {
    if (this.#missing.size > 0) this.#missing.delete(markOf(tokens));
  }

  /** Whether the other data contained all sentences of the sample. */
  get isFound(): boolean {
    return this.#marks.size > 0 && this.#missing.size === 0;
  }
}

const hash = new Fingerprint();

function hashTokens(tokens: readonly string[]): void {
  hash.start();
  for (const token of tokens) {
    hash.text(token);
    hash.byte(0);
  }
  hash.finish();
}

/** Returns the fingerprint of a sentence's tokens, as model files store it. */
function markOf(tokens: readonly string[]): string {
  hashTokens(tokens);
  return [hash.hi, hash.lo].map(half => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Returns the first 53 bits of the same fingerprint, as a number. */
export function sentenceKey(tokens: readonly string[]): number {
  hashTokens(tokens);
  return hashNumber();
}

/** Returns a number made of the first and last token and the length, which few sentences share. */
function outlineOf(tokens: readonly string[]): number {
  const { length } = tokens;
  if (length === 0) return 0;
  hash.start();
  hash.text(tokens[0]!);
  hash.byte(0);
  hash.text(tokens[length - 1]!);
  hash.byte(length & 255);
  hash.finish();
  return hashNumber();
}

function hashNumber(): number {
  return (hash.hi >>> 0) * 2 ** 21 + (hash.lo >>> 11);
}

/**
 * Minimum number of tokens: shorter sentences, such as greetings, signatures and headings, are the
 * same in many texts.
 */
const tellingTokens = 5;
/**
 * Share of known sentences above which data is probably a copy. The highest share in corpora with an official
 * split is 15 %.
 */
const mostShared = 0.2;

/**
 * Counts the held-out sentences that also occur in the training data, regardless of file and format. Compares tokens,
 * not tags.
 *
 * @example
 * const shared = new SharedSentences([{ tokens: ['so', 'it', 'goes'] }, { tokens: ['no'] }]);
 * shared.look({ tokens: ['so', 'it', 'goes'] });
 * shared.count // => 1
 * shared.warning('the test data').startsWith('1 of 2 sentences of the test data are in the training data') // => true
 */
export class SharedSentences {
  readonly #sentences = new Map<number, { count: number; telling: boolean; found: boolean }>();
  /** Spares most sentences of the training data the key of all their tokens. */
  readonly #outlines = new Set<number>();
  #all = 0;
  #telling = 0;
  #count = 0;
  #tellingCount = 0;

  /** @param heldOut sentences used for evaluation */
  constructor(heldOut: Iterable<Pick<Sentence, 'tokens'>> = []) {
    for (const sentence of heldOut) this.add(sentence);
  }

  /** Adds a held-out sentence; call it before the first `look`. */
  add({ tokens }: Pick<Sentence, 'tokens'>): void {
    this.#outlines.add(outlineOf(tokens));
    const key = sentenceKey(tokens);
    const telling = tokens.length >= tellingTokens;
    const known = this.#sentences.get(key);
    if (known === undefined) this.#sentences.set(key, { count: 1, telling, found: false });
    else known.count += 1;
    this.#all += 1;
    this.#telling += +telling;
  }

  /** Checks whether a sentence of the training data is a held-out one. */
  look({ tokens }: Pick<Sentence, 'tokens'>): void {
    if (this.isDone || !this.#outlines.has(outlineOf(tokens))) return;
    this.lookFor(sentenceKey(tokens));
  }

  /** Does the same by the sentence's key. */
  lookFor(key: number): void {
    const known = this.#sentences.get(key);
    if (known === undefined || known.found) return;
    known.found = true;
    this.#count += known.count;
    if (known.telling) this.#tellingCount += known.count;
  }

  /** Number of held-out sentences that are in the training data. */
  get count(): number {
    return this.#count;
  }

  /** Whether all held-out sentences have been found. */
  get isDone(): boolean {
    return this.#count === this.#all;
  }

  /** Returns a one-sentence warning with the fix; undefined if few sentences are shared. */
  warning(what: string): string | undefined {
    if (this.#all === 0) return undefined;
    const fix =
      'so the scores say little about new text; hold out other records, for example with split: { every: 10, take: [9] } and except: [9] in the source';
    if (this.isDone) {
      const all = this.#all === 1 ? 'the one sentence' : `all ${this.#all} sentences`;
      return `${all} of ${what} ${this.#all === 1 ? 'is' : 'are'} in the training data, ${fix}`;
    }
    const [found, all] =
      this.#telling === 0 ? [this.#count, this.#all] : [this.#tellingCount, this.#telling];
    if (found <= mostShared * all) return undefined;
    return `${this.#count} of ${this.#all} sentences of ${what} are in the training data as well, ${fix}`;
  }
}
