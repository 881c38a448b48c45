import { FlowLedger } from '../../../engine/core/delivery/flow-ledger.js';
import { TagstreamError } from '../../../engine/core/errors.js';

/** Maximum amounts that may be in flight. */
export interface Budget {
  /** Maximum number of records. */
  readonly items: number;
  /** Maximum number of input bytes of the records; default: no limit. */
  readonly bytes?: number | undefined;
}

/**
 * Flow control by credit: items in flight never exceed a budget of items and bytes. An item that exceeds the byte
 * budget is admitted when no other item is in flight.
 *
 * @example
 * const gate = new Gate({ items: 3, bytes: 100 });
 * gate.take(60);
 * [gate.admits(40), gate.admits(41)] // => [true, false]
 * gate.release(60);
 * gate.admits(1000) // => true
 */
export class Gate {
  /** Maximum number of items in flight. */
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

  /** Number of items taken and not yet released. */
  get items(): number {
    return this.#items;
  }

  /** Number of bytes of these items. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of items released so far. */
  get releases(): number {
    return this.#releases;
  }

  /** Total milliseconds for which `opened` has kept its caller waiting. */
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

  /** Returns to the budget what `take` took. */
  release(bytes: number): void {
    this.#items -= 1;
    this.#bytes -= bytes;
    this.#releases += 1;
    this.#wakeUp();
  }

  /** Ends all current and later waiting. */
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
/** Number of checks without any change after which a stream counts as stuck. */
const patience = 5;

/**
 * Watches a source that waits at its gate: if nothing is released for five seconds while no operator is busy,
 * the holder of the records will not release them on its own. A slow reader of the output counts as busy.
 *
 * Without a ledger, the busy operators are unknown, so that it only warns, once.
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
  // Keeps the process alive, which would otherwise end silently if nothing else is pending.
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
