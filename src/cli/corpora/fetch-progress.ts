import cliProgress from 'cli-progress';
import { standardStreams } from '../../io/files/standard-streams.js';
import { visible } from '../../text/visible.js';

/** Shows how far a download is, on a terminal only. */
export class FetchProgress {
  #bar: cliProgress.SingleBar | undefined;
  #file: string | undefined;

  /** Takes note of what has come of a file. */
  show(path: string, received: number, total: number | undefined): void {
    if (standardStreams().stderr.isTTY !== true) return;
    const file = visible(path);
    if (this.#file !== file) {
      this.end();
      const format =
        total === undefined ? '{file} | {size}' : '{file} {bar} {percentage} % | {size}';
      this.#bar = new cliProgress.SingleBar({ format, hideCursor: true, barsize: 24 });
      this.#bar.start(total ?? 0, 0, { file, size: '' });
      this.#file = file;
    }
    this.#bar?.update(received, { file, size: `${(received / 2 ** 20).toFixed(1)} MiB` });
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#file = undefined;
  }
}
