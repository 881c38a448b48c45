/** Which classes were merged, from single classes up to one. */
export class ClusterTree {
  /** The node that stands for a slot, or the slot's own number below `#slots`. */
  readonly #nodes: number[];
  readonly #slots: number;
  readonly #children: (readonly [number, number])[] = [];

  constructor(slots: number) {
    this.#slots = slots;
    this.#nodes = Array.from({ length: slots }, (_, slot) => slot);
  }

  /** Two classes become one, which is in slot `zero` from then on. */
  merge(zero: number, one: number): void {
    this.#children.push([this.#nodes[zero]!, this.#nodes[one]!]);
    this.#nodes[zero] = this.#slots + this.#children.length - 1;
  }

  /** The path from the last merge down to each slot, `0` for the first of two, `1` for the second. */
  paths(): string[] {
    const paths: string[] = new Array(this.#slots).fill('');
    const inner: string[] = new Array(this.#children.length).fill('');
    for (let node = this.#children.length - 1; node >= 0; node -= 1) {
      for (const [bit, child] of this.#children[node]!.entries()) {
        const path = `${inner[node]}${bit}`;
        if (child < this.#slots) paths[child] = path;
        else inner[child - this.#slots] = path;
      }
    }
    return paths;
  }
}
