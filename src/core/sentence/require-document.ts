import { TagstreamError } from '../errors.js';
import type { Document } from './document.js';

/**
 * That an item which no codec has read is a document: an object whose text is a string, and whose tokens are an array of
 * strings, as far as it has them.
 *
 * @throws TagstreamError `wrong-shape`
 * @example
 * requireDocument({ text: 'It rains.' }) // => undefined
 */
export function requireDocument(item: unknown): asserts item is Document {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw wrong('the document', item, 'a document is { text: "..." } or { tokens: [...] }');
  }
  const { text, tokens } = item as { readonly text?: unknown; readonly tokens?: unknown };
  if (text !== undefined && text !== null && typeof text !== 'string') {
    throw wrong('text', text, 'give a string');
  }
  if (tokens === undefined) return;
  if (!Array.isArray(tokens)) throw wrong('tokens', tokens, 'give an array of strings');
  const odd = tokens.findIndex(token => typeof token !== 'string');
  if (odd >= 0) throw wrong(`tokens[${odd}]`, tokens[odd], 'give an array of strings');
}

function wrong(field: string, value: unknown, fix: string): TagstreamError {
  return new TagstreamError('wrong-shape', `${field} is ${shown(value)}`, { fix });
}

/** Nested values are only named: they may be of any size. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
