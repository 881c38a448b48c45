import type { ParameterStore } from '../kernels/parameter-store.js';
import type { Plane } from '../kernels/plane.js';
import type { Averaging } from './averaging.js';
import { copyPlane } from './copy-plane.js';

/** target = the average of the weights where there is one, else the weights as they are. */
export function deployAverage(
  parameters: ParameterStore,
  averaging: Averaging | undefined,
  target: Plane,
): void {
  if (averaging === undefined) copyPlane(parameters.weights, target, parameters.scale);
  else averaging.deploy(parameters, target);
}
