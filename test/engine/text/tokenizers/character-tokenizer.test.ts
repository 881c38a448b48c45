import { describe, expect, it } from 'vitest';
import { characterTokenizer } from '../../../../src/engine/text/tokenizers/character-tokenizer.js';
import { tokenTexts } from './token-texts.js';

const text = 'e\u0301 👨\u200d👩 🇫🇷\r\nx';

describe('characterTokenizer', () => {
  it('gives characters as a reader sees them', () => {
    expect(tokenTexts(characterTokenizer(), text)).toEqual(['e\u0301', '👨\u200d👩', '🇫🇷', 'x']);
    expect(characterTokenizer({ unit: 'grapheme' })(text)).toEqual(characterTokenizer()(text));
  });

  it('gives code points where asked for', () => {
    expect(tokenTexts(characterTokenizer({ unit: 'code-point' }), text)).toEqual([
      'e',
      '\u0301',
      '👨',
      '\u200d',
      '👩',
      '🇫',
      '🇷',
      'x',
    ]);
  });

  it('gives one token a letter of a plain word', () => {
    expect(characterTokenizer()('abc')).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  it('takes a surrogate without its other half as a character', () => {
    expect(characterTokenizer({ unit: 'code-point' })('\ud83da\ude00')).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(characterTokenizer()('\ud83da\ude00')).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });
});
