import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TagstreamError } from '../core/errors.js';

/** What Node looks for in `exports` when a module is imported. */
const conditions = ['node', 'import', 'module-sync', 'default'];

/**
 * The file of a module: of a path from `folder`, or of a package as it is found from there.
 *
 * @throws TagstreamError `config` if it is not there
 */
export function resolveModule(named: string, folder: string): string {
  if (named.startsWith('file:')) return resolveModule(fileURLToPath(named), folder);
  if (/^(?:\.{0,2}\/|[A-Za-z]:[\\/])/.test(named)) {
    const file = resolve(folder, named);
    if (existsSync(file)) return file;
    throw notThere(
      named,
      `there is no file ${file}`,
      'correct the path; it starts at the folder of the pipeline file, or at the working directory for --use',
    );
  }
  try {
    return createRequire(join(folder, 'noop.js')).resolve(named);
  } catch (cause) {
    const imported = importedFile(named, folder);
    if (imported !== undefined) return imported;
    const fix = existsSync(resolve(folder, named))
      ? `write ./${named} for the file of that name`
      : `install it: npm install ${named}`;
    throw notThere(named, `no package of that name is found from ${folder}`, fix, cause);
  }
}

/** The file of a package that can only be imported, which `require.resolve` does not find. */
function importedFile(named: string, folder: string): string | undefined {
  const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(named) ?? [];
  if (name === undefined) return undefined;
  for (let at = folder; ; at = dirname(at)) {
    const home = join(at, 'node_modules', name);
    if (existsSync(join(home, 'package.json'))) {
      const { exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
        exports?: unknown;
      };
      const target = targetOf(exports, `.${rest ?? ''}`);
      return target === undefined ? undefined : join(home, target);
    }
    if (dirname(at) === at) return undefined;
  }
}

function targetOf(exports: unknown, path: string): string | undefined {
  if (typeof exports === 'string') return path === '.' ? exports : undefined;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const entries = Object.entries(exports);
  if (entries.some(([key]) => key.startsWith('.'))) {
    const found = entries.find(([key]) => key === path)?.[1] as unknown;
    return typeof found === 'string' ? found : targetOf(found, '.');
  }
  if (path !== '.') return undefined;
  for (const [key, value] of entries) {
    const target = conditions.includes(key) ? targetOf(value, '.') : undefined;
    if (target !== undefined) return target;
  }
  return undefined;
}

function notThere(named: string, problem: string, fix: string, cause?: unknown): TagstreamError {
  return new TagstreamError('config', `the plug-in ${named} cannot be loaded: ${problem}`, {
    fix,
    cause,
  });
}
