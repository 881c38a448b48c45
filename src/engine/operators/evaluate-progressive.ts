import { map, type OperatorFunction } from 'rxjs';
import { TagstreamError } from '../core/errors.js';
import { kinds, requireArgument, requireItem } from '../core/schema/require-argument.js';
import type { Document } from '../core/sentence/document.js';
import { noLabel } from '../core/training/contribution.js';
import type { Scores, TrainingStep } from '../core/training/training-step.js';
import type { ProgressiveScores } from '../metrics/scores/progressive-scores.js';
import { servedTags } from '../models/learning/served-tags.js';
import type { Model } from '../models/model.js';
import { isSpanScheme } from '../text/tags/tag-scheme.js';

/**
 * Returns an operator for prequential evaluation: it scores the labels that were predicted for a sentence before
 * learning from it, and adds the cumulative scores to each step. It needs `contribute` with `predict: true`.
 *
 * Each sentence counts once, whatever its weight; a sentence of weight 0 counts with loss 0. Partially labelled
 * sentences count as described in `ProgressiveScores.add`. Records whose labels arrive later (`joinLabels`) count with
 * their predicted tags. Records with a sentence that came before the model knew a label do not count, because they are
 * untagged. `detectDrift` detects changes of the stream.
 *
 * @param model the predicting model
 * @param progress the cumulative scores, which the operator updates
 * @throws TagstreamError `config` if the contributions have no predictions
 */
export function evaluateProgressive(
  model: Model,
  progress: ProgressiveScores,
): OperatorFunction<TrainingStep, TrainingStep> {
  requireArgument('evaluateProgressive: the model', model, kinds.model);
  requireArgument('evaluateProgressive: the scores', progress, kinds.progressiveScores);
  /** The last record with a sentence for which nothing was predicted. */
  let untagged: Document | undefined;
  return map(step => {
    requireItem('evaluateProgressive', step, kinds.step);
    const { minibatch, predicted, losses } = step.contribution;
    const { weights } = minibatch;
    if (predicted === undefined) {
      throw new TagstreamError('config', 'there are no predictions to score', {
        fix: 'call contribute with predict: true',
      });
    }
    for (const [s, { sentence }] of minibatch.sentences.entries()) {
      const { document } = sentence;
      if (predicted[minibatch.sentenceStarts[s]!] === noLabel) untagged = document;
      const gold = sentence.tags ?? sentence.partialTags;
      if (gold === undefined || document === untagged) continue;
      const tags = servedTags(model, step.contribution, predicted, s);
      if (tags === undefined) continue;
      const weight = weights?.[s] ?? 1;
      progress.add(gold, tags, weight === 0 ? 0 : losses[s]! / weight, sentence.tokens);
    }
    return scored(step, shownScores(progress.scores(), model));
  });
}

/**
 * Returns the step with its scores. Copies field by field, because a spread object with fractional numbers leaves
 * memory behind that only a full garbage collection frees.
 */
function scored(from: TrainingStep, scores: Scores): TrainingStep {
  const { contribution, step, sentencesSeen, meanLoss, passEnd, margin, iteration, stop } = from;
  const given: Draft = { contribution, step, sentencesSeen, meanLoss, scores };
  if (passEnd !== undefined) given.passEnd = passEnd;
  if (margin !== undefined) given.margin = margin;
  if (iteration !== undefined) given.iteration = iteration;
  if (stop !== undefined) given.stop = stop;
  return given;
}

type Draft = { -readonly [Key in keyof TrainingStep]: TrainingStep[Key] };

/** Returns the scores without span scores if no label so far marks a span. */
export function shownScores(scores: Scores, model: Model): Scores {
  if (isSpanScheme(model.scheme)) return scores;
  const { sentences, tokens, accuracy } = scores;
  return { sentences, tokens, accuracy };
}
