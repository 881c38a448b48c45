import type { Sentence } from '../../core/sentence/sentence.js';
import { Fingerprint } from '../../features/fingerprints/fingerprint.js';

/** Sentences that are kept. */
const size = 8;

/**
 * The marks of the first different sentences of a corpus, by which other data is recognised as the same, whatever
 * file and format it is in.
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

  /** @param marks of a sample that was taken before */
  constructor(marks: readonly string[] = []) {
    this.#marks = new Set(marks);
    this.#missing = new Set(marks);
  }

  /** Whether it needs no further sentence. */
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

  /** Looks for its sentences in other data, one by one. */
  look({ tokens }: Pick<Sentence, 'tokens'>): void {
    if (this.#missing.size > 0) this.#missing.delete(markOf(tokens));
  }

  /** Whether all of them were in the other data. */
  get isFound(): boolean {
    return this.#marks.size > 0 && this.#missing.size === 0;
  }
}

/** What distinguishes the tokens of a sentence from all others. */
export function markOf(tokens: readonly string[]): string {
  const hash = new Fingerprint();
  hash.start();
  for (const token of tokens) {
    hash.text(token);
    hash.byte(0);
  }
  hash.finish();
  return [hash.hi, hash.lo].map(half => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
