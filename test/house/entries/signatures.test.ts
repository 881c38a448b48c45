import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Exported, exportsOf, namedIn } from './declarations.js';

const dist = resolve(import.meta.dirname, '../../../dist');
const library = exportsOf(join(dist, 'index.d.ts'));
const browser = exportsOf(join(dist, 'entries/browser.d.ts'));
const operators = exportsOf(join(dist, 'entries/operators.d.ts'));

/** Types of ours that signatures name and nobody can import. */
function missing(entry: readonly Exported[], importable: readonly Exported[]): string[] {
  const has = new Set(importable.map(key));
  return entry.flatMap(exported =>
    namedIn(exported)
      .filter(named => !has.has(key(named)))
      .map(named => `${exported.name} names ${named.own}`),
  );
}

/** In Node `Tagger` is the same class with `load`, and takes its name. */
function key({ file, own }: Exported): string {
  return `${file} ${own}`.replace('io/file-tagger.d.ts FileTagger', 'models/tagger.d.ts Tagger');
}

describe('what signatures of the package name', () => {
  it('is found in declarations', () => {
    const train = library.find(({ name }) => name === 'train')!;
    const named = namedIn(train).map(({ own }) => own);
    expect(named.sort()).toEqual(['TrainRequest', 'Trained']);
    expect(missing([train], [train])).toEqual(['train names TrainRequest', 'train names Trained']);
    const model = library.find(({ name }) => name === 'Model')!;
    expect(namedIn(model).map(({ own }) => own)).toContain('ParameterStore');
  });

  it('can be imported from the same entry: tagstream', () => {
    expect(missing(library, library)).toEqual([]);
  });

  it('can be imported from the same entry: tagstream/browser', () => {
    expect(missing(browser, browser)).toEqual([]);
  });

  it('can be imported from tagstream: tagstream/operators', () => {
    expect(operators.length).toBeGreaterThan(15);
    expect(missing(operators, library)).toEqual([]);
  });

  it('is in tagstream, if it is in tagstream/browser', () => {
    const has = new Set(library.map(({ name }) => name));
    expect(browser.filter(({ name }) => !has.has(name))).toEqual([]);
  });
});
