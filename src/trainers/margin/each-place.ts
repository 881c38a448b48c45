import type { Reals } from '../../core/reals.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { FreeParameters } from '../vectors/free-parameters.js';

/** Visits the numbers of some free parameters in the tables of a plane: `k` is the place in `active`. */
export function eachPlace(
  { state, edges }: FreeParameters,
  plane: Plane,
  active: Uint32Array,
  visit: (view: Reals, at: number, k: number) => void,
): void {
  const views = [plane.state.view, plane.edges.view, plane.pairs.view] as const;
  for (let k = 0; k < active.length; k += 1) {
    const i = active[k]!;
    const e = i - state.length;
    if (e < 0) visit(views[0], state[i]!, k);
    else if (e < edges.length) visit(views[1], edges[e]!, k);
    else visit(views[2], e - edges.length, k);
  }
}
