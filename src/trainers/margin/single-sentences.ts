import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { isPartial } from '../../losses/partial/is-partial.js';

/**
 * The labelled sentences of a corpus, each by itself.
 *
 * @param trainer its name
 * @throws TagstreamError `config` for a partially labelled sentence
 */
export function singleSentences(trainer: string, corpus: readonly Minibatch[]): Minibatch[] {
  const minibatches = corpus.flatMap(({ sentences, labelled }) =>
    sentences.flatMap((sentence, s) => (labelled[s] === 1 ? [packMinibatch([sentence])] : [])),
  );
  if (!minibatches.some(minibatch => isPartial(minibatch, 0))) return minibatches;
  throw new TagstreamError('config', `${trainer} does not support partially labelled sentences`, {
    fix: 'omit them, or use sgd with the loss hinge',
  });
}
