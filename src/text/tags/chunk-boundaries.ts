/** Prefixes by their UTF-16 unit; all others count as `unknown`. */
const prefixes = { B: 66, E: 69, I: 73, O: 79, S: 83, open: 91, close: 93, dot: 46, unknown: 0 };

/**
 * Letters of other schemes (BILOU, BMES, BMEWO) mapped to the BIOES letter for the same place in a
 * span.
 */
const sameAs: Readonly<Record<number, number>> = {
  76: prefixes.E, // L
  77: prefixes.I, // M
  85: prefixes.S, // U
  87: prefixes.S, // W
};

function prefixOf(tag: string): number {
  const dash = tag.indexOf('-');
  if ((dash < 0 ? tag.length : dash) !== 1) return prefixes.unknown;
  const letter = tag.charCodeAt(0);
  return sameAs[letter] ?? letter;
}

/** The place of a token in its span, from the letter of its tag. */
export type SpanPlace = 'first' | 'inside' | 'last' | 'single';

const places: Readonly<Record<number, SpanPlace>> = {
  [prefixes.B]: 'first',
  [prefixes.I]: 'inside',
  [prefixes.E]: 'last',
  [prefixes.S]: 'single',
};

/**
 * The place in its span that a tag names; undefined for `O` and for tags that mark no spans.
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
 * The type of a tag: what follows its first `-`; empty if there is none.
 *
 * @example
 * typeOf('B-a-b') // => 'a-b'
 * typeOf('O') // => ''
 */
export function typeOf(tag: string): string {
  return tag.slice(typeStart(tag));
}

/**
 * Whether two tags have the same type; allocates no strings.
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
 * Whether a chunk starts at `tag`, by the rules of conlleval; `previous` is `O` before the first token.
 *
 * A chunk starts at `B` after B I O E S; at `I` and at `E` after O E S; at `S` after B I O E S; at `[` and `]` always; and
 * at any tag but `O` and `.` whose type differs from the previous tag's. conlleval has no `S` and joins `E` with a
 * following `B` of its type; here both are boundaries, as BIOES means them. Letters of BILOU, BMES and BMEWO, unknown to
 * conlleval, count as their BIOES equivalents: `M` as `I`, `L` as `E`, `U` and `W` as `S`. Nothing else differs.
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
 * Whether a chunk that `previous` belongs to ends before `tag`, by the rules of conlleval; the end of
 * a sentence ends it anyway.
 *
 * It ends after B and I where B, O or S follow; after E and S where B I O E S follow; after `[` and
 * `]` always; and after any tag but `O` and `.` where the type changes. See `startsChunk` for `S`.
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

/** Whether a chunk ends with this prefix. */
function isLast(prefix: number): boolean {
  return prefix === prefixes.E || prefix === prefixes.S;
}
