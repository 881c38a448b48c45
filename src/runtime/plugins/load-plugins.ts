import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Plugin } from '../../engine/interfaces/definitions.js';
import type { LoadedPlugin, PluginModule } from '../../engine/interfaces/loaded-plugin.js';
import { checkPlugin } from './check-plugin.js';

/**
 * Loads named plug-ins, each once and in order, and accepts plug-in objects.
 *
 * Modules are loaded by `require`, which also loads ES modules, so that loading a pipeline file can be synchronous.
 *
 * @param folder base of relative paths and of package resolution
 * @throws TagstreamError `config` that names the plug-in and, if there is one, the faulty component
 */
export function loadPlugins(uses: readonly (string | Plugin)[], folder: string): LoadedPlugin[] {
  const loaded = new Map<unknown, LoadedPlugin>();
  for (const use of uses) {
    if (typeof use !== 'string') {
      loaded.set(use, checkPlugin(use));
      continue;
    }
    const file = resolveModule(use, folder);
    if (!loaded.has(file)) loaded.set(file, loadModule({ named: use, file }));
  }
  return [...loaded.values()];
}

/**
 * Loads a plug-in from its module's file again, for threads.
 *
 * @throws TagstreamError `config`
 */
export function loadModule(module: PluginModule): LoadedPlugin {
  const { named, file } = module;
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = createRequire(import.meta.url)(file);
  } catch (cause) {
    const waits = (cause as { code?: unknown }).code === 'ERR_REQUIRE_ASYNC_MODULE';
    const problem = waits ? 'it uses top-level await' : String(cause);
    throw new TagstreamError('config', `the plug-in ${named} cannot be loaded: ${problem}`, {
      fix: waits ? 'move the await into a function' : fixOf(cause, file),
      cause,
    });
  }
  const plugin = exported.default ?? (Array.isArray(exported.components) ? exported : undefined);
  if (plugin === undefined) {
    throw new TagstreamError('config', `the plug-in ${named} has no default export`, {
      fix: `write export default definePlugin({ name, components: [...] }) in ${file}`,
    });
  }
  return checkPlugin(plugin, module);
}

function fixOf(cause: unknown, file: string): string {
  const missing = (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
  return missing
    ? 'install the package in the folder of the plug-in; for tagstream from a checkout: npm link tagstream'
    : `correct ${file}`;
}

/** The `exports` conditions of Node for imports. */
const conditions = ['node', 'import', 'module-sync', 'default'];

/**
 * Resolves the file of a module: a path relative to `folder`, or a package found from there.
 *
 * @throws TagstreamError `config` if it is missing
 */
function resolveModule(named: string, folder: string): string {
  if (named.startsWith('file:')) return resolveModule(fileURLToPath(named), folder);
  if (/^(?:\.{0,2}\/|[A-Za-z]:[\\/])/.test(named)) {
    const file = resolve(folder, named);
    if (existsSync(file)) return file;
    throw notThere(
      named,
      `there is no file ${file}`,
      'correct the path; it is relative to the folder of the pipeline file, or to the working directory for --use',
    );
  }
  try {
    return createRequire(join(folder, 'noop.js')).resolve(named);
  } catch (cause) {
    const imported = importedFile(named, folder);
    if (imported !== undefined) return imported;
    const fix = existsSync(resolve(folder, named))
      ? `write ./${named} to load the file of that name`
      : `install it: npm install ${named}`;
    throw notThere(named, `cannot find the package from ${folder}`, fix, cause);
  }
}

/** Finds the file of a package that supports only `import`, which `require.resolve` cannot find. */
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
