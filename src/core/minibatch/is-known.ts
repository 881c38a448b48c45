import type { EncodedSentence } from './encoded-sentence.js';

/** Whether all labels of a sentence are known, or it is partially labelled. */
export function isKnown({ gold, allowed }: EncodedSentence): boolean {
  return allowed !== undefined || (gold !== undefined && !gold.includes(-1));
}
