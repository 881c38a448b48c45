import { describe, expect, it } from 'vitest';
import { checkSentence } from '../../../../src/runtime/pipeline/checks/run-checks.js';

const tagged = {
  document: { text: 'New York, Oslo' },
  tokens: ['New', 'York', ',', 'Oslo'],
  offsets: [
    [0, 3],
    [4, 8],
    [8, 9],
    [10, 14],
  ] as const,
  tags: ['B-LOC', 'I-LOC', 'O', 'B-LOC'],
  spans: [
    { label: 'LOC', start: 0, end: 2 },
    { label: 'LOC', start: 3, end: 4 },
  ],
};
const passes = (check: Parameters<typeof checkSentence>[0]) => checkSentence(check, tagged).passed;

describe('checkSentence', () => {
  it('compares tags one by one', () => {
    expect(passes({ tags: tagged.tags })).toBe(true);
    expect(passes({ tags: ['B-LOC', 'I-LOC', 'O', 'B-PER'] })).toBe(false);
    expect(checkSentence({ tags: ['O'] }, tagged).problem).toBe('expected 1 tag, got 4 tokens');
  });

  it('compares all spans, by what is given of them', () => {
    expect(
      passes({ spans: [{ label: 'LOC' }, { label: 'LOC', text: 'Oslo', start: 3, end: 4 }] }),
    ).toBe(true);
    expect(passes({ spans: [{ label: 'LOC', text: 'New York' }] })).toBe(false);
    expect(passes({ spans: [{ label: 'LOC' }, { label: 'PER' }] })).toBe(false);
    expect(passes({ spans: [{ label: 'LOC', end: 1 }, { label: 'LOC' }] })).toBe(false);
    expect(passes({ spans: [{ label: 'LOC', text: 'New  York' }, { label: 'LOC' }] })).toBe(false);
    expect(passes({ tags: tagged.tags, spans: [] })).toBe(false);
  });

  it('gives spans their text, of tokens where there is no text', () => {
    const { spans } = checkSentence({ spans: [] }, { ...tagged, document: {} });
    expect(spans!.got.map(({ text }) => text)).toEqual(['New York', 'Oslo']);
  });
});
