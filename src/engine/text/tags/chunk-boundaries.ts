/** Prefixes by their UTF-16 unit; all others count as `unknown`. */
const prefixes = { B: 66, E: 69, I: 73, O: 79, S: 83, open: 91, close: 93, dot: 46, unknown: 0 };

const dash = 45;

/**
 * Returns the letter before a tag's first `-`; `unknown` if there is not exactly one. Letters of other schemes (BILOU,
 * BMES, BMEWO) become the BIOES letter with the same position in a span.
 */
function prefixOf(tag: string): number {
  if (tag.length === 0 || (tag.length > 1 && tag.charCodeAt(1) !== dash)) return prefixes.unknown;
  const letter = tag.charCodeAt(0);
  switch (letter) {
    case dash:
      return prefixes.unknown;
    case 76: // L
      return prefixes.E;
    case 77: // M
      return prefixes.I;
    case 85: // U
    case 87: // W
      return prefixes.S;
    default:
      return letter;
  }
}

/** Position of a token in its span, determined by the letter of its tag. */
export type SpanPlace = 'first' | 'inside' | 'last' | 'single';

const places: Readonly<Record<number, SpanPlace>> = {
  [prefixes.B]: 'first',
  [prefixes.I]: 'inside',
  [prefixes.E]: 'last',
  [prefixes.S]: 'single',
};

/**
 * Returns a tag's position in its span; undefined for `O` and for tags that mark no spans.
 *
 * @example
 * ['B-X', 'M-X', 'L', 'U-X', 'O', 'NOUN'].map(placeOf) // => ['first', 'inside', 'last', 'single', undefined, undefined]
 */
export function placeOf(tag: string): SpanPlace | undefined {
  return places[prefixOf(tag)];
}

function typeStart(tag: string): number {
  const dash = tag.indexOf('-');
  return dash < 0 ? tag.length : dash + 1;
}

/**
 * Returns the type of a tag: the part after its first `-`; empty if there is none.
 *
 * @example
 * typeOf('B-a-b') // => 'a-b'
 * typeOf('O') // => ''
 */
export function typeOf(tag: string): string {
  return tag.slice(typeStart(tag));
}

/**
 * Returns whether two tags have the same type; allocates no strings.
 *
 * @example
 * sameType('B-NP', 'I-NP') // => true
 * sameType('B', 'O') // => true
 * sameType('B-NP', 'B') // => false
 */
export function sameType(a: string, b: string): boolean {
  if (a === b) return true;
  const startA = typeStart(a);
  const startB = typeStart(b);
  const length = a.length - startA;
  if (length !== b.length - startB) return false;
  for (let i = 0; i < length; i += 1) {
    if (a.charCodeAt(startA + i) !== b.charCodeAt(startB + i)) return false;
  }
  return true;
}

/**
 * Returns whether a chunk starts at `tag`, by the rules of conlleval; `previous` is `O` before the
 * first token.
 *
 * A chunk starts at `B` after B I O E S; at `I` and at `E` after O E S; at `S` after B I O E S; at
 * `[` and `]` always; and at any tag except `O` and `.` whose type differs from that of the
 * previous tag. conlleval has no `S`, and joins `E` with a following `B` of its type; here both are
 * boundaries, as intended by BIOES. Letters of BILOU, BMES and BMEWO, unknown to conlleval, count
 * as their BIOES equivalents: `M` as `I`, `L` as `E`, `U` and `W` as `S`. Nothing else differs.
 *
 * @example
 * startsChunk('O', 'I-NP') // => true
 * startsChunk('B-NP', 'I-NP') // => false
 * startsChunk('B-NP', 'I-VP') // => true
 */
export function startsChunk(previous: string, tag: string): boolean {
  const prefix = prefixOf(tag);
  const before = prefixOf(previous);
  switch (prefix) {
    case prefixes.O:
    case prefixes.dot:
      return false;
    case prefixes.open:
    case prefixes.close:
      return true;
    case prefixes.B:
    case prefixes.S:
      if (isInside(before) || before === prefixes.O || isLast(before)) return true;
      break;
    case prefixes.I:
    case prefixes.E:
      if (before === prefixes.O || isLast(before)) return true;
      break;
  }
  return !sameType(previous, tag);
}

/**
 * Returns whether the chunk that contains `previous` ends before `tag`, by the rules of conlleval;
 * the end of a sentence always ends it.
 *
 * It ends after B and I before B, O or S; after E and S before B I O E S; after `[` and `]` always;
 * and after any tag except `O` and `.` if the type changes. See `startsChunk` for `S`.
 *
 * @example
 * endsChunk('I-NP', 'O') // => true
 * endsChunk('B-NP', 'I-NP') // => false
 * endsChunk('I-NP', 'B-NP') // => true
 */
export function endsChunk(previous: string, tag: string): boolean {
  const prefix = prefixOf(tag);
  const before = prefixOf(previous);
  switch (before) {
    case prefixes.O:
    case prefixes.dot:
      return false;
    case prefixes.open:
    case prefixes.close:
      return true;
    case prefixes.B:
    case prefixes.I:
      if (prefix === prefixes.B || prefix === prefixes.O || prefix === prefixes.S) return true;
      break;
    case prefixes.E:
    case prefixes.S:
      if (isInside(prefix) || prefix === prefixes.O || isLast(prefix)) return true;
      break;
  }
  return !sameType(previous, tag);
}

function isInside(prefix: number): boolean {
  return prefix === prefixes.B || prefix === prefixes.I;
}

/** Returns whether a chunk ends with this prefix. */
function isLast(prefix: number): boolean {
  return prefix === prefixes.E || prefix === prefixes.S;
}
