import type { ContextColumns } from '../../core/sentence/context-columns.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { DocumentMemory } from '../context/document-memory.js';
import type { KnownWords } from '../context/known-words.js';

/** What looks at it. */
export interface ContextReader {
  readonly readsDocuments: boolean;
  readonly readsPredictions: boolean;
}

/**
 * What is known of the tokens of a sentence: what it brings along, and for the rest what the lexicon knows, what the
 * document of a sentence that comes by itself says, and nothing that a first model would say.
 */
export function contextOf(
  sentence: Sentence,
  { lexicon }: KnownWords,
  { readsDocuments, readsPredictions }: ContextReader,
): ContextColumns {
  const { tokens, context } = sentence;
  const brought = context ?? {};
  const nothing = () => tokens.map(() => '-');
  const isPlaced = !readsDocuments || brought.case !== undefined;
  return {
    seen: lexicon?.columnOf(tokens) ?? nothing(),
    ...(readsPredictions
      ? { word: nothing(), span: nothing(), longer: nothing(), label: nothing() }
      : {}),
    ...(isPlaced ? {} : new DocumentMemory(1).columnsOf(sentence)),
    ...brought,
  };
}
