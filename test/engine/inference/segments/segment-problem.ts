import type { Random } from '../../../../src/engine/core/random.js';
import { segmentTablesOf } from '../../../../src/engine/inference/segments/segment-tables-of.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { rowWidth } from '../../../../src/engine/kernels/memory/real-table.js';
import { SegmentScores } from '../../../../src/engine/kernels/segments/segment-scores.js';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';

/** Label sets of all kinds, the odd ones of conlleval among them. */
const labelSets = [
  ['O', 'B-X', 'I-X'],
  ['B-X', 'I-X', 'B-Y', 'I-Y', 'O'],
  ['I-X', 'O', 'I-Y', 'B-X'],
  ['O', 'B-X', 'I-X', 'E-X', 'S-X'],
  ['O', 'X', 'Y'],
  ['B', 'I', 'O', '.'],
  ['[-X', ']-X', 'I-X', 'O'],
  ['B-X'],
];

/** What random problems are like. */
export interface SegmentProblemShape {
  readonly precision?: 'float64' | 'float32';
  /** Scores are drawn from minus this to this. */
  readonly scores?: number;
  /** Share of transitions and of labels of tokens that are forbidden. */
  readonly forbidden?: number;
  /** Whether scores of spans see the label before them. */
  readonly paired?: boolean;
}

/** Everything about all label sequences of a sentence, by writing them out. */
export interface SegmentProblem {
  readonly lattice: Lattice;
  readonly names: readonly string[];
  readonly length: number;
  readonly paths: readonly { readonly path: Int32Array; readonly score: number }[];
  readonly logZ: number;
}

/** A lattice of one sentence with scored spans, new or that of another problem. */
export function segmentProblem(
  random: Random,
  { precision = 'float64', scores = 2, forbidden = 0, paired = false }: SegmentProblemShape = {},
  lattice = new Lattice(undefined, precision),
): SegmentProblem {
  const names = labelSets[random.below(labelSets.length)]!;
  const length = 1 + random.below(names.length > 4 ? 4 : 6);
  const maxLength = 1 + random.below(4);
  const draw = () => (random.uniform() * 2 - 1) * scores;
  const drawn = () => (random.uniform() < forbidden ? Number.NEGATIVE_INFINITY : draw());
  const labels = names.length;
  const width = rowWidth(labels);
  const edgeStarts = new Uint32Array(length + 1);
  for (let t = 0; t < length; t += 1) edgeStarts[t + 1] = edgeStarts[t]! + random.below(2);
  lattice.open(
    { labels, width, matrixSize: width * width, support: undefined },
    {
      ...{ sentences: [{} as never], tokens: length, sentenceStarts: Uint32Array.of(0, length) },
      ...{ stateStarts: new Uint32Array(length + 1), stateRows: new Uint32Array(0), edgeStarts },
      ...{ gold: new Int32Array(length), labelled: new Uint8Array(1) },
    },
  );
  const fill = (view: Float64Array | Float32Array, start: number, rows: number) => {
    for (let i = 0; i < rows; i += 1) {
      for (let y = 0; y < labels; y += 1) view[start + i * width + y] = drawn();
    }
  };
  fill(lattice.emissionScores.view, 0, length);
  fill(lattice.transitionScores.view, 0, labels);
  for (let slot = 0; slot < lattice.slots; slot += 1) {
    fill(lattice.edgeScores.view, slot * width * width, labels);
  }
  const tables = segmentTablesOf(names, maxLength, paired);
  const segments = lattice.segments ?? new SegmentScores(lattice.memory, tables);
  segments.open(tables, length);
  for (let i = 0; i < length * segments.perToken; i += 1) segments.scores[i] = draw();
  lattice.segments = segments;
  const paths = allPaths(length, labels).map(path => ({
    path,
    score: scoreOf(lattice, names, path),
  }));
  const most = Math.max(...paths.map(({ score }) => score));
  const sum = paths.reduce((total, { score }) => total + Math.exp(score - most), 0);
  return { lattice, names, length, paths, logZ: most + Math.log(sum) };
}

/** score(y) by its definition: that of the chain, and that of each span that `spansOf` finds. */
function scoreOf(lattice: Lattice, names: readonly string[], path: Int32Array): number {
  const { width, matrixSize } = lattice;
  const segments = lattice.segments!;
  let score = 0;
  for (let t = 0; t < path.length; t += 1) {
    score += lattice.emissionScores.view[t * width + path[t]!]!;
    if (t === 0) continue;
    const slot = lattice.edgeSlots[t]!;
    const pair = path[t - 1]! * width + path[t]!;
    score +=
      slot < 0
        ? lattice.transitionScores.view[pair]!
        : lattice.edgeScores.view[slot * matrixSize + pair]!;
  }
  for (const { label, start, end } of spansOf(Array.from(path, y => names[y]!))) {
    const kind = segments.tables.types.indexOf(label);
    const before = start === 0 ? -1 : path[start - 1]!;
    score += segments.scores[segments.at(end - 1, end - start, before) + kind]!;
  }
  return score;
}

function allPaths(length: number, labels: number): Int32Array[] {
  const count = labels ** length;
  return Array.from({ length: count }, (_, number) => {
    const path = new Int32Array(length);
    for (let t = 0, rest = number; t < length; t += 1) {
      path[t] = rest % labels;
      rest = Math.floor(rest / labels);
    }
    return path;
  });
}
