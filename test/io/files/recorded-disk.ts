import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, sep } from 'node:path';

const names = ['openSync', 'writeSync', 'fsyncSync', 'renameSync', 'rmSync'] as const;

/**
 * Runs what writes files, and returns what a machine that stops at the end could lose of it, and of each file that got its
 * name too early: a rename is durable once the folder was flushed after it, and has its content if that was flushed before.
 */
export function notDurable(write: () => void): string[] {
  const kept = Object.fromEntries(names.map(name => [name, fs[name]])) as Pick<
    typeof fs,
    (typeof names)[number]
  >;
  const paths = new Map<number, string>();
  /** Files with content that is not flushed, and names that are not. */
  const unflushed = new Set<string>();
  const named = new Set<string>();
  const faults: string[] = [];
  const isWithin = (path: string, folder: string) =>
    path === folder || path.startsWith(folder + sep);
  Object.assign(fs, {
    openSync(...given: Parameters<typeof fs.openSync>) {
      const path = String(given[0]);
      const isNew = !fs.existsSync(path);
      const file = kept.openSync(...given);
      paths.set(file, path);
      if (isNew) named.add(path);
      return file;
    },
    writeSync(...given: Parameters<typeof fs.writeSync>) {
      const path = paths.get(given[0]);
      if (path !== undefined) unflushed.add(path);
      return kept.writeSync(...given);
    },
    fsyncSync(file: number) {
      const path = paths.get(file);
      if (path !== undefined) {
        unflushed.delete(path);
        for (const name of named) if (dirname(name) === path) named.delete(name);
      }
      kept.fsyncSync(file);
    },
    renameSync(from: string, to: string) {
      for (const path of unflushed) {
        if (isWithin(path, from)) faults.push(`${to} gets its name before its content is flushed`);
      }
      for (const path of [...unflushed]) {
        if (isWithin(path, from)) unflushed.delete(path);
      }
      named.delete(from);
      named.add(to);
      // The file is open under its new name.
      for (const [file, path] of paths) if (path === from) paths.set(file, to);
      kept.renameSync(from, to);
    },
    rmSync(path: string, options?: fs.RmOptions) {
      for (const list of [unflushed, named]) {
        for (const each of [...list]) if (isWithin(each, path)) list.delete(each);
      }
      kept.rmSync(path, options);
    },
  });
  syncBuiltinESMExports();
  try {
    write();
  } finally {
    Object.assign(fs, kept);
    syncBuiltinESMExports();
  }
  return [
    ...faults,
    ...[...unflushed].map(path => `the content of ${path} is not flushed`),
    ...[...named].map(path => `the name of ${path} is not flushed`),
  ];
}
