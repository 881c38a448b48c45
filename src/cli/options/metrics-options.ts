import { TagstreamError } from '../../core/errors.js';

/** The options of every command that can be watched over HTTP. */
export const metricsOptions = {
  metrics: {
    type: 'string',
    requiresArg: true,
    coerce: portOf,
    describe: 'serve /metrics, /livez and /readyz on this port; 0: any free port',
  },
  'metrics-host': {
    type: 'string',
    requiresArg: true,
    describe: 'the address to listen on; default: 127.0.0.1',
  },
} as const;

export interface MetricsArguments {
  /** A port. */
  readonly metrics?: number | undefined;
  readonly metricsHost?: string | undefined;
}

/** @throws TagstreamError `usage` unless it is a whole number from 0 to 65535 */
function portOf(text: unknown): number {
  const port = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new TagstreamError('usage', `--metrics ${String(text)} is not a port`, {
    fix: 'give one whole number from 1 to 65535, or 0 for any free port',
  });
}
