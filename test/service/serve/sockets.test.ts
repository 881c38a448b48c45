// @module-tag slow
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../../src/service/serve/service.js';
import { type StartedService, startService } from '../../../src/service/serve/start-service.js';
import { workspace } from '../../cli/commands/workspace.js';
import { reportCounts } from '../../faults/long-form.js';
import { type HostileRequest, hostileRequests } from './hostile-requests.js';
import { writeModels } from './served.js';

const folder = workspace();
let service: Service;
let started: StartedService;

beforeAll(async () => {
  const { names } = writeModels(folder);
  const hosts = new Set(['localhost']);
  const limits = { maxBody: 100_000, maxTokens: 500, timeout: 2000, maxWait: 100_000 };
  service = await createService({ models: { names }, threads: 1, hosts, ...limits });
  started = await startService(service, { port: 0, host: '127.0.0.1', headersTimeout: 300 });
  hosts.add(`127.0.0.1:${started.port}`);
});
afterAll(() => started.stop(0));

/** Milliseconds between the parts of a slow request. */
const slowness = 5;

/** Sends a request in its parts; what comes back until the server ends the connection, or for five seconds. */
function send({ parts, resets }: HostileRequest): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(started.port, '127.0.0.1');
    let answer = '';
    let isOver = false;
    const timer = setTimeout(() => socket.destroy(), 5000);
    socket.on('data', data => {
      answer += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      isOver = true;
      clearTimeout(timer);
      resolve(answer);
    });
    void (async () => {
      for (const [i, part] of parts.entries()) {
        if (i > 0) await new Promise(done => setTimeout(done, slowness));
        if (isOver) return;
        socket.write(part);
      }
      if (resets === true) socket.resetAndDestroy();
    })();
  });
}

describe('a service on a socket', () => {
  it('answers hostile requests, and none disturbs those beside it', async () => {
    const all = hostileRequests();
    expect(all.length).toBeGreaterThan(300);
    let slowest = 0;
    let isOver = false;
    let good = 0;
    const beside = (async () => {
      while (!isOver) {
        const begun = performance.now();
        const answer = await fetch(`${started.url}/v1/tag`, {
          method: 'POST',
          body: 'Anna saw Oslo',
          headers: { 'content-type': 'text/plain' },
        });
        slowest = Math.max(slowest, performance.now() - begun);
        expect([answer.status, (await answer.text()).includes('"Oslo"')]).toEqual([200, true]);
        good += 1;
      }
    })();
    const found: string[] = [];
    // As many at a time as a port has.
    const left = all.values();
    const attacker = async () => {
      for (const request of left) {
        const got = await send(request);
        const isSmuggled = got.includes('"models":[');
        if (request.answer.test(got) && !isSmuggled) continue;
        found.push(`${request.name}: ${got.slice(0, 100)}`);
      }
    };
    await Promise.all(Array.from({ length: 32 }, attacker));
    isOver = true;
    await beside;
    expect(found).toEqual([]);
    expect(good).toBeGreaterThan(10);
    reportCounts('hostile requests', {
      sent: all.length,
      beside: good,
      slowest: Math.round(slowest),
    });
    expect([service.status.held, service.status.streams]).toEqual([0, 0]);
  });

  it('stops in order: what has come is answered', async () => {
    const { names } = writeModels(folder);
    const own = await createService({ models: { names }, threads: 1, maxWait: 100_000 });
    const server = await startService(own, { port: 0, host: '127.0.0.1' });
    let stopping = false;
    let answered = 0;
    const client = async () => {
      while (!stopping) {
        const answer = await fetch(`${server.url}/v1/tag`, {
          method: 'POST',
          body: 'Anna saw Oslo',
          headers: { 'content-type': 'text/plain' },
        });
        expect(answer.status).toBe(200);
        expect(await answer.text()).toContain('"Oslo"');
        answered += 1;
      }
    };
    const clients = Array.from({ length: 16 }, client);
    while (answered < 100) await new Promise(resolve => setTimeout(resolve, 5));
    stopping = true;
    const stopped = server.stop(100);
    await Promise.all(clients);
    await stopped;
    await expect(fetch(server.url)).rejects.toThrow();
    expect(answered).toBeGreaterThanOrEqual(100);
  });
});
