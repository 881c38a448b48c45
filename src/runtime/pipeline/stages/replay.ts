import { ReplayMemory } from '../../../engine/models/learning/replay-memory.js';
import type { RunContext } from '../definition/run-context.js';
import { defineStage } from '../definition/stage-component.js';
import type { StepOptions } from '../learners/trainee.js';
import { replayOptions } from '../options/stage-options.js';
import type { AnyPlan } from '../plan/plan.js';
import { restorePart } from '../setup/restore-run.js';

export const replayStage = defineStage({
  name: 'replay',
  summary: 'keeps labelled sentences of a stream, and replays some for each new one',
  example: 'replay: { keep: 5000, from: reservoir, each: 4 }',
  takes: ['minibatch'],
  gives: 'minibatch',
  options: replayOptions,
});

/** Builds the replay memory of a plan, restored if the run resumes. */
export function buildReplay(
  { replay }: Pick<AnyPlan, 'replay'>,
  { restored }: Pick<RunContext, 'restored'>,
): StepOptions['replay'] {
  if (replay === undefined) return undefined;
  const { each, ...options } = replay.options;
  const memory = new ReplayMemory(options);
  if (restored !== undefined) restorePart(restored, 'replay', state => memory.restore(state));
  return { memory, each };
}
