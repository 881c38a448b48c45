import { TagstreamError } from '../../core/errors.js';
import { requireKnown } from '../../core/schema/require-argument.js';

/**
 * Kinds of words: 0 is any word without a cluster, 1 a sentence boundary, followed by the words.
 */
const boundary = 1;

/** Words to be clustered, the most frequent first, and counts of neighbouring pairs. */
export interface ClusterWords {
  readonly words: readonly string[];
  readonly counts: Float64Array;
  /**
   * First elements of the neighbour pairs: 0 for rare words, 1 for sentence boundaries, `w + 2` for
   * word `w`.
   */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** Count of each pair. */
  readonly times: Float64Array;
  /** Number of all neighbour pairs, with repetition. */
  readonly total: number;
}

/** Text from which word clusters are learned. Stores 4 bytes per token, and each distinct word. */
export class ClusterCorpus {
  readonly #fold: boolean;
  readonly #numbers = new Map<string, number>();
  readonly #counts: number[] = [];
  /** Word numbers from 1; 0 ends a sentence. */
  #tokens = new Int32Array(65_536);
  #size = 0;

  /** @param options.fold whether words are counted in lower case */
  constructor(options: { readonly fold?: boolean | undefined } = {}) {
    requireKnown('ClusterCorpus', options, ['fold']);
    this.#fold = options.fold ?? false;
  }

  /** Number of words and sentence boundaries so far. */
  get size(): number {
    return this.#size;
  }

  /** Adds a sentence. */
  add(tokens: readonly string[]): void {
    const needed = this.#size + tokens.length + 1;
    if (needed > this.#tokens.length) {
      const grown = new Int32Array(2 * needed);
      grown.set(this.#tokens);
      this.#tokens = grown;
    }
    for (const written of tokens) {
      const word = this.#fold ? written.toLowerCase() : written;
      let number = this.#numbers.get(word);
      if (number === undefined) {
        number = this.#numbers.size + 1;
        // The word is copied, because a slice would keep the whole longer text in memory.
        this.#numbers.set(word.split('').join(''), number);
        this.#counts[number] = 0;
      }
      this.#counts[number]! += 1;
      this.#tokens[this.#size] = number;
      this.#size += 1;
    }
    this.#tokens[this.#size] = 0;
    this.#size += 1;
  }

  /**
   * Returns the words seen often enough, and their neighbours. Empty words, and words with a tab or
   * a line break, cannot be written to a cluster file and count as rare. Cost O(n log n) for n
   * tokens.
   *
   * @throws TagstreamError `config` if fewer than two words remain
   */
  settle(minCount: number): ClusterWords {
    const kept = [...this.#numbers]
      .filter(([word, number]) => this.#counts[number]! >= minCount && /^[^\t\n\r]+$/.test(word))
      .sort(([a, i], [b, j]) => this.#counts[j]! - this.#counts[i]! || (a < b ? -1 : 1));
    if (kept.length < 2) {
      throw new TagstreamError(
        'config',
        `too few words to cluster: ${kept.length} occur at least ${minCount} times`,
        { fix: 'give more text, or lower the minimum count' },
      );
    }
    const ranks = new Int32Array(this.#numbers.size + 1);
    ranks[0] = boundary;
    for (const [rank, [, number]] of kept.entries()) ranks[number] = rank + 2;
    return {
      words: kept.map(([word]) => word),
      counts: Float64Array.from(kept, ([, number]) => this.#counts[number]!),
      ...this.#pairs(ranks, kept.length + 2),
      total: this.#size,
    };
  }

  #pairs(ranks: Int32Array, kinds: number): Pick<ClusterWords, 'from' | 'to' | 'times'> {
    const keys = new Float64Array(this.#size);
    let before = boundary;
    for (let i = 0; i < this.#size; i += 1) {
      const next = ranks[this.#tokens[i]!]!;
      keys[i] = before * kinds + next;
      before = next;
    }
    keys.sort();
    let distinct = 0;
    const times = new Float64Array(keys.length);
    for (let i = 0; i < keys.length; i += 1) {
      if (i === 0 || keys[i] !== keys[distinct - 1]) {
        keys[distinct] = keys[i]!;
        distinct += 1;
      }
      times[distinct - 1]! += 1;
    }
    return {
      from: Uint32Array.from(keys.subarray(0, distinct), key => Math.floor(key / kinds)),
      to: Uint32Array.from(keys.subarray(0, distinct), key => key % kinds),
      times: times.slice(0, distinct),
    };
  }
}
