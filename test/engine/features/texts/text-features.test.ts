import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { FeatureExtractor } from '../../../../src/engine/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { TextFeatures } from '../../../../src/engine/features/texts/text-features.js';
import { PlainRecords } from '../../../../src/formats/codecs/ndjson/plain-records.js';
import { bytesOf } from '../../../runtime/io/sources/read-all.js';
import { byToken, words } from '../extracted-rows.js';
import { sentenceOf } from '../sentence-of.js';

const maxLineBytes = 2 ** 20;
const templates = [
  ...[
    'U00:%x[0,0]',
    'U01:%x[-2,0]/%x[-1,0]',
    'U02:%x[1,1]',
    'U03:%prefix[0,0,2]',
    'U04:%suffix[2,0,3]',
  ],
  ...[
    'U05:%shape[0,0]/%x[1,1]',
    'U06:%x[-1,1]/%x[0,1]/%x[1,1]',
    'U07:%lower[0,0]',
    'U08:text',
    'U',
  ],
  ...['U09:%t[0,0,"\\d"]', 'U10:%x[0,1]/end', 'U11:%x[-3,0]', 'U12:%x[3,1]', 'B'],
];

/** Templates of these, in their order. */
function some(random: Random): string {
  const chosen = templates.filter(() => random.below(3) > 0);
  return [...chosen, 'U99:%x[0,0]'].join('\n');
}

describe('TextFeatures', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('finds the rows of FeatureExtractor (templates %i)', seed => {
    const random = new Random(seed);
    const set = parseTemplates(some(random));
    const draw = (most: number) => {
      const tokens = Array.from({ length: 1 + random.below(most) }, () => word(random));
      return sentenceOf(tokens, { columns: { pos: tokens.map(() => word(random)) } });
    };
    // An index that knows the features of some sentences, with a filter as that of a model file has.
    const names = ['form', 'pos'];
    const learning = new FeatureExtractor(set, names);
    const grown = new ExactIndex(1, learning.memory);
    for (let i = 0; i < 30; i += 1) {
      const sentence = draw(9);
      learning.open(sentence);
      learning.state(sentence.tokens.length, grown, true);
    }
    const index = seed % 2 === 0 ? grown : ExactIndex.of(grown.fingerprints());
    const extractor = new FeatureExtractor(set, names, index.memory);
    const features = new TextFeatures(extractor.plan, index);
    const columns = features.columns.slice(1);
    const records = new PlainRecords(features.texts, { columns, maxLineBytes });
    let compared = 0;
    for (let round = 0; round < 3; round += 1) {
      const sentences = Array.from({ length: 40 }, (_, i) => draw(i === 7 ? 300 : 9));
      const lines = sentences.map(({ tokens, columns }) => JSON.stringify({ columns, tokens }));
      records.open(bytesOf(lines.join('\n')));
      for (let next = 0; next < sentences.length; ) {
        expect(['full', 'end']).toContain(records.read());
        const rows = features.encode(records.columns, records.starts);
        const found = byToken(rows);
        for (let s = 0; s < records.count; s += 1) {
          const sentence = sentences[next + s]!;
          const { length } = sentence.tokens;
          extractor.open(sentence);
          const wanted = byToken(extractor.state(length, index, false));
          expect(found.slice(records.starts[s], records.starts[s]! + length)).toEqual(wanted);
          compared += wanted.flat().length;
        }
        next += records.count;
      }
    }
    expect(compared).toBeGreaterThan(500);
  });

  it('finds them after its table has been full', () => {
    const set = parseTemplates('U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nU02:%x[1,0]');
    const index = new ExactIndex();
    const extractor = new FeatureExtractor(set, ['form'], index.memory);
    const known = sentenceOf(['w1', 'w2', 'w70000']);
    extractor.open(known);
    extractor.state(3, index, true);
    const features = new TextFeatures(extractor.plan, index);
    const records = new PlainRecords(features.texts, { columns: [], maxLineBytes });
    const endings = new Set<string>();
    for (let from = 0; from < 90_000; from += 1000) {
      const tokens = Array.from({ length: 1000 }, (_, i) => `w${from + i}`);
      const first = { tokens: ['w1', 'w2', 'w70000'] };
      const lines = [first, { tokens }, first];
      records.open(bytesOf(lines.map(line => JSON.stringify(line)).join('\n')));
      let last: readonly (readonly number[])[] = [];
      for (let ending = ''; ending !== 'end'; endings.add(ending)) {
        ending = records.read();
        expect(ending).not.toBe('not-plain');
        last = byToken(features.encode(records.columns, records.starts)).slice(-3);
      }
      extractor.open(known);
      expect(last).toEqual(byToken(extractor.state(3, index, false)));
    }
    expect([...endings]).toContain('texts-full');
  });

  it.each([
    ['U00:%x[0,0]\nB', true],
    ['U00:%x[0,0]\nB01:%x[0,0]', false],
    ['U00:%v[0,0]', false],
    ['U00:%x[@0,0]', false],
  ])('says whether it can make %j', (text, can) => {
    const { plan } = new FeatureExtractor(parseTemplates(text), ['form']);
    expect(TextFeatures.canMake(plan)).toBe(can);
  });
});

function word(random: Random): string {
  const own = words[random.below(words.length)]!;
  return random.below(4) === 0 ? `${own}${'-abcdefgh'.repeat(random.below(4))}"\\` : own;
}
