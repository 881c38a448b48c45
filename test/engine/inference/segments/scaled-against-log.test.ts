import { expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { expandedChain } from '../../../../src/engine/inference/segments/expanded-chain.js';
import { LogSegments } from '../../../../src/engine/inference/segments/log-segments.js';
import { segmentTablesOf } from '../../../../src/engine/inference/segments/segment-tables-of.js';
import { ScaledSegments } from '../../../../src/engine/inference/structures/segments-structure.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { rowWidth } from '../../../../src/engine/kernels/memory/real-table.js';
import { SegmentScores } from '../../../../src/engine/kernels/segments/segment-scores.js';
import { ReferenceBestSegments } from './reference-best-segments.js';

const schemes: readonly (readonly string[])[] = [
  ['O', ...['NP', 'VP', 'PP', 'ADJP', 'ADVP'].flatMap(type => [`B-${type}`, `I-${type}`])],
  ['O', ...['X', 'Y', 'Z'].flatMap(type => ['B', 'I', 'E', 'S'].map(at => `${at}-${type}`))],
  ['[-X', ']-X', 'I-X', 'O', '[-Y', ']-Y'],
];

/** Fills a lattice with sentences of random scores; every third has transitions of its own at some tokens. */
function fill(
  lattice: Lattice,
  random: Random,
  names: readonly string[],
  lengths: number[],
  whole = false,
  paired = false,
): void {
  const labels = names.length;
  const width = rowWidth(labels);
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const starts = new Uint32Array(lengths.length + 1);
  const edgeStarts = new Uint32Array(tokens + 1);
  for (const [s, length] of lengths.entries()) {
    starts[s + 1] = starts[s]! + length;
    for (let t = starts[s]!; t < starts[s + 1]!; t += 1) {
      edgeStarts[t + 1] = edgeStarts[t]! + (s % 3 === 1 ? random.below(2) : 0);
    }
  }
  lattice.open(
    { labels, width, matrixSize: width * width, support: undefined },
    {
      ...{
        sentences: lengths.map(() => ({}) as never),
        tokens,
        sentenceStarts: starts,
        edgeStarts,
      },
      ...{ stateStarts: new Uint32Array(tokens + 1), stateRows: new Uint32Array(0) },
      ...{ gold: new Int32Array(tokens), labelled: new Uint8Array(lengths.length) },
    },
  );
  const tables = segmentTablesOf(names, 1 + random.below(5), paired);
  const segments = new SegmentScores(lattice.memory, tables);
  segments.open(segments.tables, tokens);
  lattice.segments = segments;
  const draw = () => (whole ? random.below(3) - 1 : random.uniform() * 6 - 3);
  const rows = (view: Float64Array | Float32Array, start: number, count: number) => {
    for (let i = 0; i < count; i += 1) {
      for (let y = 0; y < labels; y += 1) view[start + i * width + y] = draw();
    }
  };
  rows(lattice.emissionScores.view, 0, tokens);
  rows(lattice.transitionScores.view, 0, labels);
  for (let slot = 0; slot < lattice.slots; slot += 1) {
    rows(lattice.edgeScores.view, slot * width * width, labels);
  }
  for (let i = 0; i < tokens * segments.perToken; i += 1) segments.scores[i] = draw();
}

/** Everything that sums over a sentence leave in the lattice. */
function results(lattice: Lattice, s: number): number[] {
  const { width, matrixSize, edgeSlots } = lattice;
  const { sentenceStarts } = lattice.batch!;
  const [first, end] = [sentenceStarts[s]!, sentenceStarts[s + 1]!];
  const segments = lattice.segments!;
  const slots = Array.from(edgeSlots.subarray(first, end)).filter(slot => slot >= 0);
  return [
    ...lattice.nodes.view.subarray(first * width, end * width),
    ...lattice.transitions.view.subarray(s * matrixSize, (s + 1) * matrixSize),
    ...slots.flatMap(slot =>
      Array.from(lattice.edges.view.subarray(slot * matrixSize, (slot + 1) * matrixSize)),
    ),
    ...segments.nodes.subarray(first * segments.perToken, end * segments.perToken),
  ];
}

it.each([
  ['float64', 1e-10, false],
  ['float32', 1e-5, false],
  ['float64', 1e-10, true],
  ['float32', 1e-5, true],
] as const)(
  'the same as in log space in one lattice for all sentences (%s within %f, labels before spans: %s)',
  (precision, least, paired) => {
    const random = new Random(11);
    const lattice = new Lattice(undefined, precision);
    const scaled = new ScaledSegments();
    const logs = new LogSegments();
    for (const names of [...schemes, ...schemes]) {
      const lengths = Array.from({ length: 7 }, () => 1 + random.below(40));
      fill(lattice, random, names, lengths, false, paired);
      for (const s of lengths.keys()) {
        const logZ = logs.run(lattice, s);
        const expected = results(lattice, s);
        expect(Math.abs(scaled.run(lattice, s) - logZ)).toBeLessThan(1e-9);
        const found = results(lattice, s);
        expect(Math.max(...found.map((p, i) => Math.abs(p - expected[i]!)))).toBeLessThan(least);
      }
    }
  },
);

it.each([
  ['float64', false, false],
  ['float64', true, false],
  ['float32', false, false],
  ['float32', true, false],
  ['float64', false, true],
  ['float64', true, true],
  ['float32', true, true],
] as const)(
  'the best sequences, and of ties the same ones, as the reference (%s, whole scores: %s, labels before spans: %s)',
  (precision, whole, paired) => {
    const random = new Random(13);
    const lattice = new Lattice(undefined, precision);
    const scaled = new ScaledSegments();
    const reference = new ReferenceBestSegments();
    for (const names of [...schemes, ...schemes]) {
      const lengths = Array.from({ length: 7 }, () => 1 + random.below(40));
      fill(lattice, random, names, lengths, whole, paired);
      const tokens = lengths.reduce((sum, length) => sum + length, 0);
      const found = new Int32Array(tokens);
      const expected = new Int32Array(tokens);
      for (const s of lengths.keys()) {
        expect(scaled.best(lattice, s, found)).toBe(reference.find(lattice, s, expected));
      }
      expect(found).toEqual(expected);
    }
  },
);

it('refuses a chain of too many states, and says what makes them many', () => {
  const types = Array.from({ length: 12 }, (_, i) => `T${i}`);
  const names = ['O', ...types.flatMap(type => [`B-${type}`, `I-${type}`])];
  const lattice = new Lattice(undefined, 'float64');
  const random = new Random(1);
  fill(lattice, random, names, [3], false, true);
  expect(() => expandedChain(lattice, 0)).toThrow(
    expect.objectContaining({ code: 'too-large', fix: expect.stringContaining('begin with B:') }),
  );
  fill(lattice, random, names, [3]);
  expect(expandedChain(lattice, 0).labelOf.length).toBeLessThan(400);
});
