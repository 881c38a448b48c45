import { TagstreamError } from '../../core/errors.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import type { PartialTag } from '../../core/sentence/partial-tag.js';
import type { State, Stateful } from '../../core/training/state.js';
import type { Scores } from '../../core/training/training-step.js';
import { DecayedScores } from './decayed-scores.js';
import { summarize } from './match-counts.js';
import { ScoreDetails } from './score-details.js';
import { scoredPart } from './scored-part.js';
import { countSpans } from './span-scores.js';
import { countEqualTags } from './token-accuracy.js';

/**
 * Number of counts per sentence or in total: tokens, correct tokens, and correct, gold and predicted
 * spans.
 */
const width = 5;

/**
 * Progressive scores of a stream in which each sentence is tagged before the model learns from it: over all sentences
 * since the start, over the last `window` sentences, and with weights that halve every `halfLife` sentences.
 *
 * Memory is 20 bytes per sentence in the window, plus that of `details`; cost per sentence does not depend on window or
 * half-life.
 *
 * @example
 * const progress = new ProgressiveScores({ spanScheme: false, window: 1 });
 * progress.add(['N', 'V'], ['N', 'N']);
 * progress.add(['N'], ['N']);
 * progress.scores().accuracy.toFixed(2) // => '66.67'
 * progress.inWindow() // => { sentences: 1, tokens: 1, accuracy: 100 }
 */
export class ProgressiveScores implements Stateful {
  readonly #spanScheme: boolean;
  readonly #window: number;
  #sentences = 0;
  /** Number of the first sentence that the ring has counted. */
  #first = 0;
  readonly #total = new Float64Array(width);
  readonly #recent = new Float64Array(width);
  /** Counts of the last sentences; sentence `n`, counted from 0, has row `n % window`. */
  readonly #ring: Uint32Array;
  readonly #counts = { tokens: 0, equal: 0, correct: 0, gold: 0, predicted: 0, loss: 0 };
  /** Scores with decaying weights. */
  readonly decayed: DecayedScores;
  /** Details of the decayed scores. */
  readonly details: ScoreDetails;

  /**
   * @param options.spanScheme whether the tags mark spans (see `isSpanScheme`)
   * @param options.window number of sentences in the window, 1 to 1,000,000; default 1000
   * @param options.halfLife half-life of `decayed`, in sentences; default 1000
   * @throws TagstreamError `config` if the window is out of range or the half-life is below 1
   */
  constructor(options: {
    readonly spanScheme: boolean;
    readonly window?: number | undefined;
    readonly halfLife?: number | undefined;
  }) {
    requireKnown('ProgressiveScores', options, ['spanScheme', 'window', 'halfLife']);
    const window = options.window ?? 1000;
    if (!Number.isInteger(window) || window < 1 || window > 1_000_000) {
      throw new TagstreamError('config', `the window of the progressive scores is ${window}`, {
        fix: 'give a whole number of sentences from 1 to 1000000',
      });
    }
    this.#spanScheme = options.spanScheme;
    this.#window = window;
    this.#ring = new Uint32Array(window * width);
    this.decayed = new DecayedScores(options.halfLife ?? 1000);
    this.details = new ScoreDetails(options.halfLife ?? 1000);
  }

  /**
   * Counts one sentence. In a partially labelled sentence, counts tokens whose gold tag is known, and gold and
   * predicted spans whose tokens and neighbouring tokens have known gold tags, because these do not depend on unknown
   * tags. A sentence without any known gold tag is not counted.
   *
   * @param gold gold tags; null or several tags if a token's tag is unknown
   * @param loss the sentence's loss, for the recent mean
   * @param words the sentence's tokens, for `details`
   * @throws TagstreamError `length-mismatch`, in which case nothing is counted
   */
  add(
    gold: readonly PartialTag[],
    predicted: readonly string[],
    loss = 0,
    words: readonly string[] = [],
  ): void {
    const { tokens, spans: tags } = scoredPart(gold, predicted);
    const length = tokens.gold.length;
    if (length === 0 && gold.length > 0) return;
    const equal = countEqualTags(tokens.gold, tokens.predicted);
    const spans = this.#counts;
    spans.tokens = length;
    spans.equal = equal;
    spans.loss = loss;
    spans.correct = 0;
    spans.gold = 0;
    spans.predicted = 0;
    if (this.#spanScheme) countSpans(tags.gold, tags.predicted, spans);
    const row = (this.#sentences % this.#window) * width;
    this.#count(row, length);
    this.#count(row + 1, equal);
    this.#count(row + 2, spans.correct);
    this.#count(row + 3, spans.gold);
    this.#count(row + 4, spans.predicted);
    this.#sentences += 1;
    this.decayed.add(spans);
    this.details.add(gold, predicted, words);
  }

  /** Number of sentences so far. */
  get sentences(): number {
    return this.#sentences;
  }

  /** Returns the scores over all sentences so far. */
  scores(): Scores {
    return this.#summary(this.#sentences, this.#total);
  }

  /** Returns the scores over the last sentences, at most `window` of them. */
  inWindow(): Scores {
    return this.#summary(Math.min(this.#sentences - this.#first, this.#window), this.#recent);
  }

  save(): State {
    const decayed = this.decayed.save();
    const details = this.details.save();
    const named = Object.entries(details.arrays).map(([name, array]) => [`details.${name}`, array]);
    return {
      json: {
        sentences: this.#sentences,
        first: this.#first,
        window: this.#window,
        spanScheme: this.#spanScheme,
        halfLife: decayed.json.halfLife,
        details: details.json,
      },
      arrays: {
        total: this.#total,
        ring: this.#ring,
        decayed: decayed.arrays.sums!,
        ...Object.fromEntries(named),
      },
    };
  }

  /**
   * Continues from scores that may have been saved with another half-life or window: a wider window fills up.
   *
   * @throws TagstreamError `checkpoint` if the state has a different kind of tags, or is damaged
   */
  restore(state: State): void {
    const { sentences, window, spanScheme, first = 0 } = state.json;
    const { total, ring, decayed } = state.arrays;
    if (spanScheme !== this.#spanScheme) {
      throw new TagstreamError(
        'checkpoint',
        `the progressive scores were saved with spans ${spanScheme}, but this run has spans ${this.#spanScheme}`,
        { fix: 'resume with the settings of the run that wrote the checkpoint' },
      );
    }
    if (
      !(typeof sentences === 'number' && Number.isSafeInteger(sentences) && sentences >= 0) ||
      !(total instanceof Float64Array && total.length === this.#total.length) ||
      !(ring instanceof Uint32Array && ring.length === Number(window) * width) ||
      !(typeof first === 'number' && first >= 0 && first <= sentences) ||
      decayed === undefined
    ) {
      throw new TagstreamError('checkpoint', 'the state of the progressive scores is incomplete', {
        fix: 'resume from an older checkpoint',
      });
    }
    const { halfLife } = state.json;
    this.decayed.restore({ json: { halfLife }, arrays: { sums: decayed } });
    this.details.restore(detailsOf(state));
    this.#sentences = sentences;
    this.#total.set(total);
    const known = Math.min(sentences - first, ring.length / width, this.#window);
    this.#first = known < this.#window ? sentences - known : first;
    this.#ring.fill(0);
    this.#recent.fill(0);
    for (let n = sentences - known; n < sentences; n += 1) {
      const from = (n % (ring.length / width)) * width;
      const to = (n % this.#window) * width;
      for (let i = 0; i < width; i += 1) {
        this.#ring[to + i] = ring[from + i]!;
        this.#recent[i] += ring[from + i]!;
      }
    }
  }

  /** Stores `count` in the ring at `at`, replacing that of the sentence leaving the window. */
  #count(at: number, count: number): void {
    const column = at % width;
    this.#total[column] += count;
    this.#recent[column] += count - this.#ring[at];
    this.#ring[at] = count;
  }

  #summary(sentences: number, counts: Float64Array): Scores {
    const [tokens, equal, correct, gold, predicted] = counts;
    return summarize(
      sentences,
      tokens,
      equal,
      this.#spanScheme ? { correct, gold, predicted } : undefined,
    );
  }
}

/** Returns the part of a state that belongs to the details. */
function detailsOf({ json, arrays }: State): State {
  const prefix = 'details.';
  const own = Object.entries(arrays).flatMap(([name, array]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), array] as const] : [],
  );
  return { json: (json.details ?? {}) as State['json'], arrays: Object.fromEntries(own) };
}
