import type { Log } from '../../core/log.js';
import { many } from '../../core/wording/many.js';

/** Milliseconds from one line to the next. */
const lineMilliseconds = 5000;

/**
 * Logs every five seconds how many records have been read, until it is ended: a corpus is read before the first update.
 *
 * @param records read so far
 */
export class ReadingReport {
  readonly #timer: NodeJS.Timeout;

  constructor(log: Log, records: () => number, milliseconds = lineMilliseconds) {
    this.#timer = setInterval(() => {
      const read = records();
      // A first model is being trained, or nobody has written anything yet.
      if (read === 0) return;
      log.info(`reading: ${many(read, 'record')} so far`, {
        records: read,
      });
    }, milliseconds);
    this.#timer.unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
