import { describe, expect, it } from 'vitest';
import { joined } from '../../../../src/engine/core/arrays.js';
import { Random } from '../../../../src/engine/core/random.js';
import { gazetteer } from '../../../../src/engine/features/resources/gazetteer.js';
import { quantisedVectors } from '../../../../src/engine/features/resources/quantised-vectors.js';
import { wordClusters } from '../../../../src/engine/features/resources/word-clusters.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { modelFormatVersion } from '../../../../src/engine/models/files/model-header.js';
import {
  packResources,
  unpackResources,
} from '../../../../src/engine/models/files/resource-sections.js';
import {
  readSections,
  type Sections,
  writeSections,
} from '../../../../src/engine/models/files/section-file.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../src/engine/models/state/model-state.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { deepCopy } from '../examples/deep-copy.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import { train } from '../examples/train.js';
import { listTemplates, wordLists, wordVectors } from '../examples/word-lists.js';

const corpus = syntheticCorpus(new Random(4), 40);
const learner = train(corpus, { spec: { templates: listTemplates, resources: wordLists } });
const bytes = writeModel(learner);

/** The file with some sections and some of the header changed, its checksums right. */
function changed(sections: Readonly<Record<string, Uint8Array>>, more: object = {}): Uint8Array {
  const file = readSections(bytes, modelFormatVersion, 'm');
  const { sections: table, ...header } = file.header;
  const before = (table as { name: string; type: 'Uint8Array' }[]).map(
    ({ name, type }) => [name, file.section(name, type)] as const,
  );
  const all: Sections = { ...Object.fromEntries(before), ...sections };
  return joined(writeSections(modelFormatVersion, { ...header, ...more }, all));
}

const utf8 = (text: string) => new TextEncoder().encode(text);

describe('the lists of a model file', () => {
  it('are sections of their own, beside a header that only names them', () => {
    const { header } = readSections(bytes, modelFormatVersion, 'm');
    expect(header.resources).toEqual([
      { kind: 'gazetteers', name: 'pairs', fold: false },
      { kind: 'gazetteers', name: 'any-case', fold: true },
      { kind: 'clusters', name: 'brown', fold: false },
    ]);
    expect(Object.keys(header.spec as object)).not.toContain('resources');
    const file = readSections(bytes, modelFormatVersion, 'm');
    const text = new TextDecoder().decode(file.section('gazetteers.pairs', 'Uint8Array'));
    expect(text).toBe('W4 w5 w6\nZoë w1\nw1 w2\nw2 w3\nw3');
  });

  it('matter to the tags', () => {
    const tagger = Tagger.fromBytes(bytes);
    const other = Tagger.fromBytes(changed({ 'clusters.brown': utf8('111\tw9') }));
    const scores = (each: Tagger) => corpus.map(({ tokens }) => each.analyze(tokens).score);
    expect(scores(other)).not.toEqual(scores(tagger));
    expect(other.model.spec.resources!.clusters!.brown).toEqual(wordClusters('111\tw9'));
  });

  it('leave no trace in a model that has none', () => {
    const none = train(corpus, { spec: { templates: 'U:%x[0,0]' } });
    const { header } = readSections(writeModel(none), modelFormatVersion, 'm');
    expect(Object.keys(header)).not.toContain('resources');
    expect(Object.keys(saveModelState(none.model).json)).not.toContain('resources');
  });

  it.each([
    ['a damaged byte', () => damagedAt('Zoë'), 'the checksum of section gazetteers.pairs is wrong'],
    [
      'clusters that are none',
      () => changed({ 'clusters.brown': utf8('0\ta\nx\tb') }),
      'the list clusters.brown is malformed',
    ],
    [
      'bytes that are not UTF-8',
      () => changed({ 'gazetteers.pairs': Uint8Array.of(0x61, 0xff) }),
      'the list gazetteers.pairs is not UTF-8',
    ],
    [
      'a list that is not there',
      () => changed({}, { resources: [{ kind: 'clusters', name: 'c', fold: true }] }),
      'it has no section clusters.c',
    ],
    [
      'lists that the templates do not find',
      () => changed({}, { resources: [] }),
      'its templates: "U1:%gazetteer[0,0,pairs]" uses the gazetteer "pairs"',
    ],
    [
      'a header that is wrong',
      () => changed({}, { resources: { pairs: 1 } }),
      'resources: Invalid input: expected array, received object',
    ],
  ])('are refused by the name of the file: %s', (_, make, problem) => {
    expect(() => readModel(make(), 'some.model')).toThrow(
      `some.model: the model file is damaged: ${problem}`,
    );
  });

  it('come back whole, 100,000 entries and words of them', { tags: 'slow' }, () => {
    const names = Array.from({ length: 100_000 }, (_, i) => `Town${i} upon${i % 99}`);
    const words = names.map((_, i) => `${(1000 + (i % 997)).toString(2)}\tword${i}\t1`);
    const resources = {
      gazetteers: { towns: gazetteer(names) },
      clusters: { brown: wordClusters(words.join('\n')) },
    };
    const templates = 'U:%gazetteer[0,0,towns]\nU:%cluster[0,0,brown]';
    const large = writeModel(train(corpus, { spec: { templates, resources } }));
    const { spec } = readModel(large);
    expect(spec.resources).toEqual(resources);
    const text = resources.gazetteers.towns.text.length + resources.clusters.brown.text.length;
    expect(large.length).toBeLessThan(text + 2000);
    // A word is written once, and its path once for all of its cluster.
    expect(resources.clusters.brown.text.length).toBeLessThan(11 * 100_000);
  });
});

describe('the word vectors of a model file', () => {
  const { v } = wordVectors.vectors!;
  const packed = packResources(wordVectors);
  const unpacked = (sections: Readonly<Record<string, Uint8Array>>, more: object = {}) =>
    unpackResources(
      packed.listed.map(each => ({ ...each, ...more })),
      name => sections[name]!,
      what => new Error(what),
    );

  it('are words, a step for each vector and a byte for each number', () => {
    expect(Object.entries(packed.sections).map(([name, { length }]) => [name, length])).toEqual([
      ['vectors.v', v!.text.length + 1],
      ['vector-steps.v', 4 * 7],
      ['vector-numbers.v', 3 * 7],
    ]);
    expect(unpacked(packed.sections)).toEqual(wordVectors);
    // Wherever they stand in another memory.
    const moved = Object.entries(packed.sections).map(([name, bytes]) => {
      const more = new Uint8Array(bytes.length + 1);
      more.set(bytes, 1);
      return [name, more.subarray(1)] as const;
    });
    expect(unpacked(Object.fromEntries(moved))).toEqual(wordVectors);
    const spec = { templates: 'U:%vector[0,0,v]', resources: wordVectors };
    const state = saveModelState(train(corpus, { spec }).model);
    expect(restoreModelState(state).spec.resources).toEqual(wordVectors);
  });

  it.each<[string, Record<string, Uint8Array>, object?]>([
    ['of a word too few', { 'vectors.v': utf8('a\nb') }],
    ['of numbers too few', { 'vector-numbers.v': new Uint8Array(20) }],
    ['of a step too many', { 'vector-steps.v': new Uint8Array(32) }],
    ['of a step that is not finite', { 'vector-steps.v': new Uint8Array(28).fill(0xff) }],
    ['without dimensions', {}, { dimensions: undefined }],
  ])('are refused: %s', (_, sections, more = {}) => {
    expect(() => unpacked({ ...packed.sections, ...sections }, more)).toThrow(
      'the list vectors.v is malformed',
    );
  });

  it('take some 7 MB for 60,000 words of 100 dimensions', { tags: 'slow' }, () => {
    const words = Array.from({ length: 60_000 }, (_, i) => `word${i}`);
    const values = Float32Array.from({ length: 6_000_000 }, (_, i) => Math.sin(i));
    const vectors = { large: quantisedVectors({ words, dimensions: 100, values }) };
    const { sections } = packResources({ vectors });
    const bytes = Object.values(sections).reduce((sum, { length }) => sum + length, 0);
    expect(bytes).toBeLessThan(7e6);
  });
});

it('the lists of a saved state are refused where they are damaged', () => {
  const state = deepCopy(saveModelState(learner.model));
  expect(restoreModelState(state).spec.resources).toEqual(wordLists);
  const without = { ...state.arrays };
  delete (without as Record<string, unknown>)['gazetteers.pairs'];
  expect(() => restoreModelState({ ...state, arrays: without })).toThrow(
    'the state is inconsistent: gazetteers.pairs is missing',
  );
  state.arrays['clusters.brown']!.fill(0x20);
  expect(() => restoreModelState(state)).toThrow('the list clusters.brown is malformed');
});

/** The file with one bit of some text of a section changed. */
function damagedAt(text: string): Uint8Array {
  const copy = bytes.slice();
  copy[Buffer.from(copy.buffer).indexOf(text)]! ^= 1;
  return copy;
}
