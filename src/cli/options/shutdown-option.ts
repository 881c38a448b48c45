import { TagstreamError } from '../../core/errors.js';

/** Seconds: a day. */
const most = 86_400;

/** The option of commands that end in order when they get a signal. */
export const shutdownOption = {
  'shutdown-timeout': {
    type: 'string',
    requiresArg: true,
    coerce: seconds,
    describe:
      'seconds for an orderly shutdown after SIGINT or SIGTERM, before the run is aborted; default: 30',
  },
} as const;

export interface ShutdownArguments {
  readonly shutdownTimeout?: number | undefined;
}

/** @throws TagstreamError `usage` unless it is a number above 0, of a day at most */
function seconds(text: unknown): number | undefined {
  if (text === undefined) return undefined;
  const count = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  if (count > 0 && count <= most) return count;
  throw new TagstreamError(
    'usage',
    `--shutdown-timeout ${String(text)} is not a number of seconds`,
    {
      fix: `give one number above 0 and up to ${most}`,
    },
  );
}
