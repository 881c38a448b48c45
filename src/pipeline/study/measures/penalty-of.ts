import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import type { Pipeline } from '../../definition/pipeline.js';

/**
 * The penalties of a pipeline's optimizer for some weights:
 *
 *     l1 * sum |w| + l2 * sum w^2
 */
export function penaltyOf({ plan }: Pick<Pipeline, 'plan'>, { weights }: ParameterStore): number {
  const chosen = plan.optimizer?.options ?? {};
  const { l1 = 0, l2 = 0 } = chosen as { readonly l1?: number; readonly l2?: number };
  let absolute = 0;
  let squares = 0;
  for (const table of ['state', 'edges', 'pairs'] as const) {
    for (const weight of weights[table].view) {
      absolute += Math.abs(weight);
      squares += weight * weight;
    }
  }
  return l1 * absolute + l2 * squares;
}
