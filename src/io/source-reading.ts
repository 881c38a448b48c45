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
import { sourceLag } from './source-lag.js';

const defaultBudget = 10_000;

/** One subscription to a document source. */
export class SourceReading implements DeliveryOwner {
  readonly #options: DocumentSourceOptions;
  readonly #subscriber: Subscriber<Document>;
  readonly #gate: Gate;
  readonly #prefix: AcknowledgedPrefix | undefined;
  #input: Input | undefined;
  /** Files after the open one. */
  #ahead: readonly string[];
  /** The bad record that ends the run, until the documents before it are emitted. */
  #failure: unknown;

  constructor(options: DocumentSourceOptions, subscriber: Subscriber<Document>) {
    this.#options = options;
    this.#subscriber = subscriber;
    this.#ahead = options.files;
    this.#gate = new Gate(options.budget ?? defaultBudget);
    const { onAcknowledged, status } = options;
    this.#prefix = onAcknowledged && new AcknowledgedPrefix(onAcknowledged);
    if (status !== undefined) {
      status.badRecords = options.deadLetters;
      status.sourceLag = () => sourceLag(this.#input, this.#ahead);
    }
  }

  /** Never rejects: errors go to the subscriber. */
  async run(): Promise<void> {
    try {
      const selector = new RecordSelector(this.#options.selection);
      const { files, resumeAfter } = this.#options;
      const first = resumeAfter === undefined ? 0 : findFile(files, resumeAfter);
      for (const [index, path] of files.slice(first).entries()) {
        if (this.#subscriber.closed || selector.done) break;
        this.#ahead = files.slice(first + index + 1);
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

  rejected(position: Position, raw: string, error: TagstreamError): void {
    try {
      this.#options.deadLetters.add(badRecord(position, raw, error));
    } catch (thrown) {
      this.#subscriber.error(thrown);
    }
  }

  async #readFile(
    path: string,
    selector: RecordSelector,
    resumeAfter: Position | undefined,
  ): Promise<void> {
    const { codec, stdin, onBlank, status } = this.#options;
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
      for (const document of documents) {
        if (this.#gate.isFull) await this.#gate.opened();
        if (this.#subscriber.closed) return;
        this.#gate.take();
        if (status !== undefined) status.recordsIn += 1;
        this.#subscriber.next(document);
      }
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
    const delivery = new SourceDelivery(position, raw, this);
    this.#prefix?.open(delivery);
    return delivery;
  }

  #onBad(bad: BadRecord): void {
    const { deadLetters, status } = this.#options;
    if (status !== undefined) status.recordsIn += 1;
    try {
      deadLetters.add(bad);
      this.#prefix?.open({ position: bad.position, settled: true });
      this.#prefix?.advance();
    } catch (thrown) {
      this.#failure = thrown;
    }
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
