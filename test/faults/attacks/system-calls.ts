import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Calls at which a run is attacked: those that change files. */
export const changingCalls = [
  ...['write', 'pwrite64', 'writev', 'pwritev', 'ftruncate', 'fsync', 'fdatasync'],
  ...['open', 'openat', 'rename', 'renameat', 'renameat2', 'link', 'linkat'],
  ...['unlink', 'unlinkat', 'mkdir', 'mkdirat', 'rmdir'],
];

/** Calls that read files. */
export const readingCalls = ['read', 'pread64'];

/** A system call of a run. */
export interface SystemCall {
  readonly name: string;
  /** The first path among its arguments: a name as it was given, or that of an open file. */
  readonly path: string;
  /** Which it is in its thread, from 1: of the calls of that name and path, or where those are no names that
   * another run has too, of all calls of that name. */
  readonly number: number;
}

/** Whether system calls of other processes can be traced and changed here. */
export const canTrace =
  spawnSync('strace', ['-f', '-o', '/dev/null', '-e', 'inject=write:error=EIO:when=9', 'true'])
    .status === 0;

/** All work on files in one thread of its own, so that the numbers of calls are much the same in each run. */
export const tracedEnvironment = { UV_THREADPOOL_SIZE: '1' };

/** The program that writes the calls of a command to a file. */
export function tracing(calls: readonly string[], log: string): string[] {
  return ['strace', '-f', '-y', '-o', log, '-e', `trace=${calls.map(call => `?${call}`).join()}`];
}

/** What is to happen at a system call. */
export interface Injection {
  /** In the words of the tracer: `signal=KILL`, `error=EIO`. */
  readonly what: string;
  /** At all such calls from this one on. */
  readonly fromThenOn?: boolean;
}

/** The program that has a call of a command go wrong. */
export function injecting(call: SystemCall, { what, fromThenOn }: Injection, log: string) {
  const when = `${call.number}${fromThenOn === true ? '+' : ''}`;
  const at = isRepeatable(call.path) ? ['-P', call.path] : [];
  const inject = `inject=${call.name}:${what}:when=${when}`;
  return [...tracing([call.name], log), ...at, '-e', inject];
}

/** Whether the path is the same in each run: names of temporary files have numbers of processes. */
export function isRepeatable(path: string): boolean {
  return !/\.\d+-(\w+-)?\d+\.tmp/.test(path);
}

/** The calls in a trace that are about files in a folder, or have relative names. */
export function callsIn(log: string, folder: string): SystemCall[] {
  const counts = new Map<string, number>();
  const found: SystemCall[] = [];
  const count = (...keys: string[]) => {
    const key = keys.join('\n');
    const number = (counts.get(key) ?? 0) + 1;
    counts.set(key, number);
    return number;
  };
  for (const line of linesOf(log)) {
    const { thread, name, path } = line;
    const [overall, here] = [count(thread, name), count(thread, name, path)];
    if (!isIn(folder, path)) continue;
    found.push({ name, path, number: isRepeatable(path) ? here : overall });
  }
  return found;
}

/** The paths at whose calls an error was injected; empty for what is no path. */
export function injectedPaths(log: string): string[] {
  const started = new Map<string, string>();
  const paths: string[] = [];
  for (const text of readFileSync(log, 'utf8').split('\n')) {
    const thread = text.split(' ', 1)[0]!;
    const given = /^\d+ +\w+\((.*)/.exec(text)?.[1];
    if (given !== undefined) started.set(thread, pathIn(given));
    if (text.endsWith('(INJECTED)')) paths.push(started.get(thread) ?? '');
  }
  return paths;
}

/** Whether a path as it was traced is in a folder; relative names are. */
export function isIn(folder: string, path: string): boolean {
  return path !== '' && (!/^\/|^\w+:/.test(path) || path.startsWith(folder));
}

function linesOf(log: string) {
  return readFileSync(log, 'utf8')
    .split('\n')
    .flatMap(text => {
      const [, thread, name, given] = /^(\d+) +(\w+)\((.*)/.exec(text) ?? [];
      if (thread === undefined || name === undefined || given === undefined) return [];
      return [{ thread, name, path: pathIn(given) }];
    });
}

function pathIn(given: string): string {
  const first = given.replace(/^AT_FDCWD<[^>]*>, /, '');
  return /^"([^"]*)"/.exec(first)?.[1] ?? /^\d+<([^>]*)>/.exec(first)?.[1] ?? '';
}
