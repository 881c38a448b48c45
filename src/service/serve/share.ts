import { TagstreamError } from '../../engine/core/errors.js';
import { Problem } from '../../runtime/http/problem.js';

/** A request that holds a share of something, such as memory. */
export interface Holder {
  /** Token or address of the client; undefined if it is not known. */
  readonly client: string | undefined;
  /** When the client last sent or took something, by the clock of the share; infinity while the service is at work. */
  activeAt: number;
  /** Ends the request, as its client is idle while others wait. Its share is free already. */
  giveWay(): void;
}

export interface ShareOptions {
  /** What the amounts are, for errors: `bytes without an answer`. */
  readonly what: string;
  /** Maximum total amount. */
  readonly most: number;
  /** Maximum amount of one client. */
  readonly mostOfClient: number;
  /** Time after which an idle holder gives way. */
  readonly yieldAfter: number;
  /** The clock. Default: `performance.now`. */
  readonly now?: (() => number) | undefined;
  /** Called with the total amount when it has changed. */
  readonly onChange?: ((used: number) => void) | undefined;
}

/**
 * What requests share, limited in total and for each client. If there is no room for a request, those whose clients
 * have been idle for long give way, beginning with the longest; within a client's limit, only its own. A holder alone
 * may exceed the limits.
 *
 * @example
 * const share = new Share({ what: 'streams', most: 2, mostOfClient: 1, yieldAfter: 1000, now: () => 0 });
 * const holder = client => ({ client, activeAt: 0, giveWay: () => undefined });
 * share.take(holder('a'), 1);
 * (() => { try { share.take(holder('a'), 1); } catch (problem) { return problem.error.code; } })() // => 'busy'
 * share.take(holder('b'), 1);
 * share.used // => 2
 */
export class Share {
  readonly #options: ShareOptions;
  readonly #amounts = new Map<Holder, number>();
  readonly #ofClients = new Map<string, number>();
  #used = 0;

  constructor(options: ShareOptions) {
    this.#options = options;
  }

  /** Total amount. */
  get used(): number {
    return this.#used;
  }

  /** The time, by the clock of the share. */
  get now(): number {
    return (this.#options.now ?? (() => performance.now()))();
  }

  /**
   * Adds an amount to the share of a holder.
   *
   * @throws Problem `busy` if there is no room
   */
  take(holder: Holder, amount: number): void {
    const { what, most, mostOfClient } = this.#options;
    const { client } = holder;
    const own = () => this.#amounts.get(holder) ?? 0;
    const isOver = (used: number, limit: number) => used > own() && used + amount > limit;
    if (client !== undefined) {
      const used = () => this.#ofClients.get(client) ?? 0;
      while (isOver(used(), mostOfClient)) {
        if (this.#freeIdle(holder, client)) continue;
        throw busy(`its client has ${used()} ${what}, of at most ${mostOfClient}`);
      }
    }
    while (isOver(this.#used, most)) {
      if (!this.#freeIdle(holder)) throw busy(`${this.#used} ${what}, of at most ${most}`);
    }
    this.#add(holder, own() + amount);
  }

  /** Takes an amount from the share of a holder, or all of it. */
  free(holder: Holder, amount = Number.POSITIVE_INFINITY): void {
    const own = this.#amounts.get(holder);
    if (own !== undefined) this.#add(holder, Math.max(0, own - amount));
  }

  #add(holder: Holder, amount: number): void {
    const change = amount - (this.#amounts.get(holder) ?? 0);
    if (amount === 0) this.#amounts.delete(holder);
    else this.#amounts.set(holder, amount);
    const { client } = holder;
    if (client !== undefined) {
      const used = (this.#ofClients.get(client) ?? 0) + change;
      if (used === 0) this.#ofClients.delete(client);
      else this.#ofClients.set(client, used);
    }
    this.#used += change;
    this.#options.onChange?.(this.#used);
  }

  /** Lets the holder that has been idle longest give way; returns whether there was one. */
  #freeIdle(asking: Holder, client?: string): boolean {
    let longest: Holder | undefined;
    for (const holder of this.#amounts.keys()) {
      if (holder === asking || (client !== undefined && holder.client !== client)) continue;
      if (longest === undefined || holder.activeAt < longest.activeAt) longest = holder;
    }
    if (longest === undefined || this.now - longest.activeAt < this.#options.yieldAfter) {
      return false;
    }
    this.free(longest);
    longest.giveWay();
    return true;
  }
}

/**
 * Returns the problem of a service that has no room for a request.
 *
 * @param wait milliseconds after which the client may try again
 */
export function busy(reason: string, wait = 1000): Problem {
  const error = new TagstreamError('busy', `the service is overloaded: ${reason}`, {
    fix: 'try again later',
  });
  return new Problem(error, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(wait / 1000))) },
  });
}
