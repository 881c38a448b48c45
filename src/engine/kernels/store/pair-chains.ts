/**
 * The label pairs kept for each edge feature, as one chain of slots per feature: `heads[feature]` is
 * the first slot or -1, `next[slot]` the following one. A slot holds the weight of one (feature,
 * from, to).
 */
export class PairChains {
  heads: Int32Array = new Int32Array(16).fill(-1);
  from: Uint32Array = new Uint32Array(16);
  to: Uint32Array = new Uint32Array(16);
  next: Int32Array = new Int32Array(16);
  /** Number of pairs in each feature's chain. */
  lengths: Uint32Array = new Uint32Array(16);
  #size = 0;

  /** Number of slots in use. */
  get size(): number {
    return this.#size;
  }

  /** Makes room for `count` features. */
  reserveFeatures(count: number): void {
    if (count <= this.heads.length) return;
    const heads = new Int32Array(Math.max(count, this.heads.length * 2)).fill(-1);
    heads.set(this.heads);
    this.heads = heads;
    this.lengths = copied(this.lengths, new Uint32Array(heads.length));
  }

  /**
   * Returns the slot of (feature, from, to); adds it if it is missing. Cost O(length of the
   * feature's chain).
   */
  add(feature: number, from: number, to: number): number {
    this.reserveFeatures(feature + 1);
    let last = -1;
    for (let slot = this.heads[feature]!; slot >= 0; slot = this.next[slot]!) {
      if (this.from[slot] === from && this.to[slot] === to) return slot;
      last = slot;
    }
    const slot = this.#size;
    this.#reserve(slot + 1);
    this.#size = slot + 1;
    this.from[slot] = from;
    this.to[slot] = to;
    this.next[slot] = -1;
    if (last < 0) this.heads[feature] = slot;
    else this.next[last] = slot;
    this.lengths[feature]! += 1;
    return slot;
  }

  /** Restores saved chains. */
  restore(saved: {
    heads: Int32Array;
    from: Uint32Array;
    to: Uint32Array;
    next: Int32Array;
  }): void {
    this.heads = saved.heads.slice();
    this.from = saved.from.slice();
    this.to = saved.to.slice();
    this.next = saved.next.slice();
    this.#size = saved.from.length;
    this.lengths = Uint32Array.from(this.heads, head => {
      let length = 0;
      for (let slot = head; slot >= 0; slot = this.next[slot]!) length += 1;
      return length;
    });
  }

  #reserve(slots: number): void {
    if (slots <= this.from.length) return;
    const capacity = Math.max(slots, this.from.length * 2);
    this.from = copied(this.from, new Uint32Array(capacity));
    this.to = copied(this.to, new Uint32Array(capacity));
    this.next = copied(this.next, new Int32Array(capacity));
  }
}

function copied<A extends Uint32Array | Int32Array>(old: A, fresh: A): A {
  fresh.set(old);
  return fresh;
}
