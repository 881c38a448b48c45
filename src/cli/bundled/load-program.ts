import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { cacheDirectory } from '../../formats/files/directories.js';
import { KeptCode } from './kept-code.js';

/** Members missing from the types of older Node versions. */
interface KeepsCompiled {
  enableCompileCache?(): unknown;
}

/** Source bytes below which compiling is as fast as opening a file of compiled code. */
const worthKeeping = 8192;

const here = fileURLToPath(import.meta.url);
const native = nodeModule.createRequire(here);
const { enableCompileCache } = nodeModule as KeepsCompiled;
const isOff = process.env.NODE_DISABLE_COMPILE_CACHE === '1';

/**
 * Loads a program that is next to this file in the package, and its dependencies. Compiling them
 * takes a quarter of the start time, so the compiled code is kept: by Node itself from 22.8 on, by
 * `KeptCode` in earlier versions.
 *
 * @returns the exports of the program
 */
export function loadProgram(name: string): unknown {
  enableCompileCache?.();
  const file = join(dirname(here), name);
  return enableCompileCache === undefined && !isOff ? new Modules().load(file) : native(file);
}

/** Modules of the package in CommonJS form, each run once. */
class Modules {
  readonly #loaded = new Map<string, { exports: unknown }>();
  readonly #kept = new KeptCode(join(cacheDirectory(), 'compiled'), process.argv[2] ?? '');

  load(file: string): unknown {
    const known = this.#loaded.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.#loaded.set(file, module);
    const folder = dirname(file);
    const require = (id: string) => (id.startsWith('.') ? this.load(join(folder, id)) : native(id));
    this.#compiled(file)(module.exports, require, module, file, folder);
    return module.exports;
  }

  #compiled(filename: string): (...given: unknown[]) => void {
    const source = readFileSync(filename, 'utf8');
    const isKept = source.length >= worthKeeping;
    const cachedData = isKept ? this.#kept.of(filename) : undefined;
    const wrapped = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
    const script = new Script(wrapped, { filename, cachedData });
    if (isKept && (cachedData === undefined || script.cachedDataRejected === true)) {
      this.#kept.add(filename, script);
    }
    return script.runInThisContext() as (...given: unknown[]) => void;
  }
}
