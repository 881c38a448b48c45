import { describe, expect, it } from 'vitest';
import { dictionaryLabels } from '../../../../src/engine/text/labels/dictionary-labels.js';
import { formsOf, storedForms } from '../../../../src/engine/text/labels/label-codec.js';

const times = (count: number, form: string, tag: string | undefined, value: string) =>
  Array.from({ length: count }, () => ({ form, tag, value }));

const tokens = [
  ...[...times(12, 'the', 'DET', 'Art'), ...times(11, 'a', 'DET', 'Art')],
  ...[...times(199, 'of', 'ADP', 'IN'), ...times(1, 'of', 'ADP', 'RP')],
  ...[...times(190, 'to', 'ADP', 'IN'), ...times(1, 'to', 'ADP', 'RP')],
  ...[...times(20, 'to', 'PART', 'TO'), ...times(20, 'x', undefined, 'X')],
];

describe('dictionaryLabels', () => {
  const codec = dictionaryLabels.learn(tokens);

  it.each([
    ['a word seen twelve times with one value', 'the', 'DET', 'Art'],
    ['a rarer word', 'a', 'DET', undefined],
    ['a word with one exception in 200', 'of', 'ADP', 'IN'],
    ['a word with more exceptions', 'to', 'ADP', undefined],
    ['the same word with another tag', 'to', 'PART', 'TO'],
    ['a word that was not seen with the tag', 'the', 'PRON', undefined],
    ['a word in another letter case', 'The', 'DET', undefined],
    ['a word without a tag', 'x', undefined, 'X'],
    ['a name of Object.prototype', 'constructor', 'DET', undefined],
  ])('settles %s: %s/%s as %s', (_, form, tag, value) => {
    expect(codec.settled?.({ form, tag })).toBe(value);
    expect(codec.decode({ form, tag }, 'label')).toBe(value ?? 'label');
    expect(codec.encode({ form, tag }, 'label')).toBe('label');
  });

  it('is the same after storing', () => {
    const stored = JSON.parse(JSON.stringify(codec));
    const read = dictionaryLabels.read(stored)!;
    for (const { form, tag } of tokens) {
      expect(read.settled?.({ form, tag })).toBe(codec.settled?.({ form, tag }));
    }
    expect(JSON.parse(JSON.stringify(read))).toEqual(stored);
  });

  it.each([
    ['one form', ['a'], 'a'],
    ['forms', ['a', 'b c', 'd'], 'a\nb c\nd'],
    ['an empty form', [''], ''],
    ['a form with a line break', ['a', 'b\nc'], ['a', 'b\nc']],
    ['none', [], []],
  ])('stores %s, which may also be a list', (_, forms, stored) => {
    expect(storedForms(forms)).toEqual(stored);
    expect(formsOf(storedForms(forms))).toEqual(forms);
    for (const each of [stored, forms]) {
      const read = dictionaryLabels.read({ tags: ['A'], values: ['v'], words: [[0, 0, each]] });
      for (const form of [...forms, 'e']) {
        const value = forms.includes(form) ? 'v' : undefined;
        expect(read?.settled?.({ form, tag: 'A' })).toBe(value);
      }
    }
  });

  it.each([
    { tags: [], values: [] },
    { tags: [1], values: [], words: [] },
    { tags: ['A'], values: ['v'], words: [[1, 0, []]] },
    { tags: ['A'], values: ['v'], words: [[0, 1, []]] },
    { tags: ['A'], values: ['v'], words: [[0, 0, [1]]] },
    { tags: ['A'], values: ['v'], words: [{}] },
    { tags: ['A'], values: 'v', words: [] },
  ])('does not read %j', stored => {
    expect(dictionaryLabels.read(stored)).toBeUndefined();
  });
});
