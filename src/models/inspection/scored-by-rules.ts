import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { forwardBackward } from '../../inference/forward-backward.js';
import { addBonus, maskToken, maskTransitions } from '../../inference/mask-scores.js';
import { scoreBatch } from '../../inference/score-batch.js';
import { structureOf } from '../../inference/structures/structures.js';
import { decodingLattice } from '../../kernels/decoding-lattice.js';
import type { Lattice } from '../../kernels/lattice.js';
import { contradicts } from '../decoding/decoder.js';
import type { DecodingRules } from '../decoding/decoding-rules.js';
import type { RuleResult } from '../decoding/tag-rules.js';
import type { Model } from '../model.js';

type Rules = Pick<DecodingRules, 'transitionMask' | 'dictionary'> & {
  readonly ruled?: RuleResult | undefined;
};

const noRules: Rules = { transitionMask: undefined, dictionary: undefined };

/** Forbids what the decoder forbids. */
function restrict(
  { transitionMask, dictionary, ruled }: Rules,
  lattice: Lattice,
  tokens: readonly string[],
): void {
  if (transitionMask !== undefined) maskTransitions(lattice, transitionMask);
  const asked = ruled?.masks ?? [];
  for (const { token, allowed } of asked) maskToken(lattice, token, allowed);
  for (const bonus of ruled?.bonuses ?? []) addBonus(lattice, bonus.token, bonus);
  for (const [t, token] of tokens.entries()) {
    const allowed = dictionary?.allowed(token);
    if (allowed !== undefined && !contradicts(asked, t, allowed)) maskToken(lattice, t, allowed);
  }
}

/**
 * The marginals of a sentence under what the decoder allows; what leaves no sequence gives way, as in the decoder.
 *
 * @param ruled what rules beside the model come to in the sentence
 * @returns the lattice, and what scores it again by the same rules
 */
export function scoredByRules(
  model: Model,
  batch: Minibatch,
  ruled?: RuleResult,
): { readonly lattice: Lattice; readonly again: () => void } {
  const { kernel, parameters } = model;
  const inferring = structureOf(parameters.layout).kernel?.(kernel) ?? kernel;
  const lattice = decodingLattice(parameters);
  const { tokens } = batch.sentences[0]!.sentence;
  const by = (rules: Rules) => {
    // What is explained may be behind by any number.
    lattice.whole = new Uint8Array(batch.sentences.length).fill(1);
    scoreBatch(kernel, parameters, lattice, batch);
    restrict(rules, lattice, tokens);
  };
  let last: Rules = noRules;
  const { transitionMask, dictionary } = model;
  for (const rules of [
    { transitionMask, dictionary, ruled },
    { ...noRules, transitionMask, ruled },
    { ...noRules, transitionMask },
    noRules,
  ]) {
    last = rules;
    by(rules);
    if (forwardBackward(inferring, lattice, 0, 'log') !== Number.NEGATIVE_INFINITY) break;
  }
  return { lattice, again: () => by(last) };
}
