import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { RunStatus } from '../../../src/engine/core/run-status.js';
import { TelemetryServer } from '../../../src/service/telemetry/telemetry-server.js';

const open: TelemetryServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(status = new RunStatus(), port = 0): Promise<TelemetryServer> {
  const server = await TelemetryServer.start(status, { port });
  open.push(server);
  return server;
}

async function get(server: TelemetryServer, path: string): Promise<[code: number, text: string]> {
  const response = await fetch(`${server.url}${path}`);
  return [response.status, await response.text()];
}

/** Whether somebody listens there. */
function answers(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, host);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

describe('the telemetry server', () => {
  it('is ready once the run has begun and until it is asked to end', async () => {
    const status = new RunStatus();
    const server = await start(status);
    expect(await get(server, '/readyz')).toEqual([503, 'starting\n']);
    status.begin();
    expect(await get(server, '/readyz')).toEqual([200, 'ready\n']);
    status.phase = 'draining';
    expect(await get(server, '/readyz')).toEqual([503, 'draining\n']);
    status.begin();
    expect(await get(server, '/readyz')).toEqual([503, 'draining\n']);
    expect(await get(server, '/livez')).toEqual([200, 'live\n']);
  });

  it('is alive unless the run says why it does not continue', async () => {
    const status = new RunStatus();
    const server = await start(status);
    expect(await get(server, '/livez')).toEqual([200, 'live\n']);
    status.stall = 'bufferCount(20000) needs more than the budget';
    expect(await get(server, '/livez')).toEqual([503, `${status.stall}\n`]);
    status.stall = undefined;
    expect(await get(server, '/livez')).toEqual([200, 'live\n']);
  });

  it('shows the metrics as Prometheus reads them, to GET and HEAD', async () => {
    const status = new RunStatus();
    status.recordsOut = 17;
    const server = await start(status);
    const response = await fetch(`${server.url}/metrics?x=1`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toContain('\ntagstream_records_out_total 17\n');
    const head = await fetch(`${server.url}/livez`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      '5',
      '',
    ]);
  });

  it('knows no other page and no other method', async () => {
    const server = await start();
    for (const path of ['/', '/metrics/', '/Metrics', '//livez', '/../metrics/x']) {
      expect((await get(server, path))[0]).toBe(404);
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${server.url}/metrics`, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('says what went wrong when a metric cannot be read, and continues', async () => {
    const status = new RunStatus();
    status.sourceLag = () => {
      throw new Error('the disk is gone');
    };
    const server = await start(status);
    expect(await get(server, '/metrics')).toEqual([500, 'Error: the disk is gone\n']);
    expect(await get(server, '/livez')).toEqual([200, 'live\n']);
  });

  it('refuses a port that is taken, and a host that is not its own', async () => {
    const other = createServer();
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(start(new RunStatus(), port)).rejects.toMatchObject({
      code: 'usage',
      message:
        `cannot listen on 127.0.0.1:${port} for metrics: the port is in use ` +
        '(give another port, or 0 for any free one)',
    });
    other.close();
    const elsewhere = TelemetryServer.start(new RunStatus(), { port: 0, host: '192.0.2.1' });
    await expect(elsewhere).rejects.toMatchObject({
      code: 'usage',
      fix: 'check --metrics-host',
    });
  });

  it('listens on 127.0.0.1 alone', async () => {
    const server = await start();
    const { hostname, port } = new URL(server.url);
    expect(hostname).toBe('127.0.0.1');
    expect(await answers('127.0.0.1', Number(port))).toBe(true);
    const others = Object.values(networkInterfaces())
      .flatMap(addresses => addresses ?? [])
      .filter(({ family, address }) => family === 'IPv4' && address !== '127.0.0.1');
    // All of 127.0.0.0/8 is this machine, where it is Linux.
    for (const host of ['127.0.0.2', ...others.map(({ address }) => address)]) {
      expect([host, await answers(host, Number(port))]).toEqual([host, false]);
    }
  });

  it('releases the port and closes open connections when it is closed', async () => {
    const server = await start();
    const { port } = new URL(server.url);
    const kept = request({ port, host: '127.0.0.1', path: '/livez', agent: false });
    kept.setHeader('Connection', 'keep-alive');
    const ended = new Promise(resolve => {
      kept.on('response', response => {
        response.resume();
        response.socket.on('close', resolve);
        response.on('end', () => void server.close());
      });
    });
    kept.end();
    await ended;
    expect(await answers('127.0.0.1', Number(port))).toBe(false);
    await start(new RunStatus(), Number(port));
    expect(await answers('127.0.0.1', Number(port))).toBe(true);
  });

  it('holds eight connections, and closes those that have been idle for longest', async () => {
    const server = await start();
    const port = Number(new URL(server.url).port);
    const sockets = Array.from({ length: 9 }, () => connect(port, '127.0.0.1'));
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      await once(socket, 'connect');
    }
    const [first, second, third] = sockets;
    const closed = (socket?: (typeof sockets)[number]) =>
      socket!.closed ? undefined : once(socket!, 'close');
    await closed(first!.resume());
    // A request makes one the youngest.
    second!.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(second!, 'data');
    expect(await get(server, '/livez')).toEqual([200, 'live\n']);
    await closed(third!.resume());
    expect(sockets.slice(3).some(socket => socket.closed)).toBe(false);
    expect(second!.closed).toBe(false);
  });
});
