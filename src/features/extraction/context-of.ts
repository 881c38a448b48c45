import type { ContextColumns } from '../../core/sentence/context-columns.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { DocumentMemory } from '../context/document-memory.js';
import type { KnownWords } from '../context/known-words.js';

/**
 * What is known of the tokens of a sentence: what it brings along, and for the rest what the lexicon knows, and what the
 * document of a sentence that comes by itself says.
 */
export function contextOf(
  sentence: Sentence,
  { lexicon }: KnownWords,
  readsDocuments: boolean,
): ContextColumns {
  const { tokens, context } = sentence;
  const brought = context ?? {};
  const isPlaced = !readsDocuments || brought.case !== undefined;
  return {
    seen: lexicon?.columnOf(tokens) ?? tokens.map(() => '-'),
    ...(isPlaced ? {} : new DocumentMemory(1).columnsOf(sentence)),
    ...brought,
  };
}
