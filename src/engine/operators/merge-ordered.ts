import {
  from,
  Observable,
  type ObservableInput,
  type OperatorFunction,
  Subject,
  takeUntil,
} from 'rxjs';
import {
  type CountedDelivery,
  countDelivery,
  type Delivery,
  withDelivery,
} from '../core/delivery/delivery.js';
import type { FlowLedger } from '../core/delivery/flow-ledger.js';
import { TagstreamError } from '../core/errors.js';
import { kinds, requireArgument, requireKnown } from '../core/schema/require-argument.js';

/** The concurrency of `mergeOrdered`, and its name. */
export interface MergeOrderedOptions {
  /** Maximum number of items processed at the same time. Default 1. */
  readonly concurrency?: number;
  /** Tracks held items, for a source that waits for deliveries. */
  readonly ledger?: FlowLedger | undefined;
  /** Name for the ledger. Default `mergeOrdered`. */
  readonly name?: string;
}

/** An item that may have a delivery. */
export interface Deliverable {
  readonly delivery?: Delivery;
}

/**
 * Returns `mergeMap` in the order of the input: `project` works on several items at the same time, synchronously or
 * not, and the results are emitted in the order of the items. An item can have any number of results; its delivery is
 * divided among them, and settled at once if there are none.
 *
 * An item that fails is rejected, or ends the stream if it has no delivery; results before the error are emitted.
 * Waiting items keep their credit, so the source's budget limits their number.
 *
 * @example
 * const slow = async item => (await new Promise(done => setTimeout(done, item.ms)), [item]);
 * const items = from([{ ms: 9 }, { ms: 1 }]);
 * const all = items.pipe(mergeOrdered(item => from(slow(item)).pipe(concatAll()), { concurrency: 2 }));
 * (await lastValueFrom(all.pipe(toArray()))).map(item => item.ms) // => [9, 1]
 */
export function mergeOrdered<In extends Deliverable, Out extends object>(
  project: (item: In) => ObservableInput<Out>,
  options: MergeOrderedOptions = {},
): OperatorFunction<In, Out> {
  requireArgument('mergeOrdered: the work', project, kinds.function);
  requireKnown('mergeOrdered', options, ['concurrency', 'ledger', 'name']);
  return source =>
    new Observable(subscriber => {
      const work = new OrderedWork(project, options.concurrency ?? 1, {
        next: output => subscriber.next(output),
        error: error => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
      const leave = options.ledger?.enter(options.name ?? 'mergeOrdered', () => work.holding);
      const left = new Subject<void>();
      // Registered before subscribing, so that a synchronous source can be stopped too.
      subscriber.add(() => {
        left.next();
        work.stop();
        leave?.();
      });
      source.pipe(takeUntil(left)).subscribe({
        next: item => work.add(item),
        error: error => subscriber.error(error),
        complete: () => work.end(),
      });
    });
}

/** The work on one item. */
interface Lane<Out> {
  readonly delivery: CountedDelivery | undefined;
  readonly whole: Delivery | undefined;
  /** Results buffered until the item's turn. */
  readonly outputs: Out[];
  ended: boolean;
}

interface Receiver<Out> {
  next(output: Out): void;
  error(error: unknown): void;
  complete(): void;
}

class OrderedWork<In extends Deliverable, Out extends object> {
  readonly #project: (item: In) => ObservableInput<Out>;
  readonly #concurrency: number;
  readonly #receiver: Receiver<Out>;
  /** Items waiting to be processed. */
  readonly #waiting: In[] = [];
  /** Number of started items in `#waiting`: shifting the array each time would cost its length. */
  #started = 0;
  /** Lanes in the order of the items; outputs of the first are emitted directly. */
  readonly #lanes: Lane<Out>[] = [];
  #underWay = 0;
  #inputEnded = false;
  readonly #left = new Subject<void>();
  #stopped = false;
  #starting = false;
  #emitting = false;

  constructor(
    project: (item: In) => ObservableInput<Out>,
    concurrency: number,
    receiver: Receiver<Out>,
  ) {
    this.#project = project;
    this.#concurrency = concurrency;
    this.#receiver = receiver;
  }

  get holding(): { readonly items: number; readonly busy: boolean } {
    return { items: this.#waitingCount + this.#lanes.length, busy: this.#underWay > 0 };
  }

  add(item: In): void {
    if (this.#underWay < this.#concurrency) this.#start(item);
    else this.#waiting.push(item);
  }

  end(): void {
    this.#inputEnded = true;
    this.#completeIfDone();
  }

  stop(): void {
    this.#stopped = true;
    this.#left.next();
    this.#waiting.length = 0;
    this.#started = 0;
  }

  #start(item: In): void {
    const { delivery: whole } = item;
    const delivery = whole === undefined ? undefined : countDelivery(whole);
    const lane: Lane<Out> = { delivery, whole, outputs: [], ended: false };
    this.#lanes.push(lane);
    this.#underWay += 1;
    let outputs: Observable<Out>;
    try {
      outputs = from(this.#project(item));
    } catch (thrown) {
      this.#fail(lane, thrown);
      return;
    }
    outputs.pipe(takeUntil(this.#left)).subscribe({
      next: output => this.#take(lane, output),
      error: error => this.#fail(lane, error),
      complete: () => this.#finish(lane),
    });
  }

  #take(lane: Lane<Out>, output: Out): void {
    const { delivery, whole } = lane;
    const own = delivery === undefined ? output : withDelivery(output, whole!, delivery.share());
    lane.outputs.push(own);
    if (lane === this.#lanes[0]) this.#passOn();
  }

  #fail(lane: Lane<Out>, thrown: unknown): void {
    const error = TagstreamError.from(thrown, 'stage');
    if (lane.delivery === undefined) {
      this.#receiver.error(error);
      return;
    }
    lane.delivery.share().reject(error);
    this.#finish(lane);
  }

  #finish(lane: Lane<Out>): void {
    lane.ended = true;
    lane.delivery?.close();
    this.#underWay -= 1;
    this.#passOn();
    this.#startWaiting();
    this.#completeIfDone();
  }

  /** Emits the results whose turn it is. Leaves reentrant calls to the emitting loop. */
  #passOn(): void {
    if (this.#emitting) return;
    this.#emitting = true;
    for (let lane = this.#lanes[0]; lane !== undefined && !this.#stopped; lane = this.#lanes[0]) {
      while (lane.outputs.length > 0 && !this.#stopped) this.#receiver.next(lane.outputs.shift()!);
      if (!lane.ended) break;
      this.#lanes.shift();
    }
    this.#emitting = false;
  }

  /** Starts waiting items; loops instead of recursing, because work may end synchronously. */
  #startWaiting(): void {
    if (this.#starting) return;
    this.#starting = true;
    while (this.#waitingCount > 0 && this.#underWay < this.#concurrency && !this.#stopped) {
      this.#start(this.#takeWaiting());
    }
    this.#starting = false;
  }

  get #waitingCount(): number {
    return this.#waiting.length - this.#started;
  }

  #takeWaiting(): In {
    const item = this.#waiting[this.#started]!;
    this.#started += 1;
    if (this.#started >= 1024 && 2 * this.#started >= this.#waiting.length) {
      this.#waiting.splice(0, this.#started);
      this.#started = 0;
    }
    return item;
  }

  #completeIfDone(): void {
    if (this.#inputEnded && this.#lanes.length === 0 && this.#waitingCount === 0) {
      this.#receiver.complete();
    }
  }
}
