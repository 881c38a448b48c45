import type { Minibatch } from '../../core/minibatch/minibatch.js';

/** Whether a labelled sentence of a minibatch has labels that each token may have in place of gold ones. */
export function isPartial({ allowedStarts, gold, sentenceStarts }: Minibatch, s: number): boolean {
  return allowedStarts !== undefined && gold[sentenceStarts[s]!] === -1;
}
