import { commands, type GroupSignals } from '../../kernels/group/group-signals.js';
import { MemberKernel } from '../../kernels/group/member-kernel.js';
import { placedCorpus } from '../../kernels/group/placed-corpus.js';
import { StepMemory } from '../../kernels/group/step-memory.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { SimdKernel } from '../../kernels/simd/simd-kernel.js';
import { placedStore } from '../../kernels/store/placed-store.js';
import type { LossComponent } from '../../losses/loss-components.js';
import { receivedLoss } from '../../losses/shared-loss.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import { optimizers } from '../../optimizers/optimizers.js';
import { GroupWorker } from './group-worker.js';
import { type GroupJob, groupOptimizer } from './worker-group.js';

/** Plug-in components that the thread has loaded in addition to Tagstream's own. */
export interface GroupPlugins {
  readonly losses: readonly LossComponent<never>[];
  readonly optimizers: readonly OptimizerComponent<never>[];
}

const noPlugins: GroupPlugins = { losses: [], optimizers: [] };

/**
 * Runs a member other than the main thread: executes commands until its thread ends. Blocks its thread.
 *
 * @throws any error, of this or another member
 */
export function joinGroup(
  job: GroupJob,
  member: number,
  signals: GroupSignals,
  plugins: GroupPlugins = noPlugins,
): never {
  const groupWorker = memberOf(job, member, signals, plugins);
  for (;;) {
    const command = signals.next();
    if (command === commands.contribute) groupWorker.contribute();
    else if (command === commands.apply) groupWorker.apply();
    else if (command === commands.restart) groupWorker.restart(job.fresh!);
    else groupWorker.round();
    signals.done();
  }
}

function memberOf(
  job: GroupJob,
  member: number,
  signals: GroupSignals,
  plugins: GroupPlugins,
): GroupWorker {
  const memory = new LinearMemory(job.memory);
  const store = placedStore(job.store, memory, job.mode === 'deterministic');
  const kernel = new MemberKernel(new SimdKernel(job.precision));
  if (job.mode === 'hogwild') kernel.join(member, () => signals.meet());
  const { name, options, corpusSize, json, arrays } = job.optimizer;
  const context = { kernel, parameters: store, corpusSize };
  const known = [...optimizers, ...plugins.optimizers];
  const optimizer = groupOptimizer(name, job.mode, known).create(options as never, context);
  // The optimizer's planes already have their numbers; the rest of its state is passed along.
  optimizer.restore({ json, arrays: { ...optimizer.save().arrays, ...(arrays as object) } });
  return new GroupWorker({
    ...{ member, kernel, store, optimizer },
    corpus: placedCorpus(memory, job.corpus),
    step: new StepMemory(memory, job.step),
    loss: receivedLoss(job.loss, plugins.losses),
  });
}
