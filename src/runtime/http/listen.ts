import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import {
  createServer as createSecureServer,
  type ServerOptions as SecureOptions,
  type Server as SecureServer,
} from 'node:https';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { TagstreamError } from '../../engine/core/errors.js';
import { authorityOf } from './guard.js';

/** Answers a request of a client with an address. */
export type Fetch = (request: Request, address: string | undefined) => Response | Promise<Response>;

/** Where a server listens. */
export interface ListenPlace {
  /** Port number; 0 for any free port. */
  readonly port: number;
  readonly host: string;
  /** Descriptor of a socket that is already listening, whose port and host then apply. */
  readonly fd?: number | undefined;
}

/** How a server listens. */
export interface ListenOptions {
  /** What the server serves, for errors: `the page`. */
  readonly shows: string;
  /** Option that sets the address, for errors: `--metrics-host`. Default `--host`. */
  readonly option?: string | undefined;
  /** Time and header limits. */
  readonly limits: ServerOptions;
  /** Certificate and key as PEM, for HTTPS. */
  readonly tls?: TlsFiles | undefined;
  /** Maximum number of open connections. Default: unlimited. */
  readonly mostConnections?: number | undefined;
  /**
   * Milliseconds after which a client is disconnected that takes in nothing of its answer. Systems buffer up to some
   * megabytes of a connection and take the next bytes only when a third of them is sent, so this is also the longest
   * time between two signs of a client that reads slowly. Default 300,000.
   */
  readonly stallTimeout?: number | undefined;
  /** Called for each client that is disconnected because it does not read. */
  readonly onStalled?: (() => void) | undefined;
  /** Called for each connection. */
  readonly onConnection?: ((socket: Socket) => void) | undefined;
  /**
   * Whether `Request` and `Response` of the process are replaced by the HTTP library's versions, which avoid copies.
   * Only for a process that does nothing but serve.
   */
  readonly ownsProcess?: boolean | undefined;
}

/** A certificate and its key, as PEM. */
export interface TlsFiles {
  readonly cert: Uint8Array;
  readonly key: Uint8Array;
}

const defaultStallTimeout = 300_000;

/** Host names of this machine that no other machine can reach. */
const thisMachine = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/;

/**
 * Returns whether a server that listens on a host is reachable only from this machine.
 *
 * @example
 * ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0'].map(isLocal) // => [true, true, true, false]
 */
export function isLocal(host: string): boolean {
  return thisMachine.test(host.replace(/^\[|\]$/g, ''));
}

/** A server that listens. */
export class Listening {
  readonly server: Server;
  /** Address as a URL, such as `http://127.0.0.1:8080`, with the actual port. */
  readonly url: string;
  /** Host, such as `127.0.0.1`. */
  readonly host: string;
  readonly port: number;

  constructor(server: Server, scheme: 'http' | 'https') {
    this.server = server;
    const { address, family, port } = server.address() as AddressInfo;
    this.host = address;
    this.url = `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    this.port = port;
  }

  /** Stops accepting connections and closes the open ones. Resolves when the server no longer listens. */
  close(): Promise<void> {
    return new Promise(resolve => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  /** Stops accepting connections but keeps the open ones, even idle ones. Resolves when all of them are closed. */
  drain(): Promise<void> {
    return new Promise(resolve => {
      // `close` of an HTTP server also ends idle connections, on which requests may be in flight.
      NetServer.prototype.close.call(this.server, () => resolve());
    });
  }
}

/**
 * Serves over HTTP.
 *
 * @throws (rejects with) TagstreamError `usage` if it cannot listen there, or if certificate and key do not match
 */
export async function listen(
  fetch: Fetch,
  place: ListenPlace,
  options: ListenOptions,
): Promise<Listening> {
  const { limits, tls, mostConnections, onConnection, ownsProcess = false } = options;
  const answer = getRequestListener(
    (request, { incoming }) => fetch(request, incoming.socket.remoteAddress),
    { overrideGlobalObjects: ownsProcess },
  );
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    disconnectStalled(outgoing, options.onStalled);
    const fault = faultOf(incoming);
    if (fault === undefined) return answer(incoming, outgoing);
    const [status, why] = fault;
    const body = `${why}\n`;
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': body.length };
    outgoing.writeHead(status, { Connection: 'close', ...headers }).end(body);
    return undefined;
  };
  // `faultOf` requires a host, after it counts the lines, of which Node drops those that are too many.
  const settings = { ...limits, requireHostHeader: false };
  const server =
    tls === undefined
      ? createServer(settings, listener)
      : (secureServer({ ...settings, ...pemOf(tls) }, listener) as unknown as Server);
  // One more than allowed, to tell that there were too many.
  server.maxHeadersCount = mostHeaderLines + 1;
  server.timeout = options.stallTimeout ?? defaultStallTimeout;
  if (mostConnections !== undefined) limitConnections(server, mostConnections);
  if (onConnection !== undefined) {
    server.on(tls === undefined ? 'connection' : 'secureConnection', onConnection);
  }
  return new Promise((resolve, reject) => {
    // Once the server listens, its errors must not end the process.
    server.on('error', cause => reject(listenError(cause, place, options)));
    const listening = () => {
      if (server.address() instanceof Object) {
        resolve(new Listening(server, tls === undefined ? 'http' : 'https'));
        return;
      }
      server.close();
      reject(listenError(new Error('it has no port'), place, options));
    };
    if (place.fd === undefined) server.listen(place.port, place.host, listening);
    else server.listen({ fd: place.fd }, listening);
  });
}

/** The first descriptor that systemd passes. */
const firstDescriptor = 3;

/**
 * Returns the descriptor of a socket opened by the parent process for this one, as by systemd (`LISTEN_FDS`, `LISTEN_PID`).
 * Undefined if there is none, or if the variables are for another process.
 *
 * @throws TagstreamError `usage` for several sockets
 * @example
 * inheritedSocket({ LISTEN_FDS: '1', LISTEN_PID: '7' }, 7) // => 3
 * inheritedSocket({ LISTEN_FDS: '1', LISTEN_PID: '7' }, 8) // => undefined
 */
export function inheritedSocket(
  { LISTEN_FDS: count = '0', LISTEN_PID: pid }: Readonly<Partial<Record<string, string>>>,
  ownPid: number,
): number | undefined {
  if (pid !== undefined && pid !== String(ownPid)) return undefined;
  if (count === '0' || count === '') return undefined;
  if (count === '1') return firstDescriptor;
  throw new TagstreamError('usage', `LISTEN_FDS is ${count}, but one socket was expected`, {
    fix: 'give one ListenStream in the .socket unit',
  });
}

/**
 * Disconnects the client of a response when its connection has been inactive for the server's timeout and bytes are
 * waiting for it. Node counts the bytes that the system has taken, of a chunk that is being sent too. A connection on
 * which nothing waits, such as a silent stream, stays open.
 */
function disconnectStalled(outgoing: ServerResponse, onStalled?: () => void): void {
  outgoing.on('timeout', (socket: Socket) => {
    if (socket.writableLength === 0) return;
    onStalled?.();
    socket.destroy();
  });
}

/** Maximum number of header lines: browsers send some twenty, proxies a few more. */
const mostHeaderLines = 100;

/**
 * Returns the status of a request that is refused, and why; undefined if it is not. A request names one host, as a proxy
 * might use another of several than Node. The authority of an absolute target replaces `Host` (RFC 9112, 3.2.2).
 */
function faultOf(incoming: IncomingMessage): [status: number, why: string] | undefined {
  const { rawHeaders, url = '' } = incoming;
  const { length } = rawHeaders;
  if (length > 2 * mostHeaderLines) return [431, `more than ${mostHeaderLines} header lines`];
  let hostAt = length;
  for (let i = 0; i < length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (hostAt < length) return [400, 'several Host headers'];
    hostAt = i;
  }
  if (url.startsWith('/') || url === '*') {
    return hostAt < length ? undefined : [400, 'there is no Host header'];
  }
  const [, host = '', path] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (path === undefined || authorityOf(host, 'http:') === undefined) {
    return [400, 'the target is neither a path nor an address'];
  }
  rawHeaders.splice(hostAt, 2, 'Host', host);
  incoming.headers.host = host;
  incoming.url = path.startsWith('/') ? path : `/${path}`;
  return undefined;
}

function pemOf({ cert, key }: TlsFiles): { cert: Buffer; key: Buffer } {
  return { cert: Buffer.from(cert), key: Buffer.from(key) };
}

/** @throws TagstreamError `usage` for an invalid certificate, or a key that does not match it */
function secureServer(
  options: SecureOptions,
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown,
): SecureServer {
  try {
    return createSecureServer(options, listener);
  } catch (cause) {
    const { message } = cause as Error;
    throw new TagstreamError('usage', `certificate and key cannot be used: ${message}`, {
      fix: 'give PEM files of a certificate and its private key, without a passphrase',
      cause,
    });
  }
}

/** Returns the authorities of a server that listens only on this machine. */
export function ownAuthorities(host: string, port: number, scheme: 'http' | 'https'): Set<string> {
  const shown = host.includes(':') ? `[${host}]` : host;
  const names = ['127.0.0.1', 'localhost', '[::1]', shown];
  return new Set(
    names.map(name => {
      const isDefault = port === (scheme === 'https' ? 443 : 80);
      return authorityOf(isDefault ? name : `${name}:${port}`, 'http:')!;
    }),
  );
}

function listenError(
  cause: Error,
  { port, host, fd }: ListenPlace,
  { shows, option = '--host' }: ListenOptions,
): TagstreamError {
  const { code = cause.message } = cause as NodeJS.ErrnoException;
  if (fd !== undefined) {
    const problem = `cannot listen on the socket of descriptor ${fd} for ${shows}: ${code}`;
    return new TagstreamError('usage', problem, {
      fix: 'pass a TCP socket that listens: ListenStream=127.0.0.1:8080 in the .socket unit',
      cause,
    });
  }
  const [problem, fix] =
    code === 'EADDRINUSE'
      ? ['the port is in use', 'give another port, or 0 for any free one']
      : code === 'EACCES'
        ? ['this user has no permission', 'give a port above 1023']
        : [code, `check ${option}`];
  return new TagstreamError('usage', `cannot listen on ${host}:${port} for ${shows}: ${problem}`, {
    fix,
    cause,
  });
}

/**
 * Limits a server's open connections, because each uses a file descriptor. A new connection closes the one that has
 * been idle longest, or is itself closed if all others are waiting for an answer.
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
    // The `close` event comes later, and other clients may connect before it.
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
