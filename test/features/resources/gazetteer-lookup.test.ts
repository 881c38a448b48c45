import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/core/random.js';
import { FeatureExtractor } from '../../../src/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../src/features/index/exact-index.js';
import { gazetteer } from '../../../src/features/resources/gazetteer.js';
import type { Gazetteer } from '../../../src/features/resources/resources.js';
import { parseTemplates } from '../../../src/features/template/parse-templates.js';
import { byToken } from '../extracted-rows.js';
import { sentenceOf } from '../sentence-of.js';

/**
 * What `%gazetteer` gives at each token, `-` for nothing: a template in front gives the texts B, I, E, S
 * of a column the same fingerprints, so that rows can be distinguished by name.
 */
function places(list: Gazetteer, sentences: readonly (readonly string[])[]): string[] {
  const templates = parseTemplates('U:%gazetteer[0,0,list]');
  const resources = { gazetteers: { list } };
  const extractor = new FeatureExtractor(templates, ['form'], undefined, resources);
  const index = new ExactIndex(1, extractor.memory);
  const naming = new FeatureExtractor(parseTemplates('U:%x[0,0]'), ['form'], extractor.memory);
  naming.open(sentenceOf(['B', 'I', 'E', 'S']));
  naming.state(4, index, true);
  return sentences.map(tokens => {
    extractor.open(sentenceOf(tokens));
    const rows = byToken(extractor.state(tokens.length, index, true));
    return rows.map(([row]) => (row === undefined ? '-' : 'BIES'[row])).join('');
  });
}

/** The same, found by trying every entry everywhere. */
function naivePlaces(entries: readonly string[], tokens: readonly string[]): string {
  const known = new Set(entries);
  const longest = Math.max(0, ...entries.map(entry => entry.split(' ').length));
  let text = '';
  for (let t = 0; t < tokens.length; ) {
    let length = 0;
    for (let n = 1; n <= Math.min(longest, tokens.length - t); n += 1) {
      if (known.has(tokens.slice(t, t + n).join(' '))) length = n;
    }
    if (length === 0) text += '-';
    else text += length === 1 ? 'S' : `B${'I'.repeat(length - 2)}E`;
    t += Math.max(1, length);
  }
  return text;
}

describe('%gazetteer', () => {
  it('gives the place in the longest match that starts leftmost', () => {
    const list = gazetteer(['New York', 'New York City', 'York', 'City of York', 'Bath']);
    const sentences = ['New York City of York', 'Bath and New York', 'New Bath', 'new york'];
    expect(
      places(
        list,
        sentences.map(text => text.split(' ')),
      ),
    ).toEqual(['BIE-S', 'S-BE', '-S', '--']);
  });

  it('matches in any case where the list says so', () => {
    const list = gazetteer('NEW york\nÉcole', { fold: true });
    expect(places(list, [['new', 'YORK', 'éCOLE']])).toEqual(['BES']);
  });

  it('goes back to the shorter entry where a longer one breaks off', () => {
    expect(
      places(gazetteer(['a', 'a b c d', 'b c']), [
        ['a', 'b', 'c', 'x'],
        ['a', 'b'],
      ]),
    ).toEqual(['SBE-', 'S-']);
  });

  it.each([1, 2, 3])('finds what trying every entry finds (list %i)', seed => {
    const random = new Random(seed);
    const word = () => 'abcde'[random.below(5)]!;
    const phrase = (most: number) => Array.from({ length: 1 + random.below(most) }, word);
    const entries = Array.from({ length: 12 }, () => phrase(4).join(' '));
    const sentences = Array.from({ length: 300 }, () => phrase(12));
    const found = places(gazetteer(entries), sentences);
    expect(found).toEqual(sentences.map(tokens => naivePlaces(entries, tokens)));
    expect(new Set(found.join(''))).toEqual(new Set('BIES-'));
  });

  it('finds every one of 100,000 entries, and no other', () => {
    const entries = Array.from({ length: 100_000 }, (_, i) => `name${i} of${i % 7}`);
    const list = gazetteer(entries);
    const sentences = entries.filter((_, i) => i % 500 === 0).map(entry => entry.split(' '));
    expect(new Set(places(list, sentences))).toEqual(new Set(['BE']));
    expect(places(list, [['name3', 'of4'], ['name100000', 'of5'], ['of3']])).toEqual([
      '--',
      '--',
      '-',
    ]);
  });

  it('takes 200,000 entries of one token without going through all for each', () => {
    const entries = Array.from({ length: 200_000 }, (_, i) => `name${i}`);
    expect(places(gazetteer(entries), [['name7', 'name199999', 'name200000']])).toEqual(['SS-']);
  });

  it('looks nowhere in an empty list', () => {
    expect(places(gazetteer(''), [['a', '', 'b']])).toEqual(['---']);
  });
});
