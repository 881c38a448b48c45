import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const dist = resolve(import.meta.dirname, '../../../dist');

/** What Node has and a browser has not, without an import. */
const globals =
  /\b(?:Buffer|process|global|setImmediate|__dirname|__filename|require)\b(?=\s*[.([])/g;

/** What a module imports, as the bundler writes it. */
const imports = /(?:\bfrom|\bimport|\bimport\()\s*["'`]([\w@./:-]+)["'`]/g;

/** Every module that an entry imports, at once or later, and the packages that they import. */
function importedBy(entry: string): { files: string[]; packages: string[] } {
  const files = new Set([join(dist, entry)]);
  const packages = new Set<string>();
  for (const file of files) {
    const code = codeOf(file);
    for (const [, path] of code.matchAll(imports)) {
      if (path!.startsWith('.')) files.add(resolve(dirname(file), path!));
      else packages.add(path!.startsWith('node:') ? path! : path!.split('/')[0]!);
    }
  }
  return { files: [...files], packages: [...packages].sort() };
}

/** A file without its comments. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm, '');
}

/** Entries that pages have in a form of their own, as the conditions of `exports` say. */
const inPages = readdirSync(join(dist, 'web/entries')).map(name => `web/entries/${name}`);

it('there are entries for pages', () => {
  expect(inPages).toContain('web/entries/browser.js');
  expect(inPages.length).toBeGreaterThan(5);
});

describe.each(inPages)('%s', entry => {
  const { files, packages } = importedBy(entry);

  it('imports RxJS, which runs in a browser, and nothing of Node', () => {
    expect(packages.filter(name => name !== 'rxjs')).toEqual([]);
  });

  it('uses no global of Node', () => {
    const used = files.flatMap(file =>
      [...codeOf(file).matchAll(globals)].map(([name]) => `${file}: ${name}`),
    );
    expect(used).toEqual([]);
  });
});

it('who only tags needs no RxJS', () => {
  expect(importedBy('web/entries/browser.js').packages).toEqual([]);
  expect(importedBy('web/entries/client.js').packages).toEqual([]);
  expect(importedBy('web/entries/training.js').packages).toEqual(['rxjs']);
});

describe('the search for what is of Node', () => {
  it('goes through all modules, and finds it where it is', () => {
    const inPage = importedBy('web/entries/training.js').files;
    expect(
      inPage.map(file => codeOf(file).length).reduce((sum, size) => sum + size),
    ).toBeGreaterThan(500_000);
    const { files, packages } = importedBy('index.js');
    expect(files).toEqual(expect.arrayContaining(importedBy('entries/training.js').files.slice(1)));
    expect(packages).toContain('node:fs');
    expect(files.some(file => globals.test(codeOf(file)))).toBe(true);
  });
});

describe('an import of the package', () => {
  it('reads few files, as each takes time', () => {
    const files = new Set([join(dist, 'index.js')]);
    for (const file of files) {
      for (const [, path] of codeOf(file).matchAll(/\bfrom\s*["'`](\.[\w./-]+)["'`]/g)) {
        files.add(resolve(dirname(file), path!));
      }
    }
    expect(files.size).toBeLessThan(20);
  });
});
