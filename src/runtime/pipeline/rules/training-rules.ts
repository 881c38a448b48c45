import type { TrainingSettings } from '../../../engine/core/component.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import { scorerOf, scorersWith } from '../../../engine/inference/scorers/scorers.js';
import { losses } from '../../../engine/losses/losses.js';
import { inOnePlace } from '../../../formats/codecs/conllu/result-place.js';
import type { Training } from '../plan/plan.js';
import { lossRefusal, needsLinear, optimizerIn, worksAlone } from '../trainers/trainer-traits.js';
import { type Breach, type Rule, rule } from './rule.js';

/** Returns the name of a plan's optimizer. */
export function optimizerName({ optimizer }: Pick<Training, 'optimizer'>): string {
  return optimizer.component.name;
}

/** Returns whether the optimizer is a batch one. */
export function isBatch({ optimizer }: Pick<Training, 'optimizer'>): boolean {
  return optimizer.kind === 'batch';
}

/** Returns whether the optimizer requires scores that are linear in the weights. */
export function isLogLinear({ optimizer }: Pick<Training, 'optimizer'>): boolean {
  return optimizer.kind === 'batch' && needsLinear(optimizer);
}

/** Returns whether the optimizer's weights vote. */
export function votes({ optimizer }: Pick<Training, 'optimizer'>): boolean {
  return optimizer.kind !== 'batch' && optimizer.component.votes === true;
}

const settings = ({ train }: Training): TrainingSettings => train.options;

/** Rules for training further columns. */
export const columnRules: readonly Rule<Training>[] = [
  rule({
    when: ({ columns, kind, train }) =>
      columns !== undefined && (kind === 'learn' || train.options.cluster !== undefined),
    at: ['columns'],
    problem: 'further columns can only be learned from a corpus, on a single machine',
    fix: 'give train.epochs, and leave cluster out; or leave columns out',
  }),
  rule({
    when: ({ columns, features }) => columns !== undefined && features.options.from !== undefined,
    at: ['columns'],
    problem: 'columns cannot be combined with a first model (from)',
    fix: 'leave from or columns out',
  }),
  ({ columns }) => columns && samePlace(Object.keys(columns.options)),
];

/** Finds two columns that share a place in CoNLL-U, where one would overwrite the other. */
export function samePlace(names: readonly string[]): Breach | undefined {
  const [other, name] = inOnePlace(names) ?? [];
  if (other === undefined || name === undefined) return undefined;
  const problem = `the columns "${other}" and "${name}" have the same place in CoNLL-U`;
  return { at: ['columns', name], problem, fix: 'give one of them another name' };
}

/** Rules between optimizers, threads and modes. */
const threadRules: readonly Rule<Training>[] = [
  rule({
    when: plan => plan.optimizer.kind === 'batch' && plan.kind === 'learn',
    at: ['train'],
    problem: plan => `the batch optimizer ${optimizerName(plan)} needs a corpus in memory`,
    fix: 'give train.epochs, the maximum number of iterations',
  }),
  rule({
    when: plan =>
      plan.train.options.workers > 1 &&
      plan.optimizer.kind === 'batch' &&
      worksAlone(plan.optimizer),
    at: ['train', 'workers'],
    problem: plan => `the batch optimizer ${optimizerName(plan)} runs in one thread`,
    fix: 'train in one thread, or use an optimizer that evaluates the whole objective, such as owl-qn',
  }),
  rule({
    when: plan => isBatch(plan) && plan.train.options.mode === 'hogwild',
    at: ['train', 'mode'],
    problem: plan => `the batch optimizer ${optimizerName(plan)} is always deterministic`,
    fix: 'leave mode out',
  }),
  rule({
    when: plan => plan.kind === 'learn' && plan.train.options.workers > 1,
    at: ['train', 'workers'],
    problem: 'several workers need a corpus in memory, not a stream',
    fix: 'give train.epochs, or leave workers out',
  }),
  rule({
    when: ({ train: { options } }) => options.mode === 'hogwild' && options.workers === 1,
    at: ['train', 'mode'],
    problem: '`mode: hogwild` needs several workers',
    fix: 'train with several workers, or leave mode out',
  }),
  rule({
    when: ({ train, optimizer }) =>
      train.options.mode === 'hogwild' &&
      optimizer.kind !== 'batch' &&
      optimizer.component.hogwild !== true,
    at: ['train', 'mode'],
    problem: plan =>
      `the optimizer ${optimizerName(plan)} cannot be combined with \`mode: hogwild\``,
    fix: 'use mode: deterministic',
  }),
  rule({
    when: ({ features, train }) =>
      train.options.workers > 1 && !scorerOf(features.scorer).capabilities.includes('workers'),
    at: ['train', 'workers'],
    problem: ({ features }) =>
      `models with the scorer ${scorerOf(features.scorer).name} train in one thread`,
    fix: `train in one thread, or use the scorer ${scorersWith('workers').join(' or ')}`,
  }),
];

/** Rules that scorers and optimizers declare themselves. */
const componentRules: readonly Rule<Training>[] = [
  plan => {
    const { without = {} } = scorerOf(plan.features.scorer);
    const names = Object.keys(without) as (keyof TrainingSettings)[];
    const name = names.find(each => isUsed(settings(plan)[each]));
    return name && { at: ['train', name], ...without[name]! };
  },
  ({ optimizer: { component, options }, train }) => {
    const refusal = component.refuses?.(options as never, train.options);
    if (refusal === undefined) return undefined;
    const { setting, problem, fix } = refusal;
    return typeof setting === 'string'
      ? { at: ['train', setting], problem, fix }
      : { at: ['optimizer', component.name, setting.option], problem, fix };
  },
  plan => {
    const found = losses.find(({ name }) => name === plan.loss.component.name);
    const refusal = found && lossRefusal(plan.optimizer, found);
    return refusal && { at: ['loss'], ...refusal };
  },
];

/** Returns whether a setting is in use: undefined, false and 0 are not. */
function isUsed(value: TrainingSettings[keyof TrainingSettings]): boolean {
  return value !== undefined && value !== false && value !== 0;
}

/** Rules for margins that are kept in the model file. */
const marginRules: readonly Rule<Training>[] = [
  rule<Training>({
    when: plan => plan.kind === 'learn' || plan.train.options.cluster !== undefined,
    at: ['train', 'margins'],
    problem: 'margins are noted in passes over a corpus, on a single machine',
    fix: 'give train.epochs and leave cluster out, or leave margins out',
  }),
  rule<Training>({
    when: ({ loss }) =>
      losses.some(({ name, margin }) => name === loss.component.name && margin === undefined),
    at: ['train', 'margins'],
    problem: ({ loss }) => `the loss ${loss.component.name} has no margins`,
    fix: `use the loss ${losses.flatMap(({ name, margin }) => (margin === undefined ? [] : [name])).join(', ')}, or leave margins out`,
  }),
  rule<Training>({
    when: ({ optimizer }) => optimizer.kind === 'batch' && optimizer.component.margins !== true,
    at: ['train', 'margins'],
    problem: plan => `the batch optimizer ${optimizerName(plan)} notes no margins`,
    fix: 'use an online optimizer or batch-perceptron, or leave margins out',
  }),
].map(only(({ train }) => train.options.margins === true));

/** Rules for dropout and for several seeds. */
const chanceRules: readonly Rule<Training>[] = [
  ...[
    rule<Training>({
      when: plan => plan.kind === 'learn',
      at: ['train', 'dropout'],
      problem: 'dropout needs passes over a corpus, not a stream',
      fix: 'give train.epochs, or leave dropout out',
    }),
    rule<Training>({
      when: isBatch,
      at: ['train', 'dropout'],
      problem: plan => `the batch optimizer ${optimizerName(plan)} needs a fixed objective`,
      fix: 'use an online optimizer such as sgd, or leave dropout out',
    }),
    rule<Training>({
      when: ({ train }) => train.options.workers > 1,
      at: ['train', 'dropout'],
      problem: 'dropout cannot be combined with several workers',
      fix: 'leave dropout out, or train in one thread',
    }),
  ].map(only(({ train }) => (train.options.dropout ?? 0) > 0)),
  ...[
    seedRule(
      plan => plan.kind === 'learn',
      'several seeds need a corpus in memory, not a stream',
      'give train.epochs',
    ),
    seedRule(
      isBatch,
      plan => `the batch optimizer ${optimizerName(plan)} does not depend on the seed`,
      'use an online optimizer such as sgd',
    ),
    seedRule(
      ({ train }) => train.options.cluster !== undefined,
      'several seeds cannot be combined with train.cluster',
      'leave cluster out',
    ),
    seedRule(
      ({ features }) => !scorerOf(features.scorer).capabilities.includes('mean'),
      ({ features }) => `models with the scorer ${features.scorer} cannot be averaged`,
      `use the scorer ${scorersWith('mean').join(' or ')}`,
    ),
    seedRule(
      ({ features }) => features.hidden !== undefined,
      'hidden states differ from seed to seed and cannot be averaged',
      'leave hidden out',
    ),
    seedRule(
      votes,
      plan => `the optimizer ${optimizerName(plan)} keeps weights that vote and cannot be averaged`,
      'use perceptron',
    ),
    seedRule(
      ({ train }) => train.options.mode === 'hogwild',
      'with `mode: hogwild` the order of updates does not follow from the seed',
      'use mode: deterministic',
    ),
    seedRule(
      ({ train }) => train.options.start !== undefined,
      'several seeds always start from zero weights',
      'leave start out',
    ),
    seedRule(
      ({ evaluation }) =>
        evaluation?.options.patience !== undefined || evaluation?.options.best === true,
      'several seeds average the last weights, not the best ones',
      'leave patience and best out',
    ),
    seedRule(
      ({ train: { options } }) => !options.shuffle && (options.dropout ?? 0) === 0,
      'without shuffle and dropout all seeds give the same weights',
      'use shuffle',
    ),
  ].map(only(({ train }) => (train.options.seeds ?? 1) > 1)),
];

/** Restricts a rule to plans for which a predicate holds. */
function only(holds: (plan: Training) => boolean): (rule: Rule<Training>) => Rule<Training> {
  return each => plan => (holds(plan) ? each(plan) : undefined);
}

function seedRule(
  when: (plan: Training) => boolean,
  problem: string | ((plan: Training) => string),
  fix: string,
): Rule<Training> {
  return rule({ when, at: ['train', 'seeds'], problem, fix: `${fix}, or leave seeds out` });
}

/** Checks options that depend on the number of passes. */
function checkPasses({ optimizer, train }: Training): Breach | undefined {
  if (optimizer.kind === 'batch') return undefined;
  try {
    optimizerIn(optimizer, train.options);
  } catch (cause) {
    const { problem, fix = '' } = TagstreamError.from(cause, 'config');
    return { at: ['optimizer', optimizer.component.name], problem, fix };
  }
  return undefined;
}

/** Rules for optimizers whose weights vote. */
const voterRules: readonly Rule<Training>[] = (
  [
    ['threshold', 'a threshold would apply to their average only'],
    ['temperature', 'only a single set of weights can be divided'],
    ['compact', 'only a single set of weights can be rounded'],
  ] as const
).map(([setting, why]) =>
  rule({
    when: plan => votes(plan) && isUsed(settings(plan)[setting]),
    at: ['train', setting],
    problem: `all intermediate weights vote, and ${why}`,
    fix: `leave ${setting} out, or use the optimizer perceptron`,
  }),
);

/** Rules between optimizers, losses, threads, modes, passes and seeds. */
export const trainingRules: readonly Rule<Training>[] = [
  ...threadRules,
  ...componentRules,
  ...chanceRules,
  ...marginRules,
  checkPasses,
  ...voterRules,
];
