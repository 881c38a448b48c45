import { describe, expect, it } from 'vitest';
import { endsInAbbreviation } from '../../../../src/engine/text/sentences/abbreviations.js';

describe('endsInAbbreviation', () => {
  it.each([
    ['Mr.', 'Fox', true],
    ['Then Prof.', 'Low', true],
    ['fruit, e.g.', 'Apples', true],
    ['(i.e.', 'None', true],
    ['J.', 'Fox', true],
    ['by É.', 'Low', true],
    ['J.R.', 'Fox', true],
    ['the U.S.', 'Army', true],
    ['the U.S.', 'The', false],
    ['So did I.', 'Then', false],
    ['I.', 'Low', true],
    ['See Fig.', '3', true],
    ['a ripe fig.', 'Then', false],
    ['on Jan.', '5', true],
    ['in Jan.', 'Then', false],
    ['No.', '7', true],
    ['No.', 'Never', false],
    ['the end.', 'Then', false],
    ['farm.', 'Then', false],
    ['section 4B.', 'Then', false],
    ['at 5.', 'Then', false],
    ['Mr', 'Fox', false],
    ['.', 'Fox', false],
    ['', 'Fox', false],
    ['wait...', 'Fox', false],
    [`${'x'.repeat(40)}Mr.`, 'Fox', false],
  ])('%j before %j: %s', (text, next, expected) => {
    expect(endsInAbbreviation(text, text.length, next)).toBe(expected);
  });

  it('looks at the text before the given end only', () => {
    expect(endsInAbbreviation('Dr. No. 7', 3, 'No')).toBe(true);
    expect(endsInAbbreviation('Dr. No. 7', 6, '7')).toBe(false);
  });
});
