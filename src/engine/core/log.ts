/** Structured, machine-readable fields of a log message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Message levels, the least important one last. */
export const logLevels = ['error', 'warn', 'info'] as const;

export type LogLevel = (typeof logLevels)[number];

/** Log of a run: `info` is progress, `warn` and `error` need attention. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
