import type { State } from '../../core/training/state.js';
import { clearPlane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Optimizer } from '../../optimizers/optimizer.js';

/** What an optimizer keeps before its first sentence; arrays of zeros are left out. Can be sent to a thread. */
export type FreshState = State;

/** The state of an optimizer that has learned nothing and is prepared. Cost O(its numbers). */
export function freshStateOf(optimizer: Optimizer): FreshState {
  const { json, arrays } = optimizer.save();
  const own = Object.entries(arrays)
    .filter(([, array]) => array.some(number => number !== 0))
    .map(([name, array]) => [name, array.slice()]);
  return { json: structuredClone(json), arrays: Object.fromEntries(own) };
}

/** Makes all weights zero, and the optimizer what it was before its first sentence. */
export function startAfresh(
  parameters: ParameterStore,
  optimizer: Optimizer,
  { json, arrays }: FreshState,
): void {
  clearPlane(parameters.weights);
  parameters.scale = 1;
  parameters.version += 1;
  const all = Object.entries(optimizer.save().arrays).map(([name, array]) => {
    return [name, arrays[name] ?? array.slice().fill(0)];
  });
  optimizer.restore({ json, arrays: Object.fromEntries(all) });
}
