import type { Log } from '../../core/log.js';
import { type FileWatch, watchFile } from '../../io/reading/watch-file.js';
import { reportUnwatched } from '../report/run-messages.js';

/** Requests to read a model again. */
export interface ReloadRequests {
  /** Calls at each of them; for those before anybody listened, once. Returns what ends that. */
  onRequest(listener: () => void): () => void;
  /** From then on SIGHUP ends the process, as it usually does. */
  dispose(): void;
}

/** What triggers a reload of the model, besides SIGHUP. */
export interface ReloadsGiven {
  /** Files that trigger it when replaced. */
  readonly watched?: readonly string[] | undefined;
  /** Calls when the file of a model has become that of another version. Returns what ends that. */
  readonly promotions?: ((listener: () => void) => () => void) | undefined;
}

/**
 * Requests by SIGHUP, and by files that are replaced where some are to be watched, and by promotions.
 *
 * @throws TagstreamError `file` if there is no such file
 */
export function reloadRequests(
  log: Log,
  { watched = [], promotions }: ReloadsGiven = {},
): ReloadRequests {
  const listeners = new Set<() => void>();
  let came = false;
  const request = () => {
    came = true;
    for (const listener of listeners) listener();
  };
  const watching: FileWatch[] = [];
  try {
    for (const file of watched) {
      watching.push(
        watchFile(file, {
          onReplaced: request,
          onUnwatched: cause => reportUnwatched(file, cause, log),
        }),
      );
    }
  } catch (thrown) {
    for (const each of watching) each.close();
    throw thrown;
  }
  process.on('SIGHUP', request);
  const endPromotions = promotions?.(request);
  return {
    onRequest(listener) {
      listeners.add(listener);
      if (came) listener();
      return () => listeners.delete(listener);
    },
    dispose() {
      process.off('SIGHUP', request);
      for (const each of watching) each.close();
      endPromotions?.();
    },
  };
}
