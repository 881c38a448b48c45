import type { Position } from '../../../../engine/core/delivery/delivery.js';
import type { TagstreamError } from '../../../../engine/core/errors.js';
import type { RunStatus } from '../../../../engine/core/run-status.js';
import type { MessageWriter } from '../../../../engine/interfaces/messages.js';
import { badRecord } from '../../../../formats/bad-records/bad-record.js';
import type { Codec } from '../../../../formats/codecs/codec.js';
import type { DeadLetters } from '../../../io/dead-letters/dead-letters.js';
import { isTooLarge } from '../../../io/document-sink.js';
import { readable } from '../../../io/sources/stream-records.js';
import { waitFor } from '../../../io/sources/wait-for.js';
import type { MessageStream, Transport } from '../../../io/transports/transport.js';
import { BlockReading } from '../../blocks/block-reading.js';
import { type BlockTask, receivedBad, sentBad } from '../../blocks/block-task.js';
import type { TaggedBlock } from '../tagging-run.js';
import { groupsOf, tagJoined } from './joined-messages.js';
import { type ResultPiece, resultPieces, singleResults } from './result-pieces.js';

/** A writer that accepts the results of records without the records. */
export type PieceWriter = MessageWriter & Required<Pick<MessageWriter, 'sendPiece'>>;

export interface TagMessagesOptions {
  readonly transport: Required<Pick<Transport, 'openSome'>> & Pick<Transport, 'messages'>;
  readonly writer: PieceWriter;
  /** Whether all results of a message are sent together instead of separately. */
  readonly together: boolean;
  readonly codec: Codec;
  readonly deadLetters: DeadLetters;
  /** Tags the records of a message with the newest model. */
  readonly tag: (task: BlockTask) => Promise<TaggedBlock>;
  /** Returns whether records of several messages can be tagged in one block with the same results. */
  readonly joins: () => boolean;
  /** Receives the results of a message once they are no longer in use. */
  readonly onWritten?: ((tagged: TaggedBlock) => void) | undefined;
  /** Maximum number of messages in flight. */
  readonly budget: number;
  /** Its abort ends the input; messages already read are still tagged and sent. */
  readonly signal: AbortSignal;
  readonly onBlank?: ((lines: number) => void) | undefined;
  /** Called for each message with records whose results went under a separate key. */
  readonly onBelow?: (() => void) | undefined;
  /** Called with the number of records without a text that were redacted. */
  readonly onTextless?: ((records: number) => void) | undefined;
  readonly status?: RunStatus | undefined;
}

/** Maximum number of bytes of results waiting to be stored, not counting those of one message. */
const mostBytes = 16 * 2 ** 20;

/**
 * Tags messages one after the other, each as a block, and sends the results. A message is acknowledged when all its
 * results are durable and its bad records are in the dead letters.
 *
 * A result too large for one message is sent record by record; a record whose own result is too large becomes a bad
 * record.
 *
 * @returns the number of records sent, and whether the input was read to its end
 * @throws (rejects with) errors of reading, tagging or sending, or a bad record's error if the dead letters throw it;
 *   then no part of its message is sent, and the message is delivered again
 */
export async function tagMessages(
  options: TagMessagesOptions,
): Promise<{ records: number; ended: boolean }> {
  const { transport, signal, status, deadLetters, budget, joins } = options;
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
    const streams = transport.openSome(request)[Symbol.asyncIterator]();
    while (!signal.aborted && !ended) {
      const next = await waitFor(streams.next(), request);
      if (next === 'stopped' || next === 'late') break;
      ended = next.done === true;
      if (next.done === true) break;
      for (const group of joins() ? groupsOf(next.value) : next.value.map(one => [one])) {
        if (!signal.aborted) await sending.take(group);
      }
    }
  } finally {
    closing.abort();
    signal.removeEventListener('abort', stop);
    await sending.settled();
  }
  return { records: sending.records, ended };
}

/** Tagged messages in transit. */
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

  /** Tags messages, several as one block, and returns when there is room for the next message. */
  async take(streams: readonly MessageStream[]): Promise<void> {
    const { deadLetters, tag } = this.#options;
    const shares = streams.length > 1 ? await tagJoined(streams, tag) : [];
    for (const [i, stream] of streams.entries()) {
      const share = shares[i];
      const tagged = share ?? (await this.#tagged(stream));
      this.#report(stream, tagged);
      const catchingUp = deadLetters.caughtUp();
      if (catchingUp !== undefined) await catchingUp;
      this.#begin(stream, tagged, share === undefined);
      if (this.#failure !== undefined || !this.#hasRoom) await this.#room();
    }
  }

  /** @param isOwn whether no other message shares the memory of the results */
  #begin(stream: MessageStream, tagged: TaggedBlock, isOwn: boolean): void {
    const { status, onWritten } = this.#options;
    const { length } = tagged.output;
    this.#messages += 1;
    this.#bytes += length;
    const end = () => {
      this.#messages -= 1;
      this.#bytes -= length;
      this.#wake();
    };
    this.#sendAll(stream, tagged).then(
      tooLarge => {
        const records = tagged.records - tooLarge;
        stream.acknowledge?.();
        this.records += records;
        if (status !== undefined) status.recordsOut += records;
        if (isOwn) onWritten?.(tagged);
        end();
      },
      (error: unknown) => {
        this.#failure ??= { error };
        end();
      },
    );
  }

  /** @throws (rejects with) the first error of sending */
  async settled(): Promise<void> {
    while (this.#messages > 0) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  get #hasRoom(): boolean {
    return this.#messages < this.#options.budget && this.#bytes < mostBytes;
  }

  async #room(): Promise<void> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#hasRoom) return;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  async #tagged(stream: MessageStream): Promise<TaggedBlock> {
    const { codec, tag } = this.#options;
    const bytes = stream.bytes as Uint8Array<ArrayBuffer>;
    const task = { source: stream.source, block: { bytes, offset: 0, line: 1 } };
    const error = stream.unreadable ?? stream.rejected;
    return error === undefined ? tag(task) : rejectedBlock(task, readable(codec, stream), error);
  }

  /** Counts the records of a message, and passes the bad ones on. */
  #report(
    { cursor, identity }: MessageStream,
    { read, blank, bad, below, textless }: TaggedBlock,
  ): void {
    const { status, deadLetters, onBlank, onBelow, onTextless } = this.#options;
    onBlank?.(blank);
    if (below !== undefined) onBelow?.();
    if (textless !== undefined) onTextless?.(textless);
    if (status !== undefined) status.recordsIn += read;
    const before = deadLetters.pass(read) - read;
    for (const record of bad) {
      const { position, ...rest } = receivedBad(record);
      deadLetters.add(
        { ...rest, position: { ...position, cursor, identity } },
        before + record.number,
      );
    }
  }

  /** @returns the number of records whose results are too large to be sent */
  #sendAll(stream: MessageStream, tagged: TaggedBlock): Promise<number> {
    const pieces = resultPieces(stream.bytes, tagged);
    if (this.#options.together) return this.#sendTogether(stream, pieces);
    return sum(pieces.flatMap(piece => this.#sendSingly(stream, piece)));
  }

  async #sendTogether(stream: MessageStream, pieces: readonly ResultPiece[]): Promise<number> {
    const sent: Promise<number>[] = [];
    for (const piece of pieces) {
      const sending = this.#sendPiece(stream, piece);
      sent.push(sending);
      // A result that is too large is sent in parts, before the next one.
      if (stream.ordered === true) await sending;
    }
    return sum(sent);
  }

  #sendPiece(stream: MessageStream, piece: ResultPiece): Promise<number> {
    return this.#send(stream, piece).catch((thrown: unknown) => {
      if (!isTooLarge(thrown) || !this.#options.codec.recordsAreLines) throw thrown;
      return sum(this.#sendSingly(stream, piece));
    });
  }

  #sendSingly(stream: MessageStream, piece: ResultPiece): Promise<number>[] {
    const { bytes } = stream;
    return Array.from(singleResults(bytes, piece), single =>
      this.#send(stream, single).catch((thrown: unknown) => {
        if (!isTooLarge(thrown)) throw thrown;
        const position = positionOf(stream, single, bytes);
        const raw = bytes.slice(single.start, single.end);
        this.#options.deadLetters.add(badRecord(position, raw, thrown));
        return 1;
      }),
    );
  }

  #send(stream: MessageStream, piece: ResultPiece): Promise<number> {
    return this.#options.writer.sendPiece(piece.output, positionOf(stream, piece)).then(none);
  }
}

const none = () => 0;

function sum(numbers: readonly Promise<number>[]): Promise<number> {
  if (numbers.length === 1) return numbers[0]!;
  return Promise.all(numbers).then(all => all.reduce((total, number) => total + number, 0));
}

function positionOf(
  { source, cursor, identity }: MessageStream,
  { start, end }: ResultPiece,
  bytes?: Uint8Array,
): Position {
  let line = 1;
  if (bytes !== undefined) for (const byte of bytes.subarray(0, start)) line += Number(byte === 10);
  return { source, line, start, end, cursor, identity };
}

/** Returns all records of a message, rejected for the same reason. */
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
