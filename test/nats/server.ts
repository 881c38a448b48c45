import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';

/** The server's program; that of the path by default. */
const program = process.env.NATS_SERVER ?? 'nats-server';

/** Why no server can be started; undefined where one can. */
const reason = missingProgram();

/** Milliseconds from one look at a server that starts to the next. */
const look = 20;

/** Ports below those that systems give to connections, so that none of them takes the port of a server that restarts. */
const ports = { first: 15_000, last: 31_999 };

/** What servers are started with. */
export interface NatsOptions {
  /** Servers; several form a cluster. 1 by default. */
  readonly servers?: number;
  /** More of the configuration, in the form of nats-server; may name files of the folder that it is given. */
  readonly config?: string | ((folder: string) => string);
  /** Bytes that streams may take on the disk of a server. */
  readonly storeBytes?: number;
}

interface Server {
  readonly port: number;
  readonly monitor: number;
  readonly config: string;
  readonly log: string;
  child: ChildProcess | undefined;
}

/**
 * Tests that need nats-server. Where it is not installed they are skipped, and the name says why; where the variable
 * `CI` is set they fail instead, so that no run there passes without them.
 */
export function describeNats(name: string, body: () => void): void {
  if (reason === undefined) describe(name, body);
  else if (process.env.CI === undefined) describe.skip(`${name} (${reason})`, body);
  else throw new Error(reason);
}

/**
 * Servers for the tests of the `describe` that this is called in, stopped and removed after them. If a test fails, their
 * logs are kept and their place is printed.
 */
export function natsServers(options: NatsOptions = {}): () => NatsServers {
  let servers: NatsServers | undefined;
  let failed = false;
  beforeAll(async () => {
    servers = await NatsServers.start(options);
  });
  afterEach(({ task }) => {
    failed ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    await servers?.end({ keepLogs: failed });
  });
  return () => servers!;
}

/** Real servers with JetStream on 127.0.0.1, one or a cluster, whose streams lie in a folder of their own. */
export class NatsServers {
  /** Configurations, logs and streams; removed at the end. */
  readonly folder: string;
  readonly #servers: readonly Server[];

  private constructor(folder: string, servers: readonly Server[]) {
    this.folder = folder;
    this.#servers = servers;
  }

  /** Resolves when all of them answer, and a cluster has a leader. */
  static async start(options: NatsOptions = {}): Promise<NatsServers> {
    for (let attempt = 1; ; attempt += 1) {
      const folder = mkdtempSync(join(tmpdir(), 'tagstream-nats-'));
      const servers = new NatsServers(folder, await configured(folder, options));
      try {
        await Promise.all(servers.#servers.map(server => begin(server)));
        await servers.ready();
        return servers;
      } catch (thrown) {
        const taken = servers.#servers.some(({ log }) =>
          /address already in use/.test(textOf(log)),
        );
        // The error has the log.
        await servers.end();
        if (!taken || attempt === 5) throw thrown;
      }
    }
  }

  /** Addresses, `nats://127.0.0.1:PORT`. */
  get urls(): readonly string[] {
    return this.#servers.map(({ port }) => `nats://127.0.0.1:${port}`);
  }

  /** The address of the first. */
  get url(): string {
    return this.urls[0]!;
  }

  get size(): number {
    return this.#servers.length;
  }

  /** Ends a server with its process, as a loss of power would; what it has not synced may be lost to it. */
  async kill(server = 0): Promise<void> {
    await this.#end(server, 'SIGKILL');
  }

  /** Ends a server in good order. */
  async stop(server = 0): Promise<void> {
    await this.#end(server, 'SIGTERM');
  }

  /** Starts a server that was ended, at the same address with the same streams. */
  async restart(server = 0): Promise<void> {
    const which = this.#servers[server]!;
    if (which.child !== undefined) throw new Error(`server ${server} is running`);
    await begin(which);
    await answers(which);
  }

  /** Stops the process of a server where it is, so that it holds its connections and answers nothing. */
  pause(server = 0): void {
    this.#servers[server]!.child?.kill('SIGSTOP');
  }

  /** Lets a paused server continue. */
  resume(server = 0): void {
    this.#servers[server]!.child?.kill('SIGCONT');
  }

  isRunning(server = 0): boolean {
    return this.#servers[server]?.child !== undefined;
  }

  /** Resolves when all that run answer, and a cluster has a leader that it agrees on. */
  async ready(): Promise<void> {
    const running = this.#servers.filter(({ child }) => child !== undefined);
    await Promise.all(running.map(answers));
    if (this.size === 1) return;
    for (;;) {
      const leaders = await Promise.all(running.map(leaderSeenBy));
      // One that was killed is still taken for the leader for some seconds.
      const isAgreed = leaders.every(leader => leader === leaders[0]);
      if (isAgreed && this.isRunning(numberOf(leaders[0]))) return;
      await pause(look);
    }
  }

  /** The server that leads the cluster, by its number; -1 while there is none. */
  async leader(): Promise<number> {
    for (const server of this.#servers) {
      if (server.child === undefined) continue;
      const leader = numberOf(await leaderSeenBy(server));
      if (this.isRunning(leader)) return leader;
    }
    return -1;
  }

  /** What a server has logged. */
  log(server = 0): string {
    return textOf(this.#servers[server]!.log);
  }

  /** Ends all servers and removes their folder. */
  async end({ keepLogs = false }: { readonly keepLogs?: boolean } = {}): Promise<void> {
    await Promise.all(this.#servers.map((_, i) => this.#end(i, 'SIGKILL')));
    if (keepLogs) {
      for (const { config } of this.#servers)
        rmSync(`${config}.store`, { recursive: true, force: true });
      console.error(`the logs of nats-server are in ${this.folder}`);
    } else rmSync(this.folder, { recursive: true, force: true });
  }

  async #end(server: number, signal: NodeJS.Signals): Promise<void> {
    const which = this.#servers[server]!;
    const { child } = which;
    which.child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, 'exit');
    child.kill(signal);
    // A paused process takes no other signal than SIGKILL.
    child.kill('SIGCONT');
    await over;
  }
}

const serverName = 'server-';

/** The number of a server by its name; -1 where there is none. */
function numberOf(name: string | undefined): number {
  return name === undefined ? -1 : Number(name.slice(serverName.length));
}

/** Writes the configurations of servers, at ports that are free. */
async function configured(
  folder: string,
  { servers = 1, config = '', storeBytes }: NatsOptions,
): Promise<Server[]> {
  const free = await freePorts(servers * 3);
  const routes = free.slice(0, servers).map(port => `nats-route://127.0.0.1:${port}`);
  return routes.map((_, i) => {
    const [route, port, monitor] = [free[i]!, free[servers + i]!, free[2 * servers + i]!];
    const path = join(folder, `${serverName}${i}`);
    const store = `${path}.store`;
    mkdirSync(store);
    const limit = storeBytes === undefined ? '' : `, max_file_store: ${storeBytes}`;
    const lines = [
      `server_name: ${serverName}${i}`,
      `listen: 127.0.0.1:${port}`,
      `http: 127.0.0.1:${monitor}`,
      `jetstream: { store_dir: ${JSON.stringify(store)}${limit} }`,
      typeof config === 'string' ? config : config(folder),
    ];
    if (servers > 1) {
      const listen = `listen: 127.0.0.1:${route}`;
      lines.push(`cluster: { name: test, ${listen}, routes: [${routes.join(', ')}] }`);
    }
    writeFileSync(path, lines.join('\n'));
    return { port, monitor, config: path, log: `${path}.log`, child: undefined };
  });
}

async function begin(server: Server): Promise<void> {
  const log = openSync(server.log, 'a');
  const child = spawn(program, ['-c', server.config], { stdio: ['ignore', log, log] });
  closeSync(log);
  server.child = child;
  await once(child, 'spawn');
}

/** Resolves when a server answers and its JetStream has taken up its streams. */
async function answers(server: Server): Promise<void> {
  for (;;) {
    const { child } = server;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`nats-server ended:\n${textOf(server.log)}`);
    }
    const answer = await asked(server, 'healthz');
    if ((answer as { status?: string } | undefined)?.status === 'ok') return;
    await pause(look);
  }
}

async function leaderSeenBy(server: Server): Promise<string | undefined> {
  const answer = (await asked(server, 'jsz')) as { meta_cluster?: { leader?: string } } | undefined;
  const leader = answer?.meta_cluster?.leader;
  return leader === '' ? undefined : leader;
}

/** What a server answers to those who watch it; nothing while it does not. */
async function asked({ monitor }: Server, what: string): Promise<unknown> {
  try {
    const answer = await fetch(`http://127.0.0.1:${monitor}/${what}`);
    return await answer.json();
  } catch {
    return undefined;
  }
}

/** Ports of 127.0.0.1 that nobody uses. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = ports.first + Math.floor(Math.random() * (ports.last - ports.first + 1));
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function missingProgram(): string | undefined {
  const { error, status } = spawnSync(program, ['--version']);
  return error === undefined && status === 0 ? undefined : 'nats-server is not installed';
}
