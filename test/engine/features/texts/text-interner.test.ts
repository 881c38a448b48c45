import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { FeatureExtractor } from '../../../../src/engine/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { TextInterner } from '../../../../src/engine/features/texts/text-interner.js';
import { conllOptions } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { conllLayout } from '../../../../src/formats/codecs/conll/conll-layout.js';
import { RowReader } from '../../../../src/formats/codecs/conll/row-reader.js';
import { LabelledTexts } from '../../../../src/formats/codecs/plain-reader.js';
import { bytesOf } from '../../../runtime/io/sources/read-all.js';
import { words } from '../extracted-rows.js';
import { sentenceOf } from '../sentence-of.js';

const templates = [
  ...['U00:%x[0,0]', 'U01:%x[-2,0]/%x[-1,0]', 'U02:%x[1,1]', 'U03:%prefix[0,0,2]'],
  ...['U04:%suffix[2,0,3]', 'U05:%shape[0,0]/%x[1,1]', 'U06:%x[-1,1]/%x[0,1]/%x[1,1]'],
  ...['U07:%lower[0,0]', 'U08:text', 'U', 'U09:%t[0,0,"\\d"]', 'U10:%x[0,1]/end'],
  ...['U11:%x[-3,0]', 'U12:%x[3,1]', 'U%x[0,0]', 'U%x[-1,0]', 'U00:%x[1,0]', 'B'],
];
const known = words.filter(word => /^[^\s\ud800-\udfff]+$/.test(word));

/** What is found of one sentence after the other, by either way, and the index then. */
function bothWays(text: string) {
  const set = parseTemplates(text);
  const names = ['form', 'pos'];
  const index = new ExactIndex();
  index.takeNew();
  const { plan } = new FeatureExtractor(set, names, index.memory);
  const interner = new TextInterner(plan, index, { inJson: false, named: () => undefined });
  // A column that nobody looks at has no numbers.
  const layout = conllLayout(conllOptions.parse({ columns: ['form', 'pos', 'tag'] }));
  const limits = { maxLineBytes: 2 ** 20, maxTokens: 2 ** 20 };
  const { texts, columns } = interner;
  const rows = new RowReader(texts, { layout, columns, ...limits, labelled: true });
  const reader = new LabelledTexts(texts, rows);
  const extractor = new FeatureExtractor(set, names);
  const expected = new ExactIndex(1, extractor.memory);
  expected.takeNew();
  return { index, expected, compare };

  function compare(sentences: readonly ReturnType<typeof sentenceOf>[]): void {
    const rows = sentences.map(({ tokens, columns: { pos } }) =>
      tokens.map((token, t) => `${token} ${pos![t]} X\n`).join(''),
    );
    expect(reader.read(bytesOf(rows.join('\n')))).toBe(true);
    const found = interner.encode(reader.columns, reader.sentences.firsts);
    const wanted = sentences.map(sentence => {
      extractor.open(sentence);
      return extractor.state(sentence.tokens.length, expected, true);
    });
    expect([...found.starts]).toEqual(wanted.flatMap(({ starts }) => [...starts]));
    expect([...found.rows]).toEqual(wanted.flatMap(({ rows }) => [...rows]));
    expect(index.takeNew()).toEqual(expected.takeNew());
  }
}

describe('TextInterner', () => {
  it.each([1, 2, 3, 4, 5, 6])('gives the rows of FeatureExtractor (templates %i)', seed => {
    const random = new Random(seed);
    const word = () => {
      const own = known[random.below(known.length)]!;
      return random.below(4) === 0 ? `${own}${'-abcdefgh'.repeat(random.below(4))}"\\` : own;
    };
    const chosen = templates.filter(() => random.below(3) > 0);
    const { index, expected, compare } = bothWays([...chosen, 'U99:%x[0,0]'].join('\n'));
    for (let round = 0; round < 4; round += 1) {
      compare(
        Array.from({ length: 60 }, (_, i) => {
          const tokens = Array.from({ length: 1 + random.below(i === 7 ? 300 : 9) }, word);
          return sentenceOf(tokens, { columns: { pos: tokens.map(word) } });
        }),
      );
    }
    expect(index.size).toBeGreaterThan(50);
    expect(index.fingerprints()).toEqual(expected.fingerprints());
  });

  it('continues where the table of the index or that of the texts is full', () => {
    const { index, compare } = bothWays('U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nU02:%prefix[1,0,4]');
    for (let from = 0; from < 60_000; from += 6000) {
      const tokens = Array.from({ length: 6000 }, (_, i) => `w${from + (i % 5000)}`);
      const pos = tokens.map(() => 'P');
      const before = sentenceOf(['w1', 'x', 'w1'], { columns: { pos: ['P', 'P', 'P'] } });
      compare([before, sentenceOf(tokens, { columns: { pos } }), before]);
    }
    expect(index.size).toBeGreaterThan(100_000);
  });
});
