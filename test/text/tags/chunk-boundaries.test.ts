import { describe, expect, it } from 'vitest';
import {
  endsChunk,
  sameType,
  startsChunk,
  typeOf,
} from '../../../src/text/tags/chunk-boundaries.js';

describe('typeOf', () => {
  it.each([
    ['B-NP', 'NP'],
    ['B-a-b', 'a-b'],
    ['B-', ''],
    ['B', ''],
    ['-NP', 'NP'],
    ['', ''],
    ['--', '-'],
  ])('%j has type %j', (tag, type) => expect(typeOf(tag)).toBe(type));
});

describe('sameType', () => {
  it('compares what follows the first hyphen', () => {
    const tags = ['B-NP', 'I-NP', 'B-NPS', 'I-a-b', 'x-a-b', 'I-a', 'B', 'O', '', 'B-'];
    for (const a of tags) {
      for (const b of tags) expect([a, b, sameType(a, b)]).toEqual([a, b, typeOf(a) === typeOf(b)]);
    }
  });
});

/** Rows: the tag before; columns: the tag. `+` where the answer is yes. */
function table(rule: (previous: string, tag: string) => boolean, type: string): string[] {
  const prefixes = ['B', 'I', 'E', 'S', 'O', '[', ']', '.', 'U'];
  return prefixes.map(
    before =>
      `${before} ${prefixes.map(p => (rule(`${before}-X`, `${p}-${type}`) ? '+' : '-')).join('')}`,
  );
}

describe('where chunks start and end', () => {
  it('within one type, starts by prefix', () => {
    // Columns: B I E S O [ ] . U
    expect(table(startsChunk, 'X')).toEqual([
      'B +--+-++--',
      'I +--+-++--',
      'E ++++-++--',
      'S ++++-++--',
      'O ++++-++--',
      '[ -----++--',
      '] -----++--',
      '. -----++--',
      'U -----++--',
    ]);
  });

  it('within one type, ends by prefix', () => {
    // Columns: B I E S O [ ] . U
    expect(table(endsChunk, 'X')).toEqual([
      'B +--++----',
      'I +--++----',
      'E +++++----',
      'S +++++----',
      'O ---------',
      '[ +++++++++',
      '] +++++++++',
      '. ---------',
      'U ---------',
    ]);
  });

  it('at a change of type, starts at all but O and the full stop', () => {
    for (const row of table(startsChunk, 'Y')) expect(row.slice(2)).toBe('++++-++-+');
  });

  it('at a change of type, ends after all but O and the full stop', () => {
    expect(table(endsChunk, 'Y').map(row => row.slice(0, 3))).toEqual([
      ...['B +', 'I +', 'E +', 'S +', 'O -', '[ +', '] +', '. -', 'U +'],
    ]);
  });
});
