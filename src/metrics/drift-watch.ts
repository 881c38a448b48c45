import { TagstreamError } from '../core/errors.js';
import { requireKnown } from '../core/schema/require-known.js';
import type { State, Stateful } from '../core/training/state.js';
import type { Scores } from '../core/training/training-step.js';

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
  /** Points by which the recent score must be below the long-run one; 10 if absent. */
  readonly drop?: number;
}

/** How many of the last sentences have one and the same label at all tokens. */
interface Run {
  label: string | null;
  sentences: number;
}

/**
 * Warns when the model predicts one label only while the gold tags are several, and when its recent score
 * falls sharply below its long-run one. Once for each episode: it ends when another label is predicted, or
 * when the score is back to within half the drop. A lower score that stays becomes the long-run one.
 *
 * Memory and the cost of a sentence are constant.
 *
 * @example
 * const watch = new DriftWatch({ sentences: 2 });
 * watch.see(['N', 'V'], ['N', 'N']);
 * watch.warnings() // => []
 * watch.see(['N', 'V'], ['N', 'N']);
 * watch.warnings().map(({ code }) => code) // => ['one-label']
 * watch.warnings() // => []
 */
export class DriftWatch implements Stateful {
  readonly #sentences: number;
  readonly #drop: number;
  readonly #gold: Run = { label: null, sentences: 0 };
  readonly #predicted: Run = { label: null, sentences: 0 };
  #oneLabel = false;
  #dropped = false;

  /** @throws TagstreamError `config` for thresholds that are none */
  constructor(options: DriftOptions = {}) {
    requireKnown('DriftWatch', options, ['sentences', 'drop']);
    const { sentences = 500, drop = 10 } = options;
    if (!(Number.isSafeInteger(sentences) && sentences >= 1 && drop > 0 && drop <= 100)) {
      throw new TagstreamError(
        'config',
        `drift is warned of after ${sentences} sentences, or at ${drop} points less`,
        { fix: 'give a whole number of sentences from 1, and points above 0, of 100 at most' },
      );
    }
    this.#sentences = sentences;
    this.#drop = drop;
  }

  /** Takes note of one labelled sentence. */
  see(gold: readonly string[], predicted: readonly string[]): void {
    follow(this.#gold, gold);
    follow(this.#predicted, predicted);
  }

  /**
   * What there is to warn of since the last call.
   *
   * @param recent scores of late, once they are of enough sentences to be compared
   * @param usual scores in the long run
   */
  warnings(recent?: Scores, usual?: Scores): DriftWarning[] {
    const warnings: DriftWarning[] = [];
    const only = this.#predicted.sentences >= this.#sentences;
    if (only && !this.#oneLabel && this.#gold.sentences < this.#sentences) {
      this.#oneLabel = true;
      const message = `the model predicted nothing but "${this.#predicted.label}" in the last ${this.#sentences} labelled sentences, whose tags are several`;
      warnings.push({ code: 'one-label', message });
    }
    if (!only) this.#oneLabel = false;
    if (recent !== undefined && usual !== undefined) {
      const now = recent.f1 ?? recent.accuracy;
      const before = usual.f1 ?? usual.accuracy;
      const lost = before - now;
      if (lost >= this.#drop && !this.#dropped) {
        this.#dropped = true;
        const name = recent.f1 === undefined ? 'accuracy' : 'F1';
        const message = `${name} has fallen to ${now.toFixed(2)}, ${lost.toFixed(2)} below the ${before.toFixed(2)} of the long run: the stream may have changed`;
        warnings.push({ code: 'score-drop', message });
      }
      if (lost < this.#drop / 2) this.#dropped = false;
    }
    return warnings;
  }

  save(): State {
    const json = {
      gold: { ...this.#gold },
      predicted: { ...this.#predicted },
      oneLabel: this.#oneLabel,
      dropped: this.#dropped,
    };
    return { json, arrays: {} };
  }

  restore({ json }: State): void {
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
