import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import { PackedMinibatch } from '../../../core/minibatch/packed-minibatch.js';
import type { Contribution } from '../../../core/training/contribution.js';
import type { ShardResult } from './shard-job.js';

/** What a round is made of. */
interface Round {
  readonly sentences: readonly EncodedSentence[];
  /** For each shard the numbers of its sentences. */
  readonly dealt: readonly (readonly number[])[];
  readonly results: readonly ShardResult[];
}

/** The sums of a round, with its sentences and what the shards predicted of them, in the order of the stream. */
export function roundOutcome(
  sums: Contribution,
  { sentences, dealt, results }: Round,
): Contribution {
  const minibatch = new PackedMinibatch(sentences);
  const whole: Contribution = { ...sums, minibatch, detach: () => whole };
  if (results.some(({ predictions }) => predictions === undefined)) return whole;
  const predicted = new Int32Array(minibatch.tokens).fill(-1);
  const losses = new Float64Array(sentences.length);
  for (const [shard, numbers] of dealt.entries()) {
    const said = results[shard]!.predictions!;
    let token = 0;
    for (const [k, i] of numbers.entries()) {
      const { length } = sentences[i]!;
      predicted.set(said.labels.subarray(token, token + length), minibatch.sentenceStarts[i]!);
      losses[i] = said.losses[k]!;
      token += length;
    }
  }
  return Object.assign(whole, { predicted, losses });
}
