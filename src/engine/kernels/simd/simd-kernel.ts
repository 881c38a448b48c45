import type { Precision } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { CompactPlane } from '../compact/compact-store.js';
import type { Kernel, PenaltyState } from '../kernel.js';
import type { Lattice } from '../lattice.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import type { Plane } from '../memory/plane.js';
import type { RealTable } from '../memory/real-table.js';
import type { Pruning } from '../pruning/candidates.js';
import {
  accumulateEdges,
  accumulate as accumulatePlainly,
  accumulatePruned,
  accumulateTransitions,
} from '../reference/accumulate.js';
import * as reference from '../reference/adaptive-steps.js';
import { clipEdges } from '../reference/cumulative-penalty.js';
import { forwardBackwardPairsLog } from '../reference/forward-backward-pairs-log.js';
import { pathScore } from '../reference/path-score.js';
import { forwardBackwardPruned } from '../reference/pruned.js';
import { scoreEdges } from '../reference/score.js';
import type { AdaptiveSteps } from '../rows/adaptive-steps.js';
import type { AveragedRows } from '../rows/averaged-rows.js';
import type { ParameterStore } from '../store/parameter-store.js';
import { accumulateChains, listChainInSimd } from './recursions/chains-in-simd.js';
import { exponentiateListed, viterbiByPairs } from './recursions/listed-in-simd.js';
import { pruneInSimd, viterbiPrunedInSimd } from './recursions/pruned-in-simd.js';
import { scaledInSimd } from './recursions/scaled-in-simd.js';
import { chargeCopyInSimd, chargeInSimd, stepInSimd } from './simd-adaptive-steps.js';
import { accumulateCompressedRows, scoreCompressedRows } from './simd-compressed.js';
import type { SimdExports } from './simd-exports.js';
import { SimdMemory } from './simd-memory.js';
import { accumulateStatePairs, scoreStatePairs } from './simd-state-pairs.js';

/**
 * The kernel in WebAssembly SIMD. Store, lattice and contribution must lie in the same memory. Rare
 * cases are left to the reference, on the same memory.
 */
export class SimdKernel implements Kernel {
  readonly name = 'simd';
  readonly canShare = true;
  readonly precision: Precision;
  readonly #suffix: 'f32' | 'f64';
  readonly #bytes: number;
  readonly #memories = new WeakMap<LinearMemory, SimdMemory>();

  constructor(precision: Precision) {
    this.precision = precision;
    this.#suffix = precision === 'float64' ? 'f64' : 'f32';
    this.#bytes = precision === 'float64' ? 8 : 4;
  }

  score(store: ParameterStore, lattice: Lattice): void {
    if (store.memory !== lattice.memory || store.precision !== this.precision) throw apart(this);
    const batch = lattice.batch!;
    const simd = this.#memory(lattice.memory);
    const { matrixSize } = lattice;
    if (store.compressed !== undefined) scoreCompressedRows(simd, store, lattice);
    else this.#scoreEmissions(store, lattice, simd);
    const { prune, parts } = store.layout;
    if (prune !== undefined && parts === undefined) this.prune(lattice, prune);
    if (lattice.leavesTransitions(store)) return;
    const { transitionScores } = lattice;
    simd.run.copyScaled(
      transitionScores.offset,
      store.weights.edges.offset,
      matrixSize,
      store.scale,
    );
    if (lattice.slots === 0) return;
    if (store.hasEdgeBlocks) this.#scoreBlocks(store, lattice, simd);
    else scoreEdges(store, lattice, batch, () => listChainInSimd(simd, store));
  }

  prune(lattice: Lattice, pruning: Pruning): void {
    const { candidates, labels, batch, whole } = lattice;
    candidates.open(labels, pruning, batch!, whole);
    if (!candidates.isUsed) return;
    pruneInSimd(this.#memory(lattice.memory), lattice, this.#bytes, pruning);
  }

  #scoreEmissions(store: ParameterStore, lattice: Lattice, simd: SimdMemory): void {
    const { sentenceStarts, tokens, placed } = lattice.batch!;
    simd.load(lattice.batch!);
    if (placed === undefined) {
      this.#scoreTokens(store, lattice, simd, 0, 0, tokens);
      return;
    }
    for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
      const first = sentenceStarts[s]!;
      this.#scoreTokens(store, lattice, simd, s, first, sentenceStarts[s + 1]! - first);
    }
  }

  /** Scores `tokens` tokens from `first` on: those of sentence `s`, or of the whole batch. */
  #scoreTokens(
    store: ParameterStore,
    lattice: Lattice,
    simd: SimdMemory,
    s: number,
    first: number,
    tokens: number,
  ): void {
    if (store.statePairs !== undefined) {
      scoreStatePairs(simd, store, lattice, { s, first, tokens, bytes: this.#bytes });
      return;
    }
    simd.run.scoreEmissions(
      lattice.emissionScores.offset + first * lattice.width * this.#bytes,
      store.weights.state.offset,
      simd.startsOf(s) + 4 * first,
      simd.rows,
      simd.values,
      tokens,
      lattice.width,
      store.scale,
    );
  }

  #scoreBlocks(store: ParameterStore, lattice: Lattice, simd: SimdMemory): void {
    const { tokens, edgeStarts, edgeRows, edgeValues } = lattice.batch!;
    const { matrixSize } = lattice;
    const matrixBytes = matrixSize * this.#bytes;
    for (let t = 0; t < tokens; t += 1) {
      const slot = lattice.edgeSlots[t]!;
      if (slot < 0) continue;
      const out = lattice.edgeScores.offset + slot * matrixBytes;
      simd.run.copyScaled(out, lattice.transitionScores.offset, matrixSize, 1);
      for (let k = edgeStarts![t]!; k < edgeStarts![t + 1]!; k += 1) {
        const block = store.weights.edges.offset + edgeRows![k]! * matrixBytes;
        const value = edgeValues === undefined ? 1 : edgeValues[k]!;
        simd.run.addScaled(out, block, matrixSize, store.scale * value);
      }
    }
  }

  exponentiate(lattice: Lattice): void {
    if (lattice.candidates.isAll) return;
    const simd = this.#memory(lattice.memory);
    const { run } = simd;
    const { labels, width, matrixSize } = lattice;
    run.exponentiateRows(
      lattice.emissionScores.offset,
      lattice.expEmissions.offset,
      lattice.emissionMaxima.offset,
      lattice.batch!.tokens,
      labels,
      width,
    );
    const matrix = (scores: number, exps: number) =>
      run.exponentiateMatrix(scores, exps, labels, width);
    exponentiateTransitions(simd, lattice);
    if (lattice.slots === 0) return;
    const { sentenceStarts } = lattice.batch!;
    const maxima = lattice.edgeMaxima.view;
    for (let s = 0; s < sentenceStarts.length - 1; s += 1) {
      if (lattice.pairLists.isListed(s)) {
        exponentiateListed(simd, lattice, s);
        continue;
      }
      for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
        const slot = lattice.edgeSlots[t]!;
        if (slot < 0) continue;
        const at = slot * matrixSize * this.#bytes;
        maxima[slot] = matrix(lattice.edgeScores.offset + at, lattice.expEdges.offset + at);
      }
    }
  }

  forwardBackwardScaled(lattice: Lattice, s: number): number {
    return scaledInSimd(this.#memory(lattice.memory), lattice, s, this.precision);
  }

  forwardBackwardLog(lattice: Lattice, s: number): number {
    if (lattice.candidates.isPruned(s)) return forwardBackwardPruned(lattice, s);
    if (lattice.pairLists.isListed(s)) return forwardBackwardPairsLog(lattice, s);
    lattice.openLogs();
    const simd = this.#memory(lattice.memory);
    const { labels, width, matrixSize } = lattice;
    const slots = simd.slotsOf(lattice);
    return simd.run.forwardBackwardLog(
      lattice.batch!.sentenceStarts[s]!,
      lattice.batch!.sentenceStarts[s + 1]!,
      labels,
      width,
      lattice.emissionScores.offset,
      lattice.transitionScores.offset,
      slots,
      lattice.edgeScores.offset,
      matrixSize,
      lattice.logAlpha.offset,
      lattice.logBeta.offset,
      lattice.nodes.offset,
      lattice.edges.offset,
      lattice.transitions.offset + lattice.pairSumsAt(s) * this.#bytes,
    );
  }

  viterbi(lattice: Lattice, s: number, labels: Int32Array): number {
    const simd = this.#memory(lattice.memory);
    const best = simd.bestLabels(lattice.batch!.tokens);
    const score = viterbiInSimd(simd, lattice, s, best);
    const first = lattice.batch!.sentenceStarts[s]!;
    const end = lattice.batch!.sentenceStarts[s + 1]!;
    simd.copyBest(labels, first, end);
    // In float32 a long sentence's score would be inexact, and differ from `pathScore`.
    return this.precision === 'float64' ? score : this.pathScore(lattice, s, labels);
  }

  viterbiAll(lattice: Lattice, labels: Int32Array): number {
    const { sentenceStarts, tokens } = lattice.batch!;
    const simd = this.#memory(lattice.memory);
    const best = simd.bestLabels(tokens);
    const sentences = sentenceStarts.length - 1;
    let s = 0;
    while (s < sentences && Number.isFinite(viterbiInSimd(simd, lattice, s, best))) s += 1;
    simd.copyBest(labels, 0, sentenceStarts[s]!);
    return s;
  }

  pathScore(lattice: Lattice, s: number, labels: Int32Array): number {
    const { run } = this.#memory(lattice.memory);
    return pathScore(lattice, s, labels, ({ pairsOffset }, from, to, pair) =>
      run.findPair(pairsOffset, from, to, pair),
    );
  }

  accumulate(
    store: ParameterStore,
    plane: Plane,
    contribution: Contribution,
    s: number,
    factor: number,
    everywhere = false,
  ): void {
    if (contribution.residual.BYTES_PER_ELEMENT !== this.#bytes) {
      accumulatePlainly(store, plane, contribution, s, factor, everywhere);
      return;
    }
    const { minibatch } = contribution;
    const simd = this.#memory(store.memory);
    const support = everywhere ? undefined : store.support;
    // Residuals come last, because loading the rest may grow the memory.
    simd.load(minibatch);
    const { sentenceStarts } = minibatch;
    if (store.statePairs !== undefined) {
      accumulateStatePairs(simd, store, plane, contribution, s, factor);
    } else {
      const bits =
        support === undefined ? 0 : simd.support.of(support, store.stateRows, store.width);
      simd.loadResiduals(contribution);
      simd.run.accumulateRows(
        plane.state.offset,
        simd.residual,
        simd.startsOf(s),
        simd.rows,
        simd.values,
        sentenceStarts[s]!,
        sentenceStarts[s + 1]!,
        store.width,
        factor,
        bits,
        support === undefined ? 0 : simd.support.words,
      );
    }
    const size = store.matrixSize;
    if (contribution.pruned?.isPruned(s) === true) {
      accumulatePruned(store, support, plane, contribution, s, factor);
    } else if (store.layout.transitions && support === undefined) {
      const matrix = simd.transitionResidual + s * size * this.#bytes;
      simd.run.addScaled(plane.edges.offset, matrix, size, factor);
    } else if (store.layout.transitions) {
      accumulateTransitions(store, support, plane, contribution, s, factor);
    }
    if (minibatch.edgeStarts === undefined) return;
    if (store.hasEdgeBlocks) this.#accumulateBlocks(store, plane, contribution, s, factor, simd);
    else if (
      !accumulateChains(simd, store, plane.pairs, contribution, s, factor, simd.edgeResidual)
    ) {
      accumulateEdges(store, plane, contribution, s, factor);
    }
  }

  accumulateCompressed(
    store: ParameterStore,
    plane: CompactPlane,
    contribution: Contribution,
    s: number,
  ): void {
    accumulateCompressedRows(this.#memory(store.memory), store, plane, contribution, s);
  }

  #accumulateBlocks(
    store: ParameterStore,
    plane: Plane,
    contribution: Contribution,
    s: number,
    factor: number,
    { run, edgeResidual }: SimdMemory,
  ): void {
    const { sentenceStarts, edgeStarts, edgeRows, edgeValues } = contribution.minibatch;
    const size = store.matrixSize;
    for (let t = sentenceStarts[s]! + 1; t < sentenceStarts[s + 1]!; t += 1) {
      const slot = contribution.edgeSlots[t]!;
      if (slot < 0) continue;
      const matrix = edgeResidual + slot * size * this.#bytes;
      for (let k = edgeStarts![t]!; k < edgeStarts![t + 1]!; k += 1) {
        const block = plane.edges.offset + edgeRows![k]! * size * this.#bytes;
        const step = edgeValues === undefined ? factor : factor * edgeValues[k]!;
        run.addScaled(block, matrix, size, step);
      }
    }
  }

  scalePlane(plane: Plane, factor: number): void {
    scalePlane(this.#over(plane), plane, factor);
  }

  axpy(factor: number, x: Plane, y: Plane): void {
    addPlanes(this.#over(x, y), factor, x, y);
  }

  #over(x: Plane, y = x): SimdExports {
    const { memory } = x.state;
    if (y.state.memory !== memory || x.state.precision !== this.precision) throw apart(this);
    return this.#memory(memory).run;
  }

  applyCumulativePenalty(
    store: ParameterStore,
    penalty: PenaltyState,
    contribution: Contribution,
    s: number,
  ): void {
    const { minibatch } = contribution;
    const simd = this.#memory(store.memory);
    simd.load(minibatch);
    const [from, to] = simd.rangeOf(s);
    const { weights } = store;
    const { received, total, creationTimes } = penalty;
    const rows = [
      weights.state.offset,
      received.state.offset,
      simd.rows,
      from,
      to,
      store.width,
      total,
    ] as const;
    const createdLate = creationTimes.latest !== 0;
    if (createdLate) {
      simd.creationTimes.update(creationTimes, store.width);
      simd.run.penaliseAgedRows(...rows, simd.creationTimes.rows, simd.creationTimes.labels);
    } else {
      simd.run.penaliseRows(...rows);
    }
    const { sentenceStarts } = minibatch;
    if (store.scoresTransitions(sentenceStarts[s + 1]! - sentenceStarts[s]!)) {
      if (createdLate) {
        this.#penaliseBlock(store, penalty, simd);
      } else {
        const size = store.matrixSize;
        simd.run.penaliseNumbers(weights.edges.offset, received.edges.offset, size, total);
      }
    }
    if (minibatch.edgeStarts !== undefined) clipEdges(store, penalty, contribution, s);
  }

  averageRows(store: ParameterStore, averages: Plane, rows: AveragedRows): void {
    const { table, count } = rows;
    if (count === 0) return;
    const simd = this.#memory(store.memory);
    const { list, factors, lanes } = simd.placeAveraged(rows);
    const [from, to] = [store.weights[table].offset, averages[table].offset];
    simd.run.averageRows(to, from, list, factors, count, store.width, lanes, rows.most);
  }

  /** Clips the plain transitions, row by row. */
  #penaliseBlock(
    store: ParameterStore,
    penalty: PenaltyState,
    { run, creationTimes }: SimdMemory,
  ): void {
    const { labels, width, weights } = store;
    const { received, total } = penalty;
    for (let from = 0; from < labels; from += 1) {
      const at = from * width * this.#bytes;
      const createdAt = Math.max(
        penalty.creationTimes.edges[0]!,
        penalty.creationTimes.labels[from]!,
      );
      const [w, q] = [weights.edges.offset + at, received.edges.offset + at];
      run.penaliseAgedRow(w, q, width, total, createdAt, creationTimes.labels);
    }
  }

  chargeAdaptively(
    store: ParameterStore,
    steps: AdaptiveSteps,
    minibatch: Minibatch,
    s: number,
  ): void {
    chargeInSimd(this.#memory(store.memory), store, steps, minibatch, s);
  }

  stepAdaptively(
    store: ParameterStore,
    steps: AdaptiveSteps,
    contribution: Contribution,
    s: number,
  ): void {
    if (contribution.residual.BYTES_PER_ELEMENT !== this.#bytes) {
      reference.stepAdaptively(store, steps, contribution, s);
      return;
    }
    stepInSimd(this.#memory(store.memory), store, steps, contribution, s);
  }

  chargeCopy(steps: AdaptiveSteps, copy: Plane): void {
    const { state } = steps.squares;
    if (copy.state.precision !== state.precision) reference.chargeCopy(steps, copy);
    else chargeCopyInSimd(this.#memory(state.memory), steps, copy);
  }

  #memory(memory: LinearMemory): SimdMemory {
    let simd = this.#memories.get(memory);
    if (simd === undefined) {
      simd = new SimdMemory(memory, this.#suffix);
      this.#memories.set(memory, simd);
    }
    return simd;
  }
}

function apart(kernel: Kernel): TagstreamError {
  return new TagstreamError('stage', 'the arguments of the kernel do not match', {
    fix: `create both in the same memory, with the precision ${kernel.precision}`,
  });
}

/** Computes y += factor x over planes of one store; see `Kernel.axpy`. */
function addPlanes({ addScaled }: SimdExports, factor: number, x: Plane, y: Plane): void {
  // Tables may have grown with different slack, which is zero.
  const add = (a: RealTable, b: RealTable) =>
    addScaled(b.offset, a.offset, Math.min(a.numbers, b.numbers), factor);
  add(x.state, y.state);
  add(x.edges, y.edges);
  add(x.pairs, y.pairs);
}

function scalePlane({ scaleNumbers }: SimdExports, x: Plane, factor: number): void {
  for (const table of [x.state, x.edges, x.pairs]) {
    scaleNumbers(table.offset, table.numbers, factor);
  }
}

/**
 * Computes exp of the transition scores, and lists of it, unless the scores are those of the last
 * batch.
 */
function exponentiateTransitions(simd: SimdMemory, lattice: Lattice): void {
  const { run } = simd;
  const lists = simd.listsOf(lattice).sums;
  const current = lists.isCurrent(run, lattice);
  if (current && lattice.exponentiatedBy === lists) return;
  const { transitionScores, expTransitions, expTransposed, labels, width } = lattice;
  const { offset } = expTransitions;
  lattice.transitionMaximum = run.exponentiateMatrix(
    transitionScores.offset,
    offset,
    labels,
    width,
  );
  run.transpose(expTransposed.offset, offset, labels, width, 0);
  lattice.exponentiatedBy = lists;
  lists.listSums(run, lattice);
}

/**
 * Writes the best labels of a sentence to `best`, which has one per token of the batch; returns their
 * score.
 */
function viterbiInSimd(simd: SimdMemory, lattice: Lattice, s: number, best: number): number {
  if (lattice.pairLists.isListed(s)) return viterbiByPairs(simd, lattice, s, best);
  if (lattice.candidates.isPruned(s)) return viterbiPrunedInSimd(simd, lattice, s, best);
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  const { labels, width, emissionScores, transitionScores, alpha } = lattice;
  const { run } = simd;
  const lists = simd.pathListsOf(lattice, s);
  if (lists !== undefined) {
    return run.viterbiSparse(
      first,
      end,
      labels,
      width,
      emissionScores.offset,
      lists.forward,
      lists.backward,
      lists.incoming,
      lists.transposed,
      alpha.offset,
      best,
    );
  }
  return run.viterbi(
    first,
    end,
    labels,
    width,
    emissionScores.offset,
    transitionScores.offset,
    simd.slotsOf(lattice),
    lattice.edgeScores.offset,
    lattice.matrixSize,
    simd.transposedOf(lattice),
    alpha.offset,
    best,
  );
}
