import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { FeatureExtractor } from '../../../../src/engine/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { gazetteer, tokenizedLists } from '../../../../src/engine/features/resources/gazetteer.js';
import type { Gazetteer } from '../../../../src/engine/features/resources/resources.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import {
  builtInTokenizers,
  namedTokenizer,
  type TokenizerChoice,
} from '../../../../src/engine/text/tokenizers/named-tokenizer.js';
import { regexTokenizer } from '../../../../src/engine/text/tokenizers/regex-tokenizer.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
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

  it('takes 200,000 entries of one token without going through all for each', {
    tags: 'slow',
  }, () => {
    const entries = Array.from({ length: 200_000 }, (_, i) => `name${i}`);
    expect(places(gazetteer(entries), [['name7', 'name199999', 'name200000']])).toEqual(['SS-']);
  });

  it('looks nowhere in an empty list', () => {
    expect(places(gazetteer(''), [['a', '', 'b']])).toEqual(['---']);
  });
});

describe('gazetteer with the tokenizer of the texts', () => {
  const tokenizers = builtInTokenizers.map(tokenizer => ({ tokenizer, locale: 'en' }));
  const names = [
    ...[
      'Acme Inc.',
      "St. John's",
      'AT&T',
      'Coca-Cola Co.',
      'Yahoo!',
      'Guns  N’ Roses',
      'U.S. Steel',
    ],
    ...[
      '(MIT) Lab',
      "O'Reilly & Sons, Ltd.",
      'São Tomé',
      'Нью-Йорк',
      '東京タワー',
      'กรุงเทพ',
      'No. 10',
      'B.\r',
    ],
  ];
  const frames = [
    ['We met ', ' here'],
    ['It is ', ', we say'],
    ['', ''],
    ['They own ', ' And so'],
  ];
  const divide = (text: string, choice: TokenizerChoice) =>
    namedTokenizer(choice)(text).map(([start, end]) => text.slice(start, end));

  const product = tokenizers.flatMap(choice => [false, true].map(fold => ({ choice, fold })));
  it.each(product)(
    'finds every name by $choice.tokenizer, fold $fold',
    { tags: 'slow' },
    ({ choice, fold }) => {
      const list = gazetteer(names, { fold, tokenizer: namedTokenizer(choice) });
      const missed: string[] = [];
      for (const name of names.map(each => each.trim())) {
        const cases = fold ? [name, name.toUpperCase(), name.toLowerCase()] : [name];
        for (const [before, after] of frames) {
          for (const cased of cases) {
            const own = divide(before!, choice).length;
            const tokens = divide(before! + cased + after!, choice);
            const rest = tokens.length - own - divide(after!, choice).length;
            // Other characters than the name's own, as the comma that a word takes along.
            if (tokens.slice(own, own + rest).join('') !== cased.replace(/\s/g, '')) continue;
            const [found] = places(list, [tokens]);
            const expected = rest === 1 ? 'S' : `B${'I'.repeat(rest - 2)}E`;
            if (found!.slice(own, own + rest) !== expected) missed.push(tokens.join('|'));
          }
        }
      }
      expect(missed).toEqual([]);
    },
  );

  it('finds names in records that were divided at blanks, too', () => {
    const list = gazetteer(['Acme Inc.', "St. John 's"], { tokenizer: regexTokenizer() });
    expect(
      places(list, [
        ['Acme', 'Inc.'],
        ['Acme', 'Inc', '.'],
        ['St.', 'John', "'s"],
      ]),
    ).toEqual(['BE', 'BIE', 'BIE']);
  });

  it('leaves lists of plain words as they are, by every tokenizer for words', () => {
    const words = ['New York', 'Bath', 'Straße', 'İzmir', 'ΟΔΟΣ'];
    for (const choice of tokenizers.filter(({ tokenizer }) => tokenizer !== 'characters')) {
      for (const fold of [false, true]) {
        const tokenizer = namedTokenizer(choice);
        expect(gazetteer(words, { fold, tokenizer })).toEqual(gazetteer(words, { fold }));
      }
    }
  });

  it('divides a folded list that is made already as texts of any case are', () => {
    const made = gazetteer(["St. John's"], { fold: true });
    const { towns } = tokenizedLists({ gazetteers: { towns: made } }, regexTokenizer()).gazetteers!;
    expect(
      places(towns!, [
        ['St.', 'John', "'s"],
        ['st', '.', 'john', "'s"],
      ]),
    ).toEqual(['BIE', 'BIIE']);
  });

  it('holds for the model that train makes, of text and of tokens', async () => {
    const { tagger } = await train({
      corpus: [
        { text: "We love St. John's dearly.", spans: [{ label: 'LOC', start: 8, end: 18 }] },
        { text: 'We love Acme Inc. dearly.', spans: [{ label: 'LOC', start: 8, end: 17 }] },
        { text: 'They call Bob home.', spans: [] },
      ],
      trainer: { lbfgs: { l2: 0.001 } },
      features: {
        templates: ['U:%gazetteer[0,0,names]', 'B'],
        resources: { gazetteers: { names: gazetteer(["St. John's", 'Acme Inc.', 'Smith & Co.']) } },
      },
    });
    const found = (text: string) => tagger.tagText(text).spans!.map(span => span.text);
    expect(found('They call Smith & Co. home.')).toEqual(['Smith & Co.']);
  });
});
