import { expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { inDocuments } from '../../../../src/engine/features/context/document-memory.js';
import { KnownRows } from '../../../../src/engine/features/texts/string-features.js';
import {
  readModel,
  readTaggingModel,
  writeModel,
} from '../../../../src/engine/models/files/model-file.js';
import { train } from '../../models/examples/train.js';
import { sentenceOf } from '../sentence-of.js';

const templates = [
  ...['U0:%x[0,0]', 'U1:%lower[-1,0]/%x[1,0]', 'U2:%document[0,0,case]', 'U3:%x[0,1]'],
  ...['U4:%document[0,0,left]/%document[-1,0,right2]', 'U5:%document[1,0,case]/%type[0,0]'],
  ...['UL:%document[0,0,left2]', 'UL:%document[0,0,right]', 'U6:%first[0,0]/%lower[0,0]'],
  ...['U7:%last[0,0]', 'U8:%last[0,0]/%x[0,0]', 'B'],
].join('\n');
const words = ['Bath', 'bath', 'in', 'Oslo', 'is', 'OSLO', ',', '9', 'Bé', '😀'];
const random = new Random(3);

const drawn = (count: number, more: readonly string[] = []): Sentence[] =>
  Array.from({ length: count }, () => {
    const all = [...words, ...more];
    const tokens = Array.from(
      { length: 1 + random.below(8) },
      () => all[random.below(all.length)]!,
    );
    const tags = tokens.map(token => (token < 'a' ? 'X' : 'Y'));
    return sentenceOf(tokens, { tags, columns: { pos: tokens.map(() => 'NV'[random.below(2)]!) } });
  });

const spec = { templates, columns: ['form', 'pos'] };
const learner = train(drawn(80).map(inDocuments(true)), { spec });
const model = readModel(writeModel(learner));

it('are the rows that the extractor finds, in and out of documents', () => {
  const { extractor, stateIndex } = model;
  const placed = inDocuments(true);
  const given = drawn(120, ['unseen', 'Unseen']);
  for (const sentence of given.flatMap(each => [placed(each), each])) {
    const found = KnownRows.of(extractor, stateIndex, sentence)!;
    extractor.open(sentence);
    const { starts, rows } = extractor.state(sentence.tokens.length, stateIndex, false);
    expect([...found.starts]).toEqual([...starts]);
    expect([...found.rows]).toEqual([...rows]);
    expect([...model.encodeKnown(sentence).stateRows]).toEqual([...rows]);
  }
});

it('are for others to find where a column is missing, or a template looks at something else than texts', () => {
  const { extractor, stateIndex } = model;
  const lacking = sentenceOf(['in', 'Bath'], {});
  expect(KnownRows.of(extractor, stateIndex, lacking)).toBeUndefined();
  expect(() => model.encodeKnown(lacking)).toThrow('the record has no column "pos"');
  const numbers = sentenceOf(['in', 'Bath'], { columns: { pos: [1, 2] } });
  expect(KnownRows.of(extractor, stateIndex, numbers)).toBeUndefined();
  const firsts = { templates: 'U0:%x[0,0]\nU1:%x[@0,0]\nB' };
  const other = readModel(writeModel(train(drawn(9), { spec: firsts })));
  expect(KnownRows.of(other.extractor, other.stateIndex, lacking)).toBeUndefined();
});

it('are the same for one sentence and for many, and copies of a sentence have rows of their own', () => {
  const placed = inDocuments(true);
  const sentences = drawn(70, ['unseen']).map(sentence => model.encodeKnown(placed(sentence)));
  expect(sentences.every(({ late }) => late !== undefined)).toBe(true);
  const packed = packMinibatch(sentences);
  const apart = packMinibatch(sentences.map(sentence => ({ ...sentence })));
  expect(packed.stateStarts).toEqual(apart.stateStarts);
  expect(packed.stateRows).toEqual(apart.stateRows);
  const none = { ...sentences[0]!, stateStarts: new Uint32Array(sentences[0]!.length + 1) };
  const copies = [{ ...none, stateRows: new Uint32Array(0) }, sentences[1]!];
  expect(packMinibatch(copies).stateRows).toEqual(sentences[1]!.stateRows);
});

it('are those of packed features too', () => {
  const compact = readTaggingModel(writeModel(learner, { compact: true }));
  expect(compact.stateIndex.canGrow).toBe(false);
  for (const sentence of drawn(40, ['unseen'])) {
    const found = KnownRows.of(compact.extractor, compact.stateIndex, sentence)!;
    compact.extractor.open(sentence);
    const { length } = sentence.tokens;
    const { starts, rows } = compact.extractor.state(length, compact.stateIndex, false);
    expect([...found.starts]).toEqual([...starts]);
    expect([...found.rows]).toEqual([...rows]);
    expect(rows.length).toBeGreaterThan(0);
  }
});
