import type { Reals } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution, PrunedResiduals } from '../../core/training/contribution.js';
import type { Lattice } from '../../kernels/lattice.js';

/** The fields of a contribution in addition to its residuals. */
export interface ContributionCounts {
  readonly minibatch: Minibatch;
  readonly losses: Float64Array;
  readonly loss: number;
  readonly sentenceCount: number;
  readonly tokenCount: number;
  readonly predicted: Int32Array | undefined;
  readonly predictedScores: Float64Array | undefined;
  readonly version: number;
}

/**
 * A contribution whose arrays are the lattice's own, valid until its next minibatch. Each access looks
 * them up, because views become invalid when the memory grows.
 */
export class LatticeContribution implements Contribution {
  readonly minibatch: Minibatch;
  readonly width: number;
  readonly matrixSize: number;
  readonly edgeSlots: Int32Array;
  readonly loss: number;
  readonly losses: Float64Array;
  readonly sentenceCount: number;
  readonly tokenCount: number;
  declare readonly predicted?: Int32Array;
  declare readonly predictedScores?: Float64Array;
  readonly version: number;
  declare readonly pruned?: PrunedResiduals;
  readonly #lattice: Lattice;
  readonly #generation: number;

  constructor(lattice: Lattice, counts: ContributionCounts) {
    this.minibatch = counts.minibatch;
    this.width = lattice.width;
    this.matrixSize = lattice.matrixSize;
    this.edgeSlots = lattice.edgeSlots;
    this.loss = counts.loss;
    this.losses = counts.losses;
    this.sentenceCount = counts.sentenceCount;
    this.tokenCount = counts.tokenCount;
    if (counts.predicted !== undefined) this.predicted = counts.predicted;
    if (counts.predictedScores !== undefined) this.predictedScores = counts.predictedScores;
    this.version = counts.version;
    if (lattice.candidates.isUsed) this.pruned = prunedOf(lattice);
    this.#lattice = lattice;
    this.#generation = lattice.generation;
  }

  get residual(): Reals {
    return this.#lattice.nodes.view;
  }

  get transitionResidual(): Reals {
    return this.#lattice.transitions.view;
  }

  get edgeResidual(): Reals {
    return this.#lattice.edges.view;
  }

  assertCurrent(): void {
    if (this.#lattice.generation === this.#generation) return;
    throw new TagstreamError('stage', 'a contribution was used after the next one was created', {
      fix: 'call detach() on contributions that are kept, buffered or reordered',
    });
  }

  detach(): Contribution {
    this.assertCurrent();
    const { pruned } = this;
    const kept: Contribution = {
      ...this,
      ...(pruned === undefined ? {} : { pruned: copyOf(pruned) }),
      residual: this.residual.slice(),
      transitionResidual: this.transitionResidual.slice(),
      edgeResidual: this.edgeResidual.slice(),
      edgeSlots: this.edgeSlots.slice(),
      assertCurrent() {},
      detach: () => kept,
    };
    return kept;
  }
}

function prunedOf({ candidates, batch }: Lattice): PrunedResiduals {
  return {
    pairStarts: candidates.pairStarts(batch!),
    isPruned: s => candidates.isPruned(s),
    lists: () => ({
      starts: candidates.starts,
      labels: candidates.labels,
      pairs: candidates.pairs.view,
    }),
  };
}

function copyOf({ pairStarts, isPruned, lists }: PrunedResiduals): PrunedResiduals {
  const { starts, labels, pairs } = lists();
  const kept = { starts: starts.slice(), labels: labels.slice(), pairs: pairs.slice() };
  const pruned = Uint8Array.from({ length: pairStarts.length }, (_, s) => (isPruned(s) ? 1 : 0));
  return { pairStarts, isPruned: s => pruned[s] === 1, lists: () => kept };
}
