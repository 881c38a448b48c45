import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { createServer as createTlsServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ShownRecord } from '../../src/annotation/task/shown-record.js';
import { workspace } from '../cli/commands/workspace.js';
import { attackCount, reportCounts } from '../faults/long-form.js';
import { printSeed, randomOf } from '../faults/seed.js';
import { goldTags, sampleQueue } from './sample-session.js';
import { type ServedCommand, serveCommand } from './served-command.js';

printSeed('annotation together');
const folder = workspace();
const token = 'correct horse';
const people = ['anna', 'ben'] as const;
const starts = attackCount(3, 30);
const answersOfStart = 12;
const name = 'label.example.com';

/** A certificate of its own; undefined where there is no openssl. */
function certificate(): { readonly key: Buffer; readonly cert: Buffer } | undefined {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const given = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key];
  try {
    execFileSync('openssl', [...given, '-out', cert, '-subj', `/CN=${name}`], { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } catch {
    return undefined;
  }
}

const tls = certificate();
const scheme = tls === undefined ? 'http' : 'https';

/** A proxy that publishes the server under a path, and rewrites the host as nginx does, by turns. */
async function startProxy(upstream: () => number): Promise<Server> {
  let requests = 0;
  const listener: Parameters<typeof createServer>[1] = (incoming, outgoing) => {
    requests += 1;
    const port = upstream();
    const hosts = [incoming.headers.host!, name, `127.0.0.1:${port}`];
    const path = requests % 2 === 0 ? incoming.url! : incoming.url!.replace(/^\/team/, '');
    const headers = {
      ...incoming.headers,
      host: hosts[requests % hosts.length],
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': scheme,
    };
    const passed = httpRequest(
      { port, host: '127.0.0.1', path, method: incoming.method, headers, agent: false },
      answer => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  };
  const proxy =
    tls === undefined ? createServer(listener) : createTlsServer(tls, listener as never);
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  return proxy as Server;
}

/** Another process that does to the files of answers what editors and scripts do, until it is ended. */
const editor = `import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
let [seed, ...files] = process.argv.slice(2);
const below = most => { seed = (Math.imul(Number(seed), 1103515245) + 12345) >>> 0; return (seed >>> 8) % most; };
const old = new Map();
const acts = [
  file => { writeFileSync(file + '~', old.get(file) ?? ''); renameSync(file + '~', file); },
  file => writeFileSync(file, old.get(file) ?? ''),
  file => truncateSync(file, below(readFileSync(file).length + 1)),
  file => truncateSync(file, readFileSync(file).length + below(3000)),
  file => appendFileSync(file, '{"tokens":["a"],"tags":["X"]}\\nhalf a li'),
  file => appendFileSync(file, readFileSync(file)),
  file => rmSync(file),
  file => { writeFileSync(file + '~', readFileSync(file, 'utf8').trim().split('\\n').reverse().join('\\r\\n')); renameSync(file + '~', file); },
  file => old.set(file, readFileSync(file)),
];
let done = 0;
const step = () => {
  try { acts[below(acts.length)](files[below(files.length)]); done += 1; } catch {}
  setTimeout(step, below(30));
};
process.on('SIGTERM', () => { console.log(done); process.exit(0); });
step();
`;

function startEditor(seed: number, files: readonly string[]): ChildProcess {
  writeFileSync(join(folder, 'editor.mjs'), editor);
  return spawn(process.execPath, [join(folder, 'editor.mjs'), String(seed), ...files]);
}

/** What an editor has done when it is ended. */
async function endEditor(running: ChildProcess): Promise<number> {
  let text = '';
  running.stdout!.on('data', part => {
    text += String(part);
  });
  const ended = once(running, 'close');
  running.kill('SIGTERM');
  await ended;
  return Number(text);
}

interface Confirmed {
  readonly tags: readonly string[];
  readonly asked: readonly number[] | undefined;
  readonly key: string;
}

describe('two people, a proxy, and an editor', () => {
  let proxy: Server | undefined;
  let server: ServedCommand | undefined;
  afterAll(async () => {
    proxy?.closeAllConnections();
    proxy?.close();
    await server?.end('SIGKILL');
  });

  it(`lose no confirmed answer in ${starts} starts`, { tags: 'slow' }, async () => {
    const random = randomOf(4242);
    const queue = sampleQueue(folder, 60 * starts, 'together.ndjson');
    const files = people.map(person => join(folder, `out.${person}.ndjson`));
    proxy = await startProxy(() => server!.port);
    const { port } = proxy.address() as AddressInfo;
    const origin = `${scheme}://${name}:${port}`;
    const words = [
      ...['annotate', queue, '--labels', 'PER,ORG,LOC', '--out', 'out.ndjson', '--no-retrain'],
      ...['--annotators', people.join(), '--overlap', '1', '--strategy', 'spans'],
      ...['--token', token, '--origin', `${origin}/team/`],
    ];
    const cookies = new Map<string, string>();
    const ask = (path: string, options: { person?: string; body?: object; evil?: boolean } = {}) =>
      new Promise<{ status: number; text: string; cookie: string | undefined }>(
        (resolve, reject) => {
          const { person = '', body, evil } = options;
          const headers = {
            host: `${name}:${port}`,
            origin: evil === true ? 'https://evil.example' : origin,
            'sec-fetch-site': evil === true ? 'cross-site' : 'same-origin',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(cookies.has(person) ? { cookie: cookies.get(person)! } : {}),
          };
          const send = tls === undefined ? httpRequest : httpsRequest;
          const sent = send(
            {
              ...{ host: '127.0.0.1', port, path: `/team/${path}`, headers, agent: false },
              ...{ method: body === undefined ? 'GET' : 'POST', rejectUnauthorized: false },
            },
            response => {
              let text = '';
              response.on('data', part => {
                text += String(part);
              });
              const cookie = response.headers['set-cookie']?.[0]?.split(';')[0];
              response.on('end', () => resolve({ status: response.statusCode!, text, cookie }));
            },
          );
          sent.on('error', reject);
          sent.end(body === undefined ? undefined : JSON.stringify(body));
        },
      );
    const post = async (person: string, path: string, body: object) => {
      const { status, text } = await ask(`api/${path}?annotator=${person}`, { person, body });
      if (status !== 200) throw new Error(`${status}: ${text}`);
      return JSON.parse(text) as { readonly next: ShownRecord | null; readonly isNew?: boolean };
    };

    const confirmed = new Map(people.map(person => [person, new Map<number, Confirmed>()]));
    const counts = { answers: 0, again: 0, stale: 0, edits: 0, refused: 0 };
    /** What pages show while the server is started again. */
    const open = new Map<string, ShownRecord>();
    for (let start = 0; start < starts; start += 1) {
      server = await serveCommand(words, folder);
      const running = startEditor(random.below(2 ** 31), files);
      for (const person of people) {
        const first = await ask(`?token=${encodeURIComponent(token)}&annotator=${person}`);
        expect(first.status).toBe(302);
        cookies.set(person, first.cookie!);
      }
      expect((await ask('api/start', { person: 'anna', body: {}, evil: true })).status).toBe(403);
      expect((await ask('api/start', { body: {} })).status).toBe(401);
      const label = async (person: (typeof people)[number], seed: number) => {
        const draws = randomOf(seed);
        const mine = confirmed.get(person)!;
        const earlier: object[] = [];
        let next: ShownRecord | null = open.get(person) ?? (await post(person, 'start', {})).next;
        for (let i = 0; i < answersOfStart; i += 1) {
          const { record, showing, asked, tokens } = next!;
          const tags = goldTags(tokens);
          const key = `${person}-${start}-${i}`;
          const body = { record, showing, asked, answer: 'accept', tags, corrections: 0, key };
          earlier.push(body);
          for (let attempt = 0; ; attempt += 1) {
            try {
              ({ next } = await post(person, 'answer', body));
              break;
            } catch (error) {
              // The page sends it again until it is confirmed.
              counts.refused += 1;
              if (attempt > 20) throw error;
            }
          }
          mine.set(record, { tags, asked, key });
          counts.answers += 1;
          if (draws.below(3) === 0) {
            // A request that comes once more changes nothing.
            const stale = earlier[draws.below(earlier.length)]!;
            expect((await post(person, 'answer', stale)).isNew).toBe(false);
            counts.stale += 1;
          }
          if (draws.below(4) === 0) {
            const [at] = [...mine.keys()].slice(-3);
            next = (await post(person, 'show', { record: at! })).next;
            counts.again += 1;
          }
        }
        open.set(person, next!);
      };
      await Promise.all(people.map((person, i) => label(person, random.below(2 ** 31) + i)));
      counts.edits += await endEditor(running);
      await server.end('SIGTERM');
      server = undefined;

      for (const [i, person] of people.entries()) {
        const content = readFileSync(files[i]!);
        expect(content.includes(0)).toBe(false);
        const lines = content.toString().trim().split(/\r?\n/);
        const answers = lines.map(line => JSON.parse(line));
        const records = answers.map(({ _annotation: { record } }) => record as number);
        expect(new Set(records).size).toBe(records.length);
        const kept = new Map(answers.map(answer => [answer._annotation.record as number, answer]));
        expect([...kept.keys()].sort()).toEqual([...confirmed.get(person)!.keys()].sort());
        for (const [record, { tags, asked, key }] of confirmed.get(person)!) {
          const { _annotation: note, tags: found } = kept.get(record)!;
          expect(note).toMatchObject({ annotator: person, key, asked });
          expect(found).toEqual(tags.map((tag, t) => (asked!.includes(t) ? tag : null)));
        }
      }
    }
    reportCounts('annotation together', { starts, ...counts });
    expect(counts.edits).toBeGreaterThan(0);
    expect(files.some(file => existsSync(`${file}.rejected`))).toBe(true);
  });
});
