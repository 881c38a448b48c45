import { bytesText } from './bytes-text.js';

/** Bytes of a model file above which something is said of smaller ones. */
const largeModel = 20e6;

/**
 * That a model file is large, and what makes it small; undefined if it is not.
 *
 * @param compact whether it is compact already; undefined for a model that cannot be
 * @example
 * largeModelNote('has', 9.4e7, false)
 * // => 'the model file has 94 MB; --set train.compact=true writes a tenth of that or less, by rounding weights'
 * largeModelNote('has', 9.4e7, true)
 * // => 'the model file has 94 MB; --set stages.featurize.cutoff=2 leaves out what was seen once'
 * largeModelNote('has', 1e6, false) // => undefined
 */
export function largeModelNote(
  has: 'has' | 'will have about',
  bytes: number,
  compact: boolean | undefined,
): string | undefined {
  if (bytes <= largeModel) return undefined;
  const way =
    compact === false
      ? '--set train.compact=true writes a tenth of that or less, by rounding weights'
      : '--set stages.featurize.cutoff=2 leaves out what was seen once';
  return `the model file ${has} ${bytesText(bytes)}; ${way}`;
}
