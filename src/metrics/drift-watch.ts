import { TagstreamError } from '../core/errors.js';
import { requireKnown } from '../core/schema/require-known.js';
import type { PartialTag } from '../core/sentence/partial-tag.js';
import type { State, Stateful } from '../core/training/state.js';
import { countSpans } from './scores/count-spans.js';
import { scoredPart } from './scores/scored-part.js';
import { countEqualTags } from './scores/token-accuracy.js';

/** A possible problem of a model that learns from a stream. */
export interface DriftWarning {
  readonly code: 'one-label' | 'score-drop';
  /** One sentence for whoever runs it. */
  readonly message: string;
}

/** When `DriftWatch` warns. */
export interface DriftOptions {
  /** Sentences over which the model must have predicted one label only; 500 if absent. */
  readonly sentences?: number;
  /** Points by which the recent score must be below the usual one; 5 if absent. */
  readonly drop?: number;
  /** Standard deviations by which the recent errors must exceed the usual ones; 6 if absent. */
  readonly deviations?: number;
  /** Half-life of the recent errors, in sentences; 30 if absent. */
  readonly recent?: number;
  /** Half-life of the errors that they are compared with; 1,000 if absent. */
  readonly usual?: number;
}

const defaults = { sentences: 500, drop: 5, deviations: 6, recent: 30, usual: 1000 };

/** How many of the last sentences have one and the same label at all tokens. */
interface Run {
  label: string | null;
  sentences: number;
}

/**
 * Warns when the model predicts one label only while the gold tags are several, and when it makes far more errors than
 * usual. Each episode is reported once: it ends when another label is predicted, or when the errors are back to half of
 * what was reported. A lower score that lasts becomes the usual one.
 *
 * A sentence of `n` units has `e` errors: tokens and wrong tags, or, where the tags mark spans, gold and predicted spans and
 * those of both that have no equal, so that `1 - e/n` is F1. Both sums decay with two half-lives. With the usual error rate
 * `p`, the residual of a sentence is `r = e - p n`, three standard deviations at most; the watch warns when the recent sum of
 * residuals exceeds `deviations` standard deviations of such a sum, estimated from the usual mean of `r^2`, and the score is
 * `drop` points down.
 *
 * Memory and the cost of a sentence are constant.
 *
 * @example
 * const watch = new DriftWatch({ sentences: 2 });
 * watch.see(['N', 'V'], ['N', 'N']);
 * watch.warnings(false) // => []
 * watch.see(['N', 'V'], ['N', 'N']);
 * watch.warnings(false).map(({ code }) => code) // => ['one-label']
 * watch.warnings(false) // => []
 */
export class DriftWatch implements Stateful {
  readonly #options: Required<DriftOptions>;
  readonly #gold: Run = { label: null, sentences: 0 };
  readonly #predicted: Run = { label: null, sentences: 0 };
  readonly #tags: ErrorRates;
  readonly #spans: ErrorRates;
  readonly #counts = { correct: 0, gold: 0, predicted: 0 };
  #oneLabel = false;
  #dropped = false;

  /** @throws TagstreamError `config` for thresholds that are out of range */
  constructor(options: DriftOptions = {}) {
    requireKnown('DriftWatch', options, Object.keys(defaults));
    this.#options = { ...defaults, ...options };
    const { sentences, drop, deviations, recent, usual } = this.#options;
    const whole = Number.isSafeInteger(sentences) && sentences >= 1;
    if (!(whole && drop > 0 && drop <= 100 && deviations > 0 && recent >= 1 && usual > recent)) {
      throw new TagstreamError(
        'config',
        `drift cannot be watched with ${JSON.stringify(this.#options)}`,
        {
          fix: 'give sentences as a whole number from 1, drop in points above 0 and up to 100, deviations above 0, and half-lives from 1, usual longer than recent',
        },
      );
    }
    this.#tags = new ErrorRates(recent, usual);
    this.#spans = new ErrorRates(recent, usual);
  }

  /**
   * Takes note of one labelled sentence; of a partially labelled one, of the tokens and spans that
   * `ProgressiveScores.add` counts.
   */
  see(gold: readonly PartialTag[], predicted: readonly string[]): void {
    const { tokens, spans: tags } = scoredPart(gold, predicted);
    const length = tokens.gold.length;
    if (length === 0 && gold.length > 0) return;
    follow(this.#gold, tokens.gold);
    follow(this.#predicted, tokens.predicted);
    this.#tags.add(length - countEqualTags(tokens.gold, tokens.predicted), length);
    const counts = this.#counts;
    counts.correct = 0;
    counts.gold = 0;
    counts.predicted = 0;
    countSpans(tags.gold, tags.predicted, counts);
    const spans = counts.gold + counts.predicted;
    this.#spans.add(spans - 2 * counts.correct, spans);
  }

  /**
   * The problems found since the last call.
   *
   * @param spans whether the tags mark spans (see `isSpanScheme`)
   */
  warnings(spans: boolean): DriftWarning[] {
    const { sentences, drop, deviations } = this.#options;
    const warnings: DriftWarning[] = [];
    const only = this.#predicted.sentences >= sentences;
    if (only && !this.#oneLabel && this.#gold.sentences < sentences) {
      this.#oneLabel = true;
      const message = `the model predicted nothing but "${this.#predicted.label}" in the last ${sentences} labelled sentences, whose tags are several`;
      warnings.push({ code: 'one-label', message });
    }
    if (!only) this.#oneLabel = false;
    const rates = spans ? this.#spans : this.#tags;
    const lost = 100 * (rates.recent - rates.usual);
    if (rates.isWarm && !this.#dropped && lost >= drop && rates.deviations() >= deviations) {
      this.#dropped = true;
      const [now, before] = [100 - 100 * rates.recent, 100 - 100 * rates.usual];
      const message = `${spans ? 'F1' : 'accuracy'} has fallen to ${now.toFixed(2)} in the last sentences, ${lost.toFixed(2)} below the usual ${before.toFixed(2)}: the stream may have changed`;
      warnings.push({ code: 'score-drop', message });
    }
    if (lost < drop / 2) this.#dropped = false;
    return warnings;
  }

  save(): State {
    const json = {
      gold: { ...this.#gold },
      predicted: { ...this.#predicted },
      oneLabel: this.#oneLabel,
      dropped: this.#dropped,
    };
    return { json, arrays: { tags: this.#tags.sums, spans: this.#spans.sums } };
  }

  /** @throws TagstreamError `checkpoint` if the state is incomplete */
  restore({ json, arrays }: State): void {
    for (const [own, saved] of [
      [this.#tags.sums, arrays.tags],
      [this.#spans.sums, arrays.spans],
    ] as const) {
      if (!(saved instanceof Float64Array && saved.length === own.length)) {
        throw new TagstreamError('checkpoint', 'the state of the drift watch is incomplete', {
          fix: 'resume from an older checkpoint',
        });
      }
      own.set(saved);
    }
    Object.assign(this.#gold, json.gold);
    Object.assign(this.#predicted, json.predicted);
    this.#oneLabel = json.oneLabel as boolean;
    this.#dropped = json.dropped as boolean;
  }
}

function follow(run: Run, tags: readonly string[]): void {
  const label = tags[0] ?? null;
  const isUniform = label !== null && tags.every(tag => tag === label);
  if (isUniform && label === run.label) {
    run.sentences += 1;
    return;
  }
  run.label = isUniform ? label : null;
  run.sentences = isUniform ? 1 : 0;
}

/** Sentences after which the usual errors are known, or the half-life of these if that is shorter. */
const warmUp = 200;

/** Standard deviations that the residual of one sentence counts at most. */
const mostDeviations = 3;

/** Errors and units, decayed with two half-lives. */
class ErrorRates {
  /**
   * Recent errors and units; usual errors, units and squared residuals; squared weights of the recent sentences, weights of
   * the usual ones; recent residuals.
   */
  readonly sums = new Float64Array(8);
  readonly #recent: number;
  readonly #usual: number;
  readonly #warm: number;

  constructor(recent: number, usual: number) {
    this.#warm = Math.min(warmUp, usual);
    this.#recent = 2 ** (-1 / recent);
    this.#usual = 2 ** (-1 / usual);
  }

  add(errors: number, units: number): void {
    const { sums } = this;
    const residual = errors - this.usual * units;
    const [recent, usual] = [this.#recent, this.#usual];
    sums[0] = sums[0]! * recent + errors;
    sums[1] = sums[1]! * recent + units;
    sums[2] = sums[2]! * usual + errors;
    sums[3] = sums[3]! * usual + units;
    sums[4] = sums[4]! * usual + residual * residual;
    // The variance of a sum with weights w is that of a term, times the sum of w^2.
    sums[5] = sums[5]! * recent * recent + 1;
    // One long sentence is no drift.
    const most = mostDeviations * Math.sqrt(sums[4] / Math.max(1, sums[6]!));
    sums[7] = sums[7]! * recent + Math.min(residual, most);
    sums[6] = sums[6]! * usual + 1;
  }

  get recent(): number {
    return this.sums[1] === 0 ? 0 : this.sums[0]! / this.sums[1]!;
  }

  get usual(): number {
    return this.sums[3] === 0 ? 0 : this.sums[2]! / this.sums[3]!;
  }

  /** Whether there are enough sentences for a comparison. */
  get isWarm(): boolean {
    return this.sums[6]! >= this.#warm;
  }

  /** Standard deviations by which the recent errors exceed those at the usual rate. */
  deviations(): number {
    const [, , , , squares, weights, sentences, residuals] = this.sums as unknown as number[];
    const variance = (squares! / sentences!) * weights!;
    return variance === 0 ? 0 : residuals! / Math.sqrt(variance);
  }
}
