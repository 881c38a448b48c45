import { describe, expect, it } from 'vitest';
import {
  endsChunk,
  placeOf,
  sameType,
  startsChunk,
  typeOf,
} from '../../../../src/engine/text/tags/chunk-boundaries.js';

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
  const prefixes = ['B', 'I', 'E', 'S', 'O', '[', ']', '.', 'X'];
  return prefixes.map(
    before =>
      `${before} ${prefixes.map(p => (rule(`${before}-X`, `${p}-${type}`) ? '+' : '-')).join('')}`,
  );
}

describe('where chunks start and end', () => {
  it('within one type, starts by prefix', () => {
    // Columns: B I E S O [ ] . X
    expect(table(startsChunk, 'X')).toEqual([
      'B +--+-++--',
      'I +--+-++--',
      'E ++++-++--',
      'S ++++-++--',
      'O ++++-++--',
      '[ -----++--',
      '] -----++--',
      '. -----++--',
      'X -----++--',
    ]);
  });

  it('within one type, ends by prefix', () => {
    // Columns: B I E S O [ ] . X
    expect(table(endsChunk, 'X')).toEqual([
      'B +--++----',
      'I +--++----',
      'E +++++----',
      'S +++++----',
      'O ---------',
      '[ +++++++++',
      '] +++++++++',
      '. ---------',
      'X ---------',
    ]);
  });

  it('at a change of type, starts at all but O and the full stop', () => {
    for (const row of table(startsChunk, 'Y')) expect(row.slice(2)).toBe('++++-++-+');
  });

  it('at a change of type, ends after all but O and the full stop', () => {
    expect(table(endsChunk, 'Y').map(row => row.slice(0, 3))).toEqual([
      ...['B +', 'I +', 'E +', 'S +', 'O -', '[ +', '] +', '. -', 'X +'],
    ]);
  });
});

describe('letters of other schemes', () => {
  const twins = { L: 'E', M: 'I', U: 'S', W: 'S' };
  const tags = [...'BIESO.[]X'].flatMap(letter => [`${letter}-X`, `${letter}-Y`, letter]);

  it.each(Object.entries(twins))('%s counts as %s', (letter, twin) => {
    for (const type of ['-X', '-Y', '']) {
      const [own, other] = [letter + type, twin + type];
      expect(placeOf(own)).toBe(placeOf(other));
      for (const tag of tags) {
        expect(startsChunk(tag, own)).toBe(startsChunk(tag, other));
        expect(startsChunk(own, tag)).toBe(startsChunk(other, tag));
        expect(endsChunk(tag, own)).toBe(endsChunk(tag, other));
        expect(endsChunk(own, tag)).toBe(endsChunk(other, tag));
      }
    }
  });
});
