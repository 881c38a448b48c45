import type { Plane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { copyPlane } from '../planes/copy-plane.js';
import type { Averaging } from './averaging.js';

/** target = the average of the weights where there is one, else the weights as they are. */
export function deployAverage(
  parameters: ParameterStore,
  averaging: Averaging | undefined,
  target: Plane,
): void {
  if (averaging === undefined) copyPlane(parameters.weights, target, parameters.scale);
  else averaging.deploy(parameters, target);
}
