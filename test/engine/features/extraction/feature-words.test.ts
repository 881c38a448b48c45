import { describe, expect, it } from 'vitest';
import { planExtraction } from '../../../../src/engine/features/extraction/extraction-plan.js';
import { FeatureNames } from '../../../../src/engine/features/extraction/feature-names.js';
import { builtInFunctions } from '../../../../src/engine/features/template/built-in-functions.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { sentenceOf } from '../sentence-of.js';

/** What templates say of the words of a sentence. */
function wordsOf(template: string, t: number, columns: Record<string, string[]> = {}): string {
  const plan = planExtraction(parseTemplates(template), ['form', ...Object.keys(columns)]);
  return new FeatureNames(plan).words('state', 0, { ...sentence, columns }, t);
}

const sentence = sentenceOf(['In', 'Oslo', 'Anna-Maria', 'paid', '12', '.']);

describe('features in words', () => {
  it.each([
    ['U1:%x[0,0]', 1, 'word: “Oslo”'],
    ['U1:%type[-1,0]', 2, 'word before: initial capital'],
    ['U1:%type[1,0]', 3, 'word after: a number'],
    ['U1:%Suffix[-2,0,2]', 3, '2 words before: ends in “lo”'],
    ['U1:%prefix[0,0,3]', 2, 'word: begins with “Ann”'],
    ['U1:%shape[2,0]', 0, '2 words after: shape Xx-Xx'],
    ['U1:%length[0,0]', 4, 'word: 2 characters'],
    ['U1:%char[0,0,-1]', 1, 'word: character 1 from the end “o”'],
    ['U1:%t[0,0,"\\d"]', 4, 'word: matches \\d'],
    ['U1:%m[0,0,"\\d"]', 4, 'word: contains “1”'],
    ['U1:%x[-1,0]', 0, 'word before: none, at the start of the sentence'],
    ['U1:%x[2,0]', 5, '2 words after: none, at the end of the sentence'],
    ['U1:%x[@0,0]', 3, 'first word: “In”'],
    ['U1:%x[@-2,0]', 0, 'word 2 from the last: “12”'],
    ['U1:%lower[-1,0]/%type[0,0]', 2, 'word before: “oslo”; word: letters with a hyphen'],
    ['U1', 2, 'any word'],
  ])('%s at %i: %s', (template, t, expected) => {
    expect(wordsOf(template, t)).toBe(expected);
  });

  it('name the column that they look at', () => {
    const pos = ['IN', 'NNP', 'NNP', 'VBD', 'CD', '.'];
    expect(wordsOf('U1:%x[-1,pos]', 3, { pos })).toBe('pos of the word before: NNP');
  });

  it('say of numbers which column they are of', () => {
    const w = ['0.5', '1', '2', '3', '4', '5'];
    expect(wordsOf('U1:%v[0,w]', 1, { w })).toBe('w of the word: its value');
    expect(wordsOf('U1:%v[0,w]/%vv[-1,w]', 1, { w })).toBe(
      'w of the word: its value; w of the word before: its value',
    );
  });

  it('exist for every built-in function', () => {
    // Lists and what documents say need more than a sentence.
    const own = builtInFunctions.filter(
      ({ name }) => !['gazetteer', 'cluster', 'vector', 'document', 'v', 'vv'].includes(name),
    );
    expect(own.length).toBeGreaterThan(10);
    for (const { example } of own) {
      expect(wordsOf(example, 0), example).toMatch(/^(word: \S|first word)/);
    }
  });
});
