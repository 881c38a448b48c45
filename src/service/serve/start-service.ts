import { setTimeout as pause } from 'node:timers/promises';
import {
  type Listening,
  type ListenPlace,
  listen,
  type TlsFiles,
} from '../../runtime/http/listen.js';
import type { Service } from './service.js';

/** How a service listens. */
export interface StartOptions extends ListenPlace {
  readonly tls?: TlsFiles | undefined;
  /** Maximum number of open connections. Default 4,096. */
  readonly maxConnections?: number | undefined;
  /** Milliseconds after which a client is disconnected that takes in nothing of its answer. Default 300,000. */
  readonly stallTimeout?: number | undefined;
  /** Maximum milliseconds until the headers of a request have arrived. Default 10,000. */
  readonly headersTimeout?: number | undefined;
}

const usual = {
  maxConnections: 4096,
  headersTimeout: 10_000,
} as const;

/** Maximum number of bytes of a request's headers. */
const mostHeaders = 16_384;

/**
 * Milliseconds for which a stopping service still accepts requests although it is not ready: each answer ends its
 * connection.
 */
const lastRequests = 500;

/** A service that listens. */
export interface StartedService {
  readonly url: string;
  /** Host on which the service listens, such as `127.0.0.1`. */
  readonly host: string;
  readonly port: number;
  /**
   * Stops in an orderly way: is not ready from now on, accepts no connections after half a second, and answers all
   * requests received, as well as the streams that end within the time; of other streams, the records already read.
   *
   * @param streams milliseconds for which streams may continue
   */
  stop(streams: number): Promise<void>;
}

/**
 * Starts a server for a service.
 *
 * @throws (rejects with) TagstreamError `usage` if it cannot listen there
 */
export async function startService(
  service: Service,
  options: StartOptions,
): Promise<StartedService> {
  const { port, host, fd, tls, maxConnections, stallTimeout, headersTimeout } = {
    ...usual,
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  } as StartOptions & typeof usual;
  const listening = await listen(
    service.fetch,
    { port, host, fd },
    {
      ...{ shows: 'the service', tls, mostConnections: maxConnections, ownsProcess: true },
      // The service limits the time of a request including its body; a stream may take any time.
      limits: {
        ...{ headersTimeout, requestTimeout: 0, keepAliveTimeout: 65_000 },
        ...{ maxHeaderSize: mostHeaders, connectionsCheckingInterval: 1000, noDelay: true },
      },
      stallTimeout,
      onStalled: () => {
        service.status.cutOff += 1;
      },
    },
  );
  return {
    url: listening.url,
    host: listening.host,
    port: listening.port,
    async stop(streams) {
      service.drain();
      await ended(listening, service, streams);
      await service.close();
    },
  };
}

async function ended(listening: Listening, service: Service, streams: number): Promise<void> {
  const timer = setTimeout(() => service.endStreams(), streams);
  // Closing would reset connections not yet accepted: it follows right after the waiting ones are accepted.
  await pause(lastRequests);
  await new Promise(resolve => setImmediate(resolve));
  let isOpen = true;
  const closed = listening.drain().then(() => {
    isOpen = false;
  });
  // Connections become idle one by one.
  while (isOpen) {
    listening.server.closeIdleConnections();
    await Promise.race([closed, pause(50)]);
  }
  clearTimeout(timer);
}
