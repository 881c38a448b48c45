import { dot } from './dot.js';

/** Euclidean length of a vector. */
export function norm(x: Float64Array): number {
  return Math.sqrt(dot(x, x));
}
