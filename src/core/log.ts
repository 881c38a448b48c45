/** What makes a message readable by machines: names and values beside its text. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Levels of messages, the least important one last. */
export const logLevels = ['error', 'warn', 'info'] as const;

export type LogLevel = (typeof logLevels)[number];

/** Where a run logs its progress: `info` is the progress itself, `warn` and `error` want attention. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
