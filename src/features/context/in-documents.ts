import type { Sentence } from '../../core/sentence/sentence.js';
import { DocumentMemory } from './document-memory.js';

/** Gives each sentence its context, where sentences come in the order of their documents. */
export type PlaceInDocument = (sentence: Sentence) => Sentence;

/**
 * What gives the sentences of a stream their context, as they come; the sentences themselves where nobody looks at it.
 *
 * @param reads whether templates look at the context
 */
export function inDocuments(reads: boolean): PlaceInDocument {
  if (!reads) return sentence => sentence;
  const memory = new DocumentMemory();
  return sentence => ({ ...sentence, context: memory.columnsOf(sentence) });
}
