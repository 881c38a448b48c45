import type { StepMemory } from './step-memory.js';

/** What is taken for the speed of a member before anything is known of it. */
const usual = 1000;
/** How much a step counts. */
const weight = 0.1;
/** The least speed, as a share of the fastest: whoever was held up gets sentences all the same. */
const least = 0.25;

/**
 * How fast the workers of a group were lately, in tokens per millisecond, so that all of them are done with
 * their shares at about the same time: one has more to do beside, or a slower processor. What they compute
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
