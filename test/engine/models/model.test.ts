import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { sentenceOf } from '../features/sentence-of.js';

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]';

function rowsOf({ stateRows, stateStarts }: EncodedSentence): number[][] {
  return Array.from({ length: stateStarts.length - 1 }, (_, t) =>
    Array.from(stateRows.subarray(stateStarts[t], stateStarts[t + 1])),
  );
}

describe('Model', () => {
  it('brings new labels and features along with labelled sentences, numbered in token order', () => {
    const model = createModel({ templates });
    const encoded = model.encode(sentenceOf(['a', 'b', 'a'], { tags: ['X', 'Y', 'X'] }));
    expect(rowsOf(encoded)).toEqual([
      [0, 1],
      [2, 3],
      [0, 4],
    ]);
    expect(Array.from(encoded.gold!)).toEqual([0, 1, 0]);
    expect(model.labels.names).toEqual(['X', 'Y']);
    const second = model.encode(sentenceOf(['b', 'c'], { tags: ['Z', 'X'] }));
    expect(rowsOf(second)).toEqual([
      [2, 1],
      [5, 4],
    ]);
    expect(Array.from(second.gold!)).toEqual([2, 0]);
  });

  it('brings none along with sentences without labels', () => {
    const model = createModel({ templates });
    model.encode(sentenceOf(['a'], { tags: ['X'] }));
    const encoded = model.encode(sentenceOf(['a', 'new', 'a']));
    expect(rowsOf(encoded)).toEqual([[0, 1], [], [0]]);
    expect(encoded).not.toHaveProperty('gold');
    expect(model.stateIndex.size).toBe(2);
  });

  it('brings none along once it is frozen: unknown labels are -1', () => {
    const model = createModel({ templates });
    model.encode(sentenceOf(['a'], { tags: ['X'] }));
    model.frozen = true;
    const encoded = model.encode(sentenceOf(['a', 'b'], { tags: ['X', 'Y'] }));
    expect(rowsOf(encoded)).toEqual([[0, 1], []]);
    expect(Array.from(encoded.gold!)).toEqual([0, -1]);
    expect(model.labels.names).toEqual(['X']);
  });

  it('brings none along where only what is known is asked for', () => {
    const model = createModel({ templates });
    const encoded = model.encodeKnown(sentenceOf(['a', 'b'], { tags: ['X', 'Y'] }));
    expect(rowsOf(encoded)).toEqual([[], []]);
    expect(Array.from(encoded.gold!)).toEqual([-1, -1]);
    expect([model.labels.size, model.stateIndex.size]).toEqual([0, 0]);
  });

  it('has edge features where templates ask for them, from row 1 on', () => {
    const plain = createModel({ templates: `${templates}\nB` });
    expect(plain.encode(sentenceOf(['a'], { tags: ['X'] }))).not.toHaveProperty('edgeRows');
    const model = createModel({ templates: 'U:%x[0,0]\nB0:%x[0,0]\n*1:%x[-1,0]' });
    const encoded = model.encode(sentenceOf(['a', 'b', 'a'], { tags: ['X', 'X', 'X'] }));
    expect(Array.from(encoded.edgeRows!)).toEqual([1, 2, 3, 4, 1, 5]);
    expect(Array.from(encoded.edgeStarts!)).toEqual([0, 2, 4, 6]);
    expect(rowsOf(encoded)).toEqual([
      [0, 1],
      [2, 3],
      [0, 4],
    ]);
    model.reserve();
    expect(model.parameters.edgeRows).toBe(6);
  });

  it('gives numbers to real-valued features', () => {
    const spec = { templates: 'U0:%x[0,0]\nU1:%v[0,n]\nB0:%v[0,n]', columns: ['form', 'n'] };
    const columns = { n: [0.5, 0, -2] };
    const encoded = createModel(spec).encode(
      sentenceOf(['a', 'b', 'a'], { tags: ['X', 'X', 'X'], columns }),
    );
    expect(Array.from(encoded.stateValues!)).toEqual([1, 0.5, 1, 1, -2]);
    expect(Array.from(encoded.edgeValues!)).toEqual([0.5, -2]);
    expect(Array.from(encoded.edgeStarts!)).toEqual([0, 1, 1, 2]);
  });

  it('has a fixed number of rows where features are hashed', () => {
    const index = { mode: 'hashed', rows: 10, edgeRows: 3 } as const;
    const model = createModel({ templates: 'U:%x[0,0]\nB:%x[0,0]', index });
    const tokens = Array.from({ length: 100 }, (_, t) => `w${t}`);
    const encoded = model.encode(sentenceOf(tokens, { tags: tokens.map(() => 'X') }));
    expect(Math.max(...encoded.stateRows)).toBe(9);
    expect(Math.min(...encoded.edgeRows!)).toBe(1);
    expect(Math.max(...encoded.edgeRows!)).toBe(3);
    // Sentences without labels, and frozen models, have all features as well.
    expect(model.encode(sentenceOf(['unseen'])).stateRows).toHaveLength(1);
    model.reserve();
    expect([model.parameters.stateRows, model.parameters.edgeRows]).toEqual([10, 4]);
  });

  it('gives a feature its row when it is seen for the cutoff-th time', () => {
    const model = createModel({ templates: 'U:%x[0,0]', index: { mode: 'exact', cutoff: 2 } });
    const rows = [
      ['a', 'b'],
      ['b', 'c'],
      ['a', 'b'],
    ].map(tokens => rowsOf(model.encode(sentenceOf(tokens, { tags: ['X', 'X'] }))));
    expect(rows).toEqual([
      [[], []],
      [[0], []],
      [[1], [0]],
    ]);
  });

  it('lets only pairs have weights that labelled sentences have shown, where it is to', () => {
    const model = createModel({ templates: 'U:%x[0,0]\nB\nB:%x[0,0]', support: 'observed' });
    model.encode(sentenceOf(['a', 'b'], { tags: ['X', 'Y'] }));
    model.encode(sentenceOf(['b', 'b'], { tags: ['Y', 'X'] }));
    model.encode(sentenceOf(['a', 'a', 'a']));
    const { support, pairs, width } = model.parameters;
    const allowed = (bytes: Uint8Array, row: number) =>
      Array.from(bytes.subarray(row * width, row * width + 2));
    expect([0, 1].map(row => allowed(support!.state, row))).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect([0, 1].map(row => allowed(support!.transitions, row))).toEqual([
      [0, 1],
      [1, 0],
    ]);
    // The edge features of the first token (a, then b) have no transition to be seen with.
    const chain: number[][] = [];
    for (let feature = 0; feature < 3; feature += 1) {
      for (let slot = pairs.heads[feature]!; slot >= 0; slot = pairs.next[slot]!) {
        chain.push([feature, pairs.from[slot]!, pairs.to[slot]!]);
      }
    }
    expect(chain).toEqual([
      [2, 0, 1],
      [2, 1, 0],
    ]);
  });

  it('knows the tag scheme of its labels, however they grow', () => {
    const model = createModel({ templates });
    expect(model.scheme).toBe('none');
    model.encode(sentenceOf(['a', 'b'], { tags: ['O', 'B-X'] }));
    model.encode(sentenceOf(['a', 'b'], { tags: ['B-X', 'I-X'] }));
    expect(model.scheme).toBe('BIO');
    model.encode(sentenceOf(['a'], { tags: ['NOUN'] }));
    expect(model.scheme).toBe('none');
  });

  it('does not change sentences', () => {
    const sentence = sentenceOf(['a', 'b'], { tags: ['X', 'Y'] });
    const before = structuredClone(sentence);
    const encoded = createModel({ templates }).encode(sentence);
    expect(sentence).toEqual(before);
    expect(encoded.sentence).toBe(sentence);
  });

  it.each([
    ['too few tags', ['a', 'b'], ['X'], 'length-mismatch'],
    ['too many tags', ['a'], ['X', 'Y'], 'length-mismatch'],
    ['no tags at all', ['a'], [], 'length-mismatch'],
  ])('refuses a sentence with %s, and learns nothing from it', (_, tokens, tags, code) => {
    const model = createModel({ templates });
    expect(() => model.encode(sentenceOf(tokens, { tags }))).toThrow(
      expect.objectContaining({ code }),
    );
    expect([model.labels.size, model.stateIndex.size]).toEqual([0, 0]);
  });

  it('encodes a sentence without tokens as one without labels, and learns nothing from it', () => {
    for (const more of ['', '\nB00:%x[0,0]', '\nU2:%v[0,n]']) {
      const columns = ['form', 'n'];
      const model = createModel({ templates: `${templates}${more}`, columns });
      const encoded = model.encode(sentenceOf([], { tags: [] }));
      expect(encoded).toMatchObject({ length: 0, stateStarts: new Uint32Array(1) });
      expect([encoded.gold, encoded.allowed]).toEqual([undefined, undefined]);
      expect([model.labels.size, model.stateIndex.size]).toEqual([0, 0]);
      expect(() => model.encode(sentenceOf([], { tags: ['X'] }))).toThrow(/0 tokens but 1 tag/);
    }
  });

  it('brings nothing along from a sentence whose columns do not do', () => {
    const model = createModel({ templates: 'U0:%x[0,0]\nU1:%v[0,n]', columns: ['form', 'n'] });
    const encode = (columns: Record<string, string[]>) => () =>
      model.encode(sentenceOf(['a', 'b'], { tags: ['X', 'Y'], columns }));
    expect(encode({ n: ['1', 'x'] })).toThrow(expect.objectContaining({ code: 'not-a-number' }));
    expect(encode({})).toThrow(expect.objectContaining({ code: 'unknown-column' }));
    expect(encode({ n: ['1'] })).toThrow(expect.objectContaining({ code: 'length-mismatch' }));
    expect([model.labels.size, model.stateIndex.size]).toEqual([0, 0]);
  });

  it('refuses templates that do not parse', () => {
    expect(() => createModel({ templates: 'X' })).toThrow(
      expect.objectContaining({ code: 'template' }),
    );
  });
});
