import { TagstreamError } from '../errors.js';
import { called } from './require-argument.js';
import { suggestion } from './suggestion.js';

/**
 * That options have known names alone, for callers without types.
 *
 * @param what whose options they are
 * @throws TagstreamError `config` that names the first other one and, if there is one like it, the known one
 * @example
 * requireKnown('batch', { tokens: 5 }, ['sentences', 'tokens']) // => undefined
 */
export function requireKnown(what: string, options: unknown, known: readonly string[]): void {
  const isMap = typeof options === 'object' && options !== null && !Array.isArray(options);
  if (!isMap || options instanceof Promise) {
    throw new TagstreamError('config', `${what}: the options are ${called(options)}`, {
      fix: `give an object with ${known.join(', ')}, or none of them`,
    });
  }
  const other = Object.keys(options).find(name => !known.includes(name));
  if (other === undefined) return;
  throw new TagstreamError('config', `${what}.${other}: unknown key "${other}"`, {
    fix: suggestion(other, known),
  });
}
