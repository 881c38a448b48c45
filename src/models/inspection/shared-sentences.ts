import type { Sentence } from '../../core/sentence/sentence.js';
import { markOf } from './training-sample.js';

/** Sentences of fewer tokens are the same in many texts: greetings, signatures, headings. */
const tellingTokens = 5;
/** Share of the others from which on data is rather a copy. Of corpora with a split of their own the most is 15 %. */
const mostShared = 0.2;

/**
 * Counts the held-out sentences that are in the training data as well, whatever files and formats they are in. Tokens are
 * compared, tags are not.
 *
 * @example
 * const shared = new SharedSentences([{ tokens: ['so', 'it', 'goes'] }, { tokens: ['no'] }]);
 * shared.look({ tokens: ['so', 'it', 'goes'] });
 * shared.count // => 1
 * shared.warning('the test data').startsWith('1 of 2 sentences of the test data are in the training data') // => true
 */
export class SharedSentences {
  readonly #sentences = new Map<string, { count: number; telling: boolean; found: boolean }>();
  #all = 0;
  #telling = 0;
  #count = 0;
  #tellingCount = 0;

  /** @param heldOut sentences that the model is scored on */
  constructor(heldOut: Iterable<Pick<Sentence, 'tokens'>> = []) {
    for (const sentence of heldOut) this.add(sentence);
  }

  /** Takes one more held-out sentence in; to be called before any is looked for. */
  add({ tokens }: Pick<Sentence, 'tokens'>): void {
    const mark = markOf(tokens);
    const telling = tokens.length >= tellingTokens;
    const known = this.#sentences.get(mark);
    if (known === undefined) this.#sentences.set(mark, { count: 1, telling, found: false });
    else known.count += 1;
    this.#all += 1;
    this.#telling += +telling;
  }

  /** Looks whether a sentence of the training data is one of them. */
  look({ tokens }: Pick<Sentence, 'tokens'>): void {
    if (!this.isDone) this.lookFor(markOf(tokens));
  }

  /** The same by its mark. */
  lookFor(mark: string): void {
    const known = this.#sentences.get(mark);
    if (known === undefined || known.found) return;
    known.found = true;
    this.#count += known.count;
    if (known.telling) this.#tellingCount += known.count;
  }

  /** Held-out sentences that are in the training data. */
  get count(): number {
    return this.#count;
  }

  /** Whether all have been found. */
  get isDone(): boolean {
    return this.#count === this.#all;
  }

  /** What to know of them, in one sentence with the fix; undefined where they are few. */
  warning(what: string): string | undefined {
    if (this.#all === 0) return undefined;
    const fix =
      'so the scores say little about new text; hold other records out, as split: { every: 10, take: [9] } with except: [9] in the source does';
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
