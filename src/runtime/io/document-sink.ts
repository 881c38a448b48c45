import type { Observable, Subscription } from 'rxjs';
import type { Delivery } from '../../engine/core/delivery/delivery.js';
import type { FlowLedger, Holding } from '../../engine/core/delivery/flow-ledger.js';
import { TagstreamError } from '../../engine/core/errors.js';
import type { RunStatus } from '../../engine/core/run-status.js';
import { kinds, requireArgument } from '../../engine/core/schema/require-argument.js';
import type { TaggedDocument } from '../../engine/core/sentence/tagged-document.js';
import type { PassedRecord } from '../../formats/bad-records/passed-records.js';
import type { Codec, WriteOptions } from '../../formats/codecs/codec.js';
import type { DeadLetters } from './dead-letters/dead-letters.js';
import { SourceDelivery } from './sources/source-delivery.js';
import { endOutput, type Output } from './writing/open-output.js';

/** Maximum number of characters collected before they are passed to the output. */
const batchSize = 65_536;

/**
 * Writes tagged documents in order, and commits the output at the end.
 *
 * Lines are collected up to 64 KiB, or until the event loop's next turn. A delivery is released and acknowledged when
 * the output has accepted its line. A document that the format cannot represent is rejected. Bad records are written
 * with their error, in order, if the policy of `hooks.deadLetters` is to pass them. If the reader of the output closes
 * it (EPIPE), writing ends without an error.
 *
 * @returns the number of records that the output has accepted
 * @throws (rejects with) TagstreamError `file` if writing fails, or the error of the stream; earlier records have been
 * written to the standard output, whereas a file is not kept
 * @example
 * const lines = [];
 * const write = (text, done) => done(void lines.push(text));
 * const output = { name: 'memory', write, commit: async () => {}, abort: async () => {} };
 * const documents = of({ document: { id: '1' }, tokens: ['a'], tags: ['X'] });
 * await writeDocuments(documents, output, ndjsonCodec()) // => ({ records: 1 })
 * lines // => ['{"id":"1","tokens":["a"],"tags":["X"]}\n']
 */
export function writeDocuments(
  documents: Observable<TaggedDocument>,
  output: Output,
  codec: Pick<Codec, 'write' | 'writeBad'>,
  options: WriteOptions = {},
  hooks: WriteHooks = {},
): Promise<{ records: number }> {
  requireArgument('writeDocuments: the documents', documents, kinds.observable);
  requireArgument('writeDocuments: the output', output, kinds.output);
  requireArgument('writeDocuments: the codec', codec, kinds.writer);
  return new Promise((resolve, reject) => {
    const writer = new DocumentWriter(output, codec, options, { resolve, reject }, hooks);
    hooks.onFlush?.(() => writer.flush());
    hooks.ledger?.enter('the output', () => writer.holding);
    const { passed } = hooks.deadLetters ?? {};
    if (passed !== undefined && codec.writeBad !== undefined) {
      passed.onPassed = record => writer.pass(record);
    }
    writer.subscribe(documents);
  });
}

/** Callbacks between a sink and its caller. */
export interface WriteHooks {
  /** Called with a function that passes everything collected to the output immediately. */
  readonly onFlush?: (flush: () => void) => void;
  /**
   * Called with the number of records that the output has accepted, after they are acknowledged. If it throws, writing
   * ends.
   */
  readonly onWritten?: ((records: number) => void) | undefined;
  /** Status that counts the records accepted by the output. */
  readonly status?: Pick<RunStatus, 'recordsOut'> | undefined;
  /** Ledger of the records that the output has not yet accepted. */
  readonly ledger?: FlowLedger | undefined;
  /** Dead letters of the source, if bad records are written with their error. */
  readonly deadLetters?: DeadLetters | undefined;
}

interface Outcome {
  resolve(result: { records: number }): void;
  reject(error: unknown): void;
}

class DocumentWriter {
  readonly #output: Output;
  readonly #codec: Pick<Codec, 'write' | 'writeBad'>;
  readonly #options: WriteOptions;
  readonly #outcome: Outcome;
  readonly #hooks: WriteHooks;
  #subscription: Subscription | undefined;
  #text = '';
  #count = 0;
  #deliveries: Delivery[] = [];
  #scheduled = false;
  /** Number of batches not yet confirmed by the output. */
  #underWay = 0;
  /** Number of records in unconfirmed batches. */
  #unconfirmed = 0;
  #records = 0;
  /** Whether no more records are accepted, because the stream or the output has ended or failed. */
  #ended = false;
  #settled = false;
  #failure: unknown;

  constructor(
    output: Output,
    codec: Pick<Codec, 'write' | 'writeBad'>,
    options: WriteOptions,
    outcome: Outcome,
    hooks: WriteHooks,
  ) {
    this.#hooks = hooks;
    this.#output = output;
    this.#codec = codec;
    this.#options = options;
    this.#outcome = outcome;
  }

  subscribe(documents: Observable<TaggedDocument>): void {
    this.#subscription = documents.subscribe({
      next: tagged => this.#add(tagged),
      error: (error: unknown) => this.#end(error),
      complete: () => this.#end(undefined),
    });
    // The output may have failed while a synchronous stream was still being subscribed to.
    if (this.#ended) this.#subscription.unsubscribe();
  }

  get holding(): Holding {
    return { items: this.#count + this.#unconfirmed, busy: this.#underWay > 0 };
  }

  #add(tagged: TaggedDocument): void {
    if (this.#ended) return;
    const { delivery } = tagged.document;
    const { passed } = this.#hooks.deadLetters ?? {};
    if (delivery instanceof SourceDelivery) passed?.before(delivery.number);
    try {
      this.#text += this.#codec.write(tagged, this.#options);
    } catch (thrown) {
      if (thrown instanceof TagstreamError && delivery !== undefined) delivery.reject(thrown);
      else this.#stop(thrown);
      return;
    }
    this.#count += 1;
    if (delivery !== undefined) this.#deliveries.push(delivery);
    if (this.#output.byRecord === true) this.flush(tagged);
    else this.#flushSoon();
  }

  /** Writes a bad record with its error. */
  pass({ bad, settle }: PassedRecord): void {
    if (this.#settled) return;
    this.#text += this.#codec.writeBad!(bad);
    this.#count += 1;
    const { position } = bad;
    this.#deliveries.push({ position, release: () => {}, ack: settle, reject: settle });
    if (!this.#ended) this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#text.length >= batchSize) this.flush();
    else if (!this.#scheduled) this.#schedule();
  }

  #schedule(): void {
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  /** @param record the record to pass on if the batch is a single record */
  flush(record?: TaggedDocument): void {
    if (this.#count === 0) return;
    const text = this.#text;
    const count = this.#count;
    const deliveries = this.#deliveries;
    this.#text = '';
    this.#count = 0;
    this.#deliveries = [];
    this.#underWay += 1;
    this.#unconfirmed += count;
    const done = (error?: unknown) => this.#written(count, deliveries, error);
    this.#output.write(text, done, record);
  }

  #written(count: number, deliveries: readonly Delivery[], error: unknown): void {
    this.#underWay -= 1;
    this.#unconfirmed -= count;
    if (error === undefined) {
      this.#records += count;
      const { status } = this.#hooks;
      if (status !== undefined) status.recordsOut += count;
      for (const delivery of deliveries) {
        delivery.release();
        delivery.ack();
      }
      this.#reportWritten(count);
    } else if (this.#output.byRecord === true && isTooLarge(error)) {
      for (const delivery of deliveries) delivery.reject(error);
    } else if (this.#failure === undefined) {
      this.#stop(error);
    }
    this.#settleIfDone();
  }

  #reportWritten(count: number): void {
    try {
      this.#hooks.onWritten?.(count);
    } catch (thrown) {
      this.#stop(thrown);
    }
  }

  /** Stops accepting documents because of an error on this side. */
  #stop(error: unknown): void {
    this.#subscription?.unsubscribe();
    this.#end(error);
  }

  #end(failure: unknown): void {
    this.#failure ??= failure;
    this.#ended = true;
    this.#hooks.deadLetters?.passed?.before(Number.POSITIVE_INFINITY);
    this.flush();
    this.#settleIfDone();
  }

  #settleIfDone(): void {
    if (!this.#ended || this.#settled || this.#underWay > 0) return;
    this.#settled = true;
    const { resolve, reject } = this.#outcome;
    endOutput(this.#output, this.#failure).then(() => resolve({ records: this.#records }), reject);
  }
}

/** Whether an error means that an output cannot accept a record because of its size, but can accept others. */
export function isTooLarge(error: unknown): error is TagstreamError {
  return error instanceof TagstreamError && error.code === 'too-large';
}
