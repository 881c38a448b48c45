import { TagstreamError } from '../../../engine/core/errors.js';
import type { Challenger, FeaturesPart, LearnPlan, Plan } from './plan.js';

/** Parts that a challenger shares with the plan: what is read and written, and when. */
const shared = [
  ...(['source', 'tokenize', 'batch', 'evaluation', 'checkpoint', 'decode', 'sink'] as const),
  ...(['join', 'replay', 'ask'] as const),
  'deadLetters',
] as const;

/** Options of `train` that a challenger may set itself. */
const own: readonly string[] = ['corpusSize', 'start', 'threshold', 'temperature', 'compact'];

/**
 * Returns a challenger of a plan: another plan for the same stream.
 *
 * @throws TagstreamError `config` if it differs in anything except how it learns
 */
export function challengerOf(name: string, plan: LearnPlan, other: Plan): Challenger {
  if (other.kind !== 'learn') throw differing('train.epochs');
  const part = shared.find(each => isOther(plan[each], other[each]));
  if (part !== undefined) throw differing(part === 'evaluation' ? 'evaluate' : part);
  const options = plan.train.options as Readonly<Record<string, unknown>>;
  for (const [key, value] of Object.entries(other.train.options)) {
    if (!own.includes(key) && isOther(value, options[key])) throw differing(`train.${key}`);
  }
  return { name, plan: other, isTwin: isTwin(plan.features, other.features) };
}

function differing(what: string): TagstreamError {
  return new TagstreamError('config', `it cannot have its own setting ${what}`, {
    fix: 'change featurize, contribute, optimize, model or train.corpusSize: a challenger learns from the same minibatches',
  });
}

/** Returns whether models with the given features encode alike, so that one can learn from the other's encoding. */
function isTwin(features: FeaturesPart, other: FeaturesPart): boolean {
  if (isOther(features.options, other.options) || isOther(features.limit, other.limit))
    return false;
  // If one learner's weights evict features, the others lose them too.
  return features.options.prune === undefined && isPlain(features) && isPlain(other);
}

/** Returns whether a model is a linear chain: other structures keep more than parameters, features and labels. */
function isPlain({ scorer, hidden, structure: chosen }: FeaturesPart): boolean {
  const { structure = 'chain', layers, parts, codes, prune } = chosen;
  const isSimple = [hidden, layers, parts, codes, prune].every(each => each === undefined);
  return scorer === undefined && structure === 'chain' && isSimple;
}

function isOther(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
