import { TagstreamError } from '../../../engine/core/errors.js';
import { defaultKey, errorMember } from '../../../formats/codecs/ndjson/record-fields.js';
import { countRecordLines } from '../../../formats/lines/line-bytes.js';
import { bytesOf } from '../../../runtime/http/read-body.js';
import { receivedError } from '../../../runtime/workers/portable-error.js';
import { excessOfWork, requireShortAnswer } from '../estimate-work.js';
import type { PackedAnswer, PackedPart, Packer } from '../models/packer.js';
import type { Holder, Share } from '../share.js';
import type { ServedWish } from '../threads/served-task.js';
import { Changes } from '../waiting.js';

/** How a stream of records is tagged. */
export interface StreamOptions {
  readonly packer: Packer;
  readonly wish: ServedWish;
  /** Work per token, as a multiple of a plain tag. */
  readonly weight: number;
  /** Token or address of the client, if it is known. */
  readonly client: string | undefined;
  /** The bytes that all requests hold, and the streams, of which this is one. */
  readonly held: Share;
  readonly seats: Share;
  /** Holds the model until the stream has ended. Returns a function that releases it. */
  readonly hold: () => () => void;
  /** Maximum work of a record, and number of bytes of the answer to a part. */
  readonly maxWork: number;
  readonly maxAnswer: number;
  /** Whether the stream ends with the first record that cannot be tagged. */
  readonly failsOnBad: boolean;
  /** Maximum number of blocks in flight. */
  readonly blocks: number;
  /** Maximum number of bytes per record. */
  readonly maxLineBytes: number;
  /** Maximum milliseconds that the client may be silent. */
  readonly idle: number;
  /** Signal that is aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Signal that is aborted to stop reading; records already read are still tagged. */
  readonly stop: AbortSignal;
  /** Called with the number of answered records, and of bad ones among them. */
  readonly onRecords: (records: number, bad: number) => void;
}

const LF = 10;

/**
 * Returns the answers to a stream of NDJSON records, line by line and in order, while the stream is open. Input is
 * tagged immediately; reading pauses while the maximum number of blocks is in flight, or while the client does not
 * read. If an error ends the stream early, such as an overlong record, it is the last line.
 *
 * @throws Problem `busy` if there is no room for another stream
 */
export function tagStream(
  body: ReadableStream<Uint8Array>,
  options: StreamOptions,
): ReadableStream<Uint8Array> {
  const tagging = new TaggedStream(body, options);
  return new ReadableStream<Uint8Array>(
    {
      start: controller => {
        tagging.onLost = error => controller.error(error);
      },
      pull: controller => tagging.pull(controller),
      cancel: () => tagging.end(),
    },
    { highWaterMark: 1 },
  );
}

type Part = {
  readonly records: number;
  readonly answer: Promise<PackedAnswer>;
};

class TaggedStream implements Holder {
  activeAt: number;
  /** Ends the answer with an error instead of a line, for a client that does not read. */
  onLost: (error: unknown) => void = () => undefined;
  readonly #reader: ReadableStreamDefaultReader<unknown>;
  readonly #options: StreamOptions;
  readonly #end = new AbortController();
  readonly #parts: Part[] = [];
  #rest: Uint8Array[] = [];
  #restLength = 0;
  #isRead = false;
  #fault: TagstreamError | undefined;
  readonly #changes = new Changes();
  readonly #release: () => void;
  /** Bytes of answers that the client has not taken. */
  #untaken = 0;
  #hasEnded = false;

  constructor(body: ReadableStream<Uint8Array>, options: StreamOptions) {
    this.#options = options;
    const { signal, stop, seats, hold } = options;
    this.activeAt = seats.now;
    seats.take(this, 1);
    this.#release = hold();
    this.#reader = body.getReader();
    signal.addEventListener('abort', this.#onGone, { once: true });
    stop.addEventListener('abort', this.#onStop, { once: true });
    if (stop.aborted) this.#onStop();
    void this.#read();
  }

  readonly #onGone = () => this.end();
  readonly #onStop = () => void this.#reader.cancel().catch(() => undefined);

  get client(): string | undefined {
    return this.#options.client;
  }

  /** Ends a silent stream with a line that says why, and loses the answers that its client does not take. */
  giveWay(): void {
    const reason = 'its client was idle while others waited';
    if (this.#untaken > 0) {
      this.end();
      this.onLost(new DOMException(reason, 'AbortError'));
      return;
    }
    this.#fault ??= new TagstreamError('busy', `the service is overloaded: ${reason}`);
    void this.#reader.cancel().catch(() => undefined);
    this.#options.seats.free(this);
  }

  /** Passes the next answers to the client. */
  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#touch();
    this.#options.held.free(this, this.#untaken);
    this.#untaken = 0;
    while (this.#parts.length === 0 && !this.#isRead) await this.#changes.next();
    const part = this.#parts[0];
    try {
      if (part !== undefined) {
        const { output, bad } = await part.answer;
        this.#parts.shift();
        this.#changes.tell();
        if (this.#options.failsOnBad && bad.length > 0) {
          throw TagstreamError.from(receivedError(bad[0]!.error), 'stage');
        }
        this.#options.onRecords(part.records, bad.length);
        for (const lines of output) {
          this.#untaken += lines.length;
          controller.enqueue(lines);
        }
        return;
      }
      if (this.#fault !== undefined) throw this.#fault;
    } catch (thrown) {
      if (this.#end.signal.aborted) return;
      const { code, problem } = TagstreamError.from(thrown, 'stage');
      const error = { [errorMember]: { code, message: problem } };
      controller.enqueue(Buffer.from(`${JSON.stringify({ [defaultKey]: error })}\n`));
    }
    this.end();
    controller.close();
  }

  /** Drops everything unanswered. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { signal, stop, held, seats } = this.#options;
    signal.removeEventListener('abort', this.#onGone);
    stop.removeEventListener('abort', this.#onStop);
    this.#end.abort(new DOMException('the client is gone', 'AbortError'));
    void this.#reader.cancel().catch(() => undefined);
    this.#isRead = true;
    this.#changes.tell();
    held.free(this);
    seats.free(this);
    this.#release();
  }

  /** Counts bytes as held, unless the stream has ended, which has freed all of them. */
  #hold(bytes: number): void {
    if (!this.#hasEnded) this.#options.held.take(this, bytes);
  }

  #touch(): void {
    this.activeAt = this.#options.seats.now;
  }

  async #read(): Promise<void> {
    const { blocks, maxLineBytes } = this.#options;
    try {
      for (;;) {
        while (this.#parts.length >= blocks) await this.#changes.next();
        const chunk = await this.#next();
        if (chunk === undefined) break;
        this.#touch();
        this.#hold(chunk.length);
        const end = chunk.lastIndexOf(LF) + 1;
        if (end > 0) this.#send(chunk.subarray(0, end));
        if (end < chunk.length) {
          this.#rest.push(chunk.subarray(end));
          this.#restLength += chunk.length - end;
        }
        if (this.#restLength <= maxLineBytes) continue;
        this.#fault = new TagstreamError(
          'too-long',
          `the line has at least ${this.#restLength} bytes`,
        );
        await this.#reader.cancel();
        break;
      }
      // An unterminated last line is a record too, unless reading has stopped.
      const isWhole = this.#fault === undefined && !this.#options.stop.aborted;
      if (isWhole && this.#restLength > 0) this.#send(Uint8Array.of(LF));
    } catch (thrown) {
      this.#fault = TagstreamError.from(thrown, 'usage');
    }
    this.#isRead = true;
    this.#changes.tell();
  }

  /** Returns the next chunk of the body; undefined at its end. */
  async #next(): Promise<Uint8Array | undefined> {
    const { idle } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new TagstreamError('timeout', `no data arrived for ${idle} ms`)),
        idle,
      );
    });
    try {
      const { done, value } = await Promise.race([this.#reader.read(), late]);
      return done ? undefined : bytesOf(value);
    } catch (thrown) {
      void this.#reader.cancel().catch(() => undefined);
      throw thrown;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Tags the lines completed by a chunk. */
  #send(lines: Uint8Array): void {
    const bytes = new Uint8Array(this.#restLength + lines.length);
    let at = 0;
    for (const piece of [...this.#rest, lines]) {
      bytes.set(piece, at);
      at += piece.length;
    }
    this.#rest = [];
    this.#restLength = 0;
    const { weight, maxWork } = this.#options;
    let end = 0;
    try {
      for (const next of lineEnds(bytes)) {
        const excess = excessOfWork(next - end, weight, maxWork);
        if (excess !== undefined) throw excess;
        end = next;
      }
    } finally {
      this.#tag(bytes.subarray(0, end));
    }
  }

  #tag(bytes: Uint8Array<ArrayBuffer>): void {
    const { packer, wish, weight, held, maxAnswer } = this.#options;
    const records = countRecordLines(bytes);
    if (records === 0) {
      held.free(this, bytes.length);
      return;
    }
    let size = 0;
    const onPart = ({ output, bytes: done }: PackedPart) => {
      held.free(this, done);
      for (const { length } of output) {
        size += length;
        requireShortAnswer(size, maxAnswer);
        this.#hold(length);
      }
    };
    const work = { wish, bytes, records, weight, isStream: true, onPart };
    this.activeAt = Number.POSITIVE_INFINITY;
    const answer = packer.add(work, this.#end.signal).finally(() => this.#touch());
    // A failure is handled when the block's turn comes.
    answer.catch(() => undefined);
    this.#parts.push({ records, answer });
    this.#changes.tell();
  }
}

function* lineEnds(bytes: Uint8Array): Generator<number, void> {
  for (let end = 0; end < bytes.length; ) {
    end = bytes.indexOf(LF, end) + 1 || bytes.length;
    yield end;
  }
}
