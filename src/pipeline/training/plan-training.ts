import type { Loss } from '../../losses/loss.js';
import { type LossComponent, lossWithoutOptions } from '../../losses/loss-component.js';
import { lossComponents } from '../../losses/loss-components.js';
import { losses } from '../../losses/losses.js';
import { fitsScorer } from '../../losses/require-fitting.js';
import { optimizers } from '../../optimizers/optimizers.js';
import { trainers } from '../catalogue/trainers.js';
import { Checker } from '../file/check.js';
import { modelChoice } from '../options/model-option.js';
import { contributeOptionsOf } from '../options/stage-options.js';
import { trainOptions } from '../options/train-options.js';
import { chooseBatch, chooseLoss, chooseOptimizer } from '../plan/choose-parts.js';
import type { LossPart, OptimizerPart, Training } from '../plan/plan.js';
import { lossRefusal } from '../trainers/needed-loss.js';
import type { CheckedRequest, TrainRequest } from './train-request.js';

/** Passes of an online optimizer, and iterations of a batch optimizer at most, by default. */
const defaultEpochs = { online: 20, batch: 500, onePass: 1 } as const;

/**
 * The plan of a request: that of a pipeline file with the same options, but for its records.
 *
 * @throws TagstreamError `config` for a loss that there is not, or with wrong options
 */
export function planTraining(
  { loss, group }: Pick<TrainRequest, 'loss' | 'group'>,
  checked: CheckedRequest,
): Training {
  const { features, trainer, scorer, hidden, covariance, batch, patience, ...rest } = checked;
  const { templates, ...options } = features;
  const lines = templates === undefined ? {} : { templates: [templates].flat() };
  const optimizer = chooseOptimizer({ path: ['trainer'], options: trainer }, optimizers, trainers);
  const train = trainOptions.strip().parse(rest);
  return {
    kind: 'train',
    features: {
      path: ['features'],
      options: { ...options, ...lines },
      ...modelChoice({ ...rest, names: false, scorer, hidden, covariance }),
      modelPath: [],
      limit: undefined,
    },
    batch: chooseBatch({ path: [], options: { sentences: batch } }),
    loss: lossOf(loss, checked, optimizer),
    optimizer,
    evaluation:
      patience === undefined ? undefined : { path: [], options: { patience, best: false } },
    train: {
      path: [],
      options: {
        ...train,
        epochs: checked.epochs ?? defaultEpochsOf(optimizer),
        workers: group?.members ?? 1,
      },
    },
  };
}

function defaultEpochsOf(optimizer: OptimizerPart): number {
  if (optimizer.kind === 'batch') return defaultEpochs.batch;
  return optimizer.component.onePass === true ? defaultEpochs.onePass : defaultEpochs.online;
}

/** The loss that is asked for, or the first one that scorer and optimizer go with. */
function lossOf(
  loss: TrainRequest['loss'],
  { scorer }: CheckedRequest,
  optimizer: OptimizerPart,
): LossPart {
  const path = ['loss'];
  if (isLoss(loss)) {
    const component = lossWithoutOptions(loss) as unknown as LossComponent<never>;
    return { path, component, options: {} };
  }
  const fitting = losses.filter(each => fitsScorer(each, scorer));
  const first = fitting.find(each => lossRefusal(optimizer, each) === undefined) ?? fitting[0]!;
  const given = { loss: loss ?? first.name };
  const checker = new Checker({ value: given, place: () => ({}) });
  return chooseLoss({ path, options: checker.parse(schema, given) }, lossComponents);
}

const schema = contributeOptionsOf(lossComponents);

function isLoss(loss: TrainRequest['loss']): loss is Loss {
  return typeof loss === 'object' && 'apply' in loss;
}
