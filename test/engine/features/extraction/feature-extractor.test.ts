import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { Random } from '../../../../src/engine/core/random.js';
import { FeatureExtractor } from '../../../../src/engine/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { byToken, ReferenceRows, rowsOf, words } from '../extracted-rows.js';
import { randomTemplates, written } from '../feature-reference.js';
import { sentenceOf } from '../sentence-of.js';

describe('FeatureExtractor', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'gives rows as if each feature were a string, in token order (templates %i)',
    seed => {
      const random = new Random(seed);
      const names = ['form', 'pos', 'third'];
      const templates = randomTemplates(random, 24, names);
      const text = templates.map(written).join('\n');
      const extractor = new FeatureExtractor(parseTemplates(text), names);
      const state = new ReferenceRows(
        templates.filter(({ kind }) => kind !== 'B'),
        0,
      );
      const edges = new ReferenceRows(
        templates.filter(({ kind }) => kind !== 'U'),
        1,
      );
      const stateIndex = new ExactIndex(1, extractor.memory);
      const edgeIndex = new ExactIndex(1, extractor.memory);
      const word = () => words[random.below(words.length)]!;
      for (let i = 0; i < 120; i += 1) {
        const length = i === 60 ? 150 : 1 + random.below(7);
        const column = () => Array.from({ length }, word);
        const sentence = sentenceOf(column(), { columns: { pos: column(), third: column() } });
        extractor.open(sentence);
        expect(byToken(extractor.state(length, stateIndex, true))).toEqual(state.of(sentence));
        expect(byToken(extractor.edges(length, edgeIndex, true))).toEqual(edges.of(sentence));
        // A second look brings nothing along.
        extractor.open(sentence);
        expect(byToken(extractor.state(length, stateIndex, false))).toEqual(state.of(sentence));
      }
      expect(stateIndex.size).toBe(state.strings.size);
      expect(edgeIndex.size).toBe(edges.strings.size);
      expect(stateIndex.size).toBeGreaterThan(300);
    },
  );

  it('never mixes up two of 300,000 pairs of words', () => {
    const extractor = new FeatureExtractor(parseTemplates('U:%x[-1,0]/%x[0,0]'), ['form']);
    const index = new ExactIndex(1, extractor.memory);
    const random = new Random(7);
    const pairs = new Set<string>();
    for (let i = 0; i < 3000; i += 1) {
      const tokens = Array.from({ length: 100 }, () => `w${random.below(20000)}`);
      extractor.open(sentenceOf(tokens));
      extractor.state(100, index, true);
      for (const [t, token] of tokens.entries()) pairs.add(`${tokens[t - 1] ?? '_B-1'}/${token}`);
    }
    expect(pairs.size).toBeGreaterThan(290_000);
    expect(index.size).toBe(pairs.size);
  });

  it('yields _B-1, _B-2 before a sentence and _B+1, _B+2 after it', () => {
    const boundaries = (offset: number, tokens: readonly string[]) =>
      rowsOf(`U:%x[${offset},0]\nU:%x[0,1]`, tokens, { b: ['_B-2', '_B-1', '_B+1', '_B+2'] });
    // The column b holds the boundary values as text: they get the row of the boundary itself.
    expect(boundaries(-2, ['p', 'q', 'r', 's'])).toEqual([
      [0, 0],
      [1, 1],
      [2, 3],
      [4, 5],
    ]);
    expect(boundaries(2, ['p', 'q', 'r', 's'])).toEqual([
      [0, 1],
      [2, 3],
      [4, 4],
      [5, 5],
    ]);
  });

  it('reaches beyond a short sentence as far as an absolute place does', () => {
    const column = ['_B+4', '_B-3'];
    expect(rowsOf('U:%x[@5,0]\nU:%x[0,1]', ['a', 'b'], { b: column })).toEqual([
      [0, 0],
      [0, 1],
    ]);
    expect(rowsOf('U:%x[@-5,0]\nU:%x[0,1]', ['a', 'b'], { b: column })).toEqual([
      [0, 1],
      [0, 0],
    ]);
    expect(rowsOf('U:%x[@0,0]/%x[@-1,0]', ['a', 'b', 'c'])).toEqual([[0], [0], [0]]);
  });

  it('shares features among templates with the same text, and not among others', () => {
    expect(rowsOf('U:%x[0,0]\nU:%x[1,0]', ['a', 'b', 'a'])).toEqual([
      [0, 1],
      [1, 0],
      [0, 2],
    ]);
    expect(rowsOf('U1:%x[0,0]\nU2:%x[1,0]', ['a', 'b', 'a'])).toEqual([
      [0, 1],
      [2, 3],
      [0, 4],
    ]);
    // As in CRF++, what is looked at does not matter once it yields the same.
    expect(rowsOf('U:%x[0,0]\nU:%lower[0,0]', ['a', 'A'])).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(rowsOf('U:%x[0,0]\nU:%length[0,0]', ['2', 'ab'])).toEqual([
      [0, 1],
      [2, 0],
    ]);
  });

  it('keeps apart where one piece ends and the next begins', () => {
    expect(rowsOf('U:%x[0,0]%x[1,0]', ['a', 'bc', 'x', 'ab', 'c'])).toEqual([
      [0],
      [1],
      [2],
      [3],
      [4],
    ]);
  });

  it('leaves out features that a short token has not', () => {
    expect(rowsOf('U:%prefix[0,0,2]', ['abc', 'a', 'ab'])).toEqual([[0], [], [0]]);
    expect(rowsOf('U:%suffix[0,0,2]', ['abc', 'c', 'bc'])).toEqual([[0], [], [0]]);
    expect(rowsOf('U:%char[0,0,1]', ['abc', 'c', 'xb'])).toEqual([[0], [], [0]]);
    expect(rowsOf('U:%char[0,0,-2]', ['abc', 'c', 'bx'])).toEqual([[0], [], [0]]);
    expect(rowsOf('U:%char[0,0,0]', ['', 'a'])).toEqual([[], [0]]);
    // One macro without a content is enough; outside the sentence there is always one.
    expect(rowsOf('U:%x[0,0]/%prefix[1,0,2]', ['a', 'b', 'cd', 'e'])).toEqual([[], [0], [], [1]]);
  });

  it('counts characters beyond the basic plane as one', () => {
    expect(rowsOf('U:%prefix[0,0,1]', ['😀a', '😀b', '😁a'])).toEqual([[0], [0], [1]]);
    expect(rowsOf('U:%suffix[0,0,1]', ['a😀', 'b😀', 'b😁'])).toEqual([[0], [0], [1]]);
    expect(rowsOf('U:%char[0,0,-1]', ['a😀', '😀', 'b'])).toEqual([[0], [0], [1]]);
    expect(rowsOf('U:%char[0,0,1]', ['😀😁', 'x😁', '😁'])).toEqual([[0], [0], []]);
    expect(rowsOf('U:%prefix[0,0,2]', ['😀', '😀😀'])).toEqual([[], [0]]);
    expect(rowsOf('U:%length[0,0]', ['😀😀', 'ab', '😀'])).toEqual([[0], [0], [1]]);
  });

  it('folds case for %Prefix and %Suffix, before letters are counted', () => {
    expect(rowsOf('U:%Prefix[0,0,2]', ['Ábc', 'áb', 'ÁBD', 'á', 'ab'])).toEqual([
      [0],
      [0],
      [0],
      [],
      [1],
    ]);
    expect(rowsOf('U:%Suffix[0,0,3]', ['ΚΑΛΌΣ', 'λός', 'λόσ'])).toEqual([[0], [0], [1]]);
    // İ is i and a combining dot in lower case.
    expect(rowsOf('U:%Prefix[0,0,2]', ['İ', 'i'])).toEqual([[0], []]);
    // The same text is not the same feature where case is kept.
    expect(rowsOf('U:%Suffix[0,0,2]\nU:%suffix[0,0,2]', ['ab', 'AB'])).toEqual([
      [0, 0],
      [0, 1],
    ]);
  });

  it('folds case for %X, %T and %M', () => {
    expect(rowsOf('U:%X[0,0]', ['The', 'the', 'THE', 'he'])).toEqual([[0], [0], [0], [1]]);
    expect(rowsOf('U:%T[0,0,"^t"]', ['The', 'the', 'he'])).toEqual([[0], [0], [1]]);
    expect(rowsOf('U:%M[0,0,"^..."]', ['THERE', 'them', 'he'])).toEqual([[0], [0], [1]]);
    expect(rowsOf('U:%m[0,0,"^.."]\nU:%x[0,0]', ['THERE', 'TH'])).toEqual([
      [0, 1],
      [0, 0],
    ]);
  });

  it('gives %type one word for each kind of token', () => {
    const rows = rowsOf('U:%type[0,0]', ['3.5', 'USA', 'Anna', 'cat', '7', 'NATO', 'Bob', 'dog']);
    expect(rows.flat()).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
  });

  it('gives %shape one sign for a run of capitals, letters or digits', () => {
    const tokens = ['Anna', 'Bob', 'A1-b', 'XYZ22-c', 'McX', 'NaN'];
    expect(rowsOf('U:%shape[0,0]', tokens).flat()).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('reads columns by name and by number, and takes the first as the token', () => {
    const columns = { pos: ['N', 'V'], chunk: ['x', 'N'] };
    const names = ['word', 'pos', 'chunk'];
    expect(rowsOf('U:%x[0,1]\nU:%x[0,pos]', ['a', 'b'], columns, names)).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(rowsOf('U:%x[0,0]\nU:%x[0,word]', ['a', 'b'], columns, names)).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(rowsOf('U:%x[0,2]\nU:%x[0,1]', ['a', 'b'], columns, names)).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  it('does not look for columns in the prototype of objects', () => {
    expect(() => rowsOf('U:%x[0,constructor]', ['a'])).toThrow('no column "constructor"');
  });

  it('takes numbers of a column as text where a text is asked for', () => {
    expect(rowsOf('U:%x[0,n]\nU:%x[0,0]', ['2', '0.5'], { n: [2, 0.5] })).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it('finds the first token of a sentence, whatever the words are', () => {
    const extractor = new FeatureExtractor(parseTemplates('U:%first[0,0]\nU:%x[0,0]'), ['form']);
    const index = new ExactIndex(1, extractor.memory);
    for (const tokens of [['a', 'b', '_B-1'], ['b'], ['_B-1', 'a']]) {
      extractor.open(sentenceOf(tokens));
      const { starts, rows } = extractor.state(tokens.length, index, true);
      const expected = tokens.map((_, t) => (t === 0 ? 2 : 1));
      expect(Array.from(tokens, (_, t) => starts[t + 1]! - starts[t]!)).toEqual(expected);
      expect(rows[0]).toBe(0);
    }
  });

  it('finds the last token of a sentence, whatever the words are', () => {
    const extractor = new FeatureExtractor(parseTemplates('U:%last[0,0]\nU:%x[0,0]'), ['form']);
    const index = new ExactIndex(1, extractor.memory);
    for (const tokens of [['a', 'b', '_B+1'], ['b'], ['_B+1', 'a']]) {
      extractor.open(sentenceOf(tokens));
      const { starts } = extractor.state(tokens.length, index, true);
      const expected = tokens.map((_, t) => (t + 1 === tokens.length ? 2 : 1));
      expect(Array.from(tokens, (_, t) => starts[t + 1]! - starts[t]!)).toEqual(expected);
    }
  });

  describe('real-valued features', () => {
    function realsOf(templates: string, column: readonly string[] | readonly number[]) {
      const extractor = new FeatureExtractor(parseTemplates(templates), ['form', 'w']);
      const tokens = Array.from({ length: column.length }, (_, t) => `t${t % 2}`);
      extractor.open(sentenceOf(tokens, { columns: { w: column } }));
      return extractor.state(tokens.length, new ExactIndex(1, extractor.memory), true);
    }

    it('carry the number of the column as their value', () => {
      const { starts, rows, values } = realsOf('U:%v[0,w]\nU:%x[0,0]', [0.5, -2, 1]);
      expect(Array.from(starts)).toEqual([0, 2, 4, 6]);
      expect(Array.from(rows)).toEqual([0, 1, 0, 2, 0, 1]);
      expect(Array.from(values!)).toEqual([0.5, 1, -2, 1, 1, 1]);
    });

    it.each([1, 63, 64, 65, 200])('do so in a sentence of %i tokens', length => {
      const column = Array.from({ length }, (_, t) => t + 2);
      expect(Array.from(realsOf('U:%v[0,w]', column).values!)).toEqual(column);
    });

    it('read numbers from text', () => {
      const { values } = realsOf('U:%v[0,w]', ['0.25', ' -1e3 ', '+2']);
      expect(Array.from(values!)).toEqual([0.25, -1000, 2]);
    });

    it('are left out at 0 and outside the sentence', () => {
      const { starts, values } = realsOf('U:%v[1,w]', [3, 0, 4]);
      expect(Array.from(starts)).toEqual([0, 0, 1, 1]);
      expect(Array.from(values!)).toEqual([4]);
      expect(Array.from(realsOf('U:%v[@2,w]', [3, 0, 4]).values!)).toEqual([4, 4, 4]);
      expect(Array.from(realsOf('U:%v[@3,w]', [3, 0, 4]).rows)).toEqual([]);
    });

    it('carry its square with %vv, a feature of its own', () => {
      const { rows, values } = realsOf('U:%v[0,w]\nU:%vv[0,w]', [0.5, -3]);
      expect(Array.from(rows)).toEqual([0, 1, 0, 1]);
      expect(Array.from(values!)).toEqual([0.5, 0.25, -3, 9]);
      expect(() => realsOf('U:%vv[0,w]', [1e200])).toThrow('too large to square');
    });

    it('have no values where all are 1', () => {
      expect(realsOf('U:%v[0,w]', [1, 0, 1]).values).toBeUndefined();
    });

    it('are distinguished by place, column and the rest of the template', () => {
      const text =
        'U:%v[0,w]\nU:%v[1,w]\nU:%v[@0,w]\nU:%v[@1,w]\nU:%v[0,1]/%x[0,0]\nU:%v[0,w]/%x[0,0]';
      expect(Array.from(realsOf(text, [2, 3]).rows)).toEqual([0, 1, 2, 3, 4, 5, 0, 2, 3, 6, 7]);
    });

    it('are multiplied where a template has two, and no more', () => {
      const { starts, values } = realsOf('U:%v[0,w]%v[1,w]', [2, 3, 0.5, 0, 4]);
      expect(Array.from(values!)).toEqual([6, 1.5]);
      expect(Array.from(starts)).toEqual([0, 1, 2, 2, 2, 2]);
      expect(() => realsOf('U:%v[0,w]%v[1,w]', [1e200, 1e200])).toThrow('too large at token 0');
      expect(() => realsOf('U:%v[0,w]%v[1,w]%v[2,w]', [1])).toThrow(
        expect.objectContaining({ code: 'template', place: { line: 1 } }),
      );
    });

    it.each([
      [['1', 'x'], '"x"'],
      [['1', ''], '""'],
      [['1', ' '], '" "'],
      [['1', 'NaN'], '"NaN"'],
      [['1', 'Infinity'], '"Infinity"'],
      [['1', '1,5'], '"1,5"'],
      [[1, Number.NaN], '"NaN"'],
      [[1, Number.NEGATIVE_INFINITY], '"-Infinity"'],
    ])('are refused where the column has no number: %j', (column, shown) => {
      expect(() => realsOf('U:%v[0,w]', column as string[])).toThrow(
        expect.objectContaining({
          code: 'not-a-number',
          problem: `column w has ${shown} at token 1, which is not a finite number`,
        }),
      );
    });
  });

  it('refuses a record without a column that a template asks for, and names those it has', () => {
    const extractor = new FeatureExtractor(parseTemplates('U:%x[0,pos]'), ['form']);
    const open = () => extractor.open(sentenceOf(['a'], { columns: { tag: ['x'] } }));
    expect(open).toThrow(TagstreamError);
    expect(open).toThrow(
      expect.objectContaining({
        code: 'unknown-column',
        problem: 'the record has no column "pos"',
        fix: 'a template reads it; the record has form, tag',
      }),
    );
  });

  it.each([[['N']], [['N', 'V', 'N']]])('refuses a column of another length: %j', pos => {
    const extractor = new FeatureExtractor(parseTemplates('U:%x[0,pos]'), ['form']);
    expect(() => extractor.open(sentenceOf(['a', 'b'], { columns: { pos } }))).toThrow(
      expect.objectContaining({
        code: 'length-mismatch',
        problem: `2 tokens but ${pos.length === 1 ? '1 value' : '3 values'} in column "pos"`,
      }),
    );
  });

  it('refuses a template that looks at a column without a name', () => {
    const set = parseTemplates('U:%x[0,0]\n\nU:%x[0,2]');
    expect(() => new FeatureExtractor(set, ['form', 'pos'])).toThrow(
      expect.objectContaining({
        code: 'template',
        problem: '"U:%x[0,2]" reads column 2, but there are only 2: form, pos',
        place: { line: 3 },
      }),
    );
  });

  it('knows whether transitions are conditioned on observations', () => {
    const edges = (text: string) => new FeatureExtractor(parseTemplates(text), ['form']).hasEdges;
    expect(edges('U:%x[0,0]\nB')).toBe(false);
    expect(edges('U:%x[0,0]\nB:%x[0,0]')).toBe(true);
    expect(edges('*:%x[0,0]')).toBe(true);
  });

  // Model files keep fingerprints: those of these templates may never change.
  it('gives a feature the same fingerprint for ever', () => {
    const lines = [
      'U',
      'U00:%x[0,0]',
      'U01:%x[-1,0]/%x[0,0]',
      'U02:%shape[0,0]',
      'U03:%prefix[0,0,2]',
    ];
    const set = parseTemplates(
      [...lines, 'U04:%v[0,w]', 'U05:%type[0,0]', 'U06:%x[1,0]'].join('\n'),
    );
    const extractor = new FeatureExtractor(set, ['form', 'w']);
    const index = new ExactIndex(1, extractor.memory);
    extractor.open(sentenceOf(['Abc'], { columns: { w: [2] } }));
    extractor.state(1, index, true);
    expect(Array.from(index.fingerprints(), word => word.toString(16))).toEqual([
      'f4510dba',
      'bd7d36eb',
      '3f58d2e9',
      'c5cbc7af',
      'ae575c03',
      '24d8e455',
      '4311e9e1',
      '87216339',
      '840883ef',
      '140e9bdb',
      '293d3d88',
      'ab61a02b',
      '6f82349b',
      '873e010a',
      '8d3540be',
      '6f2f958e',
    ]);
  });

  it('changes neither the sentence nor rows that it has given', () => {
    const extractor = new FeatureExtractor(parseTemplates('U:%x[0,0]\nU:%v[0,w]'), ['form', 'w']);
    const index = new ExactIndex(1, extractor.memory);
    const sentence = sentenceOf(['a', 'b'], { columns: { w: [2, 3] } });
    const before = structuredClone(sentence);
    extractor.open(sentence);
    const first = extractor.state(2, index, true);
    const copy = structuredClone(first);
    extractor.open(sentenceOf(['c', 'a'], { columns: { w: [5, 7] } }));
    extractor.state(2, index, true);
    expect(first).toEqual(copy);
    expect(sentence).toEqual(before);
  });
});
