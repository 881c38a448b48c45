import type { Subscriber } from 'rxjs';
import type { Position } from '../core/delivery.js';
import type { Document } from '../core/document.js';
import { TagstreamError } from '../core/errors.js';
import { AcknowledgedPrefix } from './acknowledged-prefix.js';
import { type BadRecord, badRecord } from './bad-record.js';
import type { ReadContext } from './codec.js';
import type { DocumentSourceOptions } from './document-source-options.js';
import { type Budget, Gate } from './gate.js';
import { announceIfLarge } from './large-record.js';
import { type Input, openInput, sourceName } from './open-input.js';
import { RecordSelector } from './select-records.js';
import { type DeliveryOwner, SourceDelivery } from './source-delivery.js';
import { sourceLag } from './source-lag.js';
import { watchForStarvation } from './starvation.js';
import { waitFor } from './wait-for.js';

/** Records take several times their bytes in memory. */
const defaultBudget = { items: 10_000, bytes: 4 * 2 ** 20 };

interface HeldBad {
  readonly bad: BadRecord;
  readonly number: number;
  readonly after: number;
  readonly record: { last: Position; settled: boolean };
}

/** One subscription to a document source. */
export class SourceReading implements DeliveryOwner {
  readonly #options: DocumentSourceOptions;
  readonly #subscriber: Subscriber<Document>;
  readonly #gate: Gate;
  readonly #prefix: AcknowledgedPrefix | undefined;
  #input: Input | undefined;
  /** Whether the input is a file, which has the same positions in each run. */
  #isFile = false;
  /** Files after the open one. */
  #ahead: readonly string[];
  /** Documents that were read and are not emitted yet. */
  #held = 0;
  /** Bad records among them, each to be told after `after` of these documents. */
  #heldBad: HeldBad[] = [];
  #told = 0;
  /** Why a bad record ends the run, all before it being emitted. */
  #failure: unknown;

  constructor(options: DocumentSourceOptions, subscriber: Subscriber<Document>) {
    this.#options = options;
    this.#subscriber = subscriber;
    this.#ahead = options.files;
    this.#gate = new Gate(budgetOf(options.budget));
    const { onAcknowledged, status } = options;
    this.#prefix = onAcknowledged && new AcknowledgedPrefix(onAcknowledged);
    if (status !== undefined) {
      status.badRecords = options.deadLetters;
      status.gate = this.#gate;
      status.sourceLag = () => sourceLag(this.#input, this.#ahead);
    }
  }

  /** Never rejects: errors go to the subscriber. */
  async run(): Promise<void> {
    try {
      const { signal, onEnd } = this.#options;
      const selector = new RecordSelector(this.#options.selection);
      const { files, resumeAfter } = this.#options;
      const first = resumeAfter === undefined ? 0 : findFile(files, resumeAfter);
      for (const [index, path] of files.slice(first).entries()) {
        if (this.#subscriber.closed || selector.done || signal?.aborted === true) break;
        this.#ahead = files.slice(first + index + 1);
        selector.startFile();
        await this.#readFile(path, selector, index === 0 ? resumeAfter : undefined);
      }
      if (signal?.aborted !== true) onEnd?.();
      this.#subscriber.complete();
    } catch (thrown) {
      // After unsubscribing this does nothing; the error is then only that of the closed file.
      this.#subscriber.error(thrown);
    }
  }

  close(): void {
    this.#gate.close();
    this.#input?.close();
  }

  released(position: Position): void {
    this.#gate.release(sizeOf(position));
  }

  absorbed(delivery: SourceDelivery, next: SourceDelivery): boolean {
    // Where nobody asks how far all is acknowledged, there is nothing to tell apart.
    return this.#prefix === undefined || this.#prefix.absorb(delivery, next);
  }

  settled(): void {
    this.#prefix?.advance();
    this.#options.inFlight?.settled();
  }

  rejected(position: Position, raw: string, error: TagstreamError, number: number): void {
    try {
      this.#options.deadLetters.add(badRecord(position, raw, error), number);
    } catch (thrown) {
      this.#subscriber.error(thrown);
    }
  }

  async #readFile(
    path: string,
    selector: RecordSelector,
    resumeAfter: Position | undefined,
  ): Promise<void> {
    const { codec, deadLetters, stdin, onBlank } = this.#options;
    const start = this.#canSeek() ? resumeAfter?.end : undefined;
    const input = await openInput(path, { stdin, start });
    this.#input = input;
    this.#isFile = input.left() !== undefined;
    if (this.#subscriber.closed) return input.close();
    const passed = resumeAfter?.end ?? 0;
    const isDone = () => selector.done || this.#failure !== undefined;
    const context: ReadContext = {
      source: input.source,
      from: input.offset > 0 ? { offset: input.offset, line: resumeAfter!.line } : undefined,
      onBad: bad => this.#onBad(bad),
      onBlank: () => onBlank?.(),
      wanted: offset => !isDone() && selector.next() && offset >= passed,
      deliver: (position, raw) => this.#deliver(position, raw),
    };
    const chunks = until(isDone, input.chunks, this.#options.signal);
    try {
      for await (const documents of codec.read(chunks, context)) {
        await this.#emit(documents);
        await deadLetters.caughtUp();
      }
    } catch (thrown) {
      if (thrown !== inputStopped) throw thrown;
      input.close();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #emit(documents: readonly Document[]): Promise<void> {
    const { status, inFlight } = this.#options;
    const fromFile = this.#isFile;
    let noted = 0;
    for (const [index, document] of documents.entries()) {
      this.#tellBad(index);
      if (this.#failure !== undefined) throw this.#failure;
      const delivery = document.delivery as SourceDelivery;
      const size = sizeOf(delivery.position);
      // What is above any budget is admitted when nothing else is in flight.
      const room = inFlight?.alone === true ? Number.POSITIVE_INFINITY : size;
      if (!this.#gate.admits(room)) await this.#admitted(room);
      if (this.#subscriber.closed) return;
      this.#gate.take(size);
      announceIfLarge(size);
      if (status !== undefined) status.recordsIn += 1;
      if (inFlight !== undefined && index === noted) {
        noted += inFlight.begin(delivery, fromFile, documents.length - index);
      }
      if (inFlight?.isQuarantined(delivery, fromFile) === true) {
        delivery.reject(quarantined());
        continue;
      }
      this.#subscriber.next(document);
    }
    this.#held = 0;
    this.#tellBad(Number.POSITIVE_INFINITY);
  }

  /** Waits until there is room. Whoever holds all of the budget and does nothing is named. */
  async #admitted(size: number): Promise<void> {
    const unwatch = watchForStarvation(this.#gate, this.#options.ledger, error => {
      this.#subscriber.error(error);
      this.close();
    });
    try {
      await this.#gate.opened(size);
    } finally {
      unwatch();
    }
  }

  /** Only where records are lines and none is counted, reading can begin in the middle. */
  #canSeek(): boolean {
    const { codec, selection } = this.#options;
    return (
      codec.recordsAreLines && selection?.split === undefined && selection?.limit === undefined
    );
  }

  #deliver(position: Position, raw: string): SourceDelivery {
    this.#held += 1;
    const number = this.#options.deadLetters.pass();
    const delivery = new SourceDelivery(position, raw, this, number);
    this.#prefix?.open(delivery);
    return delivery;
  }

  #onBad(bad: BadRecord): void {
    const { deadLetters, status } = this.#options;
    if (status !== undefined) status.recordsIn += 1;
    const number = deadLetters.pass();
    const record = { last: bad.position, settled: false };
    this.#prefix?.open(record);
    this.#heldBad.push({ bad, number, after: this.#held, record });
    if (this.#held === 0) this.#tellBad(0);
  }

  /**
   * Bad records have their turn when the documents before them have been emitted, so that what stages
   * reject comes in the order of the input with what cannot be read.
   */
  #tellBad(emitted: number): void {
    for (; this.#told < this.#heldBad.length; this.#told += 1) {
      const { bad, number, after, record } = this.#heldBad[this.#told]!;
      if (after > emitted || this.#failure !== undefined) return;
      try {
        this.#options.deadLetters.add(bad, number);
        record.settled = true;
        this.#prefix?.advance();
      } catch (thrown) {
        this.#failure = thrown;
      }
    }
    this.#heldBad = [];
    this.#told = 0;
  }
}

function budgetOf(budget: DocumentSourceOptions['budget']): Budget {
  return { ...defaultBudget, ...(typeof budget === 'number' ? { items: budget } : budget) };
}

function quarantined(): TagstreamError {
  return new TagstreamError('quarantined', 'the process died while it was at work on this record', {
    fix: 'keep the record with --dead-letter, and report it',
  });
}

function sizeOf({ start, end }: Position): number {
  return end - start;
}

function findFile(files: readonly string[], { source, line }: Position): number {
  const index = files.findIndex(path => sourceName(path) === source);
  if (index >= 0) return index;
  throw new TagstreamError('checkpoint', 'the run to be resumed was reading a file not given now', {
    place: { source, line },
    fix: 'give the same files in the same order',
  });
}

/** Thrown into a codec, so that it makes no record of what stands after the last line end. */
const inputStopped = Symbol('the input was stopped');

/** The chunks until `isDone`, so that nothing more is read than is needed, or until the signal. */
async function* until(
  isDone: () => boolean,
  chunks: AsyncIterable<Uint8Array>,
  signal = new AbortController().signal,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (isDone()) return;
  const iterator = chunks[Symbol.asyncIterator]();
  for (;;) {
    const coming = iterator.next();
    // Its error is nobody's any more where the input was stopped meanwhile.
    coming.catch(() => undefined);
    const next = await waitFor(coming, { signal });
    if (next === 'stopped' || next === 'late') throw inputStopped;
    if (next.done === true) return;
    yield next.value;
    if (isDone()) {
      await iterator.return?.();
      return;
    }
  }
}
