import type { Log } from '../../core/log.js';

/** Says that a model has taken the place of another. */
export function reportReloaded(file: string, log: Log): void {
  log.warn(`${file} is read again; what comes now is tagged by it`, { model: file });
}

/** Says that a model was not taken, and why. */
export function reportKept(error: unknown, log: Log): void {
  const reason = error instanceof Error ? error.message : String(error);
  log.warn(`keeping the old model, as the new one is bad: ${reason}`, { reason });
}

/** Says that there is no model to be read again. */
export function reportNoReload(log: Log): void {
  log.warn('SIGHUP is passed over: a run that trains reads no model again');
}

/** Says that the system cannot watch a file, and what is done in place of that. */
export function reportUnwatched(file: string, cause: unknown, log: Log): void {
  const reason = cause instanceof Error ? cause.message : String(cause);
  log.warn(
    `the system cannot watch ${file}, which is looked at each second: ${reason} (raise the limit of open files, fs.inotify.max_user_instances or fs.inotify.max_user_watches)`,
    { model: file, reason },
  );
}
