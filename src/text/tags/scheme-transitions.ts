import { sameType } from './chunk-boundaries.js';
import type { TagScheme } from './tag-scheme.js';

/**
 * Whether a tag may follow another one by the rules of a scheme; `undefined` stands for the start of the
 * sentence before its first tag, and for its end after the last.
 *
 * BIO: `I-X` only after `B-X` or `I-X`. BIOES: `I-X` and `E-X` only after `B-X` or `I-X`, and after these
 * nothing else. IO and none: everything.
 *
 * @example
 * schemeAllows('BIO', 'O', 'I-NP') // => false
 * schemeAllows('BIO', 'B-NP', 'I-NP') // => true
 * schemeAllows('BIOES', 'B-NP', undefined) // => false
 */
export function schemeAllows(
  scheme: TagScheme,
  from: string | undefined,
  to: string | undefined,
): boolean {
  if (scheme === 'none' || scheme === 'IO') return true;
  const continues = to?.[0] === 'I' || (scheme === 'BIOES' && to?.[0] === 'E');
  const open = from?.[0] === 'B' || from?.[0] === 'I';
  if (continues) return open && sameType(from!, to!);
  return scheme === 'BIO' || !open;
}
