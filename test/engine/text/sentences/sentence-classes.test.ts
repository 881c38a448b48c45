import { expect, it } from 'vitest';
import { segmentEnds, segmenter } from '../../../../src/engine/text/sentences/segmenter.js';
import { sentenceClasses } from '../../../../src/engine/text/sentences/sentence-classes.js';

/** A character of each class, by its number. */
const examples = ['*', 'x', 'X', 'א', '7', ' ', ')', ',', '.', '!', '\u0301'];

/** What tells the classes apart. */
const contexts: readonly ((character: string) => string)[] = [
  c => `a. ${c} B`,
  c => `a.${c}B`,
  c => `a?${c}B`,
  c => `a? ${c}B`,
  c => `a. ${c}b`,
  c => `a.${c} B`,
  c => `${c}. B`,
  c => `${c}.B`,
  c => `a${c} B`,
  c => `a?.${c}`,
  c => `A.${c}`,
];

it.each(['en', 'el'])('gives each character the class that the segmenter has (%s)', locale => {
  const sentences = segmenter('sentence', locale);
  const classes = sentenceClasses(sentences)!;
  const known = (character: string) =>
    contexts.map(context => segmentEnds(context(character), sentences).join()).join('|');
  const wanted = examples.map(known);
  expect(new Set(wanted).size).toBe(examples.length);
  let unknown = 0;
  for (const [i, one] of classes.entries()) {
    const code = i < 0x800 ? i : i + 0x1800;
    // Line breaks stand for spaces.
    if ([10, 13, 0x85, 0x2028].includes(code)) expect(one).toBe(5);
    else if (one === 255) unknown += 1;
    else expect([code, known(String.fromCharCode(code))]).toEqual([code, wanted[one]]);
  }
  expect(classes.length).toBe(0xb00);
  expect(unknown).toBeLessThan(200);
});

it('has no classes where a segmenter has rules of its own', () => {
  const sentences = new Intl.Segmenter('en-u-ss-standard', { granularity: 'sentence' });
  const pieces = [...sentences.segment('Mr. Brown')].length;
  expect(sentenceClasses(sentences) === undefined).toBe(pieces === 1);
});
