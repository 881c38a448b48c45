import { TagstreamError } from '../../core/errors.js';

/**
 * For whoever works on chains alone.
 *
 * @param segments set where spans are scored: of a model's specification or the layout of its parameters
 * @param what works on chains, as in "the optimizer cd"
 * @throws TagstreamError `config` where spans are scored
 */
export function requireChain(segments: object | undefined, what: string): void {
  if (segments === undefined) return;
  throw new TagstreamError('config', `${what} needs the structure chain, this model has segments`, {
    fix: 'use model: { structure: chain }, or leave it out',
  });
}
