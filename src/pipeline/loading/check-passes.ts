import { TagstreamError } from '../../core/errors.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { batchOptimizer } from '../plan/plan.js';
import { optimizerIn } from '../trainers/optimizer-in.js';
import type { SwitchChoice } from '../trainers/switch.js';
import { unfitForSeeds } from '../trainers/unfit-for-seeds.js';

/**
 * Checks what chance has a part in: several seeds, and features that are left out, which takes passes over a corpus by an
 * online optimizer in one thread; that options of the optimizer have an effect in so many passes; and that a stream is
 * tagged by the weights that its scores are of.
 *
 * @throws TagstreamError `config` at `train.seeds`, `train.dropout` or the optimizer
 */
export function checkPasses(pipeline: Pipeline, checker: Checker): void {
  checkSeeds(pipeline, checker);
  checkDropout(pipeline, checker);
  checkOptimizer(pipeline, checker);
  checkServed(pipeline, checker);
}

function checkSeeds(pipeline: Pipeline, checker: Checker): void {
  const { train, stages, catalogue, plan } = pipeline;
  const optionsOf = (name: string) =>
    stages.find(({ component }) => component.name === name)?.options ?? {};
  const chosen = optionsOf('optimize') as Readonly<Record<string, Record<string, unknown>>>;
  const [optimizer = ''] = Object.keys(chosen);
  const { patience, best } = optionsOf('evaluate');
  const unfit = unfitForSeeds({
    ...train,
    scorer: plan.features.scorer ?? 'linear',
    hasHidden: plan.features.hidden !== undefined,
    optimizer,
    iterates: batchOptimizer(pipeline.plan) !== undefined,
    votes: catalogue.optimizers.find(optimizer)?.votes === true,
    untilSeparated: chosen[optimizer]?.untilSeparated === true,
    keepsBest: patience !== undefined || best === true,
  });
  if (unfit !== undefined) throw checker.fail(['train', 'seeds'], unfit.problem, unfit.fix);
}

function checkDropout(pipeline: Pipeline, checker: Checker): void {
  const { train } = pipeline;
  if (train?.dropout === undefined || train.dropout === 0) return;
  const refuse = (problem: string, fix: string) => {
    throw checker.fail(['train', 'dropout'], problem, fix);
  };
  if (train.epochs === undefined) {
    refuse(
      'dropout needs passes over a corpus, not a stream',
      'give train.epochs, or leave dropout out',
    );
  }
  const trainer = batchOptimizer(pipeline.plan);
  if (trainer !== undefined) {
    refuse(
      `the batch optimizer ${trainer.component.name} needs a fixed objective`,
      'use an online optimizer as sgd, or leave dropout out',
    );
  }
  if (train.workers > 1) {
    refuse(
      'several workers share one corpus without dropout',
      'leave dropout out (--set train.dropout=0), or workers',
    );
  }
}

function checkOptimizer(
  { stages, train, catalogue: { optimizers } }: Pipeline,
  checker: Checker,
): void {
  const i = stages.findIndex(({ component }) => component.name === 'optimize');
  const chosen = (stages[i]?.options ?? {}) as Readonly<Record<string, object>>;
  const [name = ''] = Object.keys(chosen);
  // Its first optimizer has passes of its own.
  const { first, epochs } = (chosen.switch ?? {}) as Partial<SwitchChoice>;
  if (first === undefined && optimizers.find(name) === undefined) return;
  try {
    optimizerIn(optimizers.items, first ?? chosen, first === undefined ? train : { epochs });
  } catch (cause) {
    const { problem, fix } = TagstreamError.from(cause, 'config');
    const path = ['stages', i, 'optimize', name, ...(first === undefined ? [] : ['first'])];
    throw checker.fail(path, problem, fix ?? '');
  }
}

/** Records are tagged, and scored, by the weights of the moment: an average would be in the model file alone. */
function checkServed({ stages, train }: Pipeline, checker: Checker): void {
  if (train === undefined || train.epochs !== undefined || train.cluster !== undefined) return;
  const names = stages.map(({ component }) => component.name);
  const i = names.indexOf('optimize');
  const chosen = (stages[i]?.options ?? {}) as Readonly<Record<string, { average?: boolean }>>;
  const [name = ''] = Object.keys(chosen);
  if (chosen[name]?.average !== true || !names.includes('tag', i)) return;
  throw checker.fail(
    ['stages', i, 'optimize', name, 'average'],
    'the stream is tagged and scored by the current weights, and the average of all would have no effect on its tags',
    'set average: false, or use adagrad, which needs no average',
  );
}
