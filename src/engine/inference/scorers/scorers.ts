import { TagstreamError } from '../../core/errors.js';
import type { ScorerName } from '../../core/scorer.js';
import { hmmScorer } from './hmm-scorer.js';
import { linearScorer } from './linear-scorer.js';
import { memmScorer } from './memm-scorer.js';
import { supportVectorsScorer } from './support-vectors-scorer.js';
import { treesScorer } from './trees-scorer.js';
import type { Scorer, ScorerCapability } from './without-weights.js';

/** All scorers that pipeline files can name. The first is the default. */
export const scorers: readonly Scorer[] = [
  linearScorer,
  memmScorer,
  hmmScorer,
  treesScorer,
  supportVectorsScorer,
];

/** Returns the scorer with a name, or the default one if the name is absent. */
export function scorerOf(name: ScorerName = 'linear'): Scorer {
  return scorers.find(scorer => scorer.name === name)!;
}

/** Returns whether a scorer has a capability; an absent name means the default scorer. */
export function scorerHas(name: ScorerName | undefined, capability: ScorerCapability): boolean {
  return scorerOf(name).capabilities.includes(capability);
}

/** Returns the names of the scorers that have a capability. */
export function scorersWith(
  capability: ScorerCapability,
  among: readonly Scorer[] = scorers,
): readonly ScorerName[] {
  return among
    .filter(({ capabilities }) => capabilities.includes(capability))
    .map(({ name }) => name);
}

/**
 * Checks that a scorer has a capability that not all scorers have.
 *
 * @param what name of the component that needs the capability, such as "the optimizer cd"
 * @throws TagstreamError `config` that names the scorers that have it
 */
export function requireCapability(
  name: ScorerName | undefined,
  capability: ScorerCapability,
  what: string,
): void {
  if (scorerHas(name, capability)) return;
  throw new TagstreamError(
    'config',
    `${what} needs ${capability}, which the scorer ${scorerOf(name).name} does not have`,
    { fix: `use the scorer ${scorersWith(capability).join(' or ')}` },
  );
}
