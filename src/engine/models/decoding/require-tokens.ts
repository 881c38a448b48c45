import { TagstreamError } from '../../core/errors.js';

/**
 * Checks that the input for tagging is a list of tokens, for untyped callers.
 *
 * @throws TagstreamError `wrong-shape`
 */
export function requireTokens(tokens: unknown): asserts tokens is readonly string[] {
  if (Array.isArray(tokens)) return;
  throw notTokens('tokens', tokens);
}

/**
 * Checks that the input is a list of tokens and that each token is a string.
 *
 * @throws TagstreamError `wrong-shape`
 */
export function requireStrings(tokens: unknown): asserts tokens is readonly string[] {
  requireTokens(tokens);
  const odd = tokens.findIndex(token => typeof token !== 'string');
  if (odd >= 0) throw notTokens(`tokens[${odd}]`, tokens[odd]);
}

/** @throws TagstreamError `wrong-shape` if it is not iterable, or is a single text */
export function requireSentences(sentences: unknown): asserts sentences is Iterable<unknown> {
  if (typeof sentences === 'object' && sentences !== null && Symbol.iterator in sentences) return;
  throw new TagstreamError('wrong-shape', `sentences is ${shown(sentences)}`, {
    fix: 'pass an array of sentences, each an array of tokens, or call tagText with a text',
  });
}

/** @throws TagstreamError `wrong-shape` if it is not a text */
export function requireText(text: unknown): asserts text is string {
  if (typeof text === 'string') return;
  throw new TagstreamError('wrong-shape', `text is ${shown(text)}`, {
    fix: 'pass a string, or call tag with tokens',
  });
}

function notTokens(name: string, value: unknown): TagstreamError {
  return new TagstreamError('wrong-shape', `${name} is ${shown(value)}`, {
    fix: 'pass tokens as an array of strings, or call tagText with a text',
  });
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
