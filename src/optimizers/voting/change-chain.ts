import type { WeightChange } from '../../kernels/voting/weight-change.js';

/**
 * Changes that are made one after the other; each has twice the places of the one before it, at least. A change
 * that is put in front is so copied a few times while the chain grows, not each time that it does.
 */
export type ChangeChain = readonly WeightChange[];

/** The changes of one chain and then those of another. Cost O(their places), O(log places) over many calls. */
export function chained(first: ChangeChain, second: ChangeChain): ChangeChain {
  const chain: WeightChange[] = [];
  for (const change of [...first, ...second]) {
    let next = change;
    while (chain.length > 0 && 2 * chain.at(-1)!.places.length > next.places.length) {
      next = composed(chain.pop()!, next);
    }
    chain.push(next);
  }
  return chain;
}

/**
 * One change for all of a chain, as a copy: where several change a weight, the last has the say. Places ascend.
 *
 * @example
 * const first = { places: Uint32Array.of(1, 4), values: Float64Array.of(10, 40) };
 * const second = { places: Uint32Array.of(4, 5), values: Float64Array.of(41, 50) };
 * wholeChange([first, second]) // => { places: Uint32Array.of(1, 4, 5), values: Float64Array.of(10, 41, 50) }
 */
export function wholeChange([first, ...others]: ChangeChain): WeightChange {
  const { places, values } = first!;
  return others.reduce(composed, { places: places.slice(), values: values.slice() });
}

function composed(first: WeightChange, second: WeightChange): WeightChange {
  const count = first.places.length + second.places.length - inBoth(first.places, second.places);
  const places = new Uint32Array(count);
  const isWide = first.values instanceof Float64Array;
  const values = isWide ? new Float64Array(count) : new Float32Array(count);
  let i = 0;
  let j = 0;
  for (let next = 0; next < count; next += 1) {
    // Past the end a place is larger than any other.
    const a = i < first.places.length ? first.places[i]! : 2 ** 32;
    const b = j < second.places.length ? second.places[j]! : 2 ** 32;
    places[next] = Math.min(a, b);
    values[next] = b <= a ? second.values[j]! : first.values[i]!;
    if (a <= b) i += 1;
    if (b <= a) j += 1;
  }
  return { places, values };
}

/** How many numbers two ascending lists have in common. */
function inBoth(first: Uint32Array, second: Uint32Array): number {
  let both = 0;
  let i = 0;
  let j = 0;
  while (i < first.length && j < second.length) {
    const a = first[i]!;
    const b = second[j]!;
    if (a === b) both += 1;
    if (a <= b) i += 1;
    if (b <= a) j += 1;
  }
  return both;
}
