import type { Metric, Registry } from 'prom-client';
import type { RunStatus } from '../../engine/core/run-status.js';
import { redacted } from '../../engine/core/secrets.js';
import { isLocal, type Listening, listen, ownAuthorities } from '../../runtime/http/listen.js';
import { plain, probeRoutes } from '../../runtime/http/probes.js';
import { Dashboard } from './dashboard/dashboard.js';
import { figuresOf } from './dashboard/run-history.js';
import { runMetrics } from './run-metrics.js';

/** Where a telemetry server listens. */
export interface TelemetryPlace {
  /** Port number; 0 for any free port. */
  readonly port: number;
  /** Host. Default: 127.0.0.1, this machine only. */
  readonly host?: string | undefined;
  /** Title of the run's page; absent: the page is not served. */
  readonly dashboard?: string | undefined;
}

/** Maximum number of open connections; each scraper or probe needs one. */
const mostConnections = 8;

/** Milliseconds after which a client that neither sends nor reads is disconnected. */
const patience = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
};

/**
 * Shows a run over HTTP: `/metrics` for Prometheus; `/livez`, 503 while the run is stalled;
 * `/readyz`, 503 before the model is loaded and once the run was asked to stop.
 *
 * Holds at most eight connections, and closes idle connections in favour of new ones. Does not keep the process alive.
 *
 * @example
 * const server = await TelemetryServer.start(new RunStatus(), { port: 0 });
 * (await fetch(`${server.url}/readyz`)).status // => 503
 * await server.close();
 */
export class TelemetryServer {
  /** Address as a URL, such as `http://127.0.0.1:9464`. */
  readonly url: string;
  readonly #listening: Listening;
  readonly #registry: Registry;
  readonly #dashboard: Dashboard | undefined;

  private constructor(listening: Listening, registry: Registry, dashboard: Dashboard | undefined) {
    this.#listening = listening;
    this.#registry = registry;
    this.#dashboard = dashboard;
    this.url = listening.url;
  }

  /** @throws (rejects with) TagstreamError `usage` if it cannot listen there */
  static async start(
    status: RunStatus,
    { port, host = '127.0.0.1', dashboard: title }: TelemetryPlace,
  ): Promise<TelemetryServer> {
    const registry = runMetrics(status);
    const app = probeRoutes({
      stalled: () => status.stall,
      unready: () => (status.phase === 'running' ? undefined : status.phase),
      metrics: registry,
      redact: redacted,
    });
    let hosts: ReadonlySet<string> | undefined = new Set();
    const source = {
      figures: () => figuresOf(registry),
      state: () => status.stall ?? status.phase,
      rejected: () => status.badRecords?.samples,
    };
    const dashboard =
      title === undefined ? undefined : new Dashboard({ title, ...source }, () => hosts);
    if (dashboard !== undefined) app.route('/', dashboard.routes);
    app.notFound(() => plain(404, 'not found: there are /metrics, /livez and /readyz'));
    const place = { port, host };
    const listening = await listen(request => app.fetch(request), place, {
      ...{ shows: 'metrics', option: '--metrics-host', limits: patience, mostConnections },
      stallTimeout: patience.requestTimeout,
      onConnection: socket => socket.unref(),
    });
    hosts = isLocal(host) ? ownAuthorities(host, listening.port, 'http') : undefined;
    listening.server.unref();
    return new TelemetryServer(listening, registry, dashboard);
  }

  /** Adds metrics. Those of the process are already included. */
  show(metrics: Registry): void {
    for (const metric of metrics.getMetricsAsArray() as unknown as Metric[]) {
      const { name } = metric as unknown as { readonly name: string };
      if (this.#registry.getSingleMetric(name) === undefined) this.#registry.registerMetric(metric);
    }
  }

  /**
   * Sends the last figures to all viewers. Resolves when the server no longer listens and all connections are closed.
   */
  async close(): Promise<void> {
    await this.#dashboard?.close();
    this.#registry.clear();
    await this.#listening.close();
  }
}
