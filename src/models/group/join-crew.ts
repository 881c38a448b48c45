import type { CrewSignals } from '../../kernels/group/crew-signals.js';
import { commands } from '../../kernels/group/crew-signals.js';
import { MemberKernel } from '../../kernels/group/member-kernel.js';
import { placedCorpus } from '../../kernels/group/placed-corpus.js';
import { StepMemory } from '../../kernels/group/step-memory.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { SimdKernel } from '../../kernels/simd/simd-kernel.js';
import { placedStore } from '../../kernels/store/placed-store.js';
import type { LossComponent } from '../../losses/loss-component.js';
import { receivedLoss } from '../../losses/shared-loss.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import { optimizers } from '../../optimizers/optimizers.js';
import type { CrewJob } from './crew.js';
import { crewOptimizer } from './crew-components.js';
import { CrewMember } from './crew-member.js';

/** What the thread has loaded of plug-ins, beside the components of Tagstream. */
export interface CrewPlugins {
  readonly losses: readonly LossComponent<never>[];
  readonly optimizers: readonly OptimizerComponent<never>[];
}

const noPlugins: CrewPlugins = { losses: [], optimizers: [] };

/**
 * The life of a member that is not the main thread: takes commands until its thread is ended. Blocks it.
 *
 * @throws whatever goes wrong, here or with another member
 */
export function joinCrew(
  job: CrewJob,
  member: number,
  signals: CrewSignals,
  plugins: CrewPlugins = noPlugins,
): never {
  const crewMember = memberOf(job, member, signals, plugins);
  for (;;) {
    const command = signals.next();
    if (command === commands.contribute) crewMember.contribute();
    else if (command === commands.apply) crewMember.apply();
    else crewMember.round();
    signals.done();
  }
}

function memberOf(
  job: CrewJob,
  member: number,
  signals: CrewSignals,
  plugins: CrewPlugins,
): CrewMember {
  const memory = new LinearMemory(job.memory);
  const store = placedStore(job.store, memory, job.mode === 'deterministic');
  const kernel = new MemberKernel(new SimdKernel(job.precision));
  if (job.mode === 'hogwild') kernel.join(member, () => signals.meet());
  const { name, options, corpusSize, json, arrays } = job.optimizer;
  const context = { kernel, parameters: store, corpusSize };
  const known = [...optimizers, ...plugins.optimizers];
  const optimizer = crewOptimizer(name, job.mode, known).create(options as never, context);
  // Its planes have their numbers already; the rest of the state comes along.
  optimizer.restore({ json, arrays: { ...optimizer.save().arrays, ...(arrays as object) } });
  return new CrewMember({
    ...{ member, kernel, store, optimizer },
    corpus: placedCorpus(memory, job.corpus),
    step: new StepMemory(memory, job.step),
    loss: receivedLoss(job.loss, plugins.losses),
  });
}
