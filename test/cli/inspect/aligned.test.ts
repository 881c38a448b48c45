import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/cli/inspect/aligned.js';
import { paintFor } from '../../../src/cli/inspect/summary-text.js';
import { visible } from '../../../src/engine/text/visible.js';

describe('aligned', () => {
  it('makes columns as wide as their widest cell, painted or not', () => {
    const paint = (text: string) => `<${text}>`;
    const rows = [
      ['a', { text: '10', paint }, 'x'],
      ['😀é', '9', ''],
    ];
    expect(aligned(rows, { right: [1], indent: '-' })).toEqual(['-a   <10>  x', '-😀é   9']);
  });

  it('lets no token change the terminal', () => {
    expect(aligned([['\u001b[31m', 'b\n']])).toEqual(['\\u{1b}[31m  b\\u{a}']);
    expect(visible('a\u2028\u009bb')).toBe('a\\u{2028}\\u{9b}b');
  });
});

describe('paintFor', () => {
  it('paints on a terminal or where that is forced, and not where NO_COLOR is set', () => {
    const terminal = { isTTY: true };
    expect(paintFor(terminal, {}).strong('a')).toBe('\u001b[1ma\u001b[22m');
    expect(paintFor(terminal, { NO_COLOR: '' }).signed('a', -1)).toBe('\u001b[31ma\u001b[39m');
    expect(paintFor(terminal, {}).signed('a', 2)).toBe('\u001b[32ma\u001b[39m');
    expect(paintFor(terminal, {}).signed('a', 0)).toBe('a');
    expect(paintFor(terminal, { NO_COLOR: '1' }).strong('a')).toBe('a');
    expect(paintFor({}, {}).faint('a')).toBe('a');
    expect(paintFor({}, { FORCE_COLOR: '1' }).faint('a')).toBe('\u001b[2ma\u001b[22m');
  });
});
