import type { CrewSignals } from '../../kernels/crew/crew-signals.js';
import { placedCorpus } from '../../kernels/crew/placed-corpus.js';
import { LinearMemory } from '../../kernels/linear-memory.js';
import { PairChains } from '../../kernels/pair-chains.js';
import { SimdKernel } from '../../kernels/simd/simd-kernel.js';
import { receivedLoss } from '../../losses/shared-loss.js';
import { Exchange } from './exchange.js';
import { MemberShards } from './member-shards.js';
import type { ObjectiveJob } from './objective-crew.js';
import { corpusInMemory } from './shard-corpus.js';

/**
 * The life of a thread that evaluates shards of an objective and is not the main one: takes commands until
 * it is ended. Blocks it.
 *
 * @throws whatever goes wrong, here or with another member
 */
export function joinObjective(job: ObjectiveJob, member: number, signals: CrewSignals): never {
  const memory = new LinearMemory(job.memory);
  const pairs = new PairChains();
  pairs.restore(job.shape.pairs);
  const mine = new MemberShards({
    ...{ member, members: signals.members },
    kernel: new SimdKernel(job.precision),
    loss: receivedLoss(job.loss),
    shape: { ...job.shape, width: job.shape.labelCapacity, pairs },
    corpus: corpusInMemory(placedCorpus(memory, job.corpus)),
  });
  const exchange = new Exchange(memory, job.exchange);
  const sums = mine.shards.map((shard, i) => {
    return exchange.give(mine.first + i, shard.free, shard.size).sums;
  });
  for (;;) {
    signals.next();
    mine.evaluate(exchange.weights, sums, exchange.losses);
    signals.done();
  }
}
