import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../../src');

/** Folders by row, as in src/README.md: a folder imports from rows above its own only. */
const rows: readonly (readonly string[])[] = [
  ['core'],
  ['kernels', 'text'],
  ['features', 'inference', 'metrics'],
  ['losses', 'optimizers'],
  ['models', 'trainers'],
  ['operators'],
  ['interfaces'],
  ['http', 'plugins'],
  ['io', 'workers', 'reports'],
  ['pipeline', 'telemetry'],
  ['annotation', 'serve'],
  ['cli', 'entries'],
];

/** Rows, from 0, that are to run in a browser as well. */
const browserRows = 7;

/** A question for the name of a component or format, where what it declares is to be asked for. */
const asked = /\b(?:component|format)\.name [=!]==|\b(?:has|includes)\(format\.name\)/;

interface Import {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

const files = filesIn(source);
const imports = files.flatMap(importsOf);

describe('the layers of src', () => {
  it('have a row for each folder', () => {
    const folders = [...new Set(files.filter(file => file.includes('/')).map(folderOf))];
    expect(folders.filter(folder => rowOf(`${folder}/x.ts`) < 0)).toEqual([]);
  });

  it('are drawn the same in src/README.md', () => {
    const page = readFileSync(join(source, 'README.md'), 'utf8');
    const drawn = [...page.matchAll(/^\| (\d+) \| ((?:`\w+\/`,? ?)+)/gm)].map(match =>
      [...match[2]!.matchAll(/`(\w+)\/`/g)].map(folder => folder[1]),
    );
    expect(drawn).toEqual(rows.map(row => row.filter(folder => present(folder))));
  });

  it('import from rows above only', () => {
    const wrong = imports.filter(({ from, to }) => {
      const importer = rowOf(from);
      const imported = rowOf(to);
      if (importer < 0) return false;
      return folderOf(from) !== folderOf(to) && imported >= importer;
    });
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('import nothing of node below the operators', () => {
    const wrong = files
      .filter(file => rowOf(file) >= 0 && rowOf(file) < browserRows)
      .filter(file => /from 'node:|import\('node:/.test(readFileSync(join(source, file), 'utf8')));
    expect(wrong).toEqual([]);
  });

  it('have components and formats that say what they can do, so that none is asked for its name', () => {
    const asking = files.filter(file => {
      const text = readFileSync(join(source, file), 'utf8');
      return asked.test(text);
    });
    expect(asking).toEqual([]);
  });

  it('have no circles', () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
    expect(circleIn(next)).toEqual([]);
  });

  it('import in one direction inside of every folder, its entries seen as units', () => {
    const circles = [...importsBetweenEntries()].flatMap(([folder, between]) => {
      const next = new Map<string, string[]>();
      for (const { from, to } of between) next.set(from, [...(next.get(from) ?? []), to]);
      const circle = circleIn(next);
      if (circle.length === 0) return [];
      const made = circle.slice(1).map((to, i) => {
        const found = between.find(each => each.from === circle[i] && each.to === to)!;
        return `  ${found.text}`;
      });
      return [[`${folder}: ${circle.join(' -> ')}`, ...made].join('\n')];
    });
    expect(circles).toEqual([]);
  });
});

describe('the start of tag', () => {
  // Each of them costs every start some 10 ms.
  it.each([
    ['the parser of YAML', /^yaml$/],
    ['all formats', /^pipeline\/catalogue\//],
    ['the schemas of pipeline files', /^zod$|^pipeline\/options\/\w+-schema/],
    ['RxJS', /^rxjs$/],
  ])('does not load %s', (_, expected) => {
    const loaded = loadedBy(['cli/tag/tag-files.ts', 'runtime/pipeline/tagging/tag-tasks.ts']);
    expect([...loaded].filter(([name]) => expected.test(name)).map(pathTo(loaded))).toEqual([]);
  });
});

/** Returns the modules that some import statically, directly or not, each with one of its importers. */
function loadedBy(entries: readonly string[]): Map<string, string | undefined> {
  const importers = new Map<string, string | undefined>(entries.map(entry => [entry, undefined]));
  for (const [from] of importers) {
    if (!from.endsWith('.ts')) continue;
    const text = readFileSync(join(source, from), 'utf8');
    for (const [, name] of text.matchAll(
      /^(?:import|export)\s(?!type\b)[^;]*?from\s+'([^']+)'/gm,
    )) {
      const file = resolve(source, dirname(from), name!.replace(/\.js$/, '.ts'));
      const to = name!.startsWith('.') ? relative(source, file).replaceAll('\\', '/') : name!;
      // The bytes of the kernels are made by the build.
      if (!importers.has(to) && !to.endsWith('-bytes.ts')) importers.set(to, from);
    }
  }
  return importers;
}

function pathTo(importers: ReadonlyMap<string, string | undefined>) {
  return ([name]: readonly [string, string | undefined]): string => {
    const path = [name];
    for (let at = importers.get(name); at !== undefined; at = importers.get(at)) path.unshift(at);
    return path.join(' -> ');
  };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => name.replaceAll('\\', '/'))
    .sort();
}

function importsOf(from: string): Import[] {
  const text = readFileSync(join(source, from), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(match => {
    // Those of AssemblyScript have no ending.
    const target = resolve(source, dirname(from), `${match[1]!.replace(/\.js$/, '')}.ts`);
    return { from, to: relative(source, target).replaceAll('\\', '/'), text: match[0] };
  });
}

/** The imports between two entries of a folder, by folder; the text names the files. */
function importsBetweenEntries(): Map<string, Import[]> {
  const found = new Map<string, Import[]>();
  for (const { from, to } of imports) {
    const importer = from.split('/');
    const imported = to.split('/');
    const depth = importer.findIndex((name, i) => name !== imported[i]);
    if (depth < 0) continue;
    const folder = importer.slice(0, depth).join('/') || '.';
    const between = { from: importer[depth]!, to: imported[depth]!, text: `${from} -> ${to}` };
    found.set(folder, [...(found.get(folder) ?? []), between]);
  }
  return found;
}

function folderOf(file: string): string {
  return file.split('/')[0]!;
}

function rowOf(file: string): number {
  return file.includes('/') ? rows.findIndex(row => row.includes(folderOf(file))) : -1;
}

function present(folder: string): boolean {
  return files.some(file => folderOf(file) === folder && file.includes('/'));
}

/** Some circle in a directed graph, or nothing. */
function circleIn(next: ReadonlyMap<string, readonly string[]>): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const path: string[] = [];
  const visit = (node: string): string[] => {
    if (state.get(node) === 'done') return [];
    if (state.get(node) === 'open') return [...path.slice(path.indexOf(node)), node];
    state.set(node, 'open');
    path.push(node);
    for (const target of next.get(node) ?? []) {
      const circle = visit(target);
      if (circle.length > 0) return circle;
    }
    path.pop();
    state.set(node, 'done');
    return [];
  };
  for (const node of next.keys()) {
    const circle = visit(node);
    if (circle.length > 0) return circle;
  }
  return [];
}
