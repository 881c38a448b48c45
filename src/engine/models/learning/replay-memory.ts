import { TagstreamError } from '../../core/errors.js';
import { Random } from '../../core/random.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import {
  type State,
  type Stateful,
  stateArray,
  stateCount,
  wrongState,
} from '../../core/training/state.js';

/** The choice of sentences to replay. */
export type ReplayFrom =
  /** All sentences so far, uniformly. */
  | 'reservoir'
  /** The last sentences, uniformly. */
  | 'recent'
  /** A reservoir, preferring large losses. */
  | 'in-doubt';

/** Choices by name. */
export const replayFrom: readonly ReplayFrom[] = ['reservoir', 'recent', 'in-doubt'];

/** The options of `ReplayMemory`. */
export interface ReplayMemoryOptions {
  /** Maximum number of sentences kept, 1 to 1,000,000. Default 5000. */
  readonly keep?: number | undefined;
  /** Choice of sentences. Default `reservoir`. */
  readonly from?: ReplayFrom | undefined;
  /** Seed of the random choices. Default 1. */
  readonly seed?: number | undefined;
}

/** Maximum length of a sentence kept, in UTF-16 units of JSON: some 700 tokens with one column. */
const longest = 2 ** 14;

/** Number of candidates drawn for `in-doubt`. */
const candidates = 4;

/**
 * Labelled sentences for replay, kept as JSON text: at most 32 KiB each, about 1 KiB for 25 tokens with one column.
 * Longer sentences are not kept.
 *
 * A reservoir is a uniform sample of all sentences so far (algorithm R: the n-th sentence replaces a random one with
 * probability `keep / n`). `in-doubt` draws four sentences from the reservoir and chooses the one with the largest
 * loss per token at its last replay; sentences not yet replayed come first. Adding and drawing cost O(tokens).
 *
 * @example
 * const memory = new ReplayMemory({ keep: 2, from: 'recent' });
 * const sentence = word => ({ tokens: [word], columns: {}, tags: ['X'], document: {}, part: { index: 0, count: 1, start: 0 } });
 * for (const word of ['a', 'b', 'c']) memory.add(sentence(word));
 * memory.size // => 2
 * ['b', 'c'].includes(memory.draw().sentence.tokens[0]) // => true
 */
export class ReplayMemory implements Stateful {
  readonly #keep: number;
  readonly #from: ReplayFrom;
  readonly #random: Random;
  #texts: string[] = [];
  /** Loss per token at the last replay. */
  #losses: number[] = [];
  /** Number of sentences that could have been kept. */
  #seen = 0;

  /** @throws TagstreamError `config` */
  constructor(options: ReplayMemoryOptions = {}) {
    requireKnown('ReplayMemory', options, ['keep', 'from', 'seed']);
    const { keep = 5000, from = 'reservoir', seed = 1 } = options;
    if (!Number.isInteger(keep) || keep < 1 || keep > 1e6) {
      throw new TagstreamError('config', `ReplayMemory.keep: cannot keep ${keep} sentences`, {
        fix: 'give a whole number from 1 to 1000000',
      });
    }
    if (!replayFrom.includes(from)) {
      throw new TagstreamError(
        'config',
        `ReplayMemory.from: unknown value ${JSON.stringify(from)}`,
        {
          fix: `give one of ${replayFrom.join(', ')}`,
        },
      );
    }
    this.#keep = keep;
    this.#from = from;
    this.#random = new Random(seed);
  }

  /** Number of sentences kept. */
  get size(): number {
    return this.#texts.length;
  }

  /** Adds a labelled sentence, subject to `from`. */
  add(sentence: Sentence): void {
    const text = textOf(sentence);
    if (text.length > longest) return;
    this.#seen += 1;
    if (this.size < this.#keep) {
      this.#texts.push(text);
      this.#losses.push(Number.POSITIVE_INFINITY);
      return;
    }
    const at =
      this.#from === 'recent' ? (this.#seen - 1) % this.#keep : this.#random.below(this.#seen);
    if (at >= this.#keep) return;
    this.#texts[at] = text;
    this.#losses[at] = Number.POSITIVE_INFINITY;
  }

  /** Returns a sentence to replay, with its index for `noteLoss`; the memory must not be empty. */
  draw(): { readonly sentence: Sentence; readonly place: number } {
    let place = this.#random.below(this.size);
    if (this.#from === 'in-doubt') {
      for (let i = 1; i < candidates; i += 1) {
        const other = this.#random.below(this.size);
        if (this.#losses[other]! > this.#losses[place]!) place = other;
      }
    }
    return { sentence: JSON.parse(this.#texts[place]!) as Sentence, place };
  }

  /** Records the loss per token of the sentence with an index. */
  noteLoss(place: number, loss: number): void {
    this.#losses[place] = loss;
  }

  save(): State {
    return {
      json: { keep: this.#keep, from: this.#from, seen: this.#seen, random: this.#random.state },
      arrays: {
        // JSON contains no line ends.
        texts: new TextEncoder().encode(this.#texts.join('\n')),
        losses: Float64Array.from(this.#losses),
      },
    };
  }

  /** @throws TagstreamError `checkpoint` if the state has another size or choice, or is damaged */
  restore(state: State): void {
    const { keep, from, random } = state.json;
    if (keep !== this.#keep || from !== this.#from) {
      throw wrongState(
        `${keep} sentences were kept from ${from}, and not ${this.#keep} from ${this.#from}`,
      );
    }
    const seen = stateCount(state, 'seen');
    const losses = stateArray(state, 'losses', [Float64Array]);
    const joined = new TextDecoder().decode(stateArray(state, 'texts', [Uint8Array]));
    const texts = joined === '' ? [] : joined.split('\n');
    if (texts.length !== losses.length || texts.length !== Math.min(seen, this.#keep)) {
      throw wrongState(
        `${texts.length} sentences with ${losses.length} losses are kept of ${seen}`,
      );
    }
    if (!Array.isArray(random) || random.length !== 4)
      throw wrongState('there are no random numbers');
    this.#random.state = random as number[];
    this.#seen = seen;
    this.#texts = texts;
    this.#losses = Array.from(losses);
  }
}

/** Returns the fields of a sentence that encoding uses, as JSON. */
function textOf({
  tokens,
  columns,
  tags,
  partialTags,
  weight,
  context,
  document,
  part,
}: Sentence): string {
  const { id, links } = document;
  return JSON.stringify({
    ...{ tokens, columns, tags, partialTags, weight, context, part },
    document: { id, links },
  });
}
