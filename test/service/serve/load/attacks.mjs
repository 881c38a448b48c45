// What greedy clients do to the others of a service: the latency of short requests and of /livez without an attack, and
// during each. A measurement, not a test:
//
//     npm run build && node test/service/serve/load/attacks.mjs MODEL [--tree FOLDER] [--seconds 20]
//
// `--tree` names another checkout that is built, to compare with. The attackers come from 127.0.0.2.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tree: { type: 'string', default: '.' },
    seconds: { type: 'string', default: '20' },
    only: { type: 'string' },
  },
});
const [model] = positionals;
if (model === undefined) throw new Error('name a model that tags texts');
const seconds = Number(values.seconds);

const words = ['The', 'old', 'man', 'from', 'Oslo', 'saw', 'three', 'ships', 'near', 'Bergen'];
const paragraph = count =>
  Array.from({ length: count }, (_, i) => words[(i * 7 + (i % 11)) % words.length]).join(' ');
const bodies = {
  short: 'Anna Berg lives in New York and works for the city.',
  large: JSON.stringify(Array.from({ length: 16 }, () => paragraph(5800))),
  allowed: JSON.stringify([paragraph(8000)]),
  read: JSON.stringify(Array.from({ length: 400 }, () => paragraph(100))),
};

/** Starts the service; resolves when it listens. */
async function start() {
  const command = join(values.tree, 'dist/cli/main.js');
  const child = spawn(process.execPath, [command, 'serve', model, '--port', '0', '--threads', '1']);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', text => {
    log += text;
  });
  while (!/ on http:\S+/.test(log)) {
    if (child.exitCode !== null) throw new Error(log);
    await pause(20);
  }
  return { child, port: Number(/ on http:\/\/[\d.]+:(\d+)/.exec(log)[1]) };
}

/** Sends a request, and reads its answer. Resolves with its status; 0 if there is none within 10 s. */
function send(port, { path, body, type, method = 'POST', agent, localAddress, timeout = 10_000 }) {
  return new Promise(resolve => {
    const begun = performance.now();
    const end = status => resolve({ status, milliseconds: performance.now() - begun });
    const headers = body === undefined ? {} : { 'Content-Type': type };
    const where = { host: '127.0.0.1', port, path, method, headers, agent, localAddress };
    const sent = request(where, answer => {
      answer.resume();
      answer.on('end', () => end(answer.statusCode));
      answer.on('error', () => end(0));
    });
    sent.on('error', () => end(0));
    const timer = setTimeout(() => sent.destroy(), timeout);
    sent.on('close', () => clearTimeout(timer));
    sent.end(body);
  });
}

const headOf = (port, path, lines) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${lines.join('\r\n')}\r\n\r\n`;

/** A connection of an attacker, opened again when it ends until the attack is over. */
function connection(port, head, over) {
  const open = () => {
    if (over.is) return;
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    over.end.push(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => setTimeout(open, 50));
    socket.resume();
    socket.write(head);
  };
  open();
}

/** Reads a large answer at a rate; counts whether all of it came. */
function slowReader(port, rate, over) {
  const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  const type = 'Content-Type: application/json';
  const length = `Content-Length: ${bodies.read.length}`;
  socket.write(headOf(port, '/v1/tag?marginals=all', [type, length]) + bodies.read);
  socket.pause();
  const timer = setInterval(() => socket.read(Math.ceil(rate / 10)) ?? socket.read(), 100);
  socket.on('error', () => undefined);
  socket.on('readable', () => undefined);
  over.end.push(() => {
    clearInterval(timer);
    if (socket.destroyed) over.cut = (over.cut ?? 0) + 1;
    socket.destroy();
  });
}

/** Sends requests one after the other, and goes away after a time without having read the answers. */
async function flood(port, over, given) {
  const type = 'application/json';
  while (!over.is) {
    await send(port, { type, ...given, localAddress: '127.0.0.2' });
    await pause(20);
  }
}

const times = (count, begin) => Array.from({ length: count }, (_, i) => begin(i));

const attacks = {
  none: () => undefined,
  'explain, 475 kB, gone after 1 s': (port, over) =>
    times(8, () => flood(port, over, { path: '/v1/explain', body: bodies.large, timeout: 1000 })),
  'explain, 40 kB, gone after 1 s': (port, over) =>
    times(8, () => flood(port, over, { path: '/v1/explain', body: bodies.allowed, timeout: 1000 })),
  'pairs, 475 kB': (port, over) => {
    const path = '/v1/tag?marginals=pairs&pairThreshold=0.0001';
    return times(8, () => flood(port, over, { path, body: bodies.large, timeout: 30_000 }));
  },
  'slow readers, 10 to 400 kB/s': (port, over) =>
    times(9, i => slowReader(port, [10_000, 30_000, 400_000][i % 3], over)),
  '64 announce 1 MB': (port, over) => {
    const lines = ['Content-Type: text/plain', 'Content-Length: 1048576'];
    return times(64, () => connection(port, `${headOf(port, '/v1/tag', lines)}a`, over));
  },
  '64 silent streams': (port, over) => {
    const lines = ['Content-Type: application/x-ndjson', 'Transfer-Encoding: chunked'];
    return times(64, () => connection(port, headOf(port, '/v1/tag', lines), over));
  },
};

const quantile = (sorted, share) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
const peakOf = ({ pid }) => {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(kilobytes / 1024);
};

async function measured(name, attack) {
  const { child, port } = await start();
  const agent = new Agent({ keepAlive: true });
  const over = { is: false, end: [] };
  const found = { ok: 0, busy: 0, lost: 0, livez: 0 };
  const latencies = [];
  const short = { body: bodies.short, type: 'text/plain', path: '/v1/tag', agent };
  const stream = { ...short, body: '{"text":"Anna saw Oslo"}\n', type: 'application/x-ndjson' };
  await Promise.all(times(50, () => send(port, short)));
  attack(port, over);
  await pause(name === 'none' ? 0 : 2000);
  const end = performance.now() + 1000 * (name.startsWith('slow') ? 3 * seconds : seconds);
  const other = async i => {
    for (let turn = i; performance.now() < end; turn += 1) {
      const { status, milliseconds } = await send(port, turn % 10 === 0 ? stream : short);
      if (status === 200) found.ok += 1;
      else if (status === 503) found.busy += 1;
      else found.lost += 1;
      latencies.push(milliseconds);
      await pause(5);
    }
  };
  const probe = async () => {
    while (performance.now() < end) {
      const { milliseconds } = await send(port, { method: 'GET', path: '/livez', agent });
      found.livez = Math.max(found.livez, milliseconds);
      await pause(20);
    }
  };
  await Promise.all([...times(8, other), probe()]);
  over.is = true;
  for (const each of over.end) each();
  const peak = peakOf(child);
  child.kill('SIGKILL');
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const p = share => quantile(latencies, share).toFixed(1);
  const { ok, busy, lost, livez } = found;
  const cut = over.cut === undefined ? '' : `${over.cut} readers cut`;
  return [name, ok, busy, lost, p(0.5), p(0.99), livez.toFixed(1), peak, cut];
}

const widths = [34, 8, 8, 8, 9, 9, 11, 9, 16];
const line = cells => cells.map((cell, i) => String(cell).padEnd(widths[i])).join('');
console.log(line(['attack', 'ok', '503', 'lost', 'p50 ms', 'p99 ms', 'livez max', 'peak MiB', '']));
for (const [name, attack] of Object.entries(attacks)) {
  if (values.only !== undefined && !name.includes(values.only)) continue;
  console.log(line(await measured(name, attack)));
}
process.exit();
