import type { ResultPlaces } from '../lattice.js';
import type { LinearMemory } from '../memory/linear-memory.js';

/** Offsets of a step's data in shared memory; can be sent to another thread. */
export interface StepPlaces {
  readonly offset: number;
  readonly sentences: number;
  readonly tokens: number;
  readonly members: number;
}

/**
 * The data that a group's workers exchange in a step: the sentences, their assignment, the
 * addresses for residuals, and each sentence's results. It has room for a minibatch as large as the
 * corpus.
 */
export class StepMemory {
  readonly places: StepPlaces;
  /** Sentences of the step, as indices into the corpus. */
  readonly numbers: Int32Array;
  /**
   * First sentence, token and slot of each member's share, three words per member, followed by the
   * ends.
   */
  readonly shares: Int32Array;
  /** Milliseconds that each member spent on its share. */
  readonly spent: Float64Array;
  readonly losses: Float64Array;
  readonly predictedScores: Float64Array;
  readonly predicted: Int32Array;
  readonly #words: Uint32Array;
  readonly #cursor: Int32Array;

  constructor(memory: LinearMemory, places: StepPlaces) {
    const { offset, sentences, tokens, members } = places;
    this.places = places;
    memory.refresh(offset + StepMemory.bytes(places));
    const { buffer } = memory;
    this.losses = new Float64Array(buffer, offset, sentences);
    this.predictedScores = new Float64Array(buffer, offset + sentences * 8, sentences);
    const next = offset + sentences * 16;
    this.#words = new Uint32Array(buffer, next, 16);
    this.#cursor = new Int32Array(buffer, next + 64, 16);
    this.spent = new Float64Array(buffer, next + 128, members);
    this.shares = new Int32Array(buffer, next + 128 + members * 8, 3 * (members + 1));
    const last = next + 140 + members * 20;
    this.numbers = new Int32Array(buffer, last, sentences);
    this.predicted = new Int32Array(buffer, last + sentences * 4, tokens);
  }

  static bytes({ sentences, tokens, members }: Omit<StepPlaces, 'offset'>): number {
    return sentences * 20 + tokens * 4 + members * 20 + 140;
  }

  static create(memory: LinearMemory, sizes: Omit<StepPlaces, 'offset'>): StepMemory {
    return new StepMemory(memory, { ...sizes, offset: memory.allocate(StepMemory.bytes(sizes)) });
  }

  /** Number of sentences in the step. */
  get count(): number {
    return this.#words[0]!;
  }

  set count(count: number) {
    this.#words[0] = count;
  }

  /** Whether best labels are requested. */
  get predicts(): boolean {
    return this.#words[1] === 1;
  }

  set predicts(predicts: boolean) {
    this.#words[1] = predicts ? 1 : 0;
  }

  /** Address for the tokens' residuals. */
  get nodes(): number {
    return this.#words[2]!;
  }

  /** Address for the sentences' residuals. */
  get transitions(): number {
    return this.#words[3]!;
  }

  /** Address for the slots' residuals. */
  get edges(): number {
    return this.#words[4]!;
  }

  placeResults({ nodes, transitions, edges }: ResultPlaces): void {
    this.#words[2] = nodes;
    this.#words[3] = transitions;
    this.#words[4] = edges;
  }

  /** Takes the next sentence not taken by any thread. */
  take(): number {
    return Atomics.add(this.#cursor, 0, 1);
  }

  /** Makes all sentences available again. */
  restart(): void {
    Atomics.store(this.#cursor, 0, 0);
  }
}
