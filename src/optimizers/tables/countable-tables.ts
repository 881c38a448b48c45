import { TagstreamError } from '../../core/errors.js';
import type { TableRole } from '../../core/table-role.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/**
 * The tables of parameters that an optimizer counts.
 *
 * @throws TagstreamError `config` for parameters that are not tables, or in float32
 */
export function countableTables(
  optimizer: string,
  { layout, precision }: Pick<ParameterStore, 'layout' | 'precision'>,
): readonly TableRole[] {
  const { tables, scorer = 'linear' } = layout;
  if (tables === undefined) {
    throw new TagstreamError(
      'config',
      `the optimizer ${optimizer} does not train models with the scorer ${scorer}`,
      { fix: 'use model: { scorer: hmm }, or another optimizer' },
    );
  }
  if (precision !== 'float64') {
    throw new TagstreamError('config', 'float32 has too few digits to count with', {
      fix: 'use the kernel simd64 or reference; the model can be used with any',
    });
  }
  return tables;
}
