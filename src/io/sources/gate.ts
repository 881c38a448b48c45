import { FlowLedger } from '../../core/delivery/flow-ledger.js';
import { TagstreamError } from '../../core/errors.js';

/** How much may be in flight at a time. */
export interface Budget {
  /** Records. */
  readonly items: number;
  /** Bytes of the input that the records took; default: no bound. */
  readonly bytes?: number | undefined;
}

/**
 * Flow control by credit: what is in flight never exceeds a budget of items and bytes. An item that
 * alone exceeds the budget of bytes is admitted by itself.
 *
 * @example
 * const gate = new Gate({ items: 3, bytes: 100 });
 * gate.take(60);
 * [gate.admits(40), gate.admits(41)] // => [true, false]
 * gate.release(60);
 * gate.admits(1000) // => true
 */
export class Gate {
  /** Items that may be in flight at a time. */
  readonly itemBudget: number;
  readonly #byteBudget: number;
  #items = 0;
  #bytes = 0;
  #releases = 0;
  #waited = 0;
  #closed = false;
  #wanted = 0;
  #wake: (() => void) | undefined;

  /** @throws TagstreamError `config` if a budget is below 1 */
  constructor({ items, bytes = Number.POSITIVE_INFINITY }: Budget) {
    this.itemBudget = atLeastOne(items, 'items');
    this.#byteBudget = atLeastOne(bytes, 'bytes');
  }

  /** Items taken and not yet released. */
  get items(): number {
    return this.#items;
  }

  /** Bytes of these items. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Items released so far. */
  get releases(): number {
    return this.#releases;
  }

  /** Total time for which `opened` has kept its caller waiting. */
  get waitedMilliseconds(): number {
    return this.#waited;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Whether an item of this many bytes may be taken now. */
  admits(bytes: number): boolean {
    if (this.#closed || this.#items === 0) return true;
    const fits = this.#bytes + bytes <= this.#byteBudget && bytes !== Number.POSITIVE_INFINITY;
    return fits && this.#items < this.itemBudget;
  }

  /** Resolves once an item of this many bytes is admitted, or the gate is closed. One caller at a time. */
  async opened(bytes: number): Promise<void> {
    if (this.admits(bytes)) return;
    const start = performance.now();
    this.#wanted = bytes;
    await new Promise<void>(resolve => {
      this.#wake = resolve;
    });
    this.#waited += performance.now() - start;
  }

  take(bytes: number): void {
    this.#items += 1;
    this.#bytes += bytes;
  }

  /** Returns what `take` took to the budget. */
  release(bytes: number): void {
    this.#items -= 1;
    this.#bytes -= bytes;
    this.#releases += 1;
    this.#wakeUp();
  }

  /** Stops all waiting from now on. */
  close(): void {
    this.#closed = true;
    this.#wakeUp();
  }

  #wakeUp(): void {
    if (this.#wake === undefined || !this.admits(this.#wanted)) return;
    const wake = this.#wake;
    this.#wake = undefined;
    wake();
  }
}

function atLeastOne(budget: number, of: string): number {
  if (budget >= 1) return budget;
  throw new TagstreamError('config', `the budget is ${budget} ${of}`, { fix: 'use at least 1' });
}

/** Milliseconds between checks. */
const interval = 1000;
/** Checks without any change after which a stream counts as stuck. */
const patience = 5;

/**
 * Watches a source that waits at its gate: if nothing is released for five seconds while no operator is busy,
 * the holder of the records will not release them on its own. A slow reader of the output counts as busy.
 *
 * Without a ledger it cannot tell what is busy: then it only warns, once.
 *
 * @returns a function that ends the watch
 */
export function watchForStarvation(
  gate: Gate,
  ledger: FlowLedger | undefined,
  onStarved: (error: TagstreamError) => void,
): () => void {
  let before = gate.releases;
  let still = 0;
  // Keeps the process alive: it would end silently if nothing else is left to wait for.
  const timer = setInterval(() => {
    still = gate.releases === before && ledger?.busy !== true ? still + 1 : 0;
    before = gate.releases;
    if (still < patience) return;
    clearInterval(timer);
    const error = starved(gate, ledger ?? new FlowLedger());
    if (ledger === undefined) process.emitWarning(error.message, 'TagstreamWarning');
    else onStarved(error);
  }, interval);
  return () => clearInterval(timer);
}

function starved(gate: Gate, ledger: FlowLedger): TagstreamError {
  const problem = `${gate.items} records (${gate.bytes} bytes) are in flight and none returns: ${ledger.describe(gate.items)}`;
  return new TagstreamError('starved', problem, {
    fix: 'raise the budget above what a stage holds back, or wrap operators that drop or collect items in tracked()',
  });
}
