import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { ScorerName } from '../../core/scorer-name.js';
import type { ScorerCapability } from '../../inference/scorers/scorer.js';
import { requireCapability } from '../../inference/scorers/scorers.js';
import type { DecodeOptions } from './decode-options.js';

/** What decoding needs of a scorer beside the best label sequence. */
export function neededCapabilities(
  options: DecodeOptions,
  { sentences }: Pick<Minibatch, 'sentences'>,
): ScorerCapability[] {
  const { decoding = 'viterbi', marginals, probability, spanProbabilities, nbest } = options;
  const sums = decoding !== 'viterbi' || [marginals, probability, spanProbabilities].includes(true);
  const constrained =
    options.sequence !== undefined ||
    (options.constraints !== false &&
      sentences.some(({ sentence }) => sentence.constraints !== undefined));
  return [
    ...(sums ? (['marginals'] as const) : []),
    ...(nbest === undefined ? [] : (['n-best'] as const)),
    ...(constrained ? (['constraints'] as const) : []),
  ];
}

/** @throws TagstreamError `config` where a scorer does not have what is asked for, with those that do */
export function requireCapabilities(
  scorer: ScorerName,
  options: DecodeOptions,
  batch: Pick<Minibatch, 'sentences'>,
): void {
  for (const capability of neededCapabilities(options, batch)) {
    requireCapability(scorer, capability, 'what is asked for of a sentence');
  }
}

/** @throws TagstreamError `config` where whole sequences have rules, and the model is not a chain of its labels */
export function requireChainForRules(
  { sequence }: DecodeOptions,
  { hidden, segments }: { readonly hidden: boolean; readonly segments: boolean },
): void {
  if (sequence === undefined || !(hidden || segments)) return;
  const what = hidden ? 'hidden states' : 'the structure segments';
  throw new TagstreamError('config', `rules for whole sequences do not go with ${what}`, {
    fix: 'leave the rules out, or train a chain',
  });
}
