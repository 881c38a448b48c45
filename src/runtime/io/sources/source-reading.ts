import type { Subscriber } from 'rxjs';
import type { Position } from '../../../engine/core/delivery/delivery.js';
import type { FlowLedger } from '../../../engine/core/delivery/flow-ledger.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { RunStatus } from '../../../engine/core/run-status.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import { type BadRecord, badRecord } from '../../../formats/bad-records/bad-record.js';
import type { Codec, ReadContext } from '../../../formats/codecs/codec.js';
import type { InputStream } from '../../../formats/reading/open-input.js';
import type { DeadLetters } from '../dead-letters/dead-letters.js';
import { fileTransport } from '../transports/file-transport.js';
import type { Transport, TransportStream } from '../transports/transport.js';
import { type Budget, Gate, watchForStarvation } from './gate.js';
import type { InFlightNote } from './in-flight-note.js';
import { announceIfLarge } from './large-record.js';
import { RecordSelector, type Selection } from './select-records.js';
import { AcknowledgedPrefix, type DeliveryOwner, SourceDelivery } from './source-delivery.js';
import { readable, StreamRecords } from './stream-records.js';
import { waitFor } from './wait-for.js';

/** Default budget of bytes and records: records take several times their bytes in memory. */
const defaultBudget = { items: 10_000, bytes: 4 * 2 ** 20 };

interface ReadingOptions extends DocumentSourceOptions {
  readonly deadLetters: DeadLetters;
}

interface HeldBad {
  readonly bad: BadRecord;
  readonly number: number;
  readonly after: number;
  readonly record: { last: Position; settled: boolean };
  readonly records: StreamRecords;
}

/** One subscription to a document source. */
export class SourceReading implements DeliveryOwner {
  readonly #options: ReadingOptions;
  readonly #subscriber: Subscriber<Document>;
  readonly #gate: Gate;
  readonly #prefix: AcknowledgedPrefix | undefined;
  readonly #transport: Transport;
  #stream: TransportStream | undefined;
  /** Aborted when no more is needed from the transport. */
  readonly #closing = new AbortController();
  /** Whether the stream is a file, whose positions are the same in each run. */
  #isFile = false;
  /** Number of documents read but not yet emitted. */
  #held = 0;
  /** Bad records among the held documents, each to be reported after `after` of them. */
  #heldBad: HeldBad[] = [];
  #reported = 0;
  /** Error of the bad record that ends the run once everything before it is emitted. */
  #failure: unknown;

  constructor(options: ReadingOptions, subscriber: Subscriber<Document>) {
    this.#options = options;
    this.#subscriber = subscriber;
    const { intoLines } = options.codec;
    this.#transport =
      options.transport ?? fileTransport(options.files ?? [], { ...options, intoLines });
    this.#gate = new Gate(budgetOf(options.budget));
    const { onAcknowledged, status } = options;
    this.#prefix = onAcknowledged && new AcknowledgedPrefix(onAcknowledged);
    if (status !== undefined) {
      status.badRecords = options.deadLetters;
      status.gate = this.#gate;
      status.sourceLag = () => this.#transport.lag();
      status.sourceMessages = () => this.#transport.messages?.();
    }
  }

  /** Reads all streams. Never rejects: errors go to the subscriber. */
  async run(): Promise<void> {
    try {
      const { signal, onEnd } = this.#options;
      const selector = new RecordSelector(this.#options.selection);
      const { resumeAfter: after } = this.#options;
      const waited = { signal: this.#closing.signal };
      // Removed when the reading ends, because the signal may outlive many readings.
      signal?.addEventListener('abort', () => this.#closing.abort(), waited);
      const streams = this.#transport
        .open({ after, seeks: this.#canSeek(), budget: this.#gate.itemBudget, ...waited })
        [Symbol.asyncIterator]();
      while (!this.#subscriber.closed && !selector.done && signal?.aborted !== true) {
        const opening = streams.next();
        const next = await waitFor(opening, waited);
        if (next === 'stopped' || next === 'late') {
          // A stream that is opened after all is not read.
          opening.then(
            ({ value }) => value?.close(),
            () => {},
          );
          break;
        }
        if (next.done === true) break;
        await this.#read(next.value, selector);
      }
      this.#closing.abort();
      if (signal?.aborted !== true) onEnd?.();
      this.#subscriber.complete();
    } catch (thrown) {
      // Has no effect after unsubscribing, when the error is only that of the closed file.
      this.#subscriber.error(thrown);
    }
  }

  close(): void {
    this.#gate.close();
    this.#closing.abort();
    this.#stream?.close();
  }

  released(position: Position): void {
    this.#gate.release(sizeOf(position));
  }

  absorbed(delivery: SourceDelivery, next: SourceDelivery): boolean {
    // If no caller asks for the acknowledged position, deliveries need not be distinguished.
    return this.#prefix === undefined || this.#prefix.absorb(delivery, next);
  }

  settled(): void {
    this.#prefix?.advance();
    this.#options.inFlight?.settled();
    this.#options.deadLetters.passed?.advance();
  }

  rejected(
    { position, raw, number }: SourceDelivery,
    error: TagstreamError,
    settle: () => void,
  ): boolean | undefined {
    try {
      return this.#report(badRecord(position, raw, error), number, settle);
    } catch (thrown) {
      this.#subscriber.error(thrown);
      return undefined;
    }
  }

  /** Passes a bad record on. Returns true if it is settled when it is written with its error. */
  #report(bad: BadRecord, number: number, settle: () => void): boolean {
    const { deadLetters } = this.#options;
    deadLetters.add(bad, number);
    const { passed } = deadLetters;
    if (passed?.onPassed === undefined || !deadLetters.passes(bad.error.code)) return false;
    passed.add(number, { bad, settle });
    return true;
  }

  async #read(stream: TransportStream, selector: RecordSelector): Promise<void> {
    const { codec, deadLetters, onBlank } = this.#options;
    this.#stream = stream;
    this.#isFile = stream.left() !== undefined;
    if (this.#subscriber.closed) return stream.close();
    if (stream.cursor === undefined) selector.startFile();
    const { source, offset, line, handled } = stream;
    const records = new StreamRecords(stream, this);
    const isDone = () => selector.done || this.#failure !== undefined;
    let whole = true;
    const context: ReadContext = {
      source,
      from: offset > 0 ? { offset, line } : undefined,
      onBad: bad => this.#onBad(bad, records),
      onBlank: () => onBlank?.(),
      wanted: start => {
        whole &&= !isDone();
        return whole && selector.next() && start >= handled;
      },
      deliver: (position, raw) => this.#deliver(records.placed(position), raw, records),
    };
    const chunks = until(isDone, stream.chunks, this.#options.signal);
    try {
      for await (const documents of readable(codec, stream).read(chunks, context)) {
        await this.#emit(documents);
        await deadLetters.caughtUp();
      }
    } catch (thrown) {
      if (thrown !== inputStopped) throw thrown;
      whole = false;
      stream.close();
    }
    if (this.#failure !== undefined) throw this.#failure;
    // What has not been read is delivered again.
    if (whole) records.done();
  }

  async #emit(documents: readonly Document[]): Promise<void> {
    const { status, inFlight } = this.#options;
    const fromFile = this.#isFile;
    let noted = 0;
    for (const [index, document] of documents.entries()) {
      this.#reportBad(index);
      if (this.#failure !== undefined) throw this.#failure;
      const delivery = document.delivery as SourceDelivery;
      const size = sizeOf(delivery.position);
      // An item that exceeds the budget is admitted when no other item is in flight.
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
      if (this.#stream?.rejected !== undefined) {
        delivery.reject(this.#stream.rejected);
        continue;
      }
      this.#subscriber.next(document);
    }
    this.#held = 0;
    this.#reportBad(Number.POSITIVE_INFINITY);
  }

  /** Waits until there is room. If an idle operator holds the whole budget, the error names it. */
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

  /** Whether reading can begin in the middle of a stream: only if records are lines and none are counted. */
  #canSeek(): boolean {
    const { codec, selection } = this.#options;
    return (
      codec.recordsAreLines &&
      [selection?.split, selection?.limit, selection?.folds].every(part => part === undefined)
    );
  }

  #deliver(position: Position, raw: string, records: StreamRecords): SourceDelivery {
    this.#held += 1;
    const number = this.#options.deadLetters.pass();
    const delivery = new SourceDelivery(position, raw, records.open(), number);
    this.#prefix?.open(delivery);
    this.#options.deadLetters.passed?.open(delivery);
    return delivery;
  }

  #onBad(bad: BadRecord, records: StreamRecords): void {
    const { deadLetters, status } = this.#options;
    if (status !== undefined) status.recordsIn += 1;
    const number = deadLetters.pass();
    const record = { last: records.placed(bad.position), settled: false };
    records.open();
    this.#prefix?.open(record);
    this.#heldBad.push({ bad, number, after: this.#held, record, records });
    if (this.#held === 0) this.#reportBad(0);
  }

  /**
   * Reports bad records once the documents before them have been emitted, so that unreadable records and those rejected
   * by stages are in input order.
   */
  #reportBad(emitted: number): void {
    for (; this.#reported < this.#heldBad.length; this.#reported += 1) {
      const { bad, number, after, record, records } = this.#heldBad[this.#reported]!;
      if (after > emitted || this.#failure !== undefined) return;
      try {
        const settle = () => {
          record.settled = true;
          this.#prefix?.advance();
          records.done();
        };
        if (!this.#report(bad, number, settle)) settle();
      } catch (thrown) {
        this.#failure = thrown;
      }
    }
    this.#heldBad = [];
    this.#reported = 0;
  }
}

function budgetOf(budget: DocumentSourceOptions['budget']): Budget {
  return { ...defaultBudget, ...(typeof budget === 'number' ? { items: budget } : budget) };
}

function quarantined(): TagstreamError {
  return new TagstreamError('quarantined', 'the process died on this record', {
    fix: 'keep the record with --dead-letter and report it',
  });
}

function sizeOf({ start, end }: Position): number {
  return end - start;
}

/** Thrown into a codec, so that it does not make a record of the text after the last line break. */
const inputStopped = Symbol('the input was stopped');

/** Yields chunks until `isDone`, so that no more is read than needed, or until the signal is aborted. */
async function* until(
  isDone: () => boolean,
  chunks: AsyncIterable<Uint8Array>,
  signal = new AbortController().signal,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (isDone()) return;
  const iterator = chunks[Symbol.asyncIterator]();
  for (;;) {
    const coming = iterator.next();
    // The error no longer matters if the input has been stopped in the meantime.
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

/** Options of `documentSource`: the input, and the maximum number of records in flight. */
export interface DocumentSourceOptions {
  /** Files to read one after the other; `-` is the standard input. Gzip is recognized by content. */
  readonly files?: readonly string[] | undefined;
  /** Transport that provides the bytes instead of files. */
  readonly transport?: Transport | undefined;
  readonly codec: Codec;
  /** Dead letters, which the source does not close. Default: the first bad record ends the source with an error. */
  readonly deadLetters?: DeadLetters | undefined;
  /**
   * Maximum number of records in flight, and of their bytes, by default 10,000 and 4 MiB; a number counts records. Must
   * exceed the number that all stages together hold back (batches, shuffle buffers), otherwise the stream gets stuck
   * and ends with an error.
   */
  readonly budget?: number | Partial<Budget> | undefined;
  /** Ledger of the operators that hold records, so that a stalled stream can report the cause. */
  readonly ledger?: FlowLedger | undefined;
  readonly selection?: Selection | undefined;
  /** Position of the last record to skip; everything before it is skipped too. */
  readonly resumeAfter?: Position | undefined;
  /** Called with a record's position whenever all records up to it are acknowledged or rejected. */
  readonly onAcknowledged?: ((position: Position) => void) | undefined;
  /** Called for each skipped blank line. */
  readonly onBlank?: (() => void) | undefined;
  /** Note of the records about to be processed, so that a record that kills the process can be identified. */
  readonly inFlight?: InFlightNote | undefined;
  /** Signal that ends the input when aborted: what has been read by then is still emitted. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the whole input has been emitted, but not if it was ended early. */
  readonly onEnd?: (() => void) | undefined;
  /** Receives counts of records read, and functions that return the numbers in flight and left. */
  readonly status?: RunStatus | undefined;
  /** Stream that replaces the standard input of the process. */
  readonly stdin?: InputStream | undefined;
}

/** Names of the options of a source. */
export const sourceOptionNames = [
  ...['files', 'transport', 'codec', 'deadLetters', 'budget', 'ledger', 'selection', 'signal'],
  ...['resumeAfter', 'onAcknowledged', 'onBlank', 'inFlight', 'onEnd', 'status', 'stdin'],
];
