import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { StepMemory } from './step-memory.js';

/**
 * Divides the sentences of a step, in order, into one share per member, with token counts proportional to
 * `speeds`.
 *
 * @param slots slots of the tokens, if any token has one
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
    // Rounds up to the end of the sentence that contains the goal if most of the sentence lies before the
    // goal.
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

/** Speed assumed for a member before the first measurement. */
const usual = 1000;
/** Weight of one step in the moving average. */
const weight = 0.1;
/**
 * Minimum speed, as a share of the fastest, so that a delayed thread still gets sentences.
 */
const least = 0.25;

/**
 * The recent speeds of a group's workers, in tokens per millisecond, with which all finish their shares at
 * about the same time even on a busy or slower processor. Results do not depend on them.
 */
export class MemberSpeeds {
  /** Speed of each member. */
  readonly speeds: Float64Array;

  constructor(members: number) {
    this.speeds = new Float64Array(members).fill(usual);
  }

  /** Records a step finished by all members. */
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
