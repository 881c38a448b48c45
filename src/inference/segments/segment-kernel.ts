import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import { eachSegment } from '../../kernels/segments/each-segment.js';
import { LogSegments } from './log-segments.js';
import { ScaledSegments } from './scaled-segments.js';
import type { SegmentSums } from './segment-sums.js';

/**
 * A kernel whose sums and best sequences are those of a lattice with scored spans (`lattice.segments`), in float64 for any
 * precision of the lattice; all else is left to another kernel. So losses and decoders need not know of spans.
 */
export class SegmentKernel implements Kernel {
  readonly name = 'segments';
  readonly precision = 'float64';
  readonly score: Kernel['score'];
  readonly accumulate: Kernel['accumulate'];
  readonly accumulateCompressed: Kernel['accumulateCompressed'];
  readonly scalePlane: Kernel['scalePlane'];
  readonly axpy: Kernel['axpy'];
  readonly applyCumulativePenalty: Kernel['applyCumulativePenalty'];
  readonly #scaled = new ScaledSegments();
  readonly #log = new LogSegments();
  #last: SegmentSums = this.#scaled;

  constructor(base: Kernel) {
    this.score = base.score.bind(base);
    this.accumulate = base.accumulate.bind(base);
    this.accumulateCompressed = base.accumulateCompressed.bind(base);
    this.scalePlane = base.scalePlane.bind(base);
    this.axpy = base.axpy.bind(base);
    this.applyCumulativePenalty = base.applyCumulativePenalty.bind(base);
  }

  /** Nothing: exponentials are made sentence by sentence. */
  exponentiate(): void {}

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
    const { batch, width, matrixSize } = lattice;
    const segments = lattice.segments!;
    const first = batch!.sentenceStarts[s]!;
    const end = batch!.sentenceStarts[s + 1]!;
    const emissions = lattice.emissionScores.view;
    let score = 0;
    for (let t = first; t < end; t += 1) {
      score += emissions[t * width + path[t]!]!;
      if (t === first) continue;
      const pair = path[t - 1]! * width + path[t]!;
      const slot = lattice.edgeSlots[t]!;
      score +=
        slot < 0
          ? lattice.transitionScores.view[pair]!
          : lattice.edgeScores.view[slot * matrixSize + pair]!;
    }
    eachSegment(segments.tables, path, first, end, (kind, last, length) => {
      score += segments.scores[segments.at(last, length) + kind]!;
    });
    return score;
  }

  /** Probability of a span of the sentence whose sums were made last; see `SegmentSums`. */
  spanProbability(lattice: Lattice, type: string, start: number, end: number): number {
    return this.#last.probability(lattice, type, start, end);
  }
}

const made = new WeakMap<Kernel, SegmentKernel>();

/** The kernel for inference over lattices whose spans are scored. */
export function segmentKernel(kernel: Kernel): SegmentKernel {
  let own = made.get(kernel);
  if (own === undefined) {
    own = new SegmentKernel(kernel);
    made.set(kernel, own);
  }
  return own;
}
