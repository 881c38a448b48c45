import type { Plane } from '../../kernels/memory/plane.js';

/** into = one + factor * other, for the state features and the transitions of planes with the same rows. */
export function addScaled(one: Plane, factor: number, other: Plane, into: Plane): void {
  for (const table of ['state', 'edges'] as const) {
    const a = one[table].view;
    const b = other[table].view;
    const sum = into[table].view;
    for (let i = 0; i < sum.length; i += 1) sum[i] = a[i]! + factor * b[i]!;
  }
}
