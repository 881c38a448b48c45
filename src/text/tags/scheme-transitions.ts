import { placeOf, sameType } from './chunk-boundaries.js';
import type { TagScheme } from './tag-scheme.js';

/** Schemes in which every span that has begun ends with a tag of its own. */
const closing: ReadonlySet<TagScheme> = new Set<TagScheme>(['BIOES', 'BILOU', 'BMES', 'BMEWO']);

/**
 * Whether a scheme forbids any tag to follow another one.
 *
 * @example
 * ['BIO', 'BILOU', 'IOB1'].map(hasRules) // => [true, true, false]
 */
export function hasRules(scheme: TagScheme): boolean {
  return scheme === 'BIO' || closing.has(scheme);
}

/**
 * Whether a tag may follow another one by the rules of a scheme; `undefined` stands for the start of the
 * sentence before its first tag, and for its end after the last.
 *
 * BIO: `I-X` only after `B-X` or `I-X`. BIOES: `I-X` and `E-X` only after `B-X` or `I-X`, and after these
 * nothing else; BILOU, BMES and BMEWO likewise. All others: everything.
 *
 * @example
 * schemeAllows('BIO', 'O', 'I-NP') // => false
 * schemeAllows('BIO', 'B-NP', 'I-NP') // => true
 * schemeAllows('BIOES', 'B-NP', undefined) // => false
 * schemeAllows('BILOU', 'B-NP', 'L-NP') // => true
 */
export function schemeAllows(
  scheme: TagScheme,
  from: string | undefined,
  to: string | undefined,
): boolean {
  if (!hasRules(scheme)) return true;
  const closes = closing.has(scheme);
  const [before, place] = [from, to].map(tag => (tag === undefined ? undefined : placeOf(tag)));
  const open = before === 'first' || before === 'inside';
  if (place === 'inside' || (closes && place === 'last')) return open && sameType(from!, to!);
  return !closes || !open;
}
