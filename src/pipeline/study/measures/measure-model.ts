import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import type { Scores, TrainingStep } from '../../../core/training/training-step.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import { readModel } from '../../../models/files/model-file.js';
import type { Model } from '../../../models/model.js';
import type { Pipeline } from '../../definition/pipeline.js';
import type { RunSetup } from '../../definition/run-setup.js';
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
  /** The best weights, where these were kept, in place of the last. */
  readonly best?: boolean;
}

/** Measures of the present weights of a training that do not vary; null for those that it does not have. */
export function measureModel(given: ModelMeasures): Values {
  const { setup, wanted, step, passes, scores, pipeline } = given;
  const kept = given.best === true ? setup.stopping?.bestModel : undefined;
  const { model, parameters, corpus } = kept === undefined ? present(setup) : stored(kept, setup);
  const found: Values = {
    passes,
    sentences: setup.corpus?.length ?? null,
    evaluations: step.iteration?.evaluations ?? passes,
    ...(scores === undefined ? {} : scoresOf(scores)),
    ...activeWeights(parameters),
  };
  const iterated = kept === undefined ? step.iteration?.objective : undefined;
  if (wanted.has('loss') || (wanted.has('objective') && iterated === undefined)) {
    if (corpus !== undefined && setup.loss !== undefined) {
      found.loss = corpusLoss(model.kernel, parameters, corpus, setup.loss);
      found.objective = found.loss + penaltyOf(pipeline, parameters);
    }
  }
  if (iterated !== undefined) found.objective = iterated;
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
}

function present({ learner, model, corpus }: RunSetup): Measured {
  return { model, parameters: learner.deployedParameters(), corpus };
}

/** A model that was kept has other rows: the corpus is encoded again. */
function stored(bytes: Uint8Array, { kernel, corpus, catalogue }: RunSetup): Measured {
  const model = readModel(bytes, '<best model>', kernel, catalogue.functions);
  const encoded = corpus?.map(({ sentence }) => model.encodeKnown(sentence));
  return { model, parameters: model.parameters, corpus: encoded };
}
