import { type LogLevel, logLevels } from '../../core/log.js';

/** The options of every command that logs its progress on the standard error. */
export const logOptions = {
  log: {
    choices: ['text', 'json'] as const,
    default: 'text' as const,
    describe: 'format of the messages on the standard error',
  },
  'log-level': {
    choices: logLevels,
    default: 'info' as const,
    describe: 'minimum level of the messages',
  },
} as const;

export interface LogArguments {
  readonly log: 'text' | 'json';
  readonly logLevel: LogLevel;
  readonly verbose?: boolean | undefined;
}
