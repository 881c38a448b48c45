import type { Minibatch } from '../../core/minibatch.js';
import type { StepMemory } from './step-memory.js';

/** Divides the sentences of a step, in order, into shares of about as many tokens. */
export function divideSentences(step: StepMemory, batch: Minibatch, slots: Int32Array): void {
  const { sentenceStarts, tokens } = batch;
  const { members } = step.places;
  const count = batch.sentences.length;
  let s = 0;
  let slot = 0;
  for (let member = 0; member <= members; member += 1) {
    const goal = (tokens * member) / members;
    // To the end of the sentence that the goal is in, if most of it is before the goal.
    while (s < count && sentenceStarts[s]! + sentenceStarts[s + 1]! <= 2 * goal) {
      for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
        if (slots[t]! >= 0) slot += 1;
      }
      s += 1;
    }
    step.shares.set([s, sentenceStarts[s]!, slot], member * 3);
  }
}
