import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../../src/engine/features/template/parse-macro.js';

describe('compilePattern', () => {
  it.each<[string, string, boolean]>([
    ['^\\u', 'Éa', true],
    ['^\\u', 'éa', false],
    ['^\\U', 'éa', true],
    ['^\\l+$', 'straße', true],
    ['^\\l+$', 'Straße', false],
    ['^\\L$', '5', true],
    ['^\\a+$', 'ΑΩж', true],
    ['^\\a+$', 'a1', false],
    ['\\A', 'a1', true],
    ['^\\p+$', '«—»', true],
    ['\\p', 'ab', false],
    ['^\\P+$', 'ab1', true],
    ['^\\d+$', '2026', true],
    ['^\\s$', ' ', true],
    ['^\\w+$', 'a_1', true],
    ['^.$', '😀', true],
    ['\\.', '.', true],
    ['\\.', 'a', false],
    ['\\\\a', '\\a', true],
    ['\\\\a', 'x', false],
    ['"', 'say "so"', true],
    ['\\"', 'say "so"', true],
    ['^\\u0041$', 'A', true],
    ['^\\u{1F600}$', '😀', true],
    ['^\\p{Script=Greek}$', 'λ', true],
    ['^\\P{L}$', '1', true],
    ['^[\\l\\-]+$', 'co-op', true],
    ['^[\\u\\d]+$', 'B2B', true],
  ])('%s on %s: %s', (pattern, text, expected) => {
    expect(compilePattern(pattern).test(text)).toBe(expected);
  });

  it.each(['(', '[a', 'a{2,1}', '\\q', '*'])('refuses %s', pattern => {
    expect(() => compilePattern(pattern)).toThrow(SyntaxError);
  });
});
