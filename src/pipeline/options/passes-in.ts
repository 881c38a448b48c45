import type { TrainOptions } from './train-options.js';

/** Passes over the corpus with all seeds; undefined on a stream. */
export function passesIn(
  train: Partial<Pick<TrainOptions, 'epochs' | 'seeds'>> | undefined,
): number | undefined {
  const { epochs, seeds = 1 } = train ?? {};
  return epochs === undefined ? undefined : epochs * seeds;
}
