import type { ContextColumns } from '../../core/sentence/context-columns.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { DocumentMemory } from '../context/document-memory.js';

/** What a sentence brings of its context; of one that comes by itself, what its own tokens say. */
export function contextOf(sentence: Sentence): ContextColumns {
  return sentence.context ?? new DocumentMemory(1).columnsOf(sentence);
}
