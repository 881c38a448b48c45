import type { OperatorFunction } from 'rxjs';
import { joinDeliveries } from '../core/delivery/delivery.js';
import type { Document, Range } from '../core/sentence/document.js';
import type { TaggedSentence } from '../core/sentence/sentence.js';
import { type CharacterDocument, segmentsOf } from '../models/text/character-sentences.js';
import { CharacterDivision } from '../text/characters/character-division.js';
import { joinParts } from './assemble.js';

/**
 * Returns an operator that turns labelled characters into documents with tokens, offsets and sentences. It completes
 * what `characters`, or `tokenize` with `characterTokenizer()`, begins, with tags of any scheme that marks words. It
 * omits a document if some of its sentences of characters are missing.
 */
export function segments(): OperatorFunction<TaggedSentence, Document> {
  return joinParts('segments', divided);
}

function divided(parts: readonly TaggedSentence[]): Document {
  const given = parts[0]!.document as Document & Partial<CharacterDocument>;
  const { characters, delivery: _, tokens, columns: __, tags: ___, ...document } = given;
  const isPlaced = parts.every(part => part.offsets !== undefined);
  const text =
    (isPlaced ? document.text : undefined) ?? parts.flatMap(part => part.tokens).join('');
  const { offsets, sentences, forms } =
    characters === undefined
      ? spanned(parts)
      : segmentsOf(
          { ...document, characters },
          parts.map(part => part.tags),
        );
  const deliveries = parts.flatMap(part => part.delivery ?? []);
  return {
    ...document,
    tokens: offsets.map(([start, end], t) => forms.get(t) ?? text.slice(start, end)),
    ...(isPlaced ? { offsets } : {}),
    sentences,
    ...(deliveries.length === 0 ? {} : { delivery: joinDeliveries(deliveries) }),
  };
}

/**
 * Returns a document's tokens: the words that its characters form. Characters without offsets are consecutive.
 */
function spanned(parts: readonly TaggedSentence[]): CharacterDivision {
  const division = new CharacterDivision();
  let end = 0;
  for (const { tokens, tags, offsets } of parts) {
    const own = tokens.map((token): Range => {
      end += token.length;
      return [end - token.length, end];
    });
    division.addTagged(offsets ?? own, tags);
  }
  return division;
}
