import type { Subscriber } from 'rxjs';
import type { Position } from '../core/delivery.js';
import type { Document } from '../core/document.js';
import { TagstreamError } from '../core/errors.js';
import { AcknowledgedPrefix } from './acknowledged-prefix.js';
import { type BadRecord, badRecord } from './bad-record.js';
import type { ReadContext } from './codec.js';
import type { DocumentSourceOptions } from './document-source-options.js';
import { Gate } from './gate.js';
import { type Input, openInput, sourceName } from './open-input.js';
import { RecordSelector } from './select-records.js';
import { type DeliveryOwner, SourceDelivery } from './source-delivery.js';

const defaultBudget = 10_000;

interface HeldBad {
  readonly bad: BadRecord;
  readonly number: number;
  readonly after: number;
  readonly record: { readonly position: Position; settled: boolean };
}

/** One subscription to a document source. */
export class SourceReading implements DeliveryOwner {
  readonly #options: DocumentSourceOptions;
  readonly #subscriber: Subscriber<Document>;
  readonly #gate: Gate;
  readonly #prefix: AcknowledgedPrefix | undefined;
  #input: Input | undefined;
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
    this.#gate = new Gate(options.budget ?? defaultBudget);
    const { onAcknowledged } = options;
    this.#prefix = onAcknowledged && new AcknowledgedPrefix(onAcknowledged);
  }

  /** Never rejects: errors go to the subscriber. */
  async run(): Promise<void> {
    try {
      const selector = new RecordSelector(this.#options.selection);
      const { files, resumeAfter } = this.#options;
      const first = resumeAfter === undefined ? 0 : findFile(files, resumeAfter);
      for (const [index, path] of files.slice(first).entries()) {
        if (this.#subscriber.closed || selector.done) break;
        selector.startFile();
        await this.#readFile(path, selector, index === 0 ? resumeAfter : undefined);
      }
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

  released(): void {
    this.#gate.release();
  }

  settled(): void {
    this.#prefix?.advance();
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
    const { codec, stdin, onBlank } = this.#options;
    const start = this.#canSeek() ? resumeAfter?.end : undefined;
    const input = await openInput(path, { stdin, start });
    this.#input = input;
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
    for await (const documents of codec.read(until(isDone, input.chunks), context)) {
      for (const [index, document] of documents.entries()) {
        this.#tellBad(index);
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#gate.isFull) await this.#gate.opened();
        if (this.#subscriber.closed) return;
        this.#gate.take();
        this.#subscriber.next(document);
      }
      this.#held = 0;
      this.#tellBad(Number.POSITIVE_INFINITY);
    }
    if (this.#failure !== undefined) throw this.#failure;
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
    const number = this.#options.deadLetters.pass();
    const record = { position: bad.position, settled: false };
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

function findFile(files: readonly string[], { source, line }: Position): number {
  const index = files.findIndex(path => sourceName(path) === source);
  if (index >= 0) return index;
  throw new TagstreamError('checkpoint', 'the run to be resumed was reading a file not given now', {
    place: { source, line },
    fix: 'give the same files in the same order',
  });
}

/** The chunks until `isDone`, so that nothing more is read than is needed. */
async function* until(
  isDone: () => boolean,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (isDone()) return;
  for await (const chunk of chunks) {
    yield chunk;
    if (isDone()) return;
  }
}
