import type { ParameterLayout } from '../../kernels/store/parameter-store.js';
import { chainStructure } from './chain-structure.js';
import { structureOf } from './structures.js';

/** Whether scores are those of a chain, and linear in the weights: kernels then need nothing but the weights. */
export function isLinearChain(layout: ParameterLayout): boolean {
  const { scorer = 'linear' } = layout;
  return scorer === 'linear' && structureOf(layout) === chainStructure;
}
