import type { Pipeline } from './pipeline.js';

/** The name of the optimizer that a pipeline trains with, online or batch; undefined where it trains nothing. */
export function optimizerOf({ stages }: Pick<Pipeline, 'stages'>): string | undefined {
  const optimize = stages.find(({ component }) => component.name === 'optimize');
  return optimize === undefined ? undefined : Object.keys(optimize.options)[0];
}
