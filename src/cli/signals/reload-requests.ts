import type { Log } from '../../core/log.js';
import { type FileWatch, watchFile } from '../../io/reading/watch-file.js';
import { reportUnwatched } from '../report/run-messages.js';

/** Requests to reload a model. */
export interface ReloadRequests {
  /**
   * Registers a listener, which is called once for all earlier requests. Returns a function that
   * removes it.
   */
  onRequest(listener: () => void): () => void;
  /** Stops listening: SIGHUP then ends the process, as usual. */
  dispose(): void;
}

/** What triggers a reload of the model, besides SIGHUP. */
export interface ReloadsGiven {
  /** Files that trigger it when replaced. */
  readonly watched?: readonly string[] | undefined;
  /**
   * Registers a listener for replacements of a model's file by another version. Returns a function
   * that removes it.
   */
  readonly promotions?: ((listener: () => void) => () => void) | undefined;
}

/**
 * Returns the requests by SIGHUP, by replaced files, if any are watched, and by promotions.
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
