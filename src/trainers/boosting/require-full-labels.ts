import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';

/**
 * For trainers that compare what is expected with the labels of each token.
 *
 * @param trainer its name
 * @throws TagstreamError `config` for a partially labelled sentence
 */
export function requireFullLabels(trainer: string, corpus: readonly Minibatch[]): void {
  for (const { labelled, sentenceStarts, gold, sentences } of corpus) {
    const partial = sentences.findIndex(
      (_, s) => labelled[s] === 1 && gold[sentenceStarts[s]!] === -1,
    );
    if (partial < 0) continue;
    const { id } = sentences[partial]!.sentence.document;
    const record = id === undefined ? 'a sentence' : `record ${id}`;
    throw new TagstreamError(
      'config',
      `${record} is partially labelled, which ${trainer} does not support`,
      {
        fix: 'omit such records, or use another optimizer',
      },
    );
  }
}
