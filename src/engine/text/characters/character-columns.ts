import { coarseOf } from './character-classes.js';
import { type CharacterText, outside } from './character-text.js';
import { characterLabels } from './labels.js';
import { ruleTokenizers } from './rule-labels.js';

/** Input of a column: a code point, a chunk, or the shape of a chunk. */
export type ColumnKind = 'point' | 'chunk' | 'shape';

/** A column of characters. */
export interface CharacterColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Returns the code point, or the number of the chunk (-1: none, -2: white space). */
  at(text: CharacterText, place: number, rules: readonly Uint8Array[]): number;
  /** Set if the code points follow from single values at a fixed distance, so that loops need no call per character. */
  readonly window?: ColumnWindow;
}

/** A column as values at a distance from each place; a place outside the text has the code point of `outside`. */
export interface ColumnWindow {
  readonly offset: number;
  /** Returns the value of each place. */
  values(text: CharacterText, rules: readonly Uint8Array[]): ArrayLike<number>;
  /** Returns the code point of a value. */
  pointOf(value: number): number;
}

const digit = '0'.charCodeAt(0);
const labelPoints = Uint8Array.from(characterLabels, label => label.charCodeAt(0));

/** Returns the numbers from `from` to `to`. */
function span(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function pointColumn(name: string, at: CharacterColumn['at']): CharacterColumn {
  return { name, kind: 'point', at };
}

function windowColumn(
  name: string,
  offset: number,
  values: ColumnWindow['values'],
  pointOf: ColumnWindow['pointOf'],
): CharacterColumn {
  return {
    ...pointColumn(name, (text, place, rules) => {
      const at = place + offset;
      return at < 0 || at >= text.length ? outside : pointOf(values(text, rules)[at]!);
    }),
    window: { offset, values, pointOf },
  };
}

const same = (value: number) => value;

function chunkColumn(name: string, kind: 'chunk' | 'shape', offset: number): CharacterColumn {
  return {
    name,
    kind,
    at(text, place) {
      const chunk = text.chunkOf[place]!;
      if (!text.isSpace(place)) return inside(chunk + offset, text.chunks);
      if (offset === 0) return -2;
      return inside(offset > 0 ? chunk + 1 : chunk, text.chunks);
    },
  };
}

function inside(chunk: number, chunks: number): number {
  return chunk < 0 || chunk >= chunks ? -1 : chunk;
}

/**
 * The columns of characters: `c-2` is the second previous character in lower case, `k1` the class
 * of the next one, `g0` its own class with all punctuation as one; `w`, `wp` and `wn` are the
 * current chunk (the text between white space), the previous and the next one, `s`, `sp` and `sn`
 * their shapes; `a` and `e` the distance from the chunk's start and end; `r0`, `u0`, `p0` the
 * labels given by the tokenizers `regex`, `unicode` and `treebank` with the sentence splitter.
 */
export const characterColumns: readonly CharacterColumn[] = [
  ...span(-4, 4).map(at => windowColumn(`c${at}`, at, ({ folded }) => folded, same)),
  ...span(-4, 4).map(at => windowColumn(`k${at}`, at, ({ classes }) => classes, same)),
  ...span(-4, 4).map(at => windowColumn(`g${at}`, at, ({ classes }) => classes, coarseOf)),
  pointColumn('a', (text, place) =>
    text.isSpace(place)
      ? outside
      : digit + Math.min(9, place - text.chunkStarts[text.chunkOf[place]!]!),
  ),
  pointColumn('e', (text, place) =>
    text.isSpace(place)
      ? outside
      : digit + Math.min(9, text.chunkEnds[text.chunkOf[place]!]! - place),
  ),
  ...ruleTokenizers.flatMap((name, rule) =>
    span(-1, 3).map(at =>
      windowColumn(
        `${name}${at}`,
        at,
        (_, rules) => rules[rule]!,
        label => labelPoints[label]!,
      ),
    ),
  ),
  chunkColumn('w', 'chunk', 0),
  chunkColumn('wp', 'chunk', -1),
  chunkColumn('wn', 'chunk', 1),
  chunkColumn('s', 'shape', 0),
  chunkColumn('sp', 'shape', -1),
  chunkColumn('sn', 'shape', 1),
];

/** Maximum number of code points in a chunk; longer ones are only marked as long. */
const longest = 24;

/**
 * Passes the value of a chunk column to a receiver of code points: the chunk in lower case or, for
 * a shape, its classes with runs collapsed.
 */
export function feedChunk(
  text: CharacterText,
  chunk: number,
  kind: ColumnKind,
  feed: (point: number) => void,
): void {
  if (chunk < 0) {
    feed(chunk === -1 ? outside : 0x20);
    return;
  }
  const start = text.chunkStarts[chunk]!;
  const end = text.chunkEnds[chunk]!;
  if (end - start > longest) {
    feed(0x2026);
    return;
  }
  if (kind === 'chunk') {
    for (let at = start; at < end; at += 1) feed(text.folded[at]!);
    return;
  }
  let last = -1;
  for (let at = start; at < end; at += 1) {
    const own = text.classes[at]!;
    if (own !== last) feed(own);
    last = own;
  }
}

/** Returns a column's value as text. */
export function columnText(
  column: CharacterColumn,
  text: CharacterText,
  place: number,
  rules: readonly Uint8Array[],
): string {
  const value = column.at(text, place, rules);
  if (column.kind === 'point') return String.fromCodePoint(value);
  let found = '';
  feedChunk(text, value, column.kind, point => {
    found += String.fromCodePoint(point);
  });
  return found;
}

const plainTemplates: readonly string[] = [
  ...['c-2', 'c-1', 'c0', 'c1', 'c2'],
  ...['c-2 c-1', 'c-1 c0', 'c0 c1', 'c1 c2'],
  ...['c-3 c-2 c-1', 'c-2 c-1 c0', 'c-1 c0 c1', 'c0 c1 c2', 'c1 c2 c3'],
  ...['c-4 c-3 c-2 c-1', 'c-3 c-2 c-1 c0', 'c-2 c-1 c0 c1', 'c-1 c0 c1 c2', 'c0 c1 c2 c3'],
  ...[
    'c-4 c-3 c-2 c-1 c0',
    'c-3 c-2 c-1 c0 c1',
    'c-2 c-1 c0 c1 c2',
    'c-1 c0 c1 c2 c3',
    'c0 c1 c2 c3 c4',
  ],
  ...['c-3 c-2 c-1 c0 c1 c2', 'c-2 c-1 c0 c1 c2 c3', 'c-3 c-2 c-1 c0 c1 c2 c3'],
  ...['k-1', 'k0', 'k1', 'k-1 k0', 'k0 k1', 'k-1 k0 k1', 'k-2 k-1 k0', 'k0 k1 k2'],
  ...['k-2 k-1 k0 k1 k2', 'k-3 k-2 k-1 k0 k1 k2 k3', 'g-2 g-1 g0 g1 g2'],
  ...['g-3 g-2 g-1 g0 g1 g2 g3', 'g-4 g-3 g-2 g-1 g0 g1 g2 g3 g4'],
  ...['c-1 k0', 'c-1 k0 k1', 'c-1 k0 k1 k2', 'c-2 c-1 k0 k1', 'k-1 c0', 'k-2 k-1 c0 c1'],
  ...['w', 'w a', 'w e', 's', 's a', 'sp', 'sn', 'sp a k0', 's sn a'],
  ...['wp k0 k1 a', 'wp a w', 'w a wn', 'sp w a', 'w a sn', 'wn a k0', 'wp s a'],
];

/**
 * Returns the templates for a built-in tokenizer with the sentence splitter, which knows
 * abbreviations and the Unicode rules.
 */
function ruleTemplates(rule: string): string[] {
  return [
    `${rule}0`,
    `${rule}-1 ${rule}0 ${rule}1`,
    `${rule}-1 ${rule}0 ${rule}1 ${rule}2 ${rule}3`,
    `${rule}0 k-1 k0`,
    `${rule}0 c-1 c0`,
    `${rule}0 w a`,
    `${rule}0 s a`,
  ];
}

/** Templates for several tokenizers combined. */
const unitedTemplates: readonly string[] = [
  'r0 u0 p0',
  'r-1 u-1 p-1 r0 u0 p0 r1 u1 p1',
  'r0 u0 p0 k-1 k0',
  'r0 u0 p0 c-1 c0',
  'r0 u0 p0 w a',
];

/**
 * Returns the templates of characters.
 *
 * @param isUnspaced whether words are not separated by white space: the templates then use all
 * built-in tokenizers, which know the Unicode dictionaries; otherwise only one, as the others add
 * almost nothing
 */
export function characterTemplates(isUnspaced: boolean): readonly string[] {
  const rules = isUnspaced ? ruleTokenizers : ruleTokenizers.slice(0, 1);
  const united = isUnspaced ? unitedTemplates : [];
  return numbered([...plainTemplates, ...rules.flatMap(ruleTemplates), ...united]);
}

/** Returns the tokenizer whose labels a column contains; undefined for other columns. */
export function ruleOf(column: string): (typeof ruleTokenizers)[number] | undefined {
  return ruleTokenizers.find(rule => new RegExp(`^${rule}-?\\d$`).test(column));
}

function numbered(columns: readonly string[]): string[] {
  const templates = columns.map((each, i) => {
    const macros = each.split(' ').map(column => `%x[0,${column}]`);
    return `U${i}:${macros.join('/')}`;
  });
  return [...templates, 'B'];
}
