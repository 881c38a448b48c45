import { filter, lastValueFrom, tap } from 'rxjs';
import { TagstreamError } from '../../core/errors.js';
import type { TaggedSentence } from '../../core/sentence/sentence.js';
import { Evaluation, type EvaluationOptions } from '../../metrics/evaluation/evaluation.js';
import type { DecodeOptions } from '../../models/decoding/decode-options.js';
import type { Model } from '../../models/model.js';
import { batch } from '../../operators/batch.js';
import { featurize } from '../../operators/featurize.js';
import { tag } from '../../operators/tag.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import { type LabelledInput, sentencesOf } from './sentences-of.js';

/** Sentences decoded at once. */
const batchSize = 64;

/** What is asked of the tagger beside its tags, where all figures are wanted. */
const withProbabilities: DecodeOptions = { marginals: true, spanProbabilities: true };

/** What an evaluation of a model looks at. */
export interface ModelEvaluation extends Omit<EvaluationOptions, 'spanScheme' | 'scheme'> {
  /** Whether probabilities are wanted, for the calibration. */
  readonly probabilities: boolean;
  /** Receives each sentence that is scored. */
  readonly onSentence?: (sentence: TaggedSentence) => void;
  /** Which tags are possible. */
  readonly decoding: Pick<DecodeOptions, 'transitions' | 'dictionary' | 'rules'>;
}

/**
 * Tags the labelled sentences of a file, one batch after the other, and scores them.
 *
 * @throws TagstreamError `empty-sentence` if there are none, and with the first record that is wrong
 */
export async function evaluateModel(
  model: Model,
  input: LabelledInput,
  { probabilities, decoding, onSentence, ...options }: ModelEvaluation,
): Promise<Evaluation> {
  const evaluation = new Evaluation({
    ...{ ...options, spanScheme: isSpanScheme(model.scheme) },
    scheme: model.reportedScheme,
  });
  let hasValues = input.codec.name !== 'conllu';
  const tagged = sentencesOf(input, model).pipe(
    filter(({ tags }) => {
      if (tags === undefined) evaluation.skip();
      return tags !== undefined;
    }),
    featurize(model),
    batch({ sentences: batchSize }),
    // What a record asks of its labels would help the tagger.
    tag(model, {
      ...decoding,
      constraints: false,
      ...(probabilities ? withProbabilities : {}),
    }),
    tap(sentence => {
      onSentence?.(sentence);
      hasValues ||= sentence.gold!.some(tag => tag !== '_');
      evaluation.add(sentence);
    }),
  );
  await lastValueFrom(tagged, { defaultValue: undefined });
  if (evaluation.counts.length > 0 && hasValues) return evaluation;
  const { skipped = 0 } = evaluation.scores();
  const found =
    !hasValues && evaluation.counts.length > 0
      ? 'the column of the tags holds nothing but _'
      : skipped === 0
        ? 'there are none'
        : `none of ${skipped} has a gold tag for each token`;
  throw new TagstreamError('empty-sentence', `no sentence can be scored: ${found}`, {
    place: { source: input.name },
    fix: 'check the format and the column of the tags',
  });
}
