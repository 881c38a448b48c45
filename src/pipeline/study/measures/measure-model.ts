import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import type { Scores, TrainingStep } from '../../../core/training/training-step.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import { Decoder } from '../../../models/decoding/decoder.js';
import { scoreSentences } from '../../../models/decoding/score-sentences.js';
import type { Model } from '../../../models/model.js';
import type { Pipeline } from '../../definition/pipeline.js';
import type { RunSetup } from '../../definition/run-setup.js';
import { finishedModel } from '../../learners/finished-model.js';
import { activeWeights } from './active-weights.js';
import { corpusLoss } from './corpus-loss.js';
import { penaltyOf } from './penalty-of.js';
import type { QuantityName } from './quantities.js';
import type { Values } from './run-measures.js';

/** What weights are measured by. */
export interface ModelMeasures {
  readonly pipeline: Pipeline;
  readonly setup: RunSetup;
  readonly wanted: ReadonlySet<QuantityName>;
  /** The step after which they are measured. */
  readonly step: TrainingStep;
  readonly passes: number;
  readonly scores: Scores | undefined;
  /** Those of the model file, as the best that were kept or those above a threshold, in place of the present ones. */
  readonly finished?: boolean;
}

/** Measures of the present weights of a training that do not vary; null for those that it does not have. */
export function measureModel(given: ModelMeasures): Values {
  const { setup, wanted, step, passes, scores, pipeline } = given;
  const { model, parameters, corpus, isLast } =
    given.finished === true ? finished(setup) : present(setup);
  const found: Values = {
    passes,
    sentences: setup.corpus?.length ?? null,
    evaluations: step.iteration?.evaluations ?? passes,
    gap: step.iteration?.gap ?? null,
    ...(scores === undefined ? {} : scoresOf(scores)),
    ...activeWeights(parameters),
  };
  const iterated = isLast ? step.iteration?.objective : undefined;
  if (wanted.has('loss') || (wanted.has('objective') && iterated === undefined)) {
    if (corpus !== undefined && setup.loss !== undefined) {
      found.loss = corpusLoss(model.kernel, parameters, corpus, setup.loss);
      found.objective = found.loss + penaltyOf(pipeline, parameters);
    }
  }
  if (iterated !== undefined) found.objective = iterated;
  if (wanted.has('trainError') && corpus !== undefined) {
    const decoder = new Decoder(model.kernel, model);
    found.trainError = 100 - scoreSentences(model, parameters, decoder, corpus).accuracy;
  }
  return Object.fromEntries([...wanted].map(name => [name, found[name] ?? null]));
}

function scoresOf({ accuracy, precision, recall, f1, tagF1 }: Scores): Values {
  return {
    ...{ accuracy, error: 100 - accuracy },
    ...{
      precision: precision ?? null,
      recall: recall ?? null,
      f1: f1 ?? null,
      tagF1: tagF1 ?? null,
    },
  };
}

interface Measured {
  readonly model: Model;
  readonly parameters: ParameterStore;
  readonly corpus: readonly EncodedSentence[] | undefined;
  /** Whether they are those of the last step as they are: neither of an earlier pass nor fewer. */
  readonly isLast: boolean;
}

function present({ learner, model, corpus }: RunSetup): Measured {
  return { model, parameters: learner.deployedParameters(), corpus, isLast: true };
}

/** A model that was kept has other rows: the corpus is encoded again. */
function finished(setup: RunSetup): Measured {
  const { model, parameters, bestPass } = finishedModel(setup, false);
  const corpus =
    bestPass === undefined
      ? setup.corpus
      : setup.corpus?.map(({ sentence }) => model.encodeKnown(sentence));
  const { threshold, temperature } = setup.train ?? {};
  const isLast = (bestPass ?? threshold ?? temperature) === undefined;
  return { model, parameters, corpus, isLast };
}
