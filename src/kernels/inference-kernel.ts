import type { Kernel } from './kernel.js';
import type { Lattice } from './lattice.js';

/**
 * A kernel with sums and best sequences of its own, in float64 for any precision of the lattice; another kernel does all
 * the rest. So losses and decoders need not know what a lattice is of.
 */
export abstract class InferenceKernel implements Kernel {
  abstract readonly name: string;
  readonly precision = 'float64';
  readonly exponentiate: Kernel['exponentiate'];
  readonly score: Kernel['score'];
  readonly accumulate: Kernel['accumulate'];
  readonly accumulateCompressed: Kernel['accumulateCompressed'];
  readonly scalePlane: Kernel['scalePlane'];
  readonly axpy: Kernel['axpy'];
  readonly applyCumulativePenalty: Kernel['applyCumulativePenalty'];

  constructor(base: Kernel) {
    this.exponentiate = base.exponentiate.bind(base);
    this.score = base.score.bind(base);
    this.accumulate = base.accumulate.bind(base);
    this.accumulateCompressed = base.accumulateCompressed.bind(base);
    this.scalePlane = base.scalePlane.bind(base);
    this.axpy = base.axpy.bind(base);
    this.applyCumulativePenalty = base.applyCumulativePenalty.bind(base);
  }

  abstract forwardBackwardScaled(lattice: Lattice, s: number): number;
  abstract forwardBackwardLog(lattice: Lattice, s: number): number;
  abstract viterbi(lattice: Lattice, s: number, labels: Int32Array): number;
  abstract pathScore(lattice: Lattice, s: number, path: Int32Array): number;
}

/** A function that makes one kernel for each other one. */
export function onceForEach<Own extends Kernel>(
  make: (base: Kernel) => Own,
): (base: Kernel) => Own {
  const known = new WeakMap<Kernel, Own>();
  return base => {
    const own = known.get(base) ?? make(base);
    known.set(base, own);
    return own;
  };
}
