import { port } from './port.js';

/** The options of every command that can be watched over HTTP. */
export const metricsOptions = {
  metrics: {
    type: 'string',
    requiresArg: true,
    coerce: port('metrics'),
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
