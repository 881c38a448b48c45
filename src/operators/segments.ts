import { defer, filter, map, type OperatorFunction } from 'rxjs';
import { joinDeliveries } from '../core/delivery/delivery.js';
import { kinds, requireItem } from '../core/schema/require-argument.js';
import type { Document } from '../core/sentence/document.js';
import type { TaggedSentence } from '../core/sentence/sentence.js';
import { type CharacterDocument, segmentsOf } from '../models/text/character-sentences.js';

/**
 * Labelled characters to documents with tokens, offsets and sentences: the end of what `characters` begins. A document whose
 * sentences of characters are not all there is left out.
 */
export function segments(): OperatorFunction<TaggedSentence, Document> {
  return source =>
    defer(() => {
      let parts: TaggedSentence[] = [];
      return source.pipe(
        map(sentence => {
          requireItem('segments', sentence, kinds.taggedSentence);
          if (parts.length > 0 && parts[0]!.document !== sentence.document) {
            settle(parts);
            parts = [];
          }
          parts.push(sentence);
          const { index, count } = sentence.part;
          if (index + 1 < count) return undefined;
          const whole = parts;
          parts = [];
          if (whole.length === count) return divided(whole);
          settle(whole);
          return undefined;
        }),
        filter(document => document !== undefined),
      );
    });
}

/** What is left of a document that is not whole goes nowhere. */
function settle(parts: readonly TaggedSentence[]): void {
  for (const { delivery } of parts) {
    delivery?.release();
    delivery?.ack();
  }
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
