import { describe, expect, it } from 'vitest';
import { ExactIndex } from '../../../src/engine/features/index/exact-index.js';
import { gazetteer } from '../../../src/engine/features/resources/gazetteer.js';
import { SegmentEncoder } from '../../../src/engine/features/segments/segment-encoder.js';
import { parseSegmentFeatures } from '../../../src/engine/features/segments/segment-feature.js';
import { LinearMemory } from '../../../src/engine/kernels/memory/linear-memory.js';
import { sentenceOf } from './sentence-of.js';

/** The names of the features of each candidate of a sentence, all features known. */
function namesOf(
  features: readonly string[],
  tokens: readonly string[],
  maxLength = 2,
  kind: 'state' | 'edge' = 'state',
) {
  const memory = new LinearMemory();
  const index = new ExactIndex(1, memory);
  const resources = { gazetteers: { towns: gazetteer(['New York', 'Bath']) } };
  const spec = { maxLength, features };
  const encoder = new SegmentEncoder(spec, ['form', 'pos'], memory, resources);
  const sentence = { ...sentenceOf(tokens), columns: { pos: tokens.map(token => token[0]!) } };
  const { starts, rows } = encoder.encode(kind, sentence, index, true);
  const names = new Map<number, string>();
  encoder.eachName(
    kind,
    sentence,
    index,
    () => true,
    (row, name) => names.set(row, name),
  );
  expect(names.size).toBe(index.size);
  return Array.from({ length: starts.length - 1 }, (_, c) =>
    Array.from(rows.subarray(starts[c], starts[c + 1]), row => names.get(row)!.slice(8)),
  );
}

describe('the features of spans', () => {
  it('are those of all spans by their last token, and one for all that are longer', () => {
    expect(namesOf(['length', 'lower'], ['A', 'b', 'A'])).toEqual([
      ...[['length:1', 'lower:a'], [], []],
      ...[['length:1', 'lower:b'], ['length:2', 'lower:a b'], []],
      ...[['length:1', 'lower:a'], ['length:2', 'lower:b a'], ['longer']],
    ]);
  });

  it('look at the tokens of a column, inside and around', () => {
    const features = ['text:pos', 'first', 'last:pos', 'before', 'after:pos', 'shape', 'type'];
    const [, , , one, two] = namesOf(features, ['New', 'York']);
    expect(one).toEqual([
      ...['text:pos:Y', 'first:York', 'last:pos:Y', 'before:New', 'after:pos:_B+1'],
      ...['shape:Xx', 'type:initial'],
    ]);
    expect(two).toEqual([
      ...['text:pos:N Y', 'first:New', 'last:pos:Y', 'before:_B-1', 'after:pos:_B+1'],
      ...['shape:Xx Xx', 'type:initial initial'],
    ]);
  });

  it('say whether a span is an entry of a list', () => {
    const found = namesOf(['gazetteer:towns'], ['Bath', 'New', 'York']);
    const entry = ['gazetteer:towns'];
    expect(found).toEqual([entry, [], [], [], [], [], [], entry, ['longer']]);
  });

  it('have fingerprints of their own: the same words in another feature are another one', () => {
    const all = namesOf(['text', 'first', 'last', 'lower'], ['a']);
    expect(all[0]).toEqual(['text:a', 'first:a', 'last:a', 'lower:a']);
  });

  it('with weights for two labels are edge features of candidates, the others state features', () => {
    const features = ['B:length', 'first', 'B:last:pos'];
    const tokens = ['New', 'York'];
    expect(namesOf(features, tokens, 1)).toEqual([['first:New'], [], ['first:York'], ['longer']]);
    expect(namesOf(features, tokens, 1, 'edge')).toEqual([
      ...[['B:length:1', 'B:last:pos:N'], [], ['B:length:1', 'B:last:pos:Y'], []],
    ]);
  });

  it.each([
    ['B:length:pos', 'write B:length'],
    ['B:text:tag', 'the columns are form, pos'],
    ['B:', 'did you mean'],
    ['lengths', 'did you mean'],
    ['length:pos', 'write length'],
    ['text:tag', 'the columns are form, pos'],
    ['gazetteer:cities', 'name one of towns'],
    ['gazetteer', 'name one of towns'],
  ])('are refused as "%s"', (name, fix) => {
    const parse = () => parseSegmentFeatures([name], ['form', 'pos'], ['towns']);
    expect(parse).toThrow(expect.objectContaining({ code: 'config' }));
    expect(parse).toThrow(expect.objectContaining({ fix: expect.stringContaining(fix) }));
  });
});
