import { TagstreamError } from '../../core/errors.js';
import type { Kernel } from '../../kernels/kernel.js';
import { Lattice } from '../../kernels/lattice.js';
import { rowWidth } from '../../kernels/memory/real-table.js';
import {
  type SegmentTables,
  stateAfter,
  stateInside,
} from '../../kernels/segments/segment-tables.js';
import { SimdKernel } from '../../kernels/simd/simd-kernel.js';
import { transitionInto } from './log-segments.js';

/**
 * A chain whose label sequences correspond, with equal scores, to those of a sentence with scored
 * spans.
 */
export interface ExpandedChain {
  readonly kernel: Kernel;
  /** The float64 lattice; its only sentence is number 0. */
  readonly lattice: Lattice;
  /** Label of each state. */
  readonly labelOf: Int32Array;
}

/** A label, its span's length (0 outside), and whether the span ends here. */
interface State {
  readonly label: number;
  readonly state: number;
  readonly length: number;
  readonly ends: boolean;
}

const float64 = new SimdKernel('float64');
/** Maximum number of states of a chain, and of transition scores at all its tokens. */
const mostStates = 4096;
const mostNumbers = 2 ** 27;

/**
 * Returns the chain whose labels are the states (label, length of the span so far, whether it ends
 * here) and whose emissions score spans at their ends. For rare tasks that need a chain, such as
 * n-best lists and label pairs. With M lengths and L labels, the chain has up to (2 M + 3) L
 * states; time and memory are those of a chain with that number of labels.
 *
 * @throws TagstreamError `too-large`
 */
export function expandedChain(source: Lattice, s: number): ExpandedChain {
  const segments = source.segments!;
  const { tables } = segments;
  const states = statesOf(tables);
  const first = source.batch!.sentenceStarts[s]!;
  const length = source.batch!.sentenceStarts[s + 1]! - first;
  const width = rowWidth(states.length);
  const own = source.edgeSlots.subarray(first + 1, first + length).filter(slot => slot >= 0).length;
  if (states.length > mostStates || (own + 1) * width * width > mostNumbers) {
    const problem = `the segments need too many states of the chain: ${states.length}`;
    throw new TagstreamError('too-large', problem, {
      fix: `leave out lists of best sequences and pairs of tags, or train with a smaller maxLength${
        tables.befores > 1 ? ' or without segmentFeatures that begin with B:' : ''
      }`,
    });
  }
  const lattice = new Lattice(undefined, 'float64', false);
  const edgeStarts = new Uint32Array(length + 1);
  for (let t = 0; t < length; t += 1) {
    edgeStarts[t + 1] = edgeStarts[t]! + (t > 0 && source.edgeSlots[first + t]! >= 0 ? 1 : 0);
  }
  const shape = {
    ...{ labels: states.length, width, matrixSize: width * width, support: undefined },
  };
  lattice.open(shape, {
    ...{ sentences: [source.batch!.sentences[s]!], tokens: length },
    sentenceStarts: Uint32Array.of(0, length),
    ...{ stateStarts: new Uint32Array(length + 1), stateRows: new Uint32Array(0), edgeStarts },
    ...{ gold: new Int32Array(length).fill(-1), labelled: new Uint8Array(1) },
  });
  const emissions = lattice.emissionScores.view;
  for (let t = 0; t < length; t += 1) {
    for (const [i, { label, state, length: d, ends }] of states.entries()) {
      const isFirst = t > 0 || state === stateAfter(tables, -1, tables.first[label]!);
      const isLast = t < length - 1 || d === 0 || ends;
      const possible = isFirst && isLast && d <= t + 1;
      const score = source.emissionScores.view[(first + t) * source.width + label]!;
      const span =
        d > 0 && ends
          ? segments.scores[segments.atState(first + t, state) + tables.typeOf[label]!]!
          : 0;
      emissions[t * width + i] = possible ? score + span : Number.NEGATIVE_INFINITY;
    }
  }
  const fill = (matrix: Float64Array, start: number, slot: number) => {
    matrix.fill(0, start, start + width * width);
    for (const [i, from] of states.entries()) {
      for (const [j, to] of states.entries()) {
        matrix[start + i * width + j] = follows(tables, from, to)
          ? transitionInto(source, slot, from.label, to.label)
          : Number.NEGATIVE_INFINITY;
      }
    }
  };
  fill(lattice.transitionScores.view as Float64Array, 0, -1);
  for (let t = 1; t < length; t += 1) {
    const slot = lattice.edgeSlots[t]!;
    if (slot < 0) continue;
    const matrix = lattice.edgeScores.view as Float64Array;
    fill(matrix, slot * width * width, source.edgeSlots[first + t]!);
  }
  return { kernel: float64, lattice, labelOf: Int32Array.from(states, ({ label }) => label) };
}

function statesOf({ labels, states: count, maxLength, opens }: SegmentTables): State[] {
  const states: State[] = [];
  for (let label = 0; label < labels; label += 1) {
    states.push({ label, state: 0, length: 0, ends: true });
    for (let state = 1; opens[label] === 1 && state < count; state += 1) {
      const length = state === count - 1 ? maxLength + 1 : ((state - 1) % maxLength) + 1;
      states.push({ label, state, length, ends: false }, { label, state, length, ends: true });
    }
  }
  return states;
}

function follows(tables: SegmentTables, from: State, to: State): boolean {
  const { labels, startPairs, continuePairs } = tables;
  const pair = from.label * labels + to.label;
  const continues = continuePairs[pair] === 1;
  if (from.length > 0 && !from.ends) {
    return continues && to.state === stateInside(tables, from.state);
  }
  if (from.length > 0 && continues) return false;
  return to.state === stateAfter(tables, from.label, startPairs[pair]!);
}
