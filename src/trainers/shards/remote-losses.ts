import { TagstreamError } from '../../core/errors.js';
import { PackedMinibatch } from '../../core/minibatch/packed-minibatch.js';
import { corpusNumbers } from '../../kernels/group/placed-corpus.js';
import { shapeOf } from '../../kernels/store/store-places.js';
import { sharedLoss } from '../../losses/shared-loss.js';
import { corpusOfSentences } from './shard-corpus.js';
import { shardRanges } from './shard-ranges.js';
import type { RemoteSums } from './shard-sums.js';
import type { LossesOptions } from './sharded-losses.js';

/**
 * The sum of a corpus's losses as a function of the free parameters, whose shards are evaluated elsewhere: the sums are
 * added here in the order of the shards, as `ShardedLosses` does, so that with as many shards both come to the same bytes.
 */
export class RemoteLosses {
  readonly losses: Float64Array;
  readonly #remote: RemoteSums;
  readonly #places: readonly Uint32Array[];
  readonly #starts: Uint32Array;

  /** @throws TagstreamError `config` if others cannot share the work of the kernel or loss */
  constructor(
    { kernel, parameters, loss, corpus }: LossesOptions,
    remote: RemoteSums,
    size: number,
  ) {
    const sentences = corpus.flatMap(minibatch => minibatch.sentences);
    const shared = sharedLoss(loss);
    if (kernel.name !== 'simd') throw withoutMachines('kernel', kernel.name);
    if (shared === undefined) throw withoutMachines('loss', loss.name);
    const ranges = shardRanges(corpusOfSentences(sentences).sentenceStarts, remote.shards);
    this.#remote = remote;
    this.#starts = ranges;
    this.losses = new Float64Array(sentences.length);
    const shape = { ...shapeOf(parameters), scale: 1 };
    const job = { precision: kernel.precision, shape, loss: shared, size };
    const shards = Array.from({ length: ranges.length - 1 }, (_, i) =>
      corpusNumbers(new PackedMinibatch(sentences.slice(ranges[i]!, ranges[i + 1]!))),
    );
    this.#places = remote.begin(job, shards);
  }

  /** The sum of the losses; its gradient goes into `gradient`. */
  sum(weights: Float64Array, gradient: Float64Array, meanwhile: () => void): number {
    meanwhile();
    const sums = this.#remote.evaluate(weights);
    gradient.fill(0);
    for (const [shard, { values, losses }] of sums.entries()) {
      const places = this.#places[shard]!;
      for (let i = 0; i < places.length; i += 1) gradient[places[i]!]! += values[i]!;
      this.losses.set(losses, this.#starts[shard]!);
    }
    return this.losses.reduce((sum, loss) => sum + loss, 0);
  }
}

function withoutMachines(what: string, name: string): TagstreamError {
  return new TagstreamError('config', `many machines cannot train with the ${what} ${name}`, {
    fix: 'leave train.cluster out',
  });
}
