import { TagstreamError } from '../core/errors.js';
import type { ParameterCounts, ParameterLayout } from '../kernels/parameter-store.js';
import { rowWidth } from '../kernels/row-width.js';

/** Most bytes of a WebAssembly memory. */
const most = 2 ** 32;

/**
 * Finds out before anything is allocated whether the weights of a model that is read fit into a memory.
 *
 * @param labels that the rows are laid out for
 * @throws TagstreamError `too-large`
 */
export function requireRoom(
  { support, precision }: ParameterLayout,
  { labels, stateRows, edgeRows }: ParameterCounts,
  source?: string,
): void {
  const width = rowWidth(labels);
  const blocks = support === 'all' ? edgeRows : 1;
  const bytes = (precision === 'float32' ? 4 : 8) * width * (stateRows + blocks * width);
  if (bytes < most) return;
  const gibibytes = (bytes / 2 ** 30).toFixed(1);
  throw new TagstreamError('too-large', `the weights need ${gibibytes} GiB of memory`, {
    ...(source === undefined ? {} : { place: { source } }),
    fix: 'a model has at most 4 GiB: raise the cutoff, use support: observed or a hashed index',
  });
}
