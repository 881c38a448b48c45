/** Number of counts whose `n log n` is tabulated. */
const tabled = 65_536;
const table = Float64Array.from({ length: tabled }, (_, n) => (n === 0 ? 0 : n * Math.log(n)));

function nLogN(n: number): number {
  return n < tabled ? table[n]! : n * Math.log(n);
}

/** Returns the loss of the terms of two counts when these are merged. */
function joinedLoss(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : nLogN(a) + nLogN(b) - nLogN(a + b);
}

/**
 * Tracks the mutual information that each merge of two classes would lose, while classes are added
 * and merged.
 *
 * If n(c, d) is the number of times that class d follows class c, u(c) the count of c, and N the
 * number of all pairs, then the average mutual information of neighbours is the sum of n(c, d) / N
 * log(n(c, d) N / (u(c) u(d))) over the current classes (Brown et al. 1992). In the loss of a
 * merge, the logarithms of u(d) cancel for all d except the two classes, which leaves
 *
 *     G(c, d) + (A(c) + A(d)) log(u(c) + u(d)) - A(c) log u(c) - A(d) log u(d),
 *
 * where A(c) counts the neighbours of c that are current classes, on both sides, and G is a sum of
 * f(a) + f(b) - f(a + b) with f(n) = n log n over counts a of c and b of d with a common neighbour.
 * G changes only for pairs with both counts, which are few for most words. Memory: 24 bytes per
 * pair of slots.
 */
export class MergeLosses {
  /** Number of slots for classes. */
  readonly slots: number;
  /** n(c, d) at `c * slots + d`. */
  readonly pairs: Float64Array;
  /** u(c); 0 for a free slot. */
  readonly seen: Float64Array;
  readonly #fixed: number;
  /** G(c, d), for c < d at `c * slots + d`. */
  readonly #joint: Float64Array;
  /** log(u(c) + u(d)), at the same index. */
  readonly #logSums: Float64Array;
  readonly #near: Float64Array;
  /** A(c) log u(c), by slot. */
  readonly #own: Float64Array;
  readonly #isChanged: Uint8Array;
  /** Mergeable classes, in ascending order. */
  readonly #open: number[] = [];

  /** @param fixed number of leading slots whose classes are never merged */
  constructor(slots: number, fixed: number) {
    this.slots = slots;
    this.#fixed = fixed;
    this.pairs = new Float64Array(slots * slots);
    this.seen = new Float64Array(slots);
    this.#joint = new Float64Array(slots * slots);
    this.#logSums = new Float64Array(slots * slots);
    this.#near = new Float64Array(slots);
    this.#own = new Float64Array(slots);
    this.#isChanged = new Uint8Array(slots);
  }

  /** Mergeable classes, in ascending order. */
  get open(): readonly number[] {
    return this.#open;
  }

  /**
   * Adds a class with its counts in a free slot.
   *
   * @param after counts of each slot, including the class's own, after the class
   * @param before counts of each slot before the class, likewise
   */
  add(slot: number, seen: number, after: Float64Array, before: Float64Array): void {
    const { slots, pairs } = this;
    this.seen[slot] = seen;
    for (let e = 0; e < slots; e += 1) {
      pairs[slot * slots + e] = after[e]!;
      if (e !== slot) pairs[e * slots + slot] = before[e]!;
    }
    this.#changeNeighbour(slot, 1);
    this.#near[slot] = 0;
    for (let e = 0; e < slots; e += 1) {
      const times = after[e]! + before[e]!;
      this.#near[slot]! += times;
      if (e !== slot) this.#near[e]! += times;
    }
    for (let e = 0; e < slots; e += 1) this.#weigh(e);
    if (slot < this.#fixed) return;
    this.#insert(slot);
    this.#renew(slot);
  }

  /** Returns the loss of merging two classes, in nats times N. Cost O(1). */
  loss(a: number, b: number): number {
    const [c, d] = a < b ? [a, b] : [b, a];
    const at = c * this.slots + d;
    const near = this.#near[c]! + this.#near[d]!;
    return this.#joint[at]! + near * this.#logSums[at]! - this.#own[c]! - this.#own[d]!;
  }

  /**
   * Returns the two classes whose merge loses least, and the first such pair on ties. Cost
   * O(slots^2).
   */
  best(): readonly [number, number] {
    const open = this.#open;
    let found = Number.POSITIVE_INFINITY;
    let [first, second] = [-1, -1];
    for (let i = 0; i < open.length; i += 1) {
      const c = open[i]!;
      const row = c * this.slots;
      const near = this.#near[c]!;
      const own = this.#own[c]!;
      for (let j = i + 1; j < open.length; j += 1) {
        const d = open[j]!;
        const logs = (near + this.#near[d]!) * this.#logSums[row + d]!;
        const loss = this.#joint[row + d]! + logs - own - this.#own[d]!;
        if (loss < found) {
          found = loss;
          first = c;
          second = d;
        }
      }
    }
    return [first, second];
  }

  /** Merges the second class into the first, and frees the second slot. */
  merge(into: number, from: number): void {
    const { slots, pairs, seen } = this;
    const changed = this.#touching(from).filter(c => c !== into);
    this.#changeNeighbour(into, -1, changed);
    this.#changeNeighbour(from, -1, changed);
    for (let e = 0; e < slots; e += 1) {
      pairs[into * slots + e]! += pairs[from * slots + e]!;
      pairs[from * slots + e] = 0;
    }
    for (let e = 0; e < slots; e += 1) {
      pairs[e * slots + into]! += pairs[e * slots + from]!;
      pairs[e * slots + from] = 0;
    }
    seen[into]! += seen[from]!;
    seen[from] = 0;
    this.#open.splice(this.#open.indexOf(from), 1);
    this.#near[into]! += this.#near[from]!;
    this.#near[from] = 0;
    this.#weigh(into);
    this.#weigh(from);
    this.#changeNeighbour(into, 1, changed);
    this.#renew(into);
  }

  /**
   * Adds the terms of class pairs with the common neighbour `e` to G, or subtracts them.
   *
   * @param changed classes of which at least one must be in a pair
   */
  #changeNeighbour(e: number, sign: number, changed = this.#touching(e)): void {
    const touching = this.#touching(e);
    const isChanged = this.#isChanged;
    for (const c of changed) isChanged[c] = 1;
    for (const c of touching) {
      if (isChanged[c] === 0) continue;
      for (const d of touching) {
        // Visits a pair of changed classes only once.
        if (d === c || (isChanged[d] === 1 && d < c)) continue;
        this.#changePair(c < d ? c : d, c < d ? d : c, e, sign);
      }
    }
    for (const c of changed) isChanged[c] = 0;
  }

  #changePair(c: number, d: number, e: number, sign: number): void {
    const { slots, pairs } = this;
    const shared =
      joinedLoss(pairs[c * slots + e]!, pairs[d * slots + e]!) +
      joinedLoss(pairs[e * slots + c]!, pairs[e * slots + d]!);
    this.#joint[c * slots + d]! += sign * shared;
  }

  /** Returns the mergeable classes that have `e` as a neighbour. */
  #touching(e: number): number[] {
    const { slots, pairs } = this;
    return this.#open.filter(
      c => c !== e && (pairs[c * slots + e] !== 0 || pairs[e * slots + c] !== 0),
    );
  }

  #weigh(c: number): void {
    const seen = this.seen[c]!;
    this.#own[c] = seen === 0 ? 0 : this.#near[c]! * Math.log(seen);
  }

  /** Recomputes G and the logarithms of a new or changed class. */
  #renew(c: number): void {
    const { slots, seen } = this;
    const neighbours: number[] = [];
    for (let e = 0; e < slots; e += 1) {
      if (this.pairs[c * slots + e] !== 0 || this.pairs[e * slots + c] !== 0) neighbours.push(e);
    }
    for (const d of this.#open) {
      if (d === c) continue;
      const at = c < d ? c * slots + d : d * slots + c;
      this.#joint[at] = this.#jointOf(c, d, neighbours);
      this.#logSums[at] = Math.log(seen[c]! + seen[d]!);
    }
  }

  #jointOf(c: number, d: number, neighbours: readonly number[]): number {
    const { slots, pairs } = this;
    let sum = 0;
    for (const e of neighbours) {
      if (e === c || e === d) continue;
      sum += joinedLoss(pairs[c * slots + e]!, pairs[d * slots + e]!);
      sum += joinedLoss(pairs[e * slots + c]!, pairs[e * slots + d]!);
    }
    const [cc, cd] = [pairs[c * slots + c]!, pairs[c * slots + d]!];
    const [dc, dd] = [pairs[d * slots + c]!, pairs[d * slots + d]!];
    return sum + nLogN(cc) + nLogN(cd) + nLogN(dc) + nLogN(dd) - nLogN(cc + cd + dc + dd);
  }

  #insert(slot: number): void {
    let at = this.#open.length;
    while (at > 0 && this.#open[at - 1]! > slot) at -= 1;
    this.#open.splice(at, 0, slot);
  }
}
