import type { OperatorFunction } from 'rxjs';
import type { TaggedSentence } from '../../core/sentence/sentence.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import type { Loss } from '../../losses/loss.js';
import { writeModel } from '../../models/files/model-file.js';
import { TrainingHistory } from '../../models/learning/training-history.js';
import type { Model } from '../../models/model.js';
import { tag } from '../../operators/tag.js';
import type { RunContext } from '../definition/run-context.js';
import type { FinishedTraining } from '../learners/finished-model.js';
import type { Encode, OnSettled, Trainee } from '../learners/trainee.js';
import { weightSelectionOf } from '../learners/weight-selection-of.js';
import type { LearnPlan, TrainPlan } from '../plan/plan.js';
import type { Cluster } from '../setup/open-cluster.js';
import type { SentenceReading } from '../setup/read-sentences.js';
import { restorePart } from '../setup/restore-run.js';
import { startWeights } from '../setup/start-from.js';
import { batchLimits } from './batch.js';
import { chosenTokenizer } from './chosen-tokenizer.js';
import { createLoss, derivePredictions } from './contribute.js';
import { buildEvaluation, type Evaluation, type OpenEvaluation } from './evaluate.js';
import { buildModel, encodeToLearn, requireTrainable } from './featurize.js';
import { buildLearner, createCluster, createThreads } from './optimize.js';
import { readDecoding } from './tag.js';

/** The parts of a training, before it has read anything of its input. */
export interface TrainingParts {
  /** How sentences are read, of the corpus and of what is held out. */
  readonly reading: SentenceReading;
  readonly model: Model;
  /** Sentences to rows of features. */
  readonly encode: Encode;
  /** Gives a corpus the weights to start from, where there are some. */
  readonly start: OnSettled | undefined;
  readonly loss: Loss;
  readonly trainee: Trainee;
  readonly evaluation: Evaluation | undefined;
  /** What it reports pass by pass. */
  readonly history: TrainingHistory;
  /** Tags sentences as they were before they were learned from; absent where no records are written. */
  readonly tag: OperatorFunction<TrainingStep, TaggedSentence> | undefined;
  /** What the finished model is made of. */
  readonly finishing: FinishedTraining;
  /** Starts threads, connects to other machines, and reads held-out data. */
  open(): Promise<OpenEvaluation | undefined>;
}

/**
 * Builds the parts of a training, restored where the run resumes. Reads the files that they are made of, and begins nothing.
 *
 * @param context its scope ends what the learning began, as threads
 * @param cluster other machines that take part
 * @throws TagstreamError `config`, `template`, `file`, `checkpoint`, and those of `readModel`
 */
export function buildTraining(
  plan: TrainPlan | LearnPlan,
  context: RunContext,
  cluster: Cluster | undefined = createCluster(plan, context),
): TrainingParts {
  const { restored, signal, status, kernel, catalogue, paths } = context;
  const reading = { paths, signal, tokenizer: chosenTokenizer(plan.tokenize?.options) };
  const model = buildModel(plan, context);
  const start = restored === undefined ? startWeights(plan, model, context) : undefined;
  requireTrainable(plan, model);
  const encode = encodeToLearn(plan, model, context);
  const loss = createLoss(plan.loss, model);
  const threads = createThreads(plan, context);
  const steps = {
    batch: batchLimits(plan, context),
    ...derivePredictions(plan),
    ...{ signal, durations: status?.batches },
  };
  const trainee = buildLearner(plan, { model, loss, threads, cluster, steps }, context);
  const { learner } = trainee;
  const usesPreset = plan.features.options.preset !== undefined;
  const chosen = { learner, train: plan.train.options, usesPreset };
  const modelBytes = () => writeModel(learner, weightSelectionOf(chosen));
  const evaluation = buildEvaluation(plan, { learner, reading, modelBytes }, context);
  const history = new TrainingHistory();
  if (restored?.history !== undefined) {
    restorePart(restored, 'history', state => history.restore(state));
  }
  return {
    ...{ reading, model, encode, start, loss, trainee, evaluation, history },
    tag: plan.decode && tag(model, readDecoding(plan.decode, paths, model)),
    finishing: { ...chosen, stopping: evaluation?.stopping, kernel, catalogue },
    async open() {
      threads?.open();
      await cluster?.open();
      return evaluation?.open();
    },
  };
}
