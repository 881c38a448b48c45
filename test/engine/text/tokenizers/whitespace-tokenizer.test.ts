import { describe, expect, it } from 'vitest';
import { whitespaceTokenizer } from '../../../../src/engine/text/tokenizers/whitespace-tokenizer.js';
import { tokenTexts } from './token-texts.js';

describe('whitespaceTokenizer', () => {
  it('separates at white space of any kind only', () => {
    expect(tokenTexts(whitespaceTokenizer(), "It 's\u00a0(not)\tover\r\n.")).toEqual([
      'It',
      "'s",
      '(not)',
      'over',
      '.',
    ]);
  });

  it('counts in UTF-16 units', () => {
    expect(whitespaceTokenizer()('😀 a')).toEqual([
      [0, 2],
      [3, 4],
    ]);
  });
});
