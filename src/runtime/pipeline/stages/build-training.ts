import { statSync } from 'node:fs';
import type { OperatorFunction } from 'rxjs';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { TaggedSentence } from '../../../engine/core/sentence/sentence.js';
import type { TrainingStep } from '../../../engine/core/training/training-step.js';
import type { Loss } from '../../../engine/losses/loss.js';
import { readModel, writeModel } from '../../../engine/models/files/model-file.js';
import type { ReplayMemory } from '../../../engine/models/learning/replay-memory.js';
import { TrainingHistory } from '../../../engine/models/learning/training-history.js';
import type { WaitingRecords } from '../../../engine/models/learning/waiting-records.js';
import type { Model } from '../../../engine/models/model.js';
import {
  growFrom,
  requireSameFeatures,
  takeWeights,
} from '../../../engine/models/start/grow-from.js';
import { restoreModelState } from '../../../engine/models/state/model-state.js';
import { tag } from '../../../engine/operators/tag.js';
import { readWhole } from '../../io/checkpoints/file-checkpoint-store.js';
import type { RunContext } from '../definition/run-context.js';
import { type FinishedTraining, weightSelectionOf } from '../learners/finished-model.js';
import type { Encode, OnSettled, Trainee } from '../learners/trainee.js';
import type { LearnPlan, TrainPlan } from '../plan/plan.js';
import type { Cluster } from '../setup/open-cluster.js';
import type { SentenceReading } from '../setup/read-sentences.js';
import { restorePart } from '../setup/restore-run.js';
import { AddedStages } from './added.js';
import { batchLimits } from './batch.js';
import { buildChallenge, openContest, planOf } from './challenge.js';
import type { Saves } from './checkpoint.js';
import { createLoss, derivePredictions } from './contribute.js';
import { buildEvaluation, type Evaluation, type OpenEvaluation } from './evaluate.js';
import { buildModel, encodeToLearn, requireTrainable } from './featurize.js';
import { buildJoin } from './join.js';
import { buildLearner, createCluster, createThreads } from './optimize.js';
import { buildReplay } from './replay.js';
import { readDecoding } from './tag.js';
import { pipelineTokenizer } from './tokenizer-file.js';

/** The parts of a training run, before it has read any input. */
export interface TrainingParts {
  /** How sentences of the corpus and of held-out data are read. */
  readonly reading: SentenceReading;
  readonly model: Model;
  /** Encodes sentences as rows of features. */
  readonly encode: Encode;
  /** Gives a corpus's features the weights to start from, if there are any. */
  readonly start: OnSettled | undefined;
  readonly loss: Loss;
  readonly trainee: Trainee;
  /** The replay memory, if checkpoints contain it. */
  readonly memory: ReplayMemory | undefined;
  /** Records waiting for their labels. */
  readonly waiting: WaitingRecords | undefined;
  readonly added: AddedStages;
  readonly evaluation: Evaluation | undefined;
  /** The history that the run reports, pass by pass. */
  readonly history: TrainingHistory;
  /** Tags sentences with the labels predicted before learning from them; absent if no records are written. */
  readonly tag: OperatorFunction<TrainingStep, TaggedSentence> | undefined;
  /** The challengers' parts of checkpoints, if there are any. */
  readonly contestSaves: Saves | undefined;
  /** The source of the finished model if training ended now. */
  readonly finishing: FinishedTraining;
  /** Starts threads, connects to other machines, and reads held-out data. */
  open(): Promise<OpenEvaluation | undefined>;
}

/**
 * Builds the parts of a training run, restored if it resumes. Reads the files that they need, but starts nothing.
 *
 * @param context its scope ends everything that learning starts, such as threads
 * @param cluster other machines that take part
 * @throws TagstreamError `config`, `template`, `file`, `checkpoint`, and those of `readModel`
 */
export function buildTraining(
  plan: TrainPlan | LearnPlan,
  context: RunContext,
  cluster: Cluster | undefined = createCluster(plan, context),
): TrainingParts {
  const { restored, signal, status, kernel, catalogue, paths } = context;
  const reading = { paths, signal, tokenizer: pipelineTokenizer(plan.tokenize?.options) };
  const model = buildModel(plan, context);
  const start = restored === undefined ? startWeights(plan, model, context) : undefined;
  requireTrainable(plan, model);
  const encode = encodeToLearn(plan, model, context);
  const loss = createLoss(plan.loss, model);
  const threads = createThreads(plan, context);
  const replay = buildReplay(plan, context);
  const waiting = buildJoin(plan, context);
  const added = new AddedStages(plan, restored, model);
  const challengers = buildChallenge(plan, model, context, (own, empty) => {
    startWeights(own, empty, context)?.();
  });
  const steps = {
    batch: batchLimits(plan, context),
    ...derivePredictions(plan),
    ...{ challenge: challengers?.challenge, replay, signal, durations: status?.batches },
  };
  const trainee = buildLearner(plan, { model, loss, threads, cluster, steps }, context);
  const { learner } = trainee;
  const contestSaves = trainee.contest && openContest(trainee.contest, context);
  const chosen = () => {
    const served = trainee.contest?.learner ?? learner;
    const { features, train } = planOf(served, plan, challengers);
    const usesPreset = features.options.preset !== undefined;
    return { learner: served, train: train.options, usesPreset };
  };
  const modelBytes = () => writeModel(learner, weightSelectionOf(chosen()));
  const evaluation = buildEvaluation(plan, { learner, reading, modelBytes }, context);
  const history = new TrainingHistory(() => loss.untrained?.(model.labels.size));
  if (restored?.history !== undefined) {
    restorePart(restored, 'history', state => history.restore(state));
  }
  return {
    ...{ reading, model, encode, start, loss, trainee, evaluation, history },
    memory: replay?.memory,
    waiting,
    added,
    tag: plan.decode && tag(model, readDecoding(plan.decode, paths, model)),
    contestSaves,
    get finishing() {
      return { ...chosen(), stopping: evaluation?.stopping, kernel, catalogue };
    },
    async open() {
      threads?.open();
      await cluster?.open();
      return evaluation?.open();
    },
  };
}

/**
 * Reads `train.start`, if there is one, before the input is read. On a stream, the empty model gets its features and
 * weights, and the stream adds further ones.
 *
 * @returns a function that sets the weights of a corpus's features, once; features that are not in the corpus are
 *   dropped, because the objective only covers the corpus
 * @throws TagstreamError `file`, `checkpoint`, `config`, and the errors of `readModel`
 */
function startWeights(
  { kind, train }: TrainPlan | LearnPlan,
  model: Model,
  context: RunContext,
): (() => void) | undefined {
  if (train.options.start === undefined) return undefined;
  const { paths, events } = context;
  const file = paths.resolve(train.options.start);
  const start = readStart(file, context);
  requireSameFeatures(model.spec, start.spec, file);
  if (kind === 'train') return () => events.onStart?.(file, takeWeights(model, start));
  events.onStart?.(file, growFrom(model, start));
  return undefined;
}

/** Reads the model from a file, or the raw weights from the newest checkpoint of a folder. */
function readStart(file: string, { paths, kernel, catalogue, events }: RunContext): Model {
  const { functions } = catalogue;
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return readModel(paths.read(file), file, kernel, functions);
  }
  const parts = readWhole(file, events.onDamagedCheckpoint);
  if (parts === undefined) {
    throw new TagstreamError('checkpoint', 'the folder to start from contains no checkpoint', {
      place: { source: file },
      fix: 'name a model file, or a folder that the stage checkpoint has written to',
    });
  }
  return restorePart(parts, 'model', state =>
    restoreModelState(state, kernel, undefined, functions),
  );
}
