import type { EncodedSentence } from './encoded-sentence.js';

/** Whether there is something to be learned from a sentence: it has gold labels, or a part of them. */
export function isLabelled({ gold, allowed }: EncodedSentence): boolean {
  return gold !== undefined || allowed !== undefined;
}
