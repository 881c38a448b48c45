import { TagstreamError } from '../core/errors.js';
import { requireKnown } from '../core/schema/require-argument.js';
import type { PartialTag } from '../core/sentence/partial-tag.js';
import type { State, Stateful } from '../core/training/state.js';
import { sameType } from '../text/tags/chunk-boundaries.js';
import { scoredPart } from './scores/scored-part.js';
import { countSpans } from './scores/span-scores.js';
import { countEqualTags } from './scores/token-accuracy.js';
import { WordMemory } from './word-memory.js';

/** A possible problem of a model that learns from a stream. */
export interface DriftWarning {
  readonly code: 'one-label' | 'score-drop' | 'new-labels' | 'new-words' | 'drift' | 'shadow';
  /** One sentence for the operator. */
  readonly message: string;
}

/** When `DriftWatch` warns. */
export interface DriftOptions {
  /** Sentences over which the model must have predicted one label only; 500 if absent. */
  readonly sentences?: number;
  /** Points by which the recent score must be below the usual one; 5 if absent. */
  readonly drop?: number;
  /** Points by which the share of words that are new must be above the usual one; 15 if absent. */
  readonly newWords?: number;
  /** Percentage of the labels of the last sentences that must be new ones; 25 if absent. */
  readonly newLabels?: number;
  /** Standard deviations by which the recent errors must exceed the usual ones; 5 if absent. */
  readonly deviations?: number;
  /** Half-life of the recent errors, in sentences; 30 if absent. A third and a sixth of it are used too. */
  readonly recent?: number;
  /** Half-life of the errors that they are compared with; shorter at the beginning; 1,000 if absent. */
  readonly usual?: number;
}

const defaults = {
  ...{ sentences: 500, drop: 5, newWords: 15, newLabels: 25 },
  ...{ deviations: 5, recent: 30, usual: 1000 },
};

/** The number of last sentences that have the same single label at all tokens. */
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
 * Warns when a stream changes: when the model makes far more errors than usual, when new labels or words appear, and when the
 * model predicts a single label while there are several gold tags. Each episode is reported once: it ends when another label is
 * predicted, or when the reported excess has halved. A lower score that lasts becomes the usual one.
 *
 * A sentence of `n` units has `e` errors: tokens and wrong tags, or, where the tags mark spans, gold and predicted spans and
 * those without a match, so that `1 - e/n` is F1, and separately tokens that are in a span in both and types that differ there.
 * Usual sums decay with one half-life, which is a third of the sentences so far if that is shorter, because a learning model
 * makes ever fewer errors; recent sums decay with three. With the usual error rate `p`, the residual of a sentence is `r = e -
 * p n`, three standard deviations at most; the watch warns when a recent sum of residuals exceeds `deviations` standard
 * deviations of such a sum, estimated from the usual mean of `r^2`, and the score is `drop` points down. New words are counted
 * in the same way. A label is new for twice `recent` sentences.
 *
 * Memory (256 KiB of it for words) and the cost of a sentence are constant, except for the names of labels.
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

  /** @throws TagstreamError `config` for thresholds that are out of range */
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
   * Records a labelled sentence; of a partially labelled one, the tokens and spans that
   * `ProgressiveScores.add` counts.
   *
   * @param words its tokens; without them new words are not watched
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
   * The problems found since the last call.
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

/** Most labels named in a message. */
const shownLabels = 3;

/** Fewest recent labels for a share of new ones. */
const leastLabels = 10;

/** The state of `LabelAges`; plain data. */
interface LabelState {
  readonly first: readonly (readonly [label: string, sentence: number])[];
  readonly sentences: number;
  readonly all: number;
  readonly young: number;
}

/** Which labels are new, and their share among the last ones. */
class LabelAges {
  /** The sentence in which each label first occurred. */
  #first = new Map<string, number>();
  #sentences = 0;
  /** Decayed counts of labels, and of new ones. */
  #all = 0;
  #young = 0;
  readonly #decay: number;
  /** Sentences for which a label is new. */
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

  /** Share of the last labels that are new; 0 for few. */
  get share(): number {
    return this.#young < leastLabels ? 0 : this.#young / this.#all;
  }

  get isWarm(): boolean {
    return this.#sentences >= Math.max(warmUp, 2 * this.#youth);
  }

  /** The new labels. */
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

/** Sentences after which the usual errors are known, or the half-life of these if that is shorter. */
const warmUp = 200;

/** Most standard deviations that the residual of one sentence counts. */
const mostDeviations = 3;

/** The half-lives of recent errors, as fractions of the longest. */
const parts = [6, 3, 1];

/** The half-life of usual errors is at most this fraction of the sentences so far, but at least the recent one. */
const usualPart = 3;

/** Number of usual sums, stored before the recent ones: errors, units, squared residuals, weights, sentences. */
const usualSums = 5;
/** Recent sums: errors, units, residuals, and squared weights of the sentences. */
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
    // One long sentence is no drift.
    const most = mostDeviations * Math.sqrt(sums[2] / Math.max(1, sums[3]!));
    sums[3] = sums[3]! * decay + 1;
    for (const [i, recent] of this.#recent.entries()) {
      const at = usualSums + i * recentSums;
      sums[at] = sums[at]! * recent + errors;
      sums[at + 1] = sums[at + 1]! * recent + units;
      sums[at + 2] = sums[at + 2]! * recent + Math.min(residual, most);
      // The variance of a sum with weights w is that of a term times the sum of w^2.
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

  /** Points by which the recent error rate exceeds the usual one, for the half-life where it is highest. */
  get most(): number {
    const rates = this.#recent.map((_, i) => this.#recentRate(i));
    return 100 * (Math.max(...rates) - this.#usualRate);
  }

  /**
   * Returns the recent and the usual error rate if, for one of the half-lives, the recent one is that many points higher and
   * the residuals are that many standard deviations above 0; otherwise, or with too few sentences, undefined.
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
