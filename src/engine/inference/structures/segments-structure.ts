import { InferenceKernel, onceForEach } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import { eachSegment, stateAt } from '../../kernels/segments/segment-tables.js';
import { type SegmentMemory, segmentMemoryOf } from '../../kernels/simd/segment-memory.js';
import { forwardBackward, whereScaled } from '../forward-backward.js';
import { chainPairs } from '../marginals/pair-marginals.js';
import { expandedChain } from '../segments/expanded-chain.js';
import { LogSegments, type SegmentSums, transitionInto } from '../segments/log-segments.js';
import { atPositions, placeResiduals, scorePositions } from '../segments/positions.js';
import type { Structure } from './structure.js';

/**
 * Sums over all label sequences of a lattice with scored spans, scaled: forward and backward over states (label,
 * length of the span so far), where a span is scored at its end. The states at which a label's span ends are summed
 * once, so label pairs are visited as often as in a chain; only the few pairs that continue a span are visited once
 * per length:
 *
 *     A_t(i) = a_t(i, 0) + sum over d of a_t(i, d) exp g(t, d, type of i)
 *     a_{t+1}(j, 0 or 1) = exp e_{t+1}(j) * sum over pairs (i, j) at which a span ends of A_t(i) exp w(i, j)
 *     a_{t+1}(j, d + 1) = exp e_{t+1}(j) * sum over pairs (i, j) inside a span of a_t(i, d) exp w(i, j)
 *
 * Cost O(T (L^2 + maxLength * pairs inside spans)), memory O(T L maxLength). Runs in WebAssembly, in float64 for
 * lattices of any precision. Sarawagi and Cohen (2004); Gupta, section 3.
 *
 * If span scores depend on the label before the span (`SegmentTables.befores`), that label is part of the state
 * inside a span of up to maxLength tokens, and g is g(t, d, label before, type of i): the same recursion with more
 * states. Cost O(T (L^2 + L * maxLength * pairs inside spans)), which is O(T maxLength L^2) in schemes such as BIO
 * and BIOES, in which a label has few predecessors inside a span; memory O(T L^2 maxLength). Gupta, section 3.
 */
export class ScaledSegments implements SegmentSums {
  #lattice: Lattice | undefined;
  #work!: SegmentMemory;

  /**
   * Computes the sums in scaled space; returns NaN if a number might underflow, in which case no
   * result may be read.
   */
  run(lattice: Lattice, s: number): number {
    return this.#workOn(lattice).run(s);
  }

  /**
   * Writes the best labels of sentence `s` to `labels` at its tokens, by maxima instead of sums; returns their
   * score. Invalidates the results of `run`.
   */
  best(lattice: Lattice, s: number, labels: Int32Array): number {
    return this.#workOn(lattice).best(s, labels);
  }

  #workOn(lattice: Lattice): SegmentMemory {
    if (this.#lattice !== lattice) {
      this.#lattice = lattice;
      this.#work = segmentMemoryOf(lattice);
    }
    return this.#work;
  }

  probability(lattice: Lattice, type: string, start: number, end: number): number {
    const { width } = lattice;
    const { tables } = lattice.segments!;
    const { labels, typeOf, types, maxLength, befores, insideFrom, insideTo } = tables;
    const kind = types.indexOf(type);
    if (kind < 0) return 0;
    const { first, length, states } = this.#work;
    const alpha = this.#work.view('alpha');
    const emissions = this.#work.view('emissions');
    const scales = this.#work.view('scales');
    const spans = this.#work.view('spans');
    const rest = this.#work.view('rest');
    let sum = 0;
    for (let before = 0; before < befores; before += 1) {
      const state = 1 + before * maxLength;
      let inside = new Float64Array(labels);
      for (let y = 0; y < labels; y += 1) {
        if (typeOf[y] === kind) inside[y] = alpha[(start * labels + y) * states + state]!;
      }
      for (let t = start + 1; t < end; t += 1) {
        const next = new Float64Array(labels);
        const slot = lattice.edgeSlots[first + t]!;
        for (let p = 0; p < insideFrom.length; p += 1) {
          const from = insideFrom[p]!;
          const to = insideTo[p]!;
          next[to]! += inside[from]! * Math.exp(transitionInto(lattice, slot, from, to));
        }
        for (let y = 0; y < labels; y += 1) next[y]! *= emissions[t * width + y]! / scales[t]!;
        inside = next;
      }
      const ended = stateAt(tables, state, end - start);
      const g = spans[((end - 1) * types.length + kind) * states + ended]!;
      for (let y = 0; y < labels; y += 1) sum += inside[y]! * g * rest[(end - 1) * width + y]!;
    }
    return Math.min(1, sum / scales[length]!);
  }
}

/** A kernel that computes sums and best sequences for lattices with scored spans (`lattice.segments`). */
class SegmentKernel extends InferenceKernel {
  readonly name = 'segments';
  readonly #scaled = new ScaledSegments();
  readonly #log = new LogSegments();
  #last: SegmentSums = this.#scaled;

  /** Does nothing, because exponentials are computed sentence by sentence. */
  override readonly exponentiate = () => {};

  forwardBackwardScaled(lattice: Lattice, s: number): number {
    this.#last = this.#scaled;
    return this.#scaled.run(lattice, s);
  }

  forwardBackwardLog(lattice: Lattice, s: number): number {
    this.#last = this.#log;
    return this.#log.run(lattice, s);
  }

  viterbi(lattice: Lattice, s: number, labels: Int32Array): number {
    return this.#scaled.best(lattice, s, labels);
  }

  pathScore(lattice: Lattice, s: number, path: Int32Array): number {
    const { batch, width } = lattice;
    const segments = lattice.segments!;
    const first = batch!.sentenceStarts[s]!;
    const end = batch!.sentenceStarts[s + 1]!;
    const emissions = lattice.emissionScores.view;
    let score = 0;
    for (let t = first; t < end; t += 1) {
      score += emissions[t * width + path[t]!]!;
      if (t > first)
        score += transitionInto(lattice, lattice.edgeSlots[t]!, path[t - 1]!, path[t]!);
    }
    eachSegment(segments.tables, path, first, end, (kind, last, length, before) => {
      score += segments.scores[segments.at(last, length, before) + kind]!;
    });
    return score;
  }

  /** Returns the probability of a span of the sentence summed over last; see `SegmentSums`. */
  spanProbability(lattice: Lattice, type: string, start: number, end: number): number {
    return this.#last.probability(lattice, type, start, end);
  }
}

/** The inference kernel for lattices with scored spans. */
export const segmentKernel = onceForEach(base => new SegmentKernel(base));

/** A chain that scores spans in addition to tokens and transitions. Sarawagi and Cohen (2004). */
export const segmentsStructure: Structure = {
  name: 'segments',
  capabilities: ['label losses', 'sequence scores', 'n-best', 'span probabilities'],
  instead: 'use model: { structure: chain }, or leave it out',
  fill: scorePositions,
  kernel: segmentKernel,
  place(lattice, minibatch) {
    placeResiduals(lattice, minibatch);
    return {
      lattice: lattice.positions!,
      minibatch: lattice.positions!.batch!,
      labels: predicted => atPositions(predicted, minibatch, lattice.positions!.batch!),
    };
  },
  paths(source, s, nBest, count) {
    const { kernel, lattice, labelOf } = expandedChain(source, s);
    return nBest.paths(kernel, lattice, 0, count).map(({ labels, score }) => {
      return { labels: labels.map(state => labelOf[state]!), score };
    });
  },
  pairs(_kernel, source, s, sums) {
    const { kernel, lattice, labelOf } = expandedChain(source, s);
    lattice.readsBackward = true;
    const columns = labelOf.map(label => sums.columns[label]!);
    const isScaled = !Number.isNaN(whereScaled(kernel, lattice, 0, 'masked'));
    const logZ = isScaled ? undefined : forwardBackward(kernel, lattice, 0, 'log');
    chainPairs(lattice, 0, logZ, columns, sums);
  },
  spanProbability: (kernel, lattice, { label, start, end }) =>
    (kernel as SegmentKernel).spanProbability(lattice, label, start, end),
};
