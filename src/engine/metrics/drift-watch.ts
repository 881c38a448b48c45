import { TagstreamError } from '../core/errors.js';
import { requireKnown } from '../core/schema/require-argument.js';
import type { PartialTag } from '../core/sentence/partial-tag.js';
import type { State, Stateful } from '../core/training/state.js';
import { sameType } from '../text/tags/chunk-boundaries.js';
import { scoredPart } from './scores/scored-part.js';
import { countSpans } from './scores/span-scores.js';
import { countEqualTags } from './scores/token-accuracy.js';
import { WordMemory } from './word-memory.js';

/** A possible problem in a model that learns from a stream. */
export interface DriftWarning {
  readonly code: 'one-label' | 'score-drop' | 'new-labels' | 'new-words' | 'drift' | 'shadow';
  /** A one-sentence message for the operator. */
  readonly message: string;
}

/** Thresholds at which `DriftWatch` warns. */
export interface DriftOptions {
  /** Number of sentences for which the model must have predicted a single label; 500 if absent. */
  readonly sentences?: number;
  /** Minimum gap between the usual and the recent score, in percentage points; 5 if absent. */
  readonly drop?: number;
  /**
   * Minimum gap between the recent and the usual share of new words, in percentage points; 15 if
   * absent.
   */
  readonly newWords?: number;
  /** Minimum share of new labels among those of the latest sentences, in percent; 25 if absent. */
  readonly newLabels?: number;
  /**
   * Minimum excess of the recent errors over the usual ones, in standard deviations; 5 if absent.
   */
  readonly deviations?: number;
  /**
   * Half-life of the recent errors, in sentences; 30 if absent. One third and one sixth of it are used too.
   */
  readonly recent?: number;
  /** Half-life of the usual errors, in sentences; shorter at the beginning; 1,000 if absent. */
  readonly usual?: number;
}

const defaults = {
  ...{ sentences: 500, drop: 5, newWords: 15, newLabels: 25 },
  ...{ deviations: 5, recent: 30, usual: 1000 },
};

/** Number of latest sentences with one and the same label at all tokens. */
interface Run {
  label: string | null;
  sentences: number;
}

/** Reported episodes that have not ended yet. */
interface Episodes {
  oneLabel: boolean;
  dropped: boolean;
  newWords: boolean;
}

/**
 * Warns when a stream changes: when the model makes far more errors than usual, when new labels or words appear, and
 * when the model predicts a single label although there are several gold tags. Each episode is reported once: it ends
 * when another label is predicted, or when the reported excess has halved. A lasting lower score becomes the usual
 * one.
 *
 * A sentence has `n` units and `e` errors: tokens and wrong tags or, if the tags mark spans, all gold and predicted
 * spans and those without a match, so that `1 - e/n` is F1; and separately, the tokens inside a span in both and
 * those among them whose types differ. Usual sums decay with one half-life, or a third of the sentences so far if
 * that is shorter, because a learning model makes ever fewer errors; recent sums decay with three half-lives. With
 * the usual error rate `p`, a sentence's residual is `r = e - p n`, at most three standard deviations; the watch
 * warns when a recent sum of residuals exceeds `deviations` standard deviations of such a sum, estimated from the
 * usual mean of `r^2`, and the score is down by `drop` points. New words are counted in the same way. A label is new
 * for twice `recent` sentences.
 *
 * Memory (including 256 KiB for words) and cost per sentence are constant, except for label names.
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
  readonly #types: ErrorRates;
  readonly #words: ErrorRates;
  readonly #memory = new WordMemory();
  readonly #labels: LabelAges;
  readonly #counts = { correct: 0, gold: 0, predicted: 0 };
  #episodes: Episodes = { oneLabel: false, dropped: false, newWords: false };

  /** @throws TagstreamError `config` if a threshold is out of range */
  constructor(options: DriftOptions = {}) {
    requireKnown('DriftWatch', options, Object.keys(defaults));
    this.#options = { ...defaults, ...options };
    const { sentences, drop, newWords, newLabels, deviations, recent, usual } = this.#options;
    const whole = Number.isSafeInteger(sentences) && sentences >= 1;
    const arePoints = [drop, newWords, newLabels].every(points => points > 0 && points <= 100);
    if (!(whole && arePoints && deviations > 0 && recent >= 1 && usual > recent)) {
      throw new TagstreamError('config', `invalid drift options ${JSON.stringify(this.#options)}`, {
        fix: 'give sentences as a whole number of at least 1, drop, newWords and newLabels as points above 0 and up to 100, deviations above 0, and half-lives of at least 1, usual longer than recent',
      });
    }
    const rates = () => new ErrorRates(recent, usual);
    [this.#tags, this.#spans, this.#types, this.#words] = [rates(), rates(), rates(), rates()];
    this.#labels = new LabelAges(recent);
  }

  /**
   * Records a labelled sentence, or those tokens and spans of a partially labelled one that
   * `ProgressiveScores.add` counts.
   *
   * @param words the sentence's tokens; if absent, new words are not watched
   */
  see(
    gold: readonly PartialTag[],
    predicted: readonly string[],
    words: readonly string[] = [],
  ): void {
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
    this.#seeTypes(tags.gold, tags.predicted);
    this.#labels.add(tokens.gold);
    if (words.length > 0) this.#words.add(this.#memory.addNew(words), words.length);
  }

  #seeTypes(gold: readonly string[], predicted: readonly string[]): void {
    let [both, differ] = [0, 0];
    for (let t = 0; t < gold.length; t += 1) {
      if (gold[t] === outside || predicted[t] === outside) continue;
      both += 1;
      if (!sameType(gold[t], predicted[t])) differ += 1;
    }
    this.#types.add(differ, both);
  }

  /**
   * Returns the problems found since the last call.
   *
   * @param spans whether the tags mark spans (see `isSpanScheme`)
   */
  warnings(spans: boolean): DriftWarning[] {
    const { sentences, drop, newWords, newLabels } = this.#options;
    const warnings: DriftWarning[] = [];
    const warn = (episode: keyof Episodes, code: DriftWarning['code'], message: string) => {
      this.#episodes[episode] = true;
      warnings.push({ code, message });
    };
    const only = this.#predicted.sentences >= sentences;
    const { oneLabel, dropped } = this.#episodes;
    if (only && !oneLabel && this.#gold.sentences < sentences) {
      const message = `the model predicted only "${this.#predicted.label}" in the last ${sentences} labelled sentences, which have several tags`;
      warn('oneLabel', 'one-label', message);
    }
    if (!only) this.#episodes.oneLabel = false;
    const watched: readonly (readonly [string, ErrorRates])[] = spans
      ? [
          ['F1', this.#spans],
          ['span type accuracy', this.#types],
        ]
      : [['accuracy', this.#tags]];
    const [found] = watched.flatMap(([score, rates]) => {
      const excess = rates.excess(drop, this.#options.deviations);
      return excess === undefined ? [] : [{ score, ...excess }];
    });
    if (!dropped && found !== undefined) {
      const { score, recent, usual } = found;
      const [now, before] = [100 - 100 * recent, 100 - 100 * usual];
      const message = `${score} fell to ${now.toFixed(2)} in the last sentences, ${(before - now).toFixed(2)} below the usual ${before.toFixed(2)}: the stream may have changed`;
      warn('dropped', 'score-drop', message);
    }
    if (watched.every(([, rates]) => rates.most < drop / 2)) this.#episodes.dropped = false;
    warnings.push(...this.#labelWarnings(newLabels));
    this.#warnOfWords(newWords, warn);
    return warnings;
  }

  #labelWarnings(newLabels: number): DriftWarning[] {
    const { share, isWarm, young } = this.#labels;
    if (!isWarm || 100 * share < newLabels) return [];
    const names = young.slice(0, shownLabels).join(', ');
    const more = young.length > shownLabels ? ', ...' : '';
    const percentage = (100 * share).toFixed(0);
    this.#labels.know();
    const message = `${percentage} % of the labels in the last sentences are new: ${names}${more}`;
    return [{ code: 'new-labels', message }];
  }

  #warnOfWords(newWords: number, warn: Warn): void {
    const excess = this.#words.excess(newWords, this.#options.deviations);
    if (!this.#episodes.newWords && excess !== undefined) {
      const [now, before] = [100 * excess.recent, 100 * excess.usual];
      warn(
        'newWords',
        'new-words',
        `${now.toFixed(0)} % of the words in the last sentences are new, usually ${before.toFixed(0)} %: the stream may have changed`,
      );
    }
    if (this.#words.most < newWords / 2) this.#episodes.newWords = false;
  }

  save(): State {
    const json = {
      ...{ gold: { ...this.#gold }, predicted: { ...this.#predicted } },
      ...{ episodes: { ...this.#episodes }, labels: this.#labels.save() },
      remembered: this.#memory.count,
    };
    return { json, arrays: this.#arrays() };
  }

  #arrays() {
    return {
      ...{ tags: this.#tags.sums, spans: this.#spans.sums },
      ...{ types: this.#types.sums, words: this.#words.sums, memory: this.#memory.hashes },
    };
  }

  /** @throws TagstreamError `checkpoint` if the state is incomplete */
  restore({ json, arrays }: State): void {
    for (const [name, own] of Object.entries(this.#arrays())) {
      const saved = arrays[name] as typeof own | undefined;
      if (saved?.constructor !== own.constructor || saved.length !== own.length) {
        throw new TagstreamError('checkpoint', 'the state of the drift watch is incomplete', {
          fix: 'resume from an older checkpoint',
        });
      }
      own.set(saved);
    }
    Object.assign(this.#gold, json.gold);
    Object.assign(this.#predicted, json.predicted);
    Object.assign(this.#episodes, json.episodes);
    this.#labels.restore(json.labels as LabelState);
    this.#memory.count = json.remembered as number;
  }
}

type Warn = (episode: keyof Episodes, code: DriftWarning['code'], message: string) => void;

const outside = 'O';

/** Maximum number of labels named in a message. */
const shownLabels = 3;

/** Minimum number of recent labels required for a share of new ones. */
const leastLabels = 10;

/** The state of `LabelAges`; plain data. */
interface LabelState {
  readonly first: readonly (readonly [label: string, sentence: number])[];
  readonly sentences: number;
  readonly all: number;
  readonly young: number;
}

/** Tracks which labels are new, and their share among the latest labels. */
class LabelAges {
  /** Number of the sentence in which each label first occurred. */
  #first = new Map<string, number>();
  #sentences = 0;
  /** Decayed counts of all labels, and of new ones. */
  #all = 0;
  #young = 0;
  readonly #decay: number;
  /** Number of sentences for which a label is new. */
  readonly #youth: number;

  constructor(recent: number) {
    this.#decay = 2 ** (-3 / recent);
    this.#youth = 2 * recent;
  }

  add(tags: readonly string[]): void {
    this.#sentences += 1;
    this.#all *= this.#decay;
    this.#young *= this.#decay;
    for (const tag of tags) {
      if (tag === outside) continue;
      const first = this.#first.get(tag) ?? this.#sentences;
      if (first === this.#sentences) this.#first.set(tag, first);
      this.#all += 1;
      if (this.#sentences - first < this.#youth) this.#young += 1;
    }
  }

  /** Share of new labels among the latest ones; 0 if these are few. */
  get share(): number {
    return this.#young < leastLabels ? 0 : this.#young / this.#all;
  }

  get isWarm(): boolean {
    return this.#sentences >= Math.max(warmUp, 2 * this.#youth);
  }

  /** Labels that are new. */
  get young(): string[] {
    const from = this.#sentences - this.#youth;
    return [...this.#first].filter(([, first]) => first > from).map(([label]) => label);
  }

  /** Marks all labels as known. */
  know(): void {
    for (const label of this.#first.keys()) this.#first.set(label, -this.#youth);
    this.#young = 0;
  }

  save(): LabelState {
    const [sentences, all, young] = [this.#sentences, this.#all, this.#young];
    return { first: [...this.#first], sentences, all, young };
  }

  restore({ first, sentences, all, young }: LabelState): void {
    this.#first = new Map(first);
    [this.#sentences, this.#all, this.#young] = [sentences, all, young];
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

/** Number of sentences after which the usual errors are known, unless their half-life is shorter. */
const warmUp = 200;

/** Maximum number of standard deviations that one sentence's residual counts for. */
const mostDeviations = 3;

/** Divisors of the longest half-life that give the half-lives of recent errors. */
const parts = [6, 3, 1];

/**
 * Divisor of the number of sentences so far that limits the half-life of usual errors, which is at least the
 * recent one.
 */
const usualPart = 3;

/**
 * Number of usual sums (errors, units, squared residuals, weights, sentences), stored before the recent ones.
 */
const usualSums = 5;
/** Number of recent sums: errors, units, residuals, and squared sentence weights. */
const recentSums = 4;

/** Errors and units, decayed with several half-lives. */
class ErrorRates {
  readonly sums = new Float64Array(usualSums + recentSums * parts.length);
  readonly #recent: readonly number[];
  readonly #usual: number;
  readonly #least: number;

  constructor(recent: number, usual: number) {
    this.#least = recent;
    this.#recent = parts.map(part => 2 ** (-1 / Math.max(1, recent / part)));
    this.#usual = usual;
  }

  add(errors: number, units: number): void {
    const { sums } = this;
    const residual = errors - this.#usualRate * units;
    sums[4]! += 1;
    const growing = Math.max(this.#least, sums[4]! / usualPart);
    const decay = 2 ** (-1 / Math.min(this.#usual, growing));
    sums[0] = sums[0]! * decay + errors;
    sums[1] = sums[1]! * decay + units;
    sums[2] = sums[2]! * decay + residual * residual;
    // The limit keeps a single long sentence from counting as drift.
    const most = mostDeviations * Math.sqrt(sums[2] / Math.max(1, sums[3]!));
    sums[3] = sums[3]! * decay + 1;
    for (const [i, recent] of this.#recent.entries()) {
      const at = usualSums + i * recentSums;
      sums[at] = sums[at]! * recent + errors;
      sums[at + 1] = sums[at + 1]! * recent + units;
      sums[at + 2] = sums[at + 2]! * recent + Math.min(residual, most);
      // The variance of a sum with weights w is a term's variance times the sum of w^2.
      sums[at + 3] = sums[at + 3]! * recent * recent + 1;
    }
  }

  get #usualRate(): number {
    return rateOf(this.sums[0]!, this.sums[1]!);
  }

  #recentRate(i: number): number {
    const at = usualSums + i * recentSums;
    return rateOf(this.sums[at]!, this.sums[at + 1]!);
  }

  /**
   * Maximum excess of the recent error rate over the usual one among the half-lives, in percentage points.
   */
  get most(): number {
    const rates = this.#recent.map((_, i) => this.#recentRate(i));
    return 100 * (Math.max(...rates) - this.#usualRate);
  }

  /**
   * Returns the recent and the usual error rate if, for one of the half-lives, the recent rate is `points` points
   * higher and the residuals are `deviations` standard deviations above 0; undefined otherwise or after too few
   * sentences.
   */
  excess(points: number, deviations: number): { recent: number; usual: number } | undefined {
    const { sums } = this;
    if (sums[4]! < Math.min(warmUp, this.#usual)) return undefined;
    const usual = this.#usualRate;
    for (let i = 0; i < parts.length; i += 1) {
      const recent = this.#recentRate(i);
      if (100 * (recent - usual) < points) continue;
      const at = usualSums + i * recentSums;
      const variance = (sums[2]! / sums[3]!) * sums[at + 3]!;
      if (variance > 0 && sums[at + 2]! >= deviations * Math.sqrt(variance))
        return { recent, usual };
    }
    return undefined;
  }
}

function rateOf(errors: number, units: number): number {
  return units === 0 ? 0 : errors / units;
}
