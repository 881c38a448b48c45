import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join, resolve as resolvePath } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inheritedSocket } from '../../../src/runtime/http/listen.js';
import { root, tagstream } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { readPage } from '../../house/docs/page.js';
import { writeModels } from './served.js';

const folder = workspace();
let names = '';
beforeAll(() => {
  names = writeModels(folder).names;
});

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A socket that listens, of which the handle has a descriptor. */
async function listening(place: { port: number; host: string } | { path: string }) {
  const server = createServer().listen(place);
  await once(server, 'listening');
  open.push(() => new Promise(closed => server.close(closed)));
  return { server, fd: (server as Server & { _handle: { fd: number } })._handle.fd };
}

/** `tagstream serve` with a descriptor 3, as systemd starts it: the variable has the id of the process that it becomes. */
function started(fd: number | 'ignore', words: string[] = [], variables = 'LISTEN_PID=$$') {
  const command = [process.execPath, resolvePath(root, 'dist/cli/main.js'), 'serve', names];
  const child = spawn(
    'sh',
    ['-c', `${variables} exec "$@"`, 'sh', ...command, '--threads', '1', ...words],
    { stdio: ['ignore', 'ignore', 'pipe', fd], env: { ...process.env, LISTEN_FDS: '1' } },
  );
  const ended = once(child, 'close').then(([code]) => code as number | null);
  open.push(() => {
    child.kill('SIGKILL');
    return ended;
  });
  let stderr = '';
  child.stderr!.on('data', chunk => {
    stderr += chunk;
  });
  return { child: child as ChildProcess, ended, stderr: () => stderr };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The answer to a request that names this host. */
function statusFor(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, path: '/v1/models', headers: { host } }, answer => {
      resolve(answer.statusCode!);
      answer.destroy();
    });
    asked.on('error', reject).end();
  });
}

function tagsAt(port: number): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/v1/tag`, {
    method: 'POST',
    body: 'Anna lives in Oslo.',
    headers: { 'content-type': 'text/plain' },
  });
}

describe('a socket of the parent', () => {
  it('is descriptor 3 if the variables are for this process', () => {
    expect(inheritedSocket({}, 7)).toBe(undefined);
    expect(inheritedSocket({ LISTEN_FDS: '0' }, 7)).toBe(undefined);
    expect(inheritedSocket({ LISTEN_FDS: '1' }, 7)).toBe(3);
    expect(inheritedSocket({ LISTEN_FDS: '1', LISTEN_PID: '7' }, 7)).toBe(3);
    expect(inheritedSocket({ LISTEN_FDS: '2', LISTEN_PID: '8' }, 7)).toBe(undefined);
    expect(() => inheritedSocket({ LISTEN_FDS: '2' }, 7)).toThrow(/LISTEN_FDS is 2/);
  });

  it('is served on, and who connects between two processes waits for the second', {
    tags: 'slow',
  }, async () => {
    const { server, fd } = await listening({ port: 0, host: '127.0.0.1' });
    const { port } = server.address() as { port: number };
    // The shell holds the socket as systemd does: it accepts nothing.
    const { stderr } = started(fd, [], '"$@" & echo "pid $!" >&2; wait; LISTEN_PID=$$');
    await open.shift()!();
    const isThere = () => /serving/.test(stderr());
    while (!isThere()) await new Promise(done => setTimeout(done, 20));
    expect(stderr()).toContain(`on http://127.0.0.1:${port} `);
    expect((await tagsAt(port)).status).toBe(200);
    const first = Number(/^pid (\d+)$/m.exec(stderr())![1]);
    process.kill(first, 'SIGTERM');
    while (isRunning(first)) await new Promise(done => setTimeout(done, 5));
    expect(stderr().match(/serving/g)).toHaveLength(1);
    expect((await tagsAt(port)).status).toBe(200);
    expect(stderr().match(/serving/g)).toHaveLength(2);
  });

  it('is refused with --port or --host', async () => {
    for (const [option, value] of [
      ['--port', '0'],
      ['--host', '127.0.0.1'],
    ] as const) {
      const { code, stderr } = await tagstream(['serve', names, option, value], {
        env: { LISTEN_FDS: '1' },
      });
      expect(code).toBe(2);
      expect(stderr).toContain(`${option} cannot be combined with a socket of the parent process`);
    }
  });

  it('must be a TCP socket', { tags: 'slow' }, async () => {
    const { fd } = await listening({ path: join(folder, 'unix.sock') });
    const unix = started(fd);
    expect(await unix.ended).toBe(2);
    expect(unix.stderr()).toContain('it has no port');
    const none = started('ignore');
    expect(await none.ended).toBe(2);
    expect(none.stderr()).toContain('on the socket of descriptor 3');
  });

  it('is for another process if LISTEN_PID says so', { tags: 'slow' }, async () => {
    const { stderr, child } = started('ignore', ['--port', '0'], 'LISTEN_PID=1');
    while (!/serving/.test(stderr()) && child.exitCode === null) {
      await new Promise(done => setTimeout(done, 20));
    }
    const [, port] = /on http:\/\/127\.0\.0\.1:(\d+) /.exec(stderr())!;
    expect((await tagsAt(Number(port))).status).toBe(200);
  });
});

const has = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;

describe('the units of pipelines/serve-recipes.md', () => {
  const { blocks } = readPage(root, 'pipelines/serve-recipes.md');
  it.skipIf(!has('systemd-analyze', '--version'))('are such that systemd takes them', () => {
    const files = ['tagstream.socket', 'tagstream.service'].map(name => {
      const file = join(folder, name);
      writeFileSync(file, blocks.find(each => each.name === name)!.code);
      return file;
    });
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files]);
    expect([status, String(stderr)]).toEqual([0, '']);
  });
});

describe.skipIf(!has('systemd-socket-activate', '--version'))('systemd-socket-activate', () => {
  it('starts the service at the first connection, which is answered, for its own names only', {
    tags: 'slow',
  }, async () => {
    const { server } = await listening({ port: 0, host: '127.0.0.1' });
    const { port } = server.address() as { port: number };
    await open.pop()!();
    const command = [process.execPath, resolvePath(root, 'dist/cli/main.js'), 'serve', names];
    const child = spawn(
      'systemd-socket-activate',
      ['-l', `127.0.0.1:${port}`, ...command, '--threads', '1', '--max-wait', '60000'],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const ended = once(child, 'close').then(([code]) => code as number | null);
    open.push(() => {
      child.kill('SIGKILL');
      return ended;
    });
    let stderr = '';
    child.stderr.on('data', chunk => {
      stderr += chunk;
    });
    while (!/Listening/i.test(stderr)) await new Promise(done => setTimeout(done, 20));
    expect(stderr).not.toContain('serving');
    const answer = await tagsAt(port);
    expect([answer.status, (await answer.text()).includes('"Oslo"')]).toEqual([200, true]);
    expect(await statusFor(port, `localhost:${port}`)).toBe(200);
    expect(await statusFor(port, `evil.example:${port}`)).toBe(403);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
