import { describe, expect, it } from 'vitest';
import { characterClass, tokenType } from '../../../../src/engine/features/extraction/atom.js';

describe('tokenType', () => {
  it.each([
    ['7', 'number'],
    ['1,000.50', 'number'],
    ['٣', 'number'],
    ['½', 'number'],
    ['B2B', 'alnum'],
    ['3rd', 'alnum'],
    ['NATO', 'caps'],
    ['ΝΑΤΟ', 'caps'],
    ['Anna', 'initial'],
    ['A', 'initial'],
    ['Éa', 'initial'],
    ['iPod', 'mixed'],
    ['McX', 'mixed'],
    ['aB', 'mixed'],
    ["'Twas", 'mixed'],
    ["O'Neil", 'mixed'],
    ['cat', 'lower'],
    ["don't", 'lower'],
    ['日本', 'lower'],
    ['co-op', 'hyphen'],
    ['Co-Op', 'hyphen'],
    ['a.m.', 'abbreviation'],
    ['U.S.', 'abbreviation'],
    ['?', 'symbol'],
    ['--', 'symbol'],
    ['😀', 'symbol'],
    ['', 'symbol'],
  ])('%s: %s', (token, type) => {
    expect(tokenType(token)).toBe(type);
  });
});

describe('characterClass', () => {
  it('is X, x or d, or the character itself', () => {
    const classes = [...'aZé5٣-日😀ǅ'].map(character =>
      String.fromCodePoint(characterClass(character.codePointAt(0)!)),
    );
    expect(classes.join('')).toBe('xXxdd-x😀x');
  });

  it('is that of the Unicode properties for every ASCII character', () => {
    for (let point = 0; point < 0x80; point += 1) {
      const character = String.fromCharCode(point);
      const expected = /\p{Lu}/u.test(character)
        ? 'X'
        : /\p{L}/u.test(character)
          ? 'x'
          : /\p{N}/u.test(character)
            ? 'd'
            : character;
      expect(String.fromCharCode(characterClass(point))).toBe(expected);
    }
  });
});
