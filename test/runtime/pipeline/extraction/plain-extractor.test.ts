import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import type { Model } from '../../../../src/engine/models/model.js';
import type { BlockTask } from '../../../../src/runtime/pipeline/blocks/block-task.js';
import type { CodecChoice } from '../../../../src/runtime/pipeline/catalogue/codec-of.js';
import { MixedExtractor } from '../../../../src/runtime/pipeline/extraction/mixed-extractor.js';
import { PlainExtractor } from '../../../../src/runtime/pipeline/extraction/plain-extractor.js';
import { everyNth } from '../../../house/long-forms.js';
import { bytesOf } from '../../io/sources/read-all.js';
import { ndjsonText } from './corpora.js';

const templates = 'U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nU02:%suffix[0,0,2]\nU03:%x[1,1]\nB';
const columns = ['form', 'pos', 'tag'];
const conll: CodecChoice = { name: 'conll', options: { columns } };
const ndjson: CodecChoice = { name: 'ndjson', options: {} };

function model(more: Partial<Parameters<typeof createModel>[0]> = {}): Model {
  const made = createModel({ templates, columns, ...more });
  if (made.stateIndex instanceof ExactIndex) made.stateIndex.takeNew();
  return made;
}

/** Rows of which some are not plain where it says so. */
function rows(random: Random, isOdd: boolean): string {
  const any = <T>(list: readonly T[]) => list[random.below(list.length)]!;
  let text = '';
  for (let i = 0; i < 120; i += 1) {
    const number = random.below(20 + i);
    const tag = any([`T${number % 5}`, '_']);
    text +=
      isOdd && random.below(60) === 0 ? any(['# c\n', 'a b\n', 'a b c\r\n', 'a b c d\n']) : '';
    text += `word${number} P${number % 3} ${tag}\n${any(['', '', '', '\n', ' \n\n'])}`;
  }
  return `${text}\n`;
}

function blockOf(text: string, offset = 0): BlockTask {
  const bytes = new Uint8Array(bytesOf(text));
  return { source: 'a', block: { bytes, offset, line: 1 + offset } };
}

type Extracted = Awaited<ReturnType<MixedExtractor['extract']>>;

/** The stacks of errors show who asked. */
function withoutStacks(found: Extracted): unknown {
  const bad = JSON.stringify(found.bad, (key, value) => (key === 'stack' ? undefined : value));
  return { ...found, bad };
}

/** Checks that blocks give the same in the short way and in the long one; counts bad records and plain blocks. */
async function compare(
  texts: readonly string[],
  [short, long]: readonly [CodecChoice, CodecChoice],
  given = templates,
) {
  const { spec } = model({ templates: given });
  const setup = { spec, tokenize: undefined };
  const extractor = new MixedExtractor({ ...setup, codec: short });
  const reference = new MixedExtractor({ ...setup, codec: long });
  expect(PlainExtractor.of(model({ templates: given }), long)).toBeUndefined();
  const alone = PlainExtractor.of(model({ templates: given }), short)!;
  let [offset, bad, plain] = [0, 0, 0];
  for (const text of texts) {
    const task = blockOf(text, offset);
    const found = await extractor.extract(task);
    expect(withoutStacks(found)).toEqual(withoutStacks(await reference.extract(task)));
    offset += task.block.bytes.length;
    bad += found.bad.length;
    if (alone.extract(task) !== undefined) plain += 1;
  }
  return { bad, plain };
}

describe('PlainExtractor', () => {
  // What is asked for here is not in the texts, but where it is asked for all is read in the long way.
  const conlls = [conll, { ...conll, options: { columns, alternatives: '\u0001' } }] as const;
  const ndjsons = [ndjson, { ...ndjson, options: { ids: undefined } }] as const;

  it.each([1, 2, 3])('finds in rows what the stages find (%i)', { tags: 'slow' }, async seed => {
    const random = new Random(seed);
    const texts = Array.from({ length: 12 }, (_, i) => rows(random, i % 3 === 1));
    const { bad, plain } = await compare(texts, conlls);
    expect(bad).toBeGreaterThan(0);
    expect(plain).toBeGreaterThanOrEqual(8);
    expect(plain).toBeLessThan(12);
  });

  it('finds in records what the stages find', { tags: 'slow' }, async () => {
    const more = { length: 3, blankEvery: 11, unlabelledEvery: 5 };
    const texts = [
      ndjsonText(200, { length: 3 }),
      ndjsonText(150, { ...more, badEvery: 40 }),
      ndjsonText(300, more),
      ndjsonText(100, { ...more, partly: true }),
      ndjsonText(60, { length: 0 }),
      '\n',
      '',
    ];
    const found = await compare(texts, ndjsons, 'U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nB');
    expect(found).toEqual({ bad: 2, plain: 5 });
  });

  const some = '"tokens":["a","b"],"columns":{"pos":["P","Q"]}';

  for (const part of everyNth(2, [
    ['without an id', `{${some},"tags":["X","Y"]}`, true],
    ['with a number as id', `{"id":1.0,${some},"gold":["X","Y"]}`, true],
    ['with escapes', `{"id":"\\u0041","tags":["\\u0058","X"],${some}}`, true],
    ['with an empty tag', `{${some},"tags":["","Y"]}`, false],
    ['with a blank tag in escapes', `{${some},"tags":["\\u0020","Y"]}`, false],
    ['without tags', `{"id":7,${some}}`, true],
    ['with both', `{${some},"tags":["X","Y"],"gold":["X","X"]}`, false],
    ['with a weight', `{${some},"tags":["X","Y"],"weight":2}`, false],
    ['with the weight escaped', `{${some},"tags":["X","Y"],"w\\u0065ight":2}`, false],
    ['with a tag too few', `{${some},"tags":["X"]}`, false],
    ['with an unknown tag', `{${some},"tags":["X",null]}`, false],
    ['with null for tags', `{${some},"tags":null}`, false],
    ['without a column', '{"tokens":["a"],"tags":["X"]}', false],
    ['of two sentences', `{${some},"tags":["X","Y"],"sentences":[[0,1],[1,2]]}`, false],
  ])) {
    it.each(part.rows)(
      'finds in a record %s what the stages find',
      { tags: part.tags },
      async (_, line, isPlain) => {
        const before = `{"id":"x","weights":1,${some},"tags":["Z","X"]}`;
        const text = [before, line, before].join('\n');
        const found = await compare([before, text], ndjsons);
        expect(found.plain).toBe(isPlain ? 2 : 1);
      },
    );
  }

  it('leaves what may be too large to the stages, labelled or not', async () => {
    const limited = (codec: CodecChoice) => ({
      ...codec,
      options: { ...codec.options, maxTokens: 12 },
    });
    const [word, record] = ['a P X\n', `{${some},"tags":["X","Y"]}`];
    const sentences = [11, 12, 13, 14].map(length => word.repeat(length));
    const unlabelled = sentences.map(sentence => sentence.replaceAll('X', '_'));
    const long = (extra: object) =>
      JSON.stringify({
        tokens: Array(13).fill('a'),
        columns: { pos: Array(13).fill('P') },
        ...extra,
      });
    const columns = await compare(
      [...sentences, ...unlabelled],
      [limited(conlls[0]), limited(conlls[1])],
      'U00:%x[0,0]',
    );
    expect(columns).toEqual({ bad: 4, plain: 4 });
    const records = await compare(
      [record, long({}), long({ tags: Array(13).fill('X') })],
      [limited(ndjsons[0]), limited(ndjsons[1])],
      'U00:%x[0,0]',
    );
    expect(records.bad).toBe(2);
  });

  it('takes blocks that are plain, and nothing of others', () => {
    const made = model();
    const extractor = PlainExtractor.of(made, conll)!;
    const first = extractor.extract(blockOf('a P X\nb P Y\n\nc P _\n\na P Y\n'))!;
    expect(first.read).toBe(3);
    expect([...first.sentences.lengths]).toEqual([2, 1]);
    expect([...first.sentences.gold]).toEqual([0, 1, 1]);
    const { size } = made.stateIndex;
    expect(extractor.extract(blockOf('d P Z\n\ne P\n'))).toBeUndefined();
    expect(made.stateIndex.size).toBe(size);
    expect(made.labels.names).toEqual(['X', 'Y']);
    expect(extractor.extract(blockOf('\n'.repeat(2 ** 20)))?.read).toBe(0);
    expect(extractor.extract(blockOf('\n'.repeat(2 ** 24 + 1)))).toBeUndefined();
  });

  it.each([
    ['another format', {}, { name: 'conllu', options: {} }],
    ['dead letters', {}, { ...conll, replay: true }],
    ['comments', {}, { name: 'conll', options: { columns, comment: '#' } }],
    ['a hashed index', { index: { mode: 'hashed', rows: 100, edgeRows: 10 } }, conll],
    ['templates of transitions', { templates: 'U00:%x[0,0]\nB00:%x[0,0]' }, conll],
    ['a column that is not there', { templates: 'U00:%x[0,xpos]' }, conll],
  ] satisfies [string, Partial<Parameters<typeof createModel>[0]>, CodecChoice][])(
    'leaves %s to the stages',
    (_, spec, codec) => {
      expect(PlainExtractor.of(model(), conll)).toBeDefined();
      expect(PlainExtractor.of(model(spec), codec)).toBeUndefined();
    },
  );
});
