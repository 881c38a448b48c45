import { TagstreamError } from '../../core/errors.js';
import type { Document } from '../../core/sentence/document.js';

/**
 * The tokens of a document that `format` cannot do without.
 *
 * @throws TagstreamError `wrong-shape` if they are not known, `empty-sentence` if there are none
 * @example
 * requireTokens({ tokens: ['a'] }, 'CoNLL') // => ['a']
 */
export function requireTokens(document: Document, format: string): readonly string[] {
  if (document.tokens?.length === 0) {
    throw new TagstreamError(
      'empty-sentence',
      `a record without words cannot be written as ${format}`,
      {
        fix: 'write NDJSON or spans, or leave the record out',
      },
    );
  }
  if (document.tokens !== undefined) return document.tokens;
  throw new TagstreamError(
    'wrong-shape',
    `a record without tokens cannot be written as ${format}`,
    {
      fix: 'find its tokens first: tagstream tokenize, or convert',
    },
  );
}
