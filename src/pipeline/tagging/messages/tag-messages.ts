import type { Position } from '../../../core/delivery/delivery.js';
import { TagstreamError } from '../../../core/errors.js';
import type { RunStatus } from '../../../core/run-status.js';
import { badRecord } from '../../../io/bad-records/bad-record.js';
import type { Codec } from '../../../io/codecs/codec.js';
import type { DeadLetters } from '../../../io/dead-letters/dead-letters.js';
import { waitFor } from '../../../io/sources/wait-for.js';
import type { Transport, TransportStream } from '../../../io/transports/transport.js';
import type { MessageWriter } from '../../../plugins/messages.js';
import { receivedBad, sentBad } from '../../blocks/bad-in-block.js';
import { BlockReading } from '../../blocks/block-reading.js';
import type { BlockTask } from '../../blocks/block-task.js';
import type { TaggedBlock } from '../tagging-task.js';
import { type ResultPiece, resultPieces, singleResults } from './result-pieces.js';

/** A writer that takes the results of records without the records. */
export type PieceWriter = MessageWriter & Required<Pick<MessageWriter, 'sendPiece'>>;

export interface TagMessagesOptions {
  readonly transport: Transport;
  readonly writer: PieceWriter;
  /** Whether all results of a message go out together, or each by itself. */
  readonly together: boolean;
  readonly codec: Codec;
  readonly deadLetters: DeadLetters;
  /** Tags the records of a message, by the newest model. */
  readonly tag: (task: BlockTask) => Promise<TaggedBlock>;
  /** Receives what came of a message when nobody looks at it any more. */
  readonly onWritten?: ((tagged: TaggedBlock) => void) | undefined;
  /** Messages that may be in flight at a time. */
  readonly budget: number;
  /** Its abort ends the input; what has been read is still tagged and sent. */
  readonly signal: AbortSignal;
  readonly onBlank?: ((lines: number) => void) | undefined;
  readonly status?: RunStatus | undefined;
}

/** Bytes of results that wait to be stored, at most, beside those of one message. */
const mostBytes = 16 * 2 ** 20;

/**
 * Tags messages one after the other, each as a block, and sends what comes of them. A message is acknowledged when all
 * its results are durable and its bad records are with the dead letters.
 *
 * A result that is too large for a message is sent record by record; a record whose result is, becomes a bad record.
 *
 * @returns the number of records sent, and whether the input was read to its end
 * @throws (rejects with) what reading, tagging or sending fails with, a bad record's error where the dead letters throw
 *   it: nothing of its message is sent, and it comes again
 */
export async function tagMessages(
  options: TagMessagesOptions,
): Promise<{ records: number; ended: boolean }> {
  const { transport, signal, status, deadLetters, budget } = options;
  const closing = new AbortController();
  const stop = () => closing.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (status !== undefined) {
    status.badRecords = deadLetters;
    status.sourceMessages = () => transport.messages?.();
  }
  const sending = new Sending(options);
  let ended = false;
  try {
    const request = { seeks: false, budget, signal: closing.signal };
    const streams = transport.open(request)[Symbol.asyncIterator]();
    while (!signal.aborted) {
      const next = await waitFor(streams.next(), request);
      if (next === 'stopped' || next === 'late') break;
      ended = next.done === true;
      if (ended) break;
      await sending.take(next.value);
    }
  } finally {
    closing.abort();
    signal.removeEventListener('abort', stop);
    await sending.settled();
  }
  return { records: sending.records, ended };
}

/** Messages that are tagged, on their way out. */
class Sending {
  readonly #options: TagMessagesOptions;
  records = 0;
  #messages = 0;
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;
  #wake = () => {};

  constructor(options: TagMessagesOptions) {
    this.#options = options;
  }

  /** Tags a message, and returns when there is room for the next one. */
  async take(stream: TransportStream): Promise<void> {
    const bytes = await bytesOf(stream);
    const tagged = await this.#tagged(stream, bytes);
    this.#report(stream, tagged);
    await this.#options.deadLetters.caughtUp();
    this.#messages += 1;
    this.#bytes += tagged.output.length;
    this.#sendAll(stream, bytes, tagged)
      .then(
        tooLarge => {
          const records = tagged.records - tooLarge;
          stream.acknowledge?.();
          this.records += records;
          const { status, onWritten } = this.#options;
          if (status !== undefined) status.recordsOut += records;
          onWritten?.(tagged);
        },
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => {
        this.#messages -= 1;
        this.#bytes -= tagged.output.length;
        this.#wake();
      });
    const { budget } = this.#options;
    await this.#until(() => this.#messages < budget && this.#bytes < mostBytes);
  }

  /** @throws (rejects with) the first error of all that was sent */
  async settled(): Promise<void> {
    while (this.#messages > 0) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #until(isSo: () => boolean): Promise<void> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (isSo()) return;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  async #tagged(stream: TransportStream, bytes: Uint8Array<ArrayBuffer>): Promise<TaggedBlock> {
    const { codec, tag } = this.#options;
    const task = { source: stream.source, block: { bytes, offset: 0, line: 1 } };
    return stream.rejected === undefined ? tag(task) : rejectedBlock(task, codec, stream.rejected);
  }

  /** Counts the records of a message, and hands on the bad ones. */
  #report({ cursor }: TransportStream, { read, blank, bad }: TaggedBlock): void {
    const { status, deadLetters, onBlank } = this.#options;
    onBlank?.(blank);
    if (status !== undefined) status.recordsIn += read;
    const before = deadLetters.pass(read) - read;
    for (const record of bad) {
      const { position, ...rest } = receivedBad(record);
      deadLetters.add({ ...rest, position: { ...position, cursor } }, before + record.number);
    }
  }

  /** @returns the number of records whose results are too large to be sent */
  async #sendAll(stream: TransportStream, bytes: Uint8Array, tagged: TaggedBlock): Promise<number> {
    const pieces = resultPieces(bytes, tagged);
    const sent: Promise<number>[] = [];
    for (const piece of pieces) {
      if (!this.#options.together) sent.push(...this.#sendSingly(stream, bytes, piece));
      else {
        const sending = this.#sendPiece(stream, bytes, piece);
        sent.push(sending);
        // One that is too large goes out in parts, before the next.
        if (stream.ordered === true) await sending;
      }
    }
    return sum(await Promise.all(sent));
  }

  async #sendPiece(
    stream: TransportStream,
    bytes: Uint8Array,
    piece: ResultPiece,
  ): Promise<number> {
    try {
      return await this.#send(stream, piece);
    } catch (thrown) {
      if (!isTooLarge(thrown) || !this.#options.codec.recordsAreLines) throw thrown;
      return sum(await Promise.all(this.#sendSingly(stream, bytes, piece)));
    }
  }

  *#sendSingly(stream: TransportStream, bytes: Uint8Array, piece: ResultPiece) {
    for (const single of singleResults(bytes, piece)) {
      yield this.#send(stream, single).catch((thrown: unknown) => {
        if (!isTooLarge(thrown)) throw thrown;
        const position = positionOf(stream, single, bytes);
        const raw = bytes.slice(single.start, single.end);
        this.#options.deadLetters.add(badRecord(position, raw, thrown));
        return 1;
      });
    }
  }

  async #send(stream: TransportStream, piece: ResultPiece): Promise<number> {
    await this.#options.writer.sendPiece(piece.output, positionOf(stream, piece));
    return 0;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function positionOf(
  { source, cursor }: TransportStream,
  { start, end }: ResultPiece,
  bytes?: Uint8Array,
): Position {
  let line = 1;
  if (bytes !== undefined) for (const byte of bytes.subarray(0, start)) line += Number(byte === 10);
  return { source, line, start, end, cursor };
}

/** The bytes of a message, in one piece. */
async function bytesOf({ chunks }: TransportStream): Promise<Uint8Array<ArrayBuffer>> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return (all.length === 1 ? all[0]! : Buffer.concat(all)) as Uint8Array<ArrayBuffer>;
}

/** All records of a message, rejected for one reason. */
async function rejectedBlock(
  task: BlockTask,
  codec: Codec,
  error: TagstreamError,
): Promise<TaggedBlock> {
  const reading = new BlockReading(codec, task);
  for await (const documents of reading.documents) {
    for (const { delivery } of documents) delivery?.reject(error);
  }
  const { read, blank } = reading;
  const bad = reading.bad.map(one => ({ ...sentBad(one), outputBefore: 0 }));
  return { output: new Uint8Array(0), records: 0, read, blank, bad };
}

function isTooLarge(error: unknown): error is TagstreamError {
  return error instanceof TagstreamError && error.code === 'too-large';
}
