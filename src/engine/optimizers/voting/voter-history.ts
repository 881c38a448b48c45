import type { Reals } from '../../core/arrays.js';
import { type State, stateArray, stateCount, wrongState } from '../../core/training/state.js';
import { roundToFloat32 } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import {
  numberIn,
  placedTables,
  tableOf,
  Voters,
  type WeightChange,
} from '../../kernels/voting/voters.js';
import { copyPlane } from '../planes/planes.js';

/**
 * The weights that training went through, each with the number of sentences it survived, as a chain of changes from
 * the current weights back to earlier ones.
 *
 * If there are more than `most`, two neighbours are merged: the pair with the fewest votes, the first on ties,
 * excluding the last weights. The one with more votes, or the later on ties, is kept and gets the votes of both. So
 * no vote is lost, and voters are spread over training in proportion to its sentences. Neighbours are also merged
 * if the changes have more than `mostNumbers` numbers, as may happen on a stream.
 */
export class VoterHistory {
  readonly #most: number;
  readonly #mostNumbers: number;
  #votes: number[] = [0];
  /** `[i]` turns the weights of voter i + 1 back into those of voter i. */
  #changes: ChangeChain[] = [];
  /** Number of lanes per row when the changes' places were recorded. */
  #width = 0;

  constructor(most: number, mostNumbers = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#mostNumbers = mostNumbers;
  }

  /** Adapts the changes to a new row layout, if it has changed; cost O(changes). */
  prepare({ width }: ParameterStore): void {
    if (this.#width !== width) {
      for (const { places } of this.#changes.flat()) moveLanes(places, this.#width, width);
    }
    this.#width = width;
  }

  /** Counts a sentence for the current weights, or for the new weights if it changed any. */
  count(change?: WeightChange): void {
    const last = this.#votes.length - 1;
    if (change === undefined || change.places.length === 0 || this.#votes[last] === 0) {
      this.#votes[last]! += 1;
      return;
    }
    this.#votes.push(1);
    this.#changes.push([change]);
    if (this.#votes.length > this.#most) this.#uniteTwo();
    if (this.#mostNumbers === Number.POSITIVE_INFINITY) return;
    while (this.#votes.length > 2 && this.#numbers > this.#mostNumbers) this.#uniteTwo();
  }

  /** Removes the weights of some rows from all changes: every voter then has their current values, which are 0. */
  forget(
    stateRows: Uint32Array,
    edgeRows: Uint32Array,
    { width, matrixSize }: ParameterStore,
  ): void {
    const gone = [new Set(stateRows), new Set(edgeRows), new Set<number>()];
    const sizes = [width, matrixSize, 1];
    const stays = (place: number) => {
      const table = tableOf(place);
      return !gone[table]!.has(Math.floor(numberIn(place) / sizes[table]!));
    };
    this.#changes = this.#changes.map(chain =>
      chain.map(({ places, values }) => {
        const kept = places.map((place, i) => (stays(place) ? i : none)).filter(i => i !== none);
        return { places: kept.map(i => places[i]!), values: valuesAt(values, kept) };
      }),
    );
  }

  /** Total size of changes. */
  get #numbers(): number {
    let numbers = 0;
    for (const chain of this.#changes) for (const { places } of chain) numbers += places.length;
    return numbers;
  }

  #uniteTwo(): void {
    const votes = this.#votes;
    let first = 0;
    for (let i = 1; i < votes.length - 2; i += 1) {
      if (votes[i]! + votes[i + 1]! < votes[first]! + votes[first + 1]!) first = i;
    }
    const dropped = votes[first]! > votes[first + 1]! ? first + 1 : first;
    const sum = votes[first]! + votes[first + 1]!;
    if (dropped > 0) {
      this.#changes[dropped] = chained(this.#changes[dropped]!, this.#changes[dropped - 1]!);
      this.#changes.splice(dropped - 1, 1);
    } else {
      this.#changes.shift();
    }
    votes.splice(first, 2, sum);
  }

  /** Returns the voters, with weights rounded as in a model file; undefined before the first sentence. */
  voters(parameters: ParameterStore): Voters | undefined {
    const last = this.#votes.length - 1;
    if (this.#votes[last] === 0) return undefined;
    const store = parameters.emptyCopy();
    copyPlane(parameters.weights, store.weights, parameters.scale);
    roundToFloat32(store.weights);
    const changes = this.#changes.map(chain => {
      const { places, values } = wholeChange(chain);
      return { places, values: values.map(Math.fround) };
    });
    return new Voters(store, this.#votes.slice(), changes, last);
  }

  save(): State {
    const changes = this.#changes.map(wholeChange);
    const lengths = changes.map(({ places }) => places.length);
    const length = lengths.reduce((sum, count) => sum + count, 0);
    const places = new Uint32Array(length);
    const values = new Float64Array(length);
    let next = 0;
    for (const change of changes) {
      places.set(change.places, next);
      values.set(change.values, next);
      next += change.places.length;
    }
    return {
      json: { votes: this.#votes.slice(), voterWidth: this.#width },
      arrays: {
        'voters.lengths': Uint32Array.from(lengths),
        'voters.places': places,
        'voters.values': values,
      },
    };
  }

  /** @throws TagstreamError `checkpoint` if the state is inconsistent or does not fit the parameters */
  restore(state: State, parameters: ParameterStore): void {
    const votes = savedVotes(state.json.votes, this.#most);
    const width = stateCount(state, 'voterWidth');
    const lengths = stateArray(state, 'voters.lengths', [Uint32Array]);
    const places = stateArray(state, 'voters.places', [Uint32Array]);
    const values = stateArray(state, 'voters.values', [Float64Array]);
    const sum = lengths.reduce((all, length) => all + length, 0);
    if (lengths.length !== votes.length - 1 || sum !== places.length || sum !== values.length) {
      throw wrongState('the weights of the voters are incomplete');
    }
    const Values = parameters.precision === 'float64' ? Float64Array : Float32Array;
    const changes: ChangeChain[] = [];
    let next = 0;
    for (const length of lengths) {
      const own = places.slice(next, next + length);
      requirePlaces(own, parameters, width);
      changes.push([{ places: own, values: Values.from(values.subarray(next, next + length)) }]);
      next += length;
    }
    this.#votes = votes;
    this.#changes = changes;
    this.#width = width;
  }
}

/** Marks the absence of a place: a change has fewer numbers. */
const none = 2 ** 32 - 1;

function valuesAt(values: Reals, kept: Uint32Array): Reals {
  const picked = values.slice(0, kept.length);
  for (let i = 0; i < kept.length; i += 1) picked[i] = values[kept[i]!]!;
  return picked;
}

function savedVotes(saved: unknown, most: number): number[] {
  const isCount = (votes: unknown) => Number.isSafeInteger(votes) && (votes as number) >= 0;
  if (!Array.isArray(saved) || saved.length < 1 || saved.length > most || !saved.every(isCount)) {
    throw wrongState('there are no votes');
  }
  return saved.slice();
}

/** Requires ascending places within parameters laid out for `width` lanes. */
function requirePlaces(places: Uint32Array, parameters: ParameterStore, width: number): void {
  const blocks = parameters.hasEdgeBlocks ? parameters.edgeRows : 1;
  const sizes = [parameters.stateRows * width, blocks * width * width, parameters.pairs.size];
  if (width > parameters.width) throw wrongState('the voters have more labels than the model');
  for (let i = 0; i < places.length; i += 1) {
    const place = places[i]!;
    const size = sizes[tableOf(place)] ?? 0;
    if (numberIn(place) >= size || (i > 0 && place <= places[i - 1]!)) {
      throw wrongState('a voter has a weight out of range');
    }
  }
}

/** Converts places from one number of lanes per row to another. */
function moveLanes(places: Uint32Array, from: number, to: number): void {
  for (let i = 0; i < places.length; i += 1) {
    const place = places[i]!;
    const table = placedTables[tableOf(place)]!;
    if (table === 'pairs') continue;
    const at = numberIn(place);
    const row = Math.floor(at / from);
    const block = table === 'edges' ? Math.floor(row / from) : 0;
    places[i] = place - at + (block * to + row - block * from) * to + (at % from);
  }
}

/**
 * Changes applied in sequence, each with at least twice the places of the previous one, so that a change added at
 * the front is copied only a few times while the chain grows.
 */
export type ChangeChain = readonly WeightChange[];

/** Concatenates two chains. Cost O(places), amortised O(log places) over many calls. */
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
 * Returns a single change equivalent to a chain, as a copy; if several changes affect a weight, the last one wins.
 * Places are ascending.
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
    // Past the end, the place is larger than any other.
    const a = i < first.places.length ? first.places[i]! : 2 ** 32;
    const b = j < second.places.length ? second.places[j]! : 2 ** 32;
    places[next] = Math.min(a, b);
    values[next] = b <= a ? second.values[j]! : first.values[i]!;
    if (a <= b) i += 1;
    if (b <= a) j += 1;
  }
  return { places, values };
}

/** Returns how many numbers two ascending lists have in common. */
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
