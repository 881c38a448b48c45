import type { Registry } from 'prom-client';
import type { RunStatus } from '../core/run-status.js';
import { redacted } from '../core/secrets.js';
import { type Listening, listen } from '../http/listen.js';
import { plain, probeRoutes } from '../http/probes.js';
import { runMetrics } from './run-metrics.js';

/** Where a telemetry server listens. */
export interface TelemetryPlace {
  /** 0 for any free one. */
  readonly port: number;
  /** Default: 127.0.0.1, this machine only. */
  readonly host?: string | undefined;
}

/** Connections that are open at a time; whoever scrapes or probes needs one. */
const mostConnections = 8;

/** Milliseconds: whoever connects and then says nothing, or reads nothing, is cut off. */
const patience = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
};

/**
 * Shows a run over HTTP: `/metrics` for Prometheus; `/livez`, 503 while the run reports that it
 * is stalled; `/readyz`, 503 before the model is loaded and once the run was asked to end.
 *
 * Holds at most eight connections, and closes idle ones for new ones. The process ends without waiting for it.
 *
 * @example
 * const server = await TelemetryServer.start(new RunStatus(), { port: 0 });
 * (await fetch(`${server.url}/readyz`)).status // => 503
 * await server.close();
 */
export class TelemetryServer {
  /** As `http://127.0.0.1:9464`. */
  readonly url: string;
  readonly #listening: Listening;
  readonly #registry: Registry;

  private constructor(listening: Listening, registry: Registry) {
    this.#listening = listening;
    this.#registry = registry;
    this.url = listening.url;
  }

  /** @throws (rejects with) TagstreamError `usage` if it cannot listen there */
  static async start(
    status: RunStatus,
    { port, host = '127.0.0.1' }: TelemetryPlace,
  ): Promise<TelemetryServer> {
    const registry = runMetrics(status);
    const app = probeRoutes({
      stalled: () => status.stall,
      unready: () => (status.phase === 'running' ? undefined : status.phase),
      metrics: registry,
      redact: redacted,
    });
    app.notFound(() => plain(404, 'not found: there are /metrics, /livez and /readyz'));
    const place = { port, host };
    const listening = await listen(app.fetch, place, {
      ...{ shows: 'metrics', option: '--metrics-host', limits: patience, mostConnections },
      onConnection: socket => socket.unref(),
    });
    listening.server.setTimeout(patience.requestTimeout);
    listening.server.unref();
    return new TelemetryServer(listening, registry);
  }

  /** Resolves when nothing listens any more and all connections are closed. */
  close(): Promise<void> {
    this.#registry.clear();
    return this.#listening.close();
  }
}
