import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Registry } from 'prom-client';
import { TagstreamError } from '../core/errors.js';
import type { RunStatus } from '../core/run-status.js';
import { redacted } from '../core/secrets.js';
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
  readonly #server: Server;
  readonly #registry: Registry;

  private constructor(server: Server, registry: Registry) {
    this.#server = server;
    this.#registry = registry;
    const { address, family, port } = server.address() as AddressInfo;
    this.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** @throws (rejects with) TagstreamError `usage` if it cannot listen there */
  static start(
    status: RunStatus,
    { port, host = '127.0.0.1' }: TelemetryPlace,
  ): Promise<TelemetryServer> {
    const registry = runMetrics(status);
    const server = createServer(patience, async (request, response) => {
      const { code, text: answer, headers } = await answerTo(request, status, registry);
      const text = redacted(answer);
      response.writeHead(code, { 'Content-Length': Buffer.byteLength(text), ...headers });
      response.end(request.method === 'HEAD' ? undefined : text);
    });
    server.setTimeout(patience.requestTimeout);
    server.on('connection', socket => socket.unref());
    limitConnections(server, mostConnections);
    server.unref();
    return new Promise((resolve, reject) => {
      // Once it listens, what goes wrong with it must not end the run.
      server.on('error', cause => reject(listenError(cause, port, host)));
      server.listen(port, host, () => resolve(new TelemetryServer(server, registry)));
    });
  }

  /** Resolves when nothing listens any more and all connections are closed. */
  close(): Promise<void> {
    this.#registry.clear();
    return new Promise(resolve => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

function listenError(cause: Error, port: number, host: string): TagstreamError {
  const { code = cause.message } = cause as NodeJS.ErrnoException;
  const [problem, fix] =
    code === 'EADDRINUSE'
      ? ['something else listens there', 'give another port, or 0 for any that is free']
      : code === 'EACCES'
        ? ['this user may not', 'give a port above 1023']
        : [code, 'check --metrics-host'];
  return new TagstreamError('usage', `cannot show metrics on ${host}:${port}: ${problem}`, {
    fix,
    cause,
  });
}

/**
 * Holds a server to so many open connections, as each takes a file of the process. One more closes the one that has
 * been idle for longest, or is closed itself while all others wait for an answer.
 */
function limitConnections(server: Server, most: number): void {
  // In the order of their last requests.
  const open = new Set<Socket>();
  const answering = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= most) return;
    const surplus = [...open].find(each => !answering.has(each))!;
    // Its event comes later, and others may connect until then.
    open.delete(surplus);
    surplus.destroy();
  });
  server.on('request', ({ socket }, response) => {
    open.delete(socket);
    open.add(socket);
    answering.add(socket);
    response.once('close', () => answering.delete(socket));
  });
}

/** What is sent back. */
interface Answer {
  readonly code: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What an HTTP request for a page about a run gets. Never rejects. */
async function answerTo(
  {
    method,
    url = '/',
  }: { readonly method?: string | undefined; readonly url?: string | undefined },
  status: RunStatus,
  registry: Registry,
): Promise<Answer> {
  const page = url.split('?')[0];
  if (page !== '/metrics' && page !== '/livez' && page !== '/readyz') {
    return plain(404, 'not found: there are /metrics, /livez and /readyz');
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return plain(405, 'only GET and HEAD', { Allow: 'GET, HEAD' });
  }
  if (page === '/livez') {
    return status.stall === undefined ? plain(200, 'live') : plain(503, status.stall);
  }
  if (page === '/readyz') {
    return status.phase === 'running' ? plain(200, 'ready') : plain(503, status.phase);
  }
  try {
    const text = await registry.metrics();
    return { code: 200, text, headers: { 'Content-Type': registry.contentType } };
  } catch (thrown) {
    return plain(500, String(thrown));
  }
}

function plain(code: number, text: string, more: Readonly<Record<string, string>> = {}): Answer {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
  return { code, text: `${text}\n`, headers: { ...headers, ...more } };
}
