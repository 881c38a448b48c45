import type { Plane } from '../../kernels/memory/plane.js';
import type { Mixing, Optimizer } from '../optimizer.js';

/** Mixing of an optimizer that deploys its last weights. */
export function withoutAverage(
  optimizer: Pick<Optimizer, 'deploy'>,
  startAt: (sentences: number) => void,
  sums: readonly Plane[] = [],
): Mixing {
  return { sums, startAt, present: target => optimizer.deploy(target), averaged: () => 0 };
}
