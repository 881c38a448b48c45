import { scorerOf, scorersWith } from '../../../engine/inference/scorers/scorers.js';
import type {
  Scorer,
  ScorerCapability,
} from '../../../engine/inference/scorers/without-weights.js';
import { structureOf } from '../../../engine/inference/structures/structures.js';
import type { Loss } from '../../../engine/losses/loss.js';
import { fitsScorer, fittingChoice, losses } from '../../../engine/losses/losses.js';
import {
  madeNames,
  madeOf,
  unfitCovariance,
  unfitFeature,
  unfitForStructure,
  unfitTogether,
} from '../../../engine/models/unfit-spec.js';
import { indexSpecOf } from '../options/feature-options.js';
import { columnsSpecOf, structureSpecOf } from '../options/structure-options.js';
import type { Training } from '../plan/plan.js';
import { makesOf, unfitForScorer } from '../trainers/trainer-traits.js';
import { type At, type Breach, type Rule, rule } from './rule.js';
import {
  columnRules,
  isBatch,
  isLogLinear,
  optimizerName,
  trainingRules,
  votes,
} from './training-rules.js';

/** The fix that names the optimizers that only need gradients. */
const useGradients = 'use lbfgs, owl-qn, cg, rprop or an online optimizer';

const scorer = ({ features }: Training): Scorer => scorerOf(features.scorer);

function lacks(plan: Training, capability: ScorerCapability): boolean {
  return !scorer(plan).capabilities.includes(capability);
}

/** Returns the loss with default options; undefined for a plug-in's loss. */
function knownLoss({ loss }: Training): Loss | undefined {
  return losses.find(({ name }) => name === loss.component.name);
}

/** Rules that scorers impose. */
const scorerRules: readonly Rule<Training>[] = [
  plan => {
    const { optimizer } = plan;
    const makes = optimizer.kind === 'batch' ? makesOf(optimizer) : optimizer.component.makes;
    const unfit = unfitForScorer(optimizerName(plan), scorer(plan).name, makes);
    return unfit && { at: ['optimizer'], ...unfit };
  },
  plan => {
    const loss = knownLoss(plan);
    const { name } = scorer(plan);
    if (loss === undefined || fitsScorer(loss, name)) return undefined;
    const problem = `the loss ${loss.name} cannot be combined with the scorer ${name}`;
    return { at: ['loss'], problem, fix: fittingChoice(loss, name) };
  },
  rule({
    when: plan => isLogLinear(plan) && lacks(plan, 'log-linear'),
    at: ['optimizer'],
    problem: plan =>
      `the batch optimizer ${optimizerName(plan)} needs scores that are linear in the weights, but the scorer ${scorer(plan).name} has none`,
    fix: `${useGradients}, or the scorer ${scorersWith('log-linear').join(' or ')}`,
  }),
  ({ features }) => {
    const unfit = unfitCovariance(features);
    return unfit && { at: ['model', 'covariance'], ...unfit };
  },
  ({ features: { options, scorer: name } }) => {
    const of = { index: indexSpecOf(options), support: options.support };
    const unfit = unfitFeature(name === undefined ? of : { ...of, scorer: name }, options.preset);
    return unfit && { at: ['features', unfit.setting], ...unfit };
  },
  rule({
    when: ({ features, optimizer }) =>
      features.options.unlabelled !== undefined && optimizer.component.unlabelled !== true,
    at: ['features', 'unlabelled'],
    problem:
      'only the scorer hmm with the optimizers em and stepwise-em learns from unlabelled records',
    fix: 'use the optimizer em with the scorer hmm and the loss joint, or leave unlabelled out',
  }),
];

/** Settings in the section `model` that rules of structures name. */
const ofModel: ReadonlySet<string> = new Set(['scorer', 'hidden', ...madeNames]);

/** Checks the rules for segments and graphs. */
function checkStructure(plan: Training): Breach | undefined {
  const { features, train } = plan;
  const { options, structure: chosen, ...kind } = features;
  const { structure = 'chain' } = chosen;
  if (structure === 'chain') return undefined;
  const unfit = unfitForStructure(structure, {
    ...{ index: indexSpecOf(options), support: options.support },
    ...(kind.scorer && { scorer: kind.scorer }),
    ...(kind.hidden && { hidden: kind.hidden }),
    ...columnsSpecOf(chosen),
  });
  if (unfit !== undefined) {
    const part = ofModel.has(unfit.setting) ? 'model' : 'features';
    return { at: [part, unfit.setting], problem: unfit.problem, fix: unfit.fix };
  }
  const loss = knownLoss(plan);
  if (loss !== undefined && loss.anyStructure !== true) {
    const fitting = losses.filter(({ anyStructure }) => anyStructure === true);
    return {
      at: ['loss'],
      problem: `the loss ${loss.name} cannot be combined with \`structure: ${structure}\``,
      fix: `use one of the losses ${fitting.map(({ name }) => name).join(', ')}, or structure: chain`,
    };
  }
  if (isLogLinear(plan)) {
    return {
      at: ['optimizer'],
      problem: `the batch optimizer ${optimizerName(plan)} cannot be combined with \`structure: ${structure}\``,
      fix: `${useGradients}, or structure: chain`,
    };
  }
  if (train.options.workers > 1) {
    return {
      at: ['train', 'workers'],
      problem: `models with \`structure: ${structure}\` train in one thread`,
      fix: 'train in one thread, or use structure: chain',
    };
  }
  if (train.options.cluster === undefined) return undefined;
  return {
    at: ['train', 'cluster'],
    problem: `models with \`structure: ${structure}\` train on a single machine`,
    fix: 'leave cluster out, or use structure: chain',
  };
}

/** Checks that the structure supports label-specific costs. */
function checkMissCost({ loss, features }: Training): Breach | undefined {
  if (loss.options.missCost === undefined) return undefined;
  const { name, capabilities, instead } = structureOf(structureSpecOf(features.structure));
  if (capabilities.includes('label losses')) return undefined;
  const problem = `missCost needs \`structure: chain\`, but this model has \`${name}\``;
  return { at: ['loss'], problem, fix: instead };
}

/** Rules for models with hidden states. */
const hiddenRules: readonly Rule<Training>[] = [
  rule<Training>({
    when: ({ optimizer }) => optimizer.kind !== 'batch' && optimizer.component.observed === true,
    at: ['optimizer'],
    problem: plan =>
      `the optimizer ${optimizerName(plan)} only counts what is observed, but mixture components are hidden`,
    fix: 'use em or stepwise-em, or leave hidden out',
  }),
  rule<Training>({
    when: isLogLinear,
    at: ['optimizer'],
    problem: plan =>
      `the batch optimizer ${optimizerName(plan)} needs fully observed labels, so it cannot train hidden states`,
    fix: `${useGradients}, or leave hidden out`,
  }),
  rule<Training>({
    when: plan => plan.kind === 'learn' && !lacks(plan, 'gradients'),
    at: ['model', 'hidden'],
    problem:
      'hidden states are initialized once all features are known, which a stream never reaches',
    fix: 'give train.epochs, or leave hidden out',
  }),
].map(each => plan => (plan.features.hidden === undefined ? undefined : each(plan)));

/** Checks the rules for tags with layers or parts, and for output codes. */
function checkColumns(plan: Training): Breach | undefined {
  const { features, train } = plan;
  const { structure } = features;
  const made = madeNames.find(name => structure[name] !== undefined);
  if (made === undefined) return undefined;
  const tags = madeOf[made];
  const unfit = (at: At, problem: string, fix: string): Breach => ({
    ...{ at, problem, fix: `${fix}, or leave ${made} out` },
  });
  const both = unfitTogether(structure);
  if (both !== undefined)
    return { at: ['model', both.setting], problem: both.problem, fix: both.fix };
  if (lacks(plan, 'structures')) {
    const fix = `use the scorer ${scorersWith('structures').join(' or ')}`;
    return unfit(
      ['model', 'scorer'],
      `the scorer ${scorer(plan).name} does not support ${made}`,
      fix,
    );
  }
  if (features.hidden !== undefined) {
    return unfit(['model', 'hidden'], `${tags} cannot have hidden states`, 'leave hidden out');
  }
  if (isLogLinear(plan) || votes(plan)) {
    const problem = `the optimizer ${optimizerName(plan)} cannot train ${tags}`;
    return unfit(
      ['optimizer'],
      problem,
      'use lbfgs, owl-qn, cg, rprop or another online optimizer',
    );
  }
  if (plan.kind === 'learn') {
    return unfit(['model', made], `${tags} can only be learned from a corpus`, 'give train.epochs');
  }
  if (isBatch(plan) || train.options.workers === 1) return undefined;
  const fix = 'train in one thread, or use a batch optimizer';
  return unfit(['train', 'workers'], `online training of ${tags} runs in one thread`, fix);
}

/** Rules for hashed rows and observed pairs. */
const featureRules: readonly Rule<Training>[] = [
  rule({
    when: ({ features: { options } }) =>
      options.hashed !== undefined && options.mutualInformation !== undefined,
    at: ['features', 'mutualInformation'],
    problem: 'features that share hashed rows cannot be selected',
    fix: 'leave hashed or mutualInformation out',
  }),
  rule({
    when: ({ optimizer, features }) =>
      optimizer.kind === 'batch' &&
      optimizer.component.addsWeights === true &&
      features.options.support !== 'observed',
    at: ['features', 'support'],
    problem: plan =>
      `the optimizer ${optimizerName(plan)} adds weights one by one, but \`support: all\` creates them for all labels`,
    fix: 'set features.support: observed',
  }),
  plan => {
    const { options } = plan.features;
    if (!options.compressed) return undefined;
    const at: At = ['features', 'compressed'];
    if (options.support === 'observed') {
      return checkManyLabels(plan, { setting: 'compressed', at, needed: 'weights in rows' });
    }
    return {
      at,
      problem: '`compressed` cannot be combined with `support: all`',
      fix: 'add support: observed',
    };
  },
  plan => {
    const { options, structure } = plan.features;
    if (structure.prune === undefined) return undefined;
    const at: At = ['model', 'prune'];
    const unfit = checkManyLabels(plan, { setting: 'prune', at, needed: 'all labels' });
    if (unfit !== undefined || options.dictionary === undefined) return unfit;
    const problem = 'a tag dictionary needs all labels';
    return { at: ['features', 'dictionary'], problem, fix: 'leave dictionary or prune out' };
  },
];

/** A setting for many labels, and the settings that it cannot be combined with. */
interface ManyLabels {
  readonly setting: 'compressed' | 'prune';
  readonly at: At;
  readonly needed: string;
}

/** Checks the rules for weights of single pairs and for pruned labels. */
function checkManyLabels(plan: Training, { setting, at, needed }: ManyLabels): Breach | undefined {
  const { features, optimizer, train } = plan;
  const leaveOut = `leave ${setting} out`;
  const { structure = 'chain', ...of } = features.structure;
  const other =
    (structure !== 'chain' && `the structure ${structure}`) ||
    (features.scorer !== undefined && `the scorer ${features.scorer}`) ||
    (['layers', 'codes'] as const).find(name => of[name] !== undefined) ||
    (features.hidden !== undefined && 'hidden states');
  if (other) {
    return { at, problem: `${other} needs ${needed}`, fix: `${leaveOut}, or train a linear chain` };
  }
  if (optimizer.kind === 'batch' || optimizer.component.singlePairs !== true) {
    const problem = `the optimizer ${optimizerName(plan)} needs ${needed}`;
    return { at: ['optimizer'], problem, fix: `use sgd or perceptron, or ${leaveOut}` };
  }
  if (plan.kind === 'learn') {
    const problem = `${setting} needs a corpus, not a stream`;
    return { at, problem, fix: `give train.epochs, or ${leaveOut}` };
  }
  const { workers, cluster } = train.options;
  if (workers === 1 && cluster === undefined) return undefined;
  const several = cluster === undefined ? 'workers' : 'cluster';
  return {
    at: ['train', several],
    problem: `models with ${setting} train in one thread`,
    fix: `leave ${several} out, or ${leaveOut}`,
  };
}

/** Rules between scorers, structures, features and training. */
const modelRules: readonly Rule<Training>[] = [
  ...scorerRules,
  checkStructure,
  checkMissCost,
  ...hiddenRules,
  checkColumns,
  ...featureRules,
];

/** All rules for models and training, for pipeline files and for code. */
export const learningRules: readonly Rule<Training>[] = [
  ...modelRules,
  ...trainingRules,
  ...columnRules,
];
