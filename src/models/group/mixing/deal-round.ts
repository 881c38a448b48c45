import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import { isLabelled } from '../../../core/minibatch/is-labelled.js';
import { fnv1a } from '../../../text/fnv1a.js';

/**
 * Deals the sentences of a round out to shards: the labelled ones of a record go to shard `FNV-1a of its id mod shards`, so
 * that what has one id is learned in one place; records without an id to shard `i mod shards`, the record being the
 * i-th of the round. Shards without a sentence are left out.
 *
 * @returns for each shard the numbers of its sentences in the round, in ascending order
 */
export function dealRound(sentences: readonly EncodedSentence[], shards: number): number[][] {
  const dealt = Array.from({ length: shards }, (): number[] => []);
  let record = -1;
  let last: object | undefined;
  for (const [i, encoded] of sentences.entries()) {
    const { document } = encoded.sentence;
    if (document !== last) record += 1;
    last = document;
    if (!isLabelled(encoded)) continue;
    const hash = document.id === undefined ? record : fnv1a(document.id);
    dealt[hash % shards]!.push(i);
  }
  return dealt.filter(({ length }) => length > 0);
}
