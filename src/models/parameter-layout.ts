import type { Precision } from '../core/reals.js';
import type { ParameterLayout } from '../kernels/parameter-store.js';
import type { ModelSpec } from './model-spec.js';

/** How the parameters of a model are laid out; `transitions` says whether its templates ask for plain ones. */
export function parameterLayout(
  { support, scorer }: ModelSpec,
  transitions: boolean,
  precision: Precision,
): ParameterLayout {
  return { transitions, support, precision, ...(scorer === undefined ? {} : { scorer }) };
}
