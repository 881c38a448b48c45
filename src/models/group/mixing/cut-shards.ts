import { TagstreamError } from '../../../core/errors.js';
import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import { PackedMinibatch } from '../../../core/minibatch/packed-minibatch.js';
import { type CorpusNumbers, corpusNumbers } from '../../../kernels/group/placed-corpus.js';

/**
 * Deals a corpus out to shards: sentence i belongs to shard `i mod shards`, so that each shard is a sample of all.
 *
 * @throws TagstreamError `config` for more shards than sentences
 */
export function cutShards(corpus: readonly EncodedSentence[], shards: number): CorpusNumbers[] {
  if (shards > corpus.length) {
    const problem = `${corpus.length} sentences cannot be cut into ${shards} shards`;
    throw new TagstreamError('config', problem, { fix: 'use fewer shards' });
  }
  return Array.from({ length: shards }, (_, shard) =>
    corpusNumbers(new PackedMinibatch(corpus.filter((_, i) => i % shards === shard))),
  );
}
