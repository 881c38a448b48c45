import type { Delivery } from '../../../src/engine/core/delivery/delivery.js';
import type { Column } from '../../../src/engine/core/sentence/document.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';

/** What a sentence of a test may have beside its tokens. */
export interface SentenceExtras {
  readonly tags?: readonly string[];
  readonly columns?: Readonly<Record<string, Column>>;
  readonly id?: string;
  readonly delivery?: Delivery;
}

/** A sentence that is all of its document. */
export function sentenceOf(tokens: readonly string[], extras: SentenceExtras = {}): Sentence {
  const { tags, columns = {}, id, delivery } = extras;
  const shared = delivery === undefined ? {} : { delivery };
  return {
    tokens,
    columns,
    ...(tags === undefined ? {} : { tags }),
    document: { tokens, ...(id === undefined ? {} : { id }), ...shared },
    part: { index: 0, count: 1, start: 0 },
    ...shared,
  };
}
