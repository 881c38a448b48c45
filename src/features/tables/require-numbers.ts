import { TagstreamError } from '../../core/errors.js';
import type { TableRole } from '../../core/table-role.js';

/** What densities of numbers are to be. */
export interface DensityShape {
  readonly covariance?: 'full' | undefined;
  /** Components of each label, where there are several. */
  readonly hidden?: { readonly states: number } | undefined;
}

/** @throws TagstreamError `config` where there are no numbers for what densities are to be */
export function requireNumbers(
  roles: readonly TableRole[],
  { covariance, hidden }: DensityShape,
): void {
  const columns = new Set(
    roles.flatMap(role => (role.kind === 'value' || role.kind === 'square' ? role.column : [])),
  );
  if (hidden !== undefined && columns.size === 0) {
    throw new TagstreamError(
      'config',
      'hidden: with the scorer hmm they are components of densities, and no template has numbers',
      { fix: 'add a template as U:%v[0,column], or leave hidden out' },
    );
  }
  if (covariance === 'full' && columns.size < 2) {
    throw new TagstreamError('config', 'covariance: full needs the numbers of two columns', {
      fix: 'add templates as U:%v[0,column], or leave covariance out',
    });
  }
}
