/** Items that an operator or a sink has in flight. */
export interface Holding {
  /** Number of items. */
  readonly items: number;
  /**
   * Whether the holder is working on the items or waiting for an external answer, so that holding
   * them is normal.
   */
  readonly busy: boolean;
}

/**
 * Records which operators and sinks hold items between a source and a sink. They register
 * themselves. A source with an exhausted budget checks whether any of them is busy, and otherwise
 * names the holders.
 *
 * @example
 * const ledger = new FlowLedger();
 * ledger.enter('batch', () => ({ items: 3, busy: false }));
 * [ledger.busy, ledger.describe(5)] // => [false, 'batch holds 3, untracked operators hold 2']
 */
export class FlowLedger {
  readonly #holders = new Map<() => Holding, string>();

  /** Registers a holder under a name. Returns a function that removes it. */
  enter(name: string, holding: () => Holding): () => void {
    this.#holders.set(holding, name);
    return () => this.#holders.delete(holding);
  }

  /** Whether any holder is working on its items. */
  get busy(): boolean {
    return [...this.#holders.keys()].some(holding => holding().busy);
  }

  /** Describes how many of the `total` items in flight each operator holds. */
  describe(total: number): string {
    const parts: string[] = [];
    let known = 0;
    for (const [holding, name] of this.#holders) {
      const { items } = holding();
      known += items;
      if (items > 0) parts.push(`${name} holds ${items}`);
    }
    const rest = total - known;
    if (rest > 0) parts.push(`untracked operators hold ${rest}`);
    return parts.join(', ');
  }
}
