import type { OperatorFunction } from 'rxjs';
import { joinDeliveries } from '../core/delivery/delivery.js';
import type { Document } from '../core/sentence/document.js';
import type { TaggedSentence } from '../core/sentence/sentence.js';
import { type CharacterDocument, segmentsOf } from '../models/text/character-sentences.js';
import { joinParts } from './assemble.js';

/**
 * Returns an operator that turns labelled characters into documents with tokens, offsets and sentences; it completes what
 * `characters` begins. It omits a document if some of its sentences of characters are missing.
 */
export function segments(): OperatorFunction<TaggedSentence, Document> {
  return joinParts('segments', divided);
}

function divided(parts: readonly TaggedSentence[]): Document {
  const { characters: _, delivery: __, ...document } = parts[0]!.document as CharacterDocument;
  const labels = parts.map(({ tags }) => tags);
  const { offsets, sentences, forms } = segmentsOf(parts[0]!.document as CharacterDocument, labels);
  const { text = '' } = document;
  const deliveries = parts.flatMap(part => part.delivery ?? []);
  return {
    ...document,
    tokens: offsets.map(([start, end], t) => forms.get(t) ?? text.slice(start, end)),
    offsets,
    sentences,
    ...(deliveries.length === 0 ? {} : { delivery: joinDeliveries(deliveries) }),
  };
}
