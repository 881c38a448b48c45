import type { Reals } from '../../core/reals.js';
import type { Plane } from '../memory/plane.js';

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
