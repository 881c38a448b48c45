import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { placeOf, sameType } from './chunk-boundaries.js';

/**
 * Scheme with which tags mark spans; a tag is a letter followed by `-` and the type of its span
 * (`B-PER`), or a letter alone.
 *
 * | scheme | first | inside | last | of one token | |
 * |---|---|---|---|---|---|
 * | `IO` | I | I | I | I | neighbouring spans of one type merge |
 * | `IOB1` | I | I | I | I | B begins a span that touches one of its type before it |
 * | `BIO` | B | I | I | B | also called IOB2 |
 * | `IOE1` | I | I | I | I | E ends a span that touches one of its type behind it |
 * | `IOE2` | I | I | E | E | |
 * | `BIOES` | B | I | E | S | also called IOBES |
 * | `BILOU` | B | I | L | U | |
 * | `BMES` | B | M | E | S | of word segmentation, where it often has no types |
 * | `BMEWO` | B | M | E | W | |
 * | `none` | | | | | the tags mark no spans, as for parts of speech |
 */
export type TagScheme =
  | 'IO'
  | 'IOB1'
  | 'BIO'
  | 'IOE1'
  | 'IOE2'
  | 'BIOES'
  | 'BILOU'
  | 'BMES'
  | 'BMEWO'
  | 'none';

/** A scheme that marks spans. */
export type SpanScheme = Exclude<TagScheme, 'none'>;

/** Letters of a scheme by the position of a token in its span. */
export interface SchemeLetters {
  readonly first: string;
  readonly inside: string;
  readonly last: string;
  /** Letter of a span of one token. */
  readonly single: string;
  /** Replacement for the first letter if the previous span is adjacent and has the same type. */
  readonly firstTouching?: string;
  /** Replacement for the last letter if the next span is adjacent and has the same type. */
  readonly lastTouching?: string;
}

const plain: SchemeLetters = { first: 'I', inside: 'I', last: 'I', single: 'I' };

/** All schemes that mark spans, with their letters. */
export const schemeLetters: Readonly<Record<SpanScheme, SchemeLetters>> = {
  IO: plain,
  IOB1: { ...plain, firstTouching: 'B' },
  BIO: { first: 'B', inside: 'I', last: 'I', single: 'B' },
  IOE1: { ...plain, lastTouching: 'E' },
  IOE2: { ...plain, last: 'E', single: 'E' },
  BIOES: { first: 'B', inside: 'I', last: 'E', single: 'S' },
  BILOU: { first: 'B', inside: 'I', last: 'L', single: 'U' },
  BMES: { first: 'B', inside: 'M', last: 'E', single: 'S' },
  BMEWO: { first: 'B', inside: 'M', last: 'E', single: 'W' },
};

/** Schemes that mark spans, the plainest first. */
export const spanSchemes = Object.keys(schemeLetters) as readonly SpanScheme[];

/** Other names of schemes. */
const synonyms: Readonly<Record<string, SpanScheme>> = {
  IOB: 'IOB1',
  IOB2: 'BIO',
  IOE: 'IOE2',
  IOBES: 'BIOES',
  BIOLU: 'BILOU',
  BMESO: 'BMES',
  BMEOW: 'BMEWO',
};

/**
 * Returns the scheme with a name or synonym, ignoring case.
 *
 * @throws TagstreamError `config` for an unknown name
 * @example
 * schemeNamed('iob2') // => 'BIO'
 * schemeNamed('IOBES') // => 'BIOES'
 */
export function schemeNamed(name: string): SpanScheme {
  requireArgument('schemeNamed: the name', name, kinds.text);
  const upper = name.toUpperCase();
  const found = synonyms[upper] ?? spanSchemes.find(scheme => scheme === upper);
  if (found !== undefined) return found;
  throw new TagstreamError('config', `unknown tag scheme ${JSON.stringify(name)}`, {
    fix: `use one of ${spanSchemes.join(', ')}`,
  });
}

/**
 * Returns whether tags of a scheme mark spans.
 *
 * @example
 * isSpanScheme('BIO') // => true
 * isSpanScheme('none') // => false
 */
export function isSpanScheme(scheme: TagScheme): scheme is SpanScheme {
  return scheme !== 'none';
}

/** Schemes in which every span ends with a distinct tag. */
const closing: ReadonlySet<TagScheme> = new Set<TagScheme>(['BIOES', 'BILOU', 'BMES', 'BMEWO']);

/**
 * Returns whether a scheme forbids any tag after another one.
 *
 * @example
 * ['BIO', 'BILOU', 'IOB1'].map(hasRules) // => [true, true, false]
 */
export function hasRules(scheme: TagScheme): boolean {
  return scheme === 'BIO' || closing.has(scheme);
}

/**
 * Returns whether a scheme allows a tag after another one; `undefined` represents the start of the
 * sentence for `from`, and its end for `to`.
 *
 * BIO allows `I-X` only after `B-X` or `I-X`. BIOES allows `I-X` and `E-X` only after `B-X` or
 * `I-X`, and nothing else after these; BILOU, BMES and BMEWO likewise. All other schemes allow
 * everything.
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
