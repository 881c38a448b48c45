import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { StepMemory } from './step-memory.js';

/**
 * Divides the sentences of a step, in order, into shares of about as many tokens as `speeds` say, one
 * number a member.
 *
 * @param slots of the tokens, where any has one
 */
export function divideSentences(
  step: StepMemory,
  { sentences, sentenceStarts, tokens }: Minibatch,
  slots: Int32Array | undefined,
  speeds: Float64Array,
): void {
  const { members } = step.places;
  const count = sentences.length;
  let total = 0;
  for (let member = 0; member < members; member += 1) total += speeds[member]!;
  let s = 0;
  let slot = 0;
  let before = 0;
  for (let member = 0; member <= members; member += 1) {
    const goal = member === members ? tokens : (tokens * before) / total;
    before += speeds[member] ?? 0;
    // To the end of the sentence that the goal is in, if most of it is before the goal.
    while (s < count && sentenceStarts[s]! + sentenceStarts[s + 1]! <= 2 * goal) {
      if (slots !== undefined)
        slot += slotsBetween(slots, sentenceStarts[s]!, sentenceStarts[s + 1]!);
      s += 1;
    }
    step.shares[member * 3] = s;
    step.shares[member * 3 + 1] = sentenceStarts[s]!;
    step.shares[member * 3 + 2] = slot;
  }
}

function slotsBetween(slots: Int32Array, from: number, to: number): number {
  let count = 0;
  for (let t = from; t < to; t += 1) if (slots[t]! >= 0) count += 1;
  return count;
}

/** What is taken for the speed of a member before anything is known of it. */
const usual = 1000;
/** How much a step counts. */
const weight = 0.1;
/** The minimum speed, as a share of the fastest: a thread that was held up still gets sentences. */
const least = 0.25;

/**
 * How fast the workers of a group were lately, in tokens per millisecond, so that all of them are done with
 * their shares at about the same time: one may have other work, or a slower processor. What they compute
 * does not depend on it.
 */
export class MemberSpeeds {
  /** One number a member. */
  readonly speeds: Float64Array;

  constructor(members: number) {
    this.speeds = new Float64Array(members).fill(usual);
  }

  /** Takes note of a step that all members are done with. */
  note({ shares, spent }: StepMemory): void {
    const { speeds } = this;
    let fastest = 0;
    for (let member = 0; member < speeds.length; member += 1) {
      const tokens = shares[member * 3 + 4]! - shares[member * 3 + 1]!;
      if (tokens > 0 && spent[member]! > 0) {
        speeds[member]! += weight * (tokens / spent[member]! - speeds[member]!);
      }
      fastest = Math.max(fastest, speeds[member]!);
    }
    for (let member = 0; member < speeds.length; member += 1) {
      speeds[member] = Math.max(speeds[member]!, least * fastest);
    }
  }
}
