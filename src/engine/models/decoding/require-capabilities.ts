import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { ScorerName } from '../../core/scorer.js';
import { requireCapability } from '../../inference/scorers/scorers.js';
import type { ScorerCapability } from '../../inference/scorers/without-weights.js';
import { structureOf } from '../../inference/structures/structures.js';
import type { ParameterLayout } from '../../kernels/store/parameter-store.js';
import { asksForProbabilities, type DecodeOptions } from './decode-options.js';

/** Returns the scorer capabilities that decoding needs for more than the best label sequence. */
export function neededCapabilities(
  options: DecodeOptions,
  { sentences }: Pick<Minibatch, 'sentences'>,
): ScorerCapability[] {
  const { decoding = 'viterbi', nbest } = options;
  const sums = decoding !== 'viterbi' || asksForProbabilities(options);
  const constrained =
    options.sequence !== undefined ||
    options.rules !== undefined ||
    (options.constraints !== false &&
      sentences.some(({ sentence }) => sentence.constraints !== undefined));
  return [
    ...(sums ? (['marginals'] as const) : []),
    ...(nbest === undefined ? [] : (['n-best'] as const)),
    ...(constrained ? (['constraints'] as const) : []),
  ];
}

/** @throws TagstreamError `config` that names the scorers with the capability if a requested one is missing */
export function requireCapabilities(
  scorer: ScorerName,
  options: DecodeOptions,
  batch: Pick<Minibatch, 'sentences'> = { sentences: [] },
): void {
  for (const capability of neededCapabilities(options, batch)) {
    requireCapability(scorer, capability, 'this decoding');
  }
}

/** @throws TagstreamError `config` if a structure does not support the decoding options */
export function requireFromStructure(
  layout: ParameterLayout,
  options: DecodeOptions,
  isHidden: boolean,
): void {
  const { sequence, decoding, marginals, probability, nbest, spanProbabilities } = options;
  const needed = neededCapabilities(options, { sentences: [] });
  const { name, capabilities } = structureOf(layout);
  if (sequence !== undefined && (isHidden || !capabilities.includes('rules'))) {
    const what = isHidden ? 'hidden states' : `the structure ${name}`;
    throw new TagstreamError('config', `sequence rules cannot be combined with ${what}`, {
      fix: 'leave the rules out, or train a chain',
    });
  }
  if (needed.length > 0 && !capabilities.includes('sequence scores')) {
    const problem = `with this decoder, the structure ${name} returns only tags`;
    throw new TagstreamError('config', problem, {
      fix: 'train it with the decoder product for probabilities and lists of best sequences',
    });
  }
  const asked = [
    ['n-best', nbest !== undefined, 'lists of best sequences'],
    ['span probabilities', spanProbabilities === true, 'probabilities of spans'],
  ] as const;
  for (const [capability, isAsked, what] of asked) {
    if (!isAsked || capabilities.includes(capability)) continue;
    throw new TagstreamError('config', `the structure ${name} cannot compute ${what}`, {
      fix: 'leave them out, or train a chain; marginals give the confidence of each tag',
    });
  }
  if (marginals === 'pairs' && layout.graph?.chained === false) {
    const problem = 'this graph does not link neighbouring tags';
    throw new TagstreamError('config', problem, {
      fix: 'train it with transitions (the template B), or ask for marginals: all',
    });
  }
  if (decoding !== 'loopy') return;
  if (!capabilities.includes('approximate sums')) {
    throw new TagstreamError('config', 'decoding: loopy needs a model with layers of labels', {
      fix: 'choose posterior, whose sums are exact',
    });
  }
  const asksForSequences = [probability, spanProbabilities].includes(true) || nbest !== undefined;
  if (!asksForSequences && marginals !== 'pairs') return;
  throw new TagstreamError(
    'config',
    'decoding: loopy has no probabilities of sequences, pairs and spans',
    {
      fix: 'choose posterior, or ask for marginals of single tags',
    },
  );
}
