import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/**
 * Lines into a pipe. What its reader has not taken yet waits in memory: whoever adds lines waits for
 * `caughtUp` before there are too many.
 */
export class PipedLines {
  readonly #stream: Writable;
  #error: Error | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', error => {
      this.#error ??= error;
    });
  }

  /** @throws what an earlier line failed with, as EPIPE where the reader has gone */
  add(line: string): void {
    if (this.#error !== undefined) throw this.#error;
    this.#stream.write(line);
  }

  /** Settles when the reader has taken what waits, or has gone; undefined where little waits. */
  caughtUp(): Promise<void> | undefined {
    const stream = this.#stream;
    if (!stream.writableNeedDrain || stream.destroyed) return undefined;
    return new Promise(resolve => {
      const settle = () => {
        stream.off('drain', settle);
        stream.off('close', settle);
        resolve();
      };
      stream.on('drain', settle);
      stream.on('close', settle);
    });
  }

  /**
   * Waits until the reader has taken everything, and ends the pipe.
   *
   * @throws (rejects with) what a line failed with
   */
  async close(): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    this.#stream.end();
    await finished(this.#stream, { readable: false });
  }
}
