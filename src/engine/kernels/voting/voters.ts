import type { Reals } from '../../core/arrays.js';
import type { Plane } from '../memory/plane.js';
import type { ParameterStore, VotingWeights } from '../store/parameter-store.js';

/**
 * Tables of a plane; a place is coded as the table's index times `placesOfTable` plus the index in the table.
 */
export const placedTables = ['state', 'edges', 'pairs'] as const;

/**
 * Upper limit on the numbers in a table: a memory has 2^32 bytes, and a number takes at least four.
 */
export const placesOfTable = 2 ** 30;

/** Returns the index of a place's table. */
export function tableOf(place: number): number {
  return place >>> 30;
}

/** Returns the index of a place in its table. */
export function numberIn(place: number): number {
  return place & (placesOfTable - 1);
}

/** Weights to be swapped with those of a plane, to step to the previous weights and back. */
export interface WeightChange {
  /** Places of the weights, without duplicates. */
  readonly places: Uint32Array;
  readonly values: Reals;
}

/** Swaps the weights of a change with a plane's weights; swapping twice restores every bit. */
export function exchange({ places, values }: WeightChange, plane: Plane): void {
  const views = placedTables.map(table => plane[table].view);
  for (let i = 0; i < places.length; i += 1) {
    const place = places[i]!;
    const view = views[tableOf(place)]!;
    const at = numberIn(place);
    const value = view[at]!;
    view[at] = values[i]!;
    values[i] = value;
  }
}

/**
 * The weights of several voters in one store: one voter's weights, and the changes between neighbours. A pass
 * over all voters applies the changes in one direction, the next pass in the other.
 */
export class Voters implements VotingWeights {
  readonly votes: readonly number[];
  readonly #store: ParameterStore;
  readonly #changes: readonly WeightChange[];
  #position: number;

  /**
   * @param store store with the weights of voter `position`
   * @param changes between each voter and the next; iterating over the voters modifies them
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

  /** Returns a voter's weights. Cost O(changes between the current voter and this one). */
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
