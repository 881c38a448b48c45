import type { Plane } from '../plane.js';

/** Tables may have grown with more or less to spare; what is beyond the shorter is zero. */
const tables = ['state', 'edges', 'pairs'] as const;

/** Sum of x y over all parameters; see `Kernel.dot`. */
export function dot(x: Plane, y: Plane): number {
  let sum = 0;
  for (const name of tables) {
    const [u, v] = [x[name].view, y[name].view];
    const length = Math.min(u.length, v.length);
    for (let i = 0; i < length; i += 1) sum += u[i]! * v[i]!;
  }
  return sum;
}

/** y += factor x; see `Kernel.axpy`. */
export function axpy(factor: number, x: Plane, y: Plane): void {
  for (const name of tables) {
    const [u, v] = [x[name].view, y[name].view];
    const length = Math.min(u.length, v.length);
    for (let i = 0; i < length; i += 1) v[i]! += factor * u[i]!;
  }
}

/** Sum of |x|; see `Kernel.norm1`. */
export function norm1(x: Plane): number {
  let sum = 0;
  for (const name of tables) for (const value of x[name].view) sum += Math.abs(value);
  return sum;
}

/** Largest |x|; see `Kernel.normMax`. */
export function normMax(x: Plane): number {
  let most = 0;
  for (const name of tables)
    for (const value of x[name].view) most = Math.max(most, Math.abs(value));
  return most;
}
