import * as z from 'zod';

/**
 * Step size schedules, for custom optimizers; each maps the number of passes made to a step size.
 *
 * @example
 * schedules.inverse(0.1, 1)(1) // => 0.05
 */
export const schedules: {
  /** eta0, constant. */
  readonly constant: (eta0: number) => Schedule;
  /** eta0 / (1 + decay * passes). */
  readonly inverse: (eta0: number, decay: number) => Schedule;
  /** eta0 * decay^passes. */
  readonly exponential: (eta0: number, decay: number) => Schedule;
} = { constant, inverse, exponential };

/** The options shared by all optimizers with a step size. */
export const scheduleShape = {
  eta0: z.number().positive().describe('initial step size per sentence'),
  schedule: z
    .enum(['constant', 'inverse', 'exponential'])
    .describe(
      'constant: eta0; inverse: eta0 / (1 + decay * passes); exponential: eta0 * decay^passes',
    ),
  decay: z
    .optional(z.number().positive())
    .describe('decay of the schedule; default: 1 for inverse, 0.85 for exponential'),
};

export interface ScheduleOptions {
  readonly eta0: number;
  readonly schedule: 'constant' | 'inverse' | 'exponential';
  readonly decay?: number | undefined;
}

/** Returns the schedule named in the options. */
export function scheduleOf({ eta0, schedule, decay }: ScheduleOptions): Schedule {
  switch (schedule) {
    case 'constant':
      return constant(eta0);
    case 'inverse':
      return inverse(eta0, decay ?? 1);
    case 'exponential':
      return exponential(eta0, decay ?? 0.85);
  }
}

/**
 * Returns the constant schedule, eta = eta0.
 *
 * @example
 * schedules.constant(0.1)(7) // => 0.1
 */
function constant(eta0: number): Schedule {
  return () => eta0;
}

/**
 * Returns the schedule eta = eta0 * alpha^passes.
 *
 * @example
 * schedules.exponential(0.5, 0.5)(2) // => 0.125
 */
function exponential(eta0: number, alpha: number): Schedule {
  return passes => eta0 * alpha ** passes;
}

/**
 * Returns the schedule eta = eta0 / (1 + decay * passes).
 *
 * @example
 * schedules.inverse(0.5, 1)(4) // => 0.1
 */
function inverse(eta0: number, decay: number): Schedule {
  return passes => eta0 / (1 + decay * passes);
}

/** The step size as a function of the number of passes so far, which may be fractional. */
export type Schedule = (passes: number) => number;

/**
 * Returns the share by which a step of the penalty l2 * w^2 shrinks a weight, below 1: a larger step would cross zero, and
 * one of more than 2 would make the weights grow without bound.
 *
 * @example
 * [shrinkingShare(0.25), shrinkingShare(20) < 1] // => [0.25, true]
 */
export function shrinkingShare(share: number): number {
  return Math.min(share, 1 - Number.EPSILON);
}
