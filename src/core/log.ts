/** Structured fields of a log message, for machines. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Levels of messages, the least important one last. */
export const logLevels = ['error', 'warn', 'info'] as const;

export type LogLevel = (typeof logLevels)[number];

/** Where a run logs its progress: `info` is progress, `warn` and `error` need attention. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
