import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import { CorpusMinibatches } from '../../kernels/group/corpus-minibatch.js';
import type { MemberKernel } from '../../kernels/group/member-kernel.js';
import { type PlacedCorpus, unknownSentences } from '../../kernels/group/placed-corpus.js';
import type { StepMemory } from '../../kernels/group/step-memory.js';
import { Lattice } from '../../kernels/lattice.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { contributionOf } from '../../losses/contribution-of.js';
import type { Loss } from '../../losses/loss.js';
import type { Optimizer } from '../../optimizers/optimizer.js';
import { type FreshState, startAfresh } from '../learning/seed-mean.js';
import { StepResiduals } from './step-residuals.js';

/** The parts of a group's worker. */
export interface MemberParts {
  /** Number of the worker; the main thread is member 0. */
  readonly member: number;
  readonly kernel: MemberKernel;
  readonly store: ParameterStore;
  readonly corpus: PlacedCorpus;
  readonly step: StepMemory;
  readonly loss: Loss;
  readonly optimizer: Optimizer;
}

/**
 * One worker of a group that trains together; each thread has one.
 *
 * A deterministic step is `contribute`, which computes the residuals of a share of the sentences, then `apply`, which
 * makes all updates in order. Each member updates its own parameters: repeating updates costs less than sending changed
 * rows between processors. A hogwild `round` takes single-sentence steps on parameters that all members share. Every
 * optimizer counts all sentences, so that scales, steps and penalties are the same everywhere.
 */
export class GroupWorker {
  readonly #parts: MemberParts;
  readonly #lattice: Lattice;
  readonly #minibatches: CorpusMinibatches;
  readonly #residuals: StepResiduals;
  readonly #passedOver: (labelled: Uint8Array) => Contribution;

  constructor(parts: MemberParts) {
    this.#parts = parts;
    this.#lattice = new Lattice(parts.store.memory, parts.store.precision);
    this.#minibatches = new CorpusMinibatches(parts.corpus);
    this.#residuals = new StepResiduals(parts.store);
    this.#passedOver = passedOver(parts.store);
  }

  /** Computes residuals, losses and best labels of this member's share of the sentences. */
  contribute(): void {
    const began = performance.now();
    const { member, store, step, optimizer } = this.#parts;
    if (optimizer.lazy === true) {
      optimizer.prepare(this.#minibatches.of(step.numbers, 0, step.count));
    } else optimizer.prepare();
    const from = step.shares[3 * member]!;
    const to = step.shares[3 * member + 3]!;
    if (from === to) return;
    const token = step.shares[3 * member + 1]!;
    const slot = step.shares[3 * member + 2]!;
    const bytes = store.precision === 'float64' ? 8 : 4;
    this.#lattice.placeResults({
      nodes: step.nodes + token * store.width * bytes,
      transitions: step.transitions + from * store.matrixSize * bytes,
      edges: step.edges + slot * store.matrixSize * bytes,
    });
    const made = this.#contributionOf(from, to);
    for (let s = from; s < to; s += 1) step.losses[s] = made.losses[s - from]!;
    if (made.predicted !== undefined) {
      step.predicted.set(made.predicted, token);
      step.predictedScores.set(made.predictedScores!, from);
    }
    step.spent[member] = performance.now() - began;
  }

  /**
   * Resets parameters and optimizer to their state before the first sentence, for the next seed.
   */
  restart(fresh: FreshState): void {
    const { store, optimizer } = this.#parts;
    startAfresh(store, optimizer, fresh);
  }

  /** Updates the parameters with the residuals of all members. */
  apply(): void {
    const { corpus, step, optimizer } = this.#parts;
    const batch = this.#minibatches.of(step.numbers, 0, step.count);
    const slots = edgeSlots(corpus, step, batch);
    optimizer.apply(this.#residuals.contribution(step, batch, slots));
  }

  #contributionOf(from: number, to: number): Contribution {
    const { kernel, store, step, loss } = this.#parts;
    const batch = this.#minibatches.of(step.numbers, from, to);
    return contributionOf(kernel, store, this.#lattice, batch, loss, step.predicts);
  }

  /**
   * Takes sentences until none are left, and makes a step for each; skips those that other members
   * take.
   */
  round(): void {
    const { kernel, corpus, step, optimizer } = this.#parts;
    const { count, numbers, losses } = step;
    const labelled = Uint8Array.from({ length: count }, (_, s) => corpus.labelled[numbers[s]!]!);
    optimizer.prepare();
    const pass = (from: number, to: number) => {
      if (from >= to) return;
      kernel.passing = true;
      optimizer.apply(this.#passedOver(labelled.subarray(from, to)));
      kernel.passing = false;
    };
    let next = 0;
    for (let s = step.take(); s < count; s = step.take()) {
      pass(next, s);
      const made = this.#contributionOf(s, s + 1);
      losses[s] = made.losses[0]!;
      if (made.predicted !== undefined) this.#predict(s, made.predicted, made.predictedScores![0]!);
      optimizer.apply(made);
      next = s + 1;
    }
    pass(next, count);
  }

  #predict(s: number, predicted: Int32Array, score: number): void {
    const { corpus, step } = this.#parts;
    let token = 0;
    for (let i = 0; i < s; i += 1) {
      const number = step.numbers[i]!;
      token += corpus.sentenceStarts[number + 1]! - corpus.sentenceStarts[number]!;
    }
    step.predicted.set(predicted, token);
    step.predictedScores[s] = score;
  }
}

const none = new Int32Array(0);

/** Returns the slots of a step's tokens, as in a lattice for the whole step. */
function edgeSlots(corpus: Minibatch, step: StepMemory, batch: Minibatch): Int32Array {
  const { edgeStarts, sentenceStarts } = corpus;
  if (edgeStarts === undefined) return none;
  const slots = new Int32Array(batch.tokens).fill(-1);
  let slot = 0;
  for (let s = 0; s < step.count; s += 1) {
    const first = sentenceStarts[step.numbers[s]!]!;
    const start = batch.sentenceStarts[s]!;
    for (let i = 1; i < batch.sentenceStarts[s + 1]! - start; i += 1) {
      if (edgeStarts[first + i + 1]! === edgeStarts[first + i]!) continue;
      slots[start + i] = slot;
      slot += 1;
    }
  }
  return slots;
}

const noReals = new Float64Array(0);

/**
 * Creates contributions for sentences that other members learn from: the optimizer counts them without
 * updating any row. Each contribution is valid until the next one is created.
 */
function passedOver(store: ParameterStore): (labelled: Uint8Array) => Contribution {
  const minibatch: { -readonly [Key in keyof Minibatch]: Minibatch[Key] } = {
    sentences: unknownSentences(0),
    tokens: 0,
    sentenceStarts: new Uint32Array(1),
    stateStarts: new Uint32Array(1),
    stateRows: new Uint32Array(0),
    gold: new Int32Array(0),
    labelled: new Uint8Array(0),
  };
  const contribution: Contribution = {
    minibatch,
    width: store.width,
    matrixSize: store.matrixSize,
    residual: noReals,
    transitionResidual: noReals,
    edgeResidual: noReals,
    edgeSlots: new Int32Array(0),
    loss: 0,
    losses: noReals,
    sentenceCount: 0,
    tokenCount: 0,
    version: 0,
    assertCurrent() {},
    detach: () => contribution,
  };
  return labelled => {
    const starts = labelled.length + 1;
    if (minibatch.sentenceStarts.length < starts) {
      minibatch.sentenceStarts = new Uint32Array(2 * starts);
    }
    minibatch.labelled = labelled;
    return contribution;
  };
}
