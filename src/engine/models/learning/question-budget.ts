import { TagstreamError } from '../../core/errors.js';
import { Random } from '../../core/random.js';
import type { QuestionCounts, SampledEstimates } from '../../core/run-status.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import { determinedTag, type PartialTag } from '../../core/sentence/partial-tag.js';
import {
  type State,
  type Stateful,
  stateArray,
  stateCount,
  stateNumber,
  wrongState,
} from '../../core/training/state.js';
import { type RecordCounts, SampledScores } from '../../metrics/scores/sampled-scores.js';
import { countSpans } from '../../metrics/scores/span-scores.js';
import { countEqualTags } from '../../metrics/scores/token-accuracy.js';
import { spansOf } from '../../text/tags/spans.js';

/** Units about which to ask: tokens, spans or records. */
export type AskedUnit =
  /** Single tokens. */
  | 'tokens'
  /** Whole spans that contain these tokens, if the tags mark spans. */
  | 'spans'
  /** Whole records. */
  | 'records';

/** Units by name. */
export const askedUnits: readonly AskedUnit[] = ['tokens', 'spans', 'records'];

/** The options of `QuestionBudget`. */
export interface QuestionOptions {
  /** Share of all tokens about which to ask, above 0 and at most 1. Default 0.05. */
  readonly share?: number | undefined;
  /** Unit about which to ask. Default `tokens`. */
  readonly of?: AskedUnit | undefined;
  /** Fraction of the share that goes to whole records drawn at random, from 0 to 1. Default 0.1. */
  readonly random?: number | undefined;
  /** Seed of the random draws. Default 1. */
  readonly seed?: number | undefined;
}

/** Learning rate of the threshold, per requested token. */
const rate = 0.02;

/** A randomly drawn record whose labels are incomplete. */
interface Drawn {
  readonly tokens: number;
  /** Counts of the completely labelled sentences. */
  counts: RecordCounts;
  /** Labels of partially labelled sentences, by number of their first token. */
  readonly open: Map<number, (string | null)[]>;
}

/**
 * Maximum number of tokens in drawn records that wait for labels; each record counts as 16 more.
 */
const mostWaiting = 2 ** 20;
const ofRecord = 16;

/** Half-life of the recent estimate, in answered records. */
const halfLife = 100;

/** A record's tokens about which to ask. */
export interface ChosenTokens {
  /** Token numbers, ascending. */
  readonly tokens: readonly number[];
  /** Whether the record was drawn at random, so that its labels give an unbiased estimate. */
  readonly drawn: boolean;
  /** Whether the question has to wait until the share covers it; see `QuestionBudget.hold`. */
  readonly waits: boolean;
}

/** A question that waits: its data, which checkpoints contain, and its number of tokens. */
interface Held {
  readonly question: unknown;
  readonly tokens: number;
}

/**
 * Chooses the most informative tokens of a stream within a share of all tokens.
 *
 * A token's uncertainty is d = 1 - p(its predicted tag). The token is requested if d is at least a threshold u that
 * adapts to the stream: after n tokens, a of them requested, log u += 0.02 (a - share n), so that u approaches the
 * quantile of d for the share (Robbins and Monro 1951). After each record, at most share * (tokens so far) tokens have
 * been requested.
 *
 * Part of the share goes to whole records drawn at random; when their labels arrive, they are compared with the predicted
 * tags (see `SampledScores`). A drawn record that the share does not cover yet is not dropped, because the sample would
 * then lack long records: its question waits (`hold`, `due`), and no other record is drawn meanwhile. So whether a record
 * is drawn depends on those before it, never on the record itself. At most 2^20 tokens of drawn records wait for labels,
 * so memory is bounded. Time O(tokens).
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
  #sampled = 0;
  #answered = 0;
  #held: Held | undefined;
  readonly #waiting = new Map<string, Drawn>();
  #waitingTokens = 0;
  readonly #all = new SampledScores();
  readonly #recent = new SampledScores(halfLife);

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

  /** Counts of the questions so far. */
  get counts(): QuestionCounts {
    return {
      ...{ tokens: this.#seen, asked: this.#asked, drawn: this.#drawn },
      ...{ sampled: this.#sampled, answered: this.#answered },
    };
  }

  /**
   * Returns the tag scores of all unlabelled records, estimated from the answered records among those drawn at random;
   * undefined before there are two.
   *
   * @param spans whether the tags mark spans, so that F1 is estimated too
   */
  estimates(spans = false): SampledEstimates | undefined {
    const all = this.#all.estimate(spans);
    const recent = this.#recent.estimate(spans);
    return all && recent && { all, recent };
  }

  /**
   * Chooses the tokens of a record about which to ask.
   *
   * @param tags the predicted tags
   * @param confidences their probabilities
   * @param id the record's id, which its labels will carry
   */
  choose(tags: readonly string[], confidences: ArrayLike<number>, id?: string): ChosenTokens {
    const { length } = tags;
    this.#seen += length;
    const isDrawn = this.#random.uniform() < this.#share * this.#drawnShare;
    const drawn = isDrawn && this.#held === undefined;
    const all = Array.from(tags, (_, t) => t);
    if (drawn) {
      if (id !== undefined) this.#await(id, length);
      const waits = length > this.#drawnRoom;
      if (!waits) this.#countDrawn(length);
      return { tokens: all, drawn, waits };
    }
    const threshold = Math.exp(this.#logThreshold);
    const doubts = all.map(t => 1 - confidences[t]!);
    const wanted = this.#wanted(tags, doubts, threshold);
    // Drawn records serve the estimate and have their own part of the share.
    const share = this.#share * (1 - this.#drawnShare);
    const room = roomOf(share * this.#seen, this.#asked - this.#drawn);
    const tokens = wanted.length <= room ? wanted : this.#within(room, wanted, doubts);
    this.#asked += tokens.length;
    const next = this.#logThreshold + rate * (wanted.length - share * length);
    this.#logThreshold = Math.min(Math.log(0.99), Math.max(Math.log(1e-6), next));
    return { tokens, drawn, waits: false };
  }

  /**
   * Keeps the question about a drawn record until the share covers it.
   *
   * @param question plain data, which checkpoints contain
   * @param tokens number of tokens that it asks about
   */
  hold(question: unknown, tokens: number): void {
    this.#held = { question, tokens };
  }

  /** Returns the question that waited, once, when the share covers it; to be called after each record. */
  due(): unknown {
    const held = this.#held;
    if (held === undefined || held.tokens > this.#drawnRoom) return undefined;
    this.#held = undefined;
    this.#countDrawn(held.tokens);
    return held.question;
  }

  /** Number of tokens of drawn records about which may be asked now. */
  get #drawnRoom(): number {
    return roomOf(this.#share * this.#drawnShare * this.#seen, this.#drawn);
  }

  #countDrawn(tokens: number): void {
    this.#asked += tokens;
    this.#drawn += tokens;
  }

  /**
   * Receives the labels of a sentence of a record; the estimate ignores records that were not drawn at
   * random.
   *
   * @param start number of the sentence's first token in the record
   * @param gold the sentence's known labels; earlier labels are kept
   * @param given the sentence's predicted tags
   */
  answer(id: string, start: number, gold: readonly PartialTag[], given: readonly string[]): void {
    const drawn = this.#waiting.get(id);
    if (drawn === undefined) return;
    const before = drawn.open.get(start);
    const known = gold.map((tag, t) => before?.[t] ?? determinedTag(tag));
    if (known.includes(null)) {
      if (known.some(tag => tag !== null)) drawn.open.set(start, known);
      return;
    }
    drawn.open.delete(start);
    const spans = { correct: 0, gold: 0, predicted: 0 };
    const tags = known as readonly string[];
    countSpans(tags, given, spans);
    const { counts } = drawn;
    drawn.counts = {
      tokens: counts.tokens + tags.length,
      equal: counts.equal + countEqualTags(tags, given),
      correct: counts.correct + spans.correct,
      gold: counts.gold + spans.gold,
      predicted: counts.predicted + spans.predicted,
    };
    if (drawn.counts.tokens < drawn.tokens) return;
    this.#remove(id, drawn);
    this.#answered += 1;
    this.#all.add(drawn.counts);
    this.#recent.add(drawn.counts);
  }

  #await(id: string, tokens: number): void {
    const before = this.#waiting.get(id);
    if (before !== undefined) this.#remove(id, before);
    this.#sampled += 1;
    const counts = { tokens: 0, equal: 0, correct: 0, gold: 0, predicted: 0 };
    this.#waiting.set(id, { tokens, counts, open: new Map() });
    this.#waitingTokens += tokens + ofRecord;
    for (const [oldest, drawn] of this.#waiting) {
      if (this.#waitingTokens <= mostWaiting) break;
      this.#remove(oldest, drawn);
    }
  }

  #remove(id: string, { tokens }: Drawn): void {
    this.#waiting.delete(id);
    this.#waitingTokens -= tokens + ofRecord;
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

  /** Returns the most uncertain of the wanted tokens; for a record, all or none. */
  #within(room: number, wanted: readonly number[], doubts: readonly number[]): number[] {
    if (room <= 0 || this.#unit === 'records') return [];
    const ordered = [...wanted].sort((a, b) => doubts[b]! - doubts[a]! || a - b);
    return ordered.slice(0, room).sort((a, b) => a - b);
  }

  save(): State {
    const waiting = [...this.#waiting].map(([id, { tokens, counts, open }]) => [
      ...[id, tokens, counts, [...open]],
    ]);
    const json = {
      ...{ seen: this.#seen, asked: this.#asked, drawn: this.#drawn },
      ...{ sampled: this.#sampled, answered: this.#answered, waiting },
      ...{ logThreshold: this.#logThreshold, random: this.#random.state },
      held: this.#held ?? null,
    };
    const all = this.#all.save().arrays.sums!;
    const recent = this.#recent.save().arrays.sums!;
    return { json, arrays: { all, recent } };
  }

  /** @throws TagstreamError `checkpoint` */
  restore(state: State): void {
    this.#seen = stateCount(state, 'seen');
    this.#asked = stateCount(state, 'asked');
    this.#drawn = stateCount(state, 'drawn');
    this.#sampled = stateCount(state, 'sampled');
    this.#answered = stateCount(state, 'answered');
    this.#logThreshold = stateNumber(state, 'logThreshold');
    const { random, waiting, held } = state.json;
    this.#held = (held ?? undefined) as Held | undefined;
    if (!Array.isArray(random) || random.length !== 4)
      throw wrongState('there are no random numbers');
    if (!Array.isArray(waiting)) throw wrongState('there are no drawn records');
    this.#random.state = random as number[];
    this.#waiting.clear();
    this.#waitingTokens = 0;
    for (const [id, tokens, counts, open] of waiting as [
      ...[string, number, RecordCounts, [number, (string | null)[]][]],
    ][]) {
      this.#waiting.set(id, { tokens, counts, open: new Map(open) });
      this.#waitingTokens += tokens + ofRecord;
    }
    for (const [name, scores] of [
      ['all', this.#all],
      ['recent', this.#recent],
    ] as const) {
      const sums = stateArray(state, name, [Float64Array]);
      scores.restore({ json: {}, arrays: { sums } });
    }
  }
}

/** Returns how many tokens may be requested besides those requested, of a share of the tokens so far. */
function roomOf(share: number, requested: number): number {
  return Math.floor(share) - requested;
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
