import type { Log } from '../../core/log.js';

/** Reports that a new model replaced the old one. */
export function reportReloaded(file: string, log: Log): void {
  log.warn(`reloaded ${file}; it tags all further records`, { model: file });
}

/** Reports that a model was rejected, and why. */
export function reportKept(error: unknown, log: Log): void {
  const reason = error instanceof Error ? error.message : String(error);
  log.warn(`keeping the old model, as the new one is bad: ${reason}`, { reason });
}

/** Reports that a training run does not reload a model. */
export function reportNoReload(log: Log): void {
  log.warn('SIGHUP is ignored: a training run does not reload a model');
}

/** Reports that the system cannot watch a file, and that it is polled instead. */
export function reportUnwatched(file: string, cause: unknown, log: Log): void {
  const reason = cause instanceof Error ? cause.message : String(cause);
  log.warn(
    `cannot watch ${file}, checking it every second instead: ${reason} (raise the limit of open files, fs.inotify.max_user_instances or fs.inotify.max_user_watches)`,
    { model: file, reason },
  );
}
