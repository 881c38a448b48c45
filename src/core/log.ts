/** Names and values next to the text of a message, for machines. */
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
