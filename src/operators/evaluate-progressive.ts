import { map, type OperatorFunction } from 'rxjs';
import { TagstreamError } from '../core/errors.js';
import {
  kinds,
  requireArgument,
  requireItem,
  requireKnown,
} from '../core/schema/require-argument.js';
import type { Scores, TrainingStep } from '../core/training/training-step.js';
import type { DriftWarning, DriftWatch } from '../metrics/drift-watch.js';
import type { ProgressiveScores } from '../metrics/scores/progressive-scores.js';
import type { Model } from '../models/model.js';
import { isSpanScheme } from '../text/tags/tag-scheme.js';

/** The options of `evaluateProgressive`. */
export interface ProgressiveOptions {
  /** Looks for signs that the model has gone wrong. */
  readonly watch?: DriftWatch;
  /** Receives each of them. */
  readonly onWarning?: (warning: DriftWarning) => void;
}

/**
 * Prequential evaluation: scores the labels that were predicted before a sentence was learned from, and adds
 * the scores so far to each step. Needs `contribute` with `predict`. Sentences count once, whatever their
 * weight; of those of weight 0 the loss is not known, and counts as 0. Partially labelled sentences count where their tags
 * say something: see `ProgressiveScores.add`.
 *
 * @throws TagstreamError `config` where the contributions bring no predictions
 */
export function evaluateProgressive(
  model: Model,
  progress: ProgressiveScores,
  options: ProgressiveOptions = {},
): OperatorFunction<TrainingStep, TrainingStep> {
  requireArgument('evaluateProgressive: the model', model, kinds.model);
  requireArgument('evaluateProgressive: the scores', progress, kinds.progressiveScores);
  requireKnown('evaluateProgressive', options, ['watch', 'onWarning']);
  const { watch, onWarning } = options;
  return map(step => {
    requireItem('evaluateProgressive', step, kinds.step);
    const { minibatch, predicted, losses } = step.contribution;
    const { weights } = minibatch;
    if (predicted === undefined) {
      throw new TagstreamError('config', 'there are no predictions to score', {
        fix: 'give contribute the option predict: true',
      });
    }
    for (const [s, { sentence }] of minibatch.sentences.entries()) {
      const gold = sentence.tags ?? sentence.partialTags;
      if (gold === undefined) continue;
      const labels = predicted.subarray(
        minibatch.sentenceStarts[s],
        minibatch.tokenEnds?.[s] ?? minibatch.sentenceStarts[s + 1],
      );
      const tags = Array.from(labels, label => model.labels.reported[label]!);
      const weight = weights?.[s] ?? 1;
      progress.add(gold, tags, weight === 0 ? 0 : losses[s]! / weight, sentence.tokens);
      watch?.see(gold, tags, sentence.tokens);
    }
    for (const warning of watch?.warnings(isSpanScheme(model.scheme)) ?? []) onWarning?.(warning);
    return scored(step, shownScores(progress.scores(), model));
  });
}

/**
 * The step with its scores. Field by field: a spread object with fractions in it leaves memory behind that
 * only a collection of the whole heap gives back.
 */
function scored(from: TrainingStep, scores: Scores): TrainingStep {
  const { contribution, step, sentencesSeen, meanLoss, passEnd, iteration, stop } = from;
  const given: Draft = { contribution, step, sentencesSeen, meanLoss, scores };
  if (passEnd !== undefined) given.passEnd = passEnd;
  if (iteration !== undefined) given.iteration = iteration;
  if (stop !== undefined) given.stop = stop;
  return given;
}

type Draft = { -readonly [Key in keyof TrainingStep]: TrainingStep[Key] };

/** Scores without those of spans, where the labels so far mark none. */
export function shownScores(scores: Scores, model: Model): Scores {
  if (isSpanScheme(model.scheme)) return scores;
  const { sentences, tokens, accuracy } = scores;
  return { sentences, tokens, accuracy };
}
