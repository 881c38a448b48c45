import type { Reals } from '../../core/arrays.js';
import type { Plane } from '../memory/plane.js';
import type { ParameterStore, VotingWeights } from '../store/parameter-store.js';

/** Tables of a plane; a place in one of them is the table's number times `placesOfTable` and its number there. */
export const placedTables = ['state', 'edges', 'pairs'] as const;

/** More numbers than a table has: a memory has 2^32 bytes, and a number takes four at least. */
export const placesOfTable = 2 ** 30;

/** Number of the table that a place is in. */
export function tableOf(place: number): number {
  return place >>> 30;
}

/** Number of a place in its table. */
export function numberIn(place: number): number {
  return place & (placesOfTable - 1);
}

/** Some weights, to change places with those of a plane: so to the weights before, and back again. */
export interface WeightChange {
  /** Where they are, each place once. */
  readonly places: Uint32Array;
  readonly values: Reals;
}

/** Lets the weights of a change and those of a plane change places. Twice is not at all, to the bit. */
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
