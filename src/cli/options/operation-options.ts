import { TagstreamError } from '../../engine/core/errors.js';
import { type LogLevel, logLevels } from '../../engine/core/log.js';
import { type ArgumentsOf, flag, port, text } from './option-kinds.js';

/** Options of every command that logs its progress on the standard error. */
export const logOptions = {
  log: {
    choices: ['text', 'json'] as const,
    default: 'text' as const,
    describe: 'format of the messages on standard error',
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

/** Options of every command that can be monitored over HTTP. */
export const metricsOptions = {
  metrics: text('serve /metrics, /livez and /readyz on this port; 0: any free port', {
    coerce: port('metrics'),
  }),
  'metrics-host': text('the address to listen on; default: 127.0.0.1'),
  dashboard: flag('serve a status page of the run, on the port of --metrics or a free one'),
} as const;

export type MetricsArguments = ArgumentsOf<typeof metricsOptions>;

/** Maximum of seconds: a day. */
const most = 86_400;

/** The option of commands that shut down in an orderly way on a signal. */
export const shutdownOption = {
  'shutdown-timeout': text(
    'seconds allowed for an orderly shutdown after SIGINT or SIGTERM before the run is aborted; default: 30',
    { coerce: seconds },
  ),
} as const;

export type ShutdownArguments = ArgumentsOf<typeof shutdownOption>;

/** @throws TagstreamError `usage` unless the text is a positive number of seconds up to a day */
function seconds(text: unknown): number | undefined {
  if (text === undefined) return undefined;
  const count = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  if (count > 0 && count <= most) return count;
  throw new TagstreamError(
    'usage',
    `--shutdown-timeout ${String(text)} is not a number of seconds`,
    {
      fix: `give a single number greater than 0, at most ${most}`,
    },
  );
}
