import type { Log } from '../../engine/core/log.js';
import { type FileWatch, watchFile } from '../../formats/reading/watch-file.js';
import { reportUnwatched } from '../report/run-messages.js';

/** Requests to reload a model. */
export interface ReloadRequests {
  /**
   * Registers a listener, which is called once for all earlier requests together. Returns a
   * function that removes it.
   */
  onRequest(listener: () => void): () => void;
  /** Stops listening, after which SIGHUP ends the process as usual. */
  dispose(): void;
}

/** Triggers of a model reload besides SIGHUP. */
export interface ReloadsGiven {
  /** Files whose replacement triggers a reload. */
  readonly watched?: readonly string[] | undefined;
  /**
   * Registers a listener for replacements of a model file by another version. Returns a function
   * that removes it.
   */
  readonly promotions?: ((listener: () => void) => () => void) | undefined;
}

/**
 * Returns the requests triggered by SIGHUP, by replaced files if any are watched, and by
 * promotions.
 *
 * @throws TagstreamError `file` if a file does not exist
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
