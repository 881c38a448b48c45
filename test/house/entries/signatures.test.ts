import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Exported, exportsOf, namedIn } from './declarations.js';

const root = resolve(import.meta.dirname, '../../..');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { readonly types: string }>;
};
const entries = Object.entries(exports).flatMap(([path, target]) =>
  typeof target === 'string'
    ? []
    : [{ name: path.replace('.', 'tagstream'), all: exportsOf(join(root, target.types)) }],
);
const library = entries.find(({ name }) => name === 'tagstream')!.all;
const anywhere = entries.flatMap(({ all }) => all);

/** Types of ours that signatures name and nobody can import. */
function missing(exported: readonly Exported[], importable: readonly Exported[]): string[] {
  const has = new Set(importable.map(key));
  return exported.flatMap(each =>
    namedIn(each)
      .filter(named => !has.has(key(named)))
      .map(named => `${each.name} names ${named.own}`),
  );
}

function key({ file, own }: Exported): string {
  return `${file} ${own}`;
}

describe('what signatures of the package name', () => {
  it('is found in declarations', () => {
    const train = library.find(({ name }) => name === 'train')!;
    const named = namedIn(train).map(({ own }) => own);
    expect(named.sort()).toEqual(['TrainRequest', 'Trained']);
    expect(missing([train], [train])).toEqual(['train names TrainRequest', 'train names Trained']);
    const model = anywhere.find(({ name }) => name === 'Model')!;
    expect(namedIn(model).map(({ own }) => own)).toContain('ParameterStore');
  });

  it('can be imported from the root, whatever entry names it', () => {
    expect(missing(anywhere, [...library, ...anywhere.filter(isClass)])).toEqual([]);
  });

  it.each(entries)('can be imported beside a function that names it: $name', ({ all }) => {
    const functions = all.filter(isFunction);
    expect(missing(functions, all)).toEqual([]);
  });
});

function declared({ file, own }: Exported, kinds: string): boolean {
  return new RegExp(`^export (?:declare )?(?:abstract )?(?:${kinds}) ${own}\\b`, 'm').test(
    readFileSync(file, 'utf8'),
  );
}

/** Of a class its own entry has the name. */
function isClass(exported: Exported): boolean {
  return declared(exported, 'class');
}

function isFunction(exported: Exported): boolean {
  return declared(exported, 'function');
}
