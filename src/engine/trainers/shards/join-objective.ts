import { commands, type GroupSignals } from '../../kernels/group/group-signals.js';
import { placedCorpus } from '../../kernels/group/placed-corpus.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { SimdKernel } from '../../kernels/simd/simd-kernel.js';
import { PairChains } from '../../kernels/store/pair-chains.js';
import type { LossComponent } from '../../losses/loss-components.js';
import { receivedLoss } from '../../losses/shared-loss.js';
import { MemberPieces } from '../space/member-pieces.js';
import { Exchange } from './exchange.js';
import { MemberShards } from './member-shards.js';
import type { ObjectiveJob } from './objective-group.js';
import { corpusInMemory } from './shard.js';

/**
 * Runs a worker thread, which evaluates its shards of an objective and its pieces of long vectors: executes
 * commands until the thread ends. Blocks the thread.
 *
 * @param losses losses of plug-ins, in addition to Tagstream's
 * @throws the error of this or another member
 */
export function joinObjective(
  job: ObjectiveJob,
  member: number,
  signals: GroupSignals,
  losses: readonly LossComponent<never>[] = [],
): never {
  const memory = new LinearMemory(job.memory);
  const { members } = signals;
  const pairs = new PairChains();
  pairs.restore(job.shape.pairs);
  const exchange = new Exchange(memory, job.exchange);
  const mine = new MemberShards({
    ...{ member, members, exchange },
    kernel: new SimdKernel(job.precision),
    loss: receivedLoss(job.loss, losses),
    shape: { ...job.shape, width: job.shape.labelCapacity, pairs },
    corpus: corpusInMemory(placedCorpus(memory, job.corpus)),
  });
  const pieces = new MemberPieces(memory, job.space, member, members);
  for (;;) {
    if (signals.next() === commands.vectors) pieces.work();
    else mine.evaluate(exchange);
    signals.done();
  }
}
