import { TagstreamError } from '../../core/errors.js';
import type { Document } from '../../core/sentence/document.js';
import { counted } from '../../core/wording/counted.js';

/**
 * A record of a corpus in memory, which no codec has looked at: an object with a text or tokens, and a tag for each token.
 *
 * @param index its place in the corpus, from 0
 * @throws TagstreamError `wrong-shape`, `length-mismatch` that say which record it is
 */
export function requireRecord(document: Document, index: number, list: string): Document {
  const place = { source: `${list}[${index}]` };
  if (typeof document !== 'object' || document === null) {
    throw new TagstreamError('wrong-shape', `it is ${JSON.stringify(document)}`, {
      place,
      fix: 'a labelled record is { tokens: [...], tags: [...] }; read files by documentSource',
    });
  }
  const { text, tokens } = document;
  if (typeof text !== 'string' && !Array.isArray(tokens)) {
    throw new TagstreamError('wrong-shape', 'it has neither text nor tokens', {
      place,
      fix: 'a labelled record is { tokens: [...], tags: [...] }',
    });
  }
  if (tokens === undefined) return document;
  requireTags(document, tokens.length, place);
  return document;
}

function requireTags(
  { tags, partialTags }: Document,
  length: number,
  place: { readonly source: string },
): void {
  const given = tags ?? partialTags;
  if (given !== undefined && given.length !== length) {
    const numbers = `${counted(length, 'token')} but ${counted(given.length, 'tag')}`;
    throw new TagstreamError('length-mismatch', numbers, { place, fix: 'give one tag per token' });
  }
  const odd = tags?.findIndex(tag => typeof tag !== 'string') ?? -1;
  if (odd < 0) return;
  throw new TagstreamError('wrong-shape', `tags[${odd}] is ${JSON.stringify(tags![odd])}`, {
    place,
    fix: 'give strings; what is known in part goes into partialTags, as ["B-PER", null]',
  });
}
