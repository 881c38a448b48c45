import type { Document } from '../core/document.js';
import { TagstreamError } from '../core/errors.js';

/** @throws TagstreamError `wrong-shape` if the document has no tokens, which `format` cannot do without */
export function requireTokens(document: Document, format: string): readonly string[] {
  if (document.tokens !== undefined) return document.tokens;
  throw new TagstreamError(
    'wrong-shape',
    `a record without tokens cannot be written as ${format}`,
    {
      fix: 'tokenize it first',
    },
  );
}
