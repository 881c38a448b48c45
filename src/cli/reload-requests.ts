import { type Observable, ReplaySubject } from 'rxjs';
import { type FileWatch, watchFile } from '../io/watch-file.js';

/** Requests to read a model again. */
export interface ReloadRequests {
  /** Emits at each of them; what came before somebody listens, once. Never ends. */
  readonly requests: Observable<void>;
  /** From then on SIGHUP ends the process, as it usually does. */
  dispose(): void;
}

/**
 * Requests by SIGHUP, and by a file that is replaced where one is to be watched.
 *
 * @throws TagstreamError `file` if it cannot be watched
 */
export function reloadRequests(watched?: string): ReloadRequests {
  const requests = new ReplaySubject<void>(1);
  const request = () => requests.next();
  const watching: FileWatch | undefined =
    watched === undefined ? undefined : watchFile(watched, request);
  process.on('SIGHUP', request);
  return {
    requests,
    dispose() {
      process.off('SIGHUP', request);
      watching?.close();
    },
  };
}
