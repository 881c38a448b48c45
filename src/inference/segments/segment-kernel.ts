import { InferenceKernel, onceForEach } from '../../kernels/inference-kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import { eachSegment } from '../../kernels/segments/each-segment.js';
import { LogSegments } from './log-segments.js';
import { ScaledSegments } from './scaled-segments.js';
import type { SegmentSums } from './segment-sums.js';

/** A kernel whose sums and best sequences are those of a lattice with scored spans (`lattice.segments`). */
export class SegmentKernel extends InferenceKernel {
  readonly name = 'segments';
  readonly #scaled = new ScaledSegments();
  readonly #log = new LogSegments();
  #last: SegmentSums = this.#scaled;

  /** Does nothing: exponentials are made sentence by sentence. */
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

/** The kernel for inference over lattices whose spans are scored. */
export const segmentKernel = onceForEach(base => new SegmentKernel(base));
