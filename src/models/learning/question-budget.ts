import { TagstreamError } from '../../core/errors.js';
import { Random } from '../../core/random.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import {
  type State,
  type Stateful,
  stateCount,
  stateNumber,
  wrongState,
} from '../../core/training/state.js';
import { spansOf } from '../../text/tags/spans.js';

/** What is asked for. */
export type AskedUnit =
  /** Single tokens. */
  | 'tokens'
  /** The whole spans that these tokens are in, where the tags mark spans. */
  | 'spans'
  /** Whole records. */
  | 'records';

/** The units by name. */
export const askedUnits: readonly AskedUnit[] = ['tokens', 'spans', 'records'];

/** The options of `QuestionBudget`. */
export interface QuestionOptions {
  /** Tokens that are asked for of all tokens, above 0 and at most 1. Default 0.05. */
  readonly share?: number | undefined;
  /** Default `tokens`. */
  readonly of?: AskedUnit | undefined;
  /** Part of the share that goes to whole records drawn at random, 0 to 1. Default 0.1. */
  readonly random?: number | undefined;
  /** Default 1. */
  readonly seed?: number | undefined;
}

/** How fast the threshold follows, by token that is asked for. */
const rate = 0.02;

/** Tokens above the share that may be asked for at once. */
const burst = 50;

/** What is asked for of a record. */
export interface ChosenTokens {
  /** Their numbers, in order. */
  readonly tokens: readonly number[];
  /** Whether the record was drawn at random, so that its labels give an honest estimate. */
  readonly drawn: boolean;
}

/**
 * Chooses the tokens of a stream whose labels teach most, and keeps to a share of all tokens.
 *
 * The doubt of a token is d = 1 - p(its predicted tag); it is asked for if d is at least a threshold u that follows the stream: after n
 * tokens of which a were asked for, log u += 0.02 (a - share n), so that u is near the quantile of d that
 * the share leaves (Robbins and Monro 1951). Never more than share * (tokens so far) + 50 are asked for. A part of the share
 * goes to whole records that are drawn at random. O(1) memory, O(tokens) time.
 *
 * @example
 * const budget = new QuestionBudget({ share: 0.5, random: 0 });
 * budget.choose(['A', 'B'], [0.99, 0.3]).tokens // => [1]
 */
export class QuestionBudget implements Stateful {
  readonly #share: number;
  readonly #unit: AskedUnit;
  readonly #drawnShare: number;
  readonly #random: Random;
  #logThreshold = Math.log(0.5);
  #seen = 0;
  #asked = 0;
  #drawn = 0;

  /** @throws TagstreamError `config` */
  constructor(options: QuestionOptions = {}) {
    requireKnown('QuestionBudget', options, ['share', 'of', 'random', 'seed']);
    const { share = 0.05, of = 'tokens', random = 0.1, seed = 1 } = options;
    if (!(share > 0 && share <= 1)) throw wrong('share', share, 'a number above 0 and at most 1');
    if (!(random >= 0 && random <= 1)) throw wrong('random', random, 'a number from 0 to 1');
    if (!askedUnits.includes(of)) throw wrong('of', of, askedUnits.join(', '));
    this.#share = share;
    this.#unit = of;
    this.#drawnShare = random;
    this.#random = new Random(seed);
  }

  /** Tokens so far, those that were asked for, and those of them in records that were drawn at random. */
  get counts(): { readonly tokens: number; readonly asked: number; readonly drawn: number } {
    return { tokens: this.#seen, asked: this.#asked, drawn: this.#drawn };
  }

  /**
   * What to ask for of a record.
   *
   * @param tags that were predicted
   * @param confidences their probabilities
   */
  choose(tags: readonly string[], confidences: ArrayLike<number>): ChosenTokens {
    const { length } = tags;
    this.#seen += length;
    const drawn = this.#random.uniform() < this.#share * this.#drawnShare;
    const all = Array.from(tags, (_, t) => t);
    if (drawn) {
      this.#asked += length;
      this.#drawn += length;
      return { tokens: all, drawn };
    }
    const threshold = Math.exp(this.#logThreshold);
    const doubts = all.map(t => 1 - confidences[t]!);
    const wanted = this.#wanted(tags, doubts, threshold);
    // What is drawn is for the estimate, and has its own part of the share.
    const share = this.#share * (1 - this.#drawnShare);
    const room = Math.floor(share * this.#seen + burst - (this.#asked - this.#drawn));
    const tokens = wanted.length <= room ? wanted : this.#within(room, wanted, doubts);
    this.#asked += tokens.length;
    const next = this.#logThreshold + rate * (wanted.length - share * length);
    this.#logThreshold = Math.min(Math.log(0.99), Math.max(Math.log(1e-6), next));
    return { tokens, drawn };
  }

  #wanted(tags: readonly string[], doubts: readonly number[], threshold: number): number[] {
    const all = Array.from(tags, (_, t) => t);
    if (this.#unit === 'records') {
      const mean = doubts.reduce((sum, doubt) => sum + doubt, 0) / Math.max(1, doubts.length);
      return mean >= threshold ? all : [];
    }
    const chosen = all.map(t => doubts[t]! >= threshold);
    if (this.#unit === 'spans') {
      for (const { start, end } of spansOf(tags)) {
        if (!chosen.slice(start, end).includes(true)) continue;
        for (let t = start; t < end; t += 1) chosen[t] = true;
      }
    }
    return all.filter(t => chosen[t]);
  }

  /** The most doubtful of the tokens that are wanted; of a record all or none. */
  #within(room: number, wanted: readonly number[], doubts: readonly number[]): number[] {
    if (room <= 0 || this.#unit === 'records') return [];
    const ordered = [...wanted].sort((a, b) => doubts[b]! - doubts[a]! || a - b);
    return ordered.slice(0, room).sort((a, b) => a - b);
  }

  save(): State {
    const json = {
      ...{ seen: this.#seen, asked: this.#asked, drawn: this.#drawn },
      ...{ logThreshold: this.#logThreshold, random: this.#random.state },
    };
    return { json, arrays: {} };
  }

  /** @throws TagstreamError `checkpoint` */
  restore(state: State): void {
    this.#seen = stateCount(state, 'seen');
    this.#asked = stateCount(state, 'asked');
    this.#drawn = stateCount(state, 'drawn');
    this.#logThreshold = stateNumber(state, 'logThreshold');
    const { random } = state.json;
    if (!Array.isArray(random) || random.length !== 4)
      throw wrongState('there are no random numbers');
    this.#random.state = random as number[];
  }
}

function wrong(name: string, value: unknown, expected: string): TagstreamError {
  return new TagstreamError(
    'config',
    `QuestionBudget.${name}: ${JSON.stringify(value)} is not allowed`,
    {
      fix: `give ${expected}`,
    },
  );
}
