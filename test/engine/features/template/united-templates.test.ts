import { describe, expect, it } from 'vitest';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { unitedTemplates } from '../../../../src/engine/features/template/united-templates.js';

function united(...texts: string[]): string {
  return unitedTemplates(
    texts.map((text, i) => ({ source: `${'ab'[i]}.model`, templates: parseTemplates(text) })),
  );
}

describe('templates of several models', () => {
  it.each([
    ['each once', ['U0:%x[0,0]\nB', '# a comment\nB\nU1:%x[1,0]\n  U0:%x[0,0]']],
    ['those of features of tokens and transitions', ['*:%x[0,0]', '*:%x[0,0]\nU:%x[0,0]']],
    ['with a number as value', ['U:%v[0,0]', 'U:%v[0,1]']],
    ['with the same text twice', ['U:%x[0,0]\nU:%x[1,0]', 'U:%x[1,0]\nU:%x[0,0]\nB']],
    ['of text alone', ['U', 'u\nU']],
  ])('are united: %s', (_, texts) => {
    const lines = texts.flatMap(text => text.split('\n').map(line => line.trim()));
    const expected = new Set(lines.filter(line => !line.startsWith('#')));
    const found = united(...texts).split('\n');
    expect(found.length).toBe(expected.size);
    expect(new Set(found)).toEqual(expected);
  });

  it('know a bare * as U and B', () => {
    expect(united('*', 'U\nB\nU1:%x[0,0]')).toBe('U\nU1:%x[0,0]\nB');
    expect(united('*\nU', 'U\n*')).toBe('*\nU\nB');
  });

  it.each([
    ['another token', 'U0:%x[0,0]\nB', 'U0:%x[1,0]'],
    ['another function', 'U0:%x[0,0]/%x[1,0]', 'U0:%x[0,0]/%shape[1,0]'],
    ['one of two', 'U:%x[0,0]\nU:%x[1,0]', 'U:%x[0,0]'],
    ['one text twice', 'U', 'U\n*'],
  ])('are refused where the same text stands for %s', (_, one, other) => {
    expect(() => united(one, other)).toThrow(
      /of a\.model and .* of b\.model give different things the same feature.*rename/,
    );
  });
});
