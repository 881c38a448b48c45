import type { ParameterStore, VotingWeights } from '../store/parameter-store.js';
import { exchange, type WeightChange } from './weight-change.js';

/**
 * The weights of several voters in one store: those of one of them, and what makes of each the next or the
 * one before. To go over all voters is to go through the changes, one way first and then the other.
 */
export class Voters implements VotingWeights {
  readonly votes: readonly number[];
  readonly #store: ParameterStore;
  readonly #changes: readonly WeightChange[];
  #position: number;

  /**
   * @param store the weights of voter `position`
   * @param changes between each voter and the next; they are changed when voters are iterated over
   */
  constructor(
    store: ParameterStore,
    votes: readonly number[],
    changes: readonly WeightChange[],
    position: number,
  ) {
    this.#store = store;
    this.votes = votes;
    this.#changes = changes;
    this.#position = position;
  }

  get position(): number {
    return this.#position;
  }

  /** Cost O(changes between the present voter and this one). */
  at(voter: number): ParameterStore {
    const { weights } = this.#store;
    for (; this.#position < voter; this.#position += 1) {
      exchange(this.#changes[this.#position]!, weights);
    }
    for (; this.#position > voter; this.#position -= 1) {
      exchange(this.#changes[this.#position - 1]!, weights);
    }
    return this.#store;
  }

  changed(voter: number): Uint32Array {
    return this.#changes[voter - 1]!.places;
  }
}
