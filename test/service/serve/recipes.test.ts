import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../../src/runtime/http/listen.js';
import { createService } from '../../../src/service/serve/service.js';
import { EmptyFolder } from '../../house/docs/empty-folder.js';
import { readPage } from '../../house/docs/page.js';
import { installPacked, link } from '../../house/entries/packed-package.js';
import { chromiumFile, startChromium } from '../../reports/chromium.js';
import { namesModel, petsModel } from './served.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
const page = readPage(root, 'pipelines/serve-recipes.md');
const folder = new EmptyFolder(root);
const inFolder = (name: string) => join(folder.path, name);
const block = (name: string) => page.blocks.find(each => each.name === name)!.code;
const has = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;
const text = 'Anna lives in Oslo.';

beforeAll(async () => {
  folder.write(page);
  await installPacked(folder.path);
  // What the recipes say is to be installed.
  link(folder.path, 'hono', '@hono/node-server', 'vite');
  writeFileSync(inFolder('ner.model'), namesModel());
});
afterAll(() => folder.remove());

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether something listens on a port. */
async function connects(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const found = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return found;
}

/** The output of a process, and a way to wait for it. */
function watched(child: ChildProcess): { until(pattern: RegExp): Promise<RegExpExecArray> } {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (part: Buffer) => {
      output += String(part);
    });
  }
  return {
    async until(pattern) {
      await expect.poll(() => output, { timeout: 20_000 }).toMatch(pattern);
      return pattern.exec(output)!;
    },
  };
}

describe.skipIf(!has('nginx', '-v') || !has('openssl', 'version'))('the recipe for nginx', () => {
  let nginx: ChildProcess;
  let service: Awaited<ReturnType<typeof createService>>;
  let socket: Listening;
  let port: number;

  beforeAll(async () => {
    service = await createService({
      ...{ models: { ner: inFolder('ner.model') }, threads: 1, maxBody: 10_000 },
      ...{ origin: 'https://tags.example.com', hosts: new Set<string>() },
    });
    const place = { host: '127.0.0.1', port: 0 };
    socket = await listen(service.fetch, place, { shows: 'the service', limits: {} });
    const days = ['-days', '2', '-nodes', '-newkey', 'rsa:2048', '-x509'];
    const names = [
      '-subj',
      '/CN=tags.example.com',
      '-addext',
      'subjectAltName=DNS:tags.example.com',
    ];
    const files = ['-keyout', 'tags.key', '-out', 'tags.pem'];
    await run('openssl', ['req', ...days, ...names, ...files], { cwd: folder.path });
    port = await freePort();
    const site = block('tagstream.conf')
      .replace('127.0.0.1:8080', `127.0.0.1:${socket.port}`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replaceAll('/etc/ssl/', `${folder.path}/`);
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const temporary = kinds.map(kind => `${kind}_temp_path ${folder.path}/${kind};`).join(' ');
    const whole = `daemon off; master_process off; pid ${folder.path}/nginx.pid; error_log stderr;
events {} http { access_log off; ${temporary} ${site} }`;
    writeFileSync(inFolder('nginx.conf'), whole);
    nginx = spawn('nginx', ['-e', 'stderr', '-p', folder.path, '-c', inFolder('nginx.conf')]);
    nginx.stderr!.resume();
    while (!(await connects(port))) await pause(50);
  });
  afterAll(async () => {
    nginx.kill();
    await once(nginx, 'close');
    await socket.close();
    await service.close();
  });

  /** Runs a program that has a client of the published address. */
  async function printed(code: string): Promise<string> {
    // The name leads here, as it would in the network of the server.
    const program = `import dns from 'node:dns';
dns.lookup = (name, options, done) =>
  options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
const { createClient } = await import('tagstream/client');
const client = createClient('https://tags.example.com:${port}');
${code}`;
    writeFileSync(inFolder('asks.mjs'), program);
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: inFolder('tags.pem') };
    return (await run(process.execPath, ['asks.mjs'], { cwd: folder.path, env })).stdout;
  }

  it('answers over TLS, and streams without waiting for the end', async () => {
    const stdout = await printed(`
let go;
async function* records() {
  for (let id = 0; id < 3; id += 1) {
    yield { id, text: '${text}' };
    await new Promise(resolve => { go = resolve; });
  }
}
console.log((await client.tag('${text}')).tags.join(' '));
for await (const { id, tags } of client.stream(records())) {
  console.log(id, tags.length);
  setTimeout(() => go());
}`);
    expect(stdout).toBe('B-PER O O B-LOC O\n0 5\n1 5\n2 5\n');
  });

  it('lets a stream be longer than a body may be, and the service limit bodies', async () => {
    const stdout = await printed(`
const records = Array.from({ length: 30_000 }, (_, id) => ({ id, text: '${text}' }));
let answers = 0;
for await (const { id } of client.stream(records)) if (id === answers) answers += 1;
console.log(answers, (await client.tag('a'.repeat(10_001)).catch(error => error)).code);`);
    expect(stdout).toBe('30000 too-long\n');
  });

  it('answers for no name that a client only claims', async () => {
    const words = [
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '-H',
      'Origin: https://evil.example',
    ];
    for (const claim of ['X-Forwarded-Host', 'X-Forwarded-Proto', 'Forwarded', 'X-Original-Host']) {
      const headers = ['-H', `${claim}: evil.example`];
      const site = `tags.example.com:${port}`;
      const over = [
        '--cacert',
        'tags.pem',
        '--resolve',
        `${site}:127.0.0.1`,
        `https://${site}/v1/models`,
      ];
      const { stdout } = await run('curl', [...words, ...headers, ...over], { cwd: folder.path });
      expect([claim, stdout]).toEqual([claim, '403']);
      const direct = ['-H', 'Host: evil.example', '-H', `${claim}: tags.example.com`];
      const { stdout: status } = await run('curl', [
        ...[...words.slice(0, 5), ...direct],
        `${socket.url}/v1/models`,
      ]);
      expect([claim, status]).toEqual([claim, '403']);
    }
  });
});

describe('the recipe for Hono', () => {
  it('tags, streams, refuses what is too large, reloads, and stops in order', {
    tags: 'slow',
  }, async () => {
    const env = { ...process.env, PORT: '0' };
    const child = spawn(process.execPath, ['server.mjs'], { cwd: folder.path, env });
    const output = watched(child);
    const [, port] = await output.until(/listens on (\d+)/);
    const url = `http://127.0.0.1:${port}`;
    const tags = async () => {
      const answer = await fetch(`${url}/tag`, { method: 'POST', body: text });
      return ((await answer.json()) as { tags: string[] }).tags;
    };
    expect(await tags()).toEqual(['B-PER', 'O', 'O', 'B-LOC', 'O']);
    // The answer comes before the body has been read, and ends the connection.
    const body = 'a'.repeat((1 << 20) + 1);
    const headers = { connection: 'close' };
    const large = await fetch(`${url}/tag`, { method: 'POST', headers, body });
    expect(large.status).toBe(413);
    // The second line is sent after the first answer.
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    void writer.write(Buffer.from(`${text}\n`));
    const init = { method: 'POST', body: readable, duplex: 'half' } as RequestInit;
    const reader = (await fetch(`${url}/lines`, init)).body!.getReader();
    expect(String(Buffer.from((await reader.read()).value!))).toContain('"PER"');
    cpSync(inFolder('ner.model'), inFolder('names.model'));
    writeFileSync(inFolder('ner.model'), petsModel());
    child.kill('SIGHUP');
    await output.until(/reloaded/);
    expect(await tags()).toEqual(['O', 'B-ACT', 'O', 'O', 'O']);
    void writer.write(Buffer.from(`${text}\n`));
    expect(String(Buffer.from((await reader.read()).value!))).toContain('"ACT"');
    // What was accepted is still answered.
    child.kill('SIGTERM');
    void writer.write(Buffer.from('Ben\n'));
    await writer.close();
    expect(String(Buffer.from((await reader.read()).value!))).toBe('[]\n');
    expect((await reader.read()).done).toBe(true);
    expect(await once(child, 'close')).toEqual([0, null]);
    cpSync(inFolder('names.model'), inFolder('ner.model'));
  });
});

describe('the recipe for Vite', () => {
  it.skipIf(chromiumFile === undefined)(
    'is built, and tags in a worker of the page',
    { tags: 'slow' },
    async () => {
      mkdirSync(inFolder('public'));
      cpSync(inFolder('ner.model'), inFolder('public/ner.model'));
      const vite = join(root, 'node_modules/vite/bin/vite.js');
      await run(process.execPath, [vite, 'build'], { cwd: folder.path });
      const types: Record<string, string> = { '.js': 'text/javascript', '.html': 'text/html' };
      const built = (request: Request) => {
        const { pathname } = new URL(request.url);
        const name = pathname === '/' ? '/index.html' : pathname;
        const type = types[extname(name)] ?? 'application/octet-stream';
        return new Response(readFileSync(inFolder(`dist${name}`)), {
          headers: { 'Content-Type': type },
        });
      };
      const place = { host: '127.0.0.1', port: 0 };
      const socket = await listen(built, place, { shows: 'the page', limits: {} });
      const browser = await startChromium();
      const page = await browser.context.newPage();
      await page.goto(socket.url);
      const body = page.locator('body');
      await expect.poll(() => body.textContent(), { timeout: 20_000 }).toBe('PER Anna, LOC Oslo');
      await browser.close();
      await socket.close();
    },
  );
});
