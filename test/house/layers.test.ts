import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../../src');

/** The wings as `src/README.md` draws them: what each imports. `index.ts` is the root of the package. */
const wings = new Map(
  [
    ...page('README.md').matchAll(
      /^\| \[?`([\w.]+)\/?`(?:\]\([^)]*\))? \| ((?:`[\w.]+`,? ?|nothing )+)\|/gm,
    ),
  ].map(([, wing, imported]) => [
    wing!,
    [...imported!.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!),
  ]),
);

/** Folders of the engine by row, as `src/engine/README.md` draws them: a folder imports from rows above its own only. */
const rows = [...page('engine/README.md').matchAll(/^\| \d+ \| ((?:`\w+\/`,? ?)+)/gm)].map(match =>
  [...match[1]!.matchAll(/`(\w+)\/`/g)].map(([, folder]) => folder!),
);

/** The only files of the runtime that name NATS: everything else knows the interfaces that it implements. */
const doors = [
  'runtime/pipeline/catalogue/components.ts',
  'runtime/pipeline/setup/open-cluster.ts',
  'runtime/pipeline/tagging/registered/open-chosen-registry.ts',
];

/** A question for the name of a component or format, where what it declares is to be asked for. */
const asked = /\b(?:component|format)\.name [=!]==|\b(?:has|includes)\(format\.name\)/;

interface Import {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

const files = filesIn(source);
const imports = files.flatMap(importsOf);

describe('the wings of src', () => {
  it('are its folders, all on the page', () => {
    const folders = readdirSync(source, { withFileTypes: true }).flatMap(entry =>
      entry.isDirectory() || entry.name === 'index.ts' ? [entry.name] : [],
    );
    expect([...wings.keys()].sort()).toEqual(folders.sort());
    // The root is not a folder.
    expect(wings.size - 1).toBeLessThanOrEqual(10);
  });

  it.each([...wings])('%s imports what the page says, and nothing else', (wing, drawn) => {
    const others = imports.filter(({ from, to }) => wingOf(from) === wing && wingOf(to) !== wing);
    const undrawn = others.filter(({ to }) => !drawn.includes(wingOf(to)));
    expect(undrawn.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
    expect([...new Set(others.map(({ to }) => wingOf(to)))].sort()).toEqual([...drawn].sort());
  });

  it('import each other in one direction', () => {
    expect(circleIn(wings)).toEqual([]);
  });

  it('know NATS by its interfaces, but for the files of the runtime that choose it, and the commands', () => {
    const naming = imports.filter(
      ({ from, to }) => wingOf(to) === 'nats' && wingOf(from) === 'runtime',
    );
    expect([...new Set(naming.map(({ from }) => from))].sort()).toEqual(doors);
  });

  it('need no Node in the engine', () => {
    const wrong = files
      .filter(file => wingOf(file) === 'engine')
      .filter(file => /from 'node:|import\('node:/.test(readFileSync(join(source, file), 'utf8')));
    expect(wrong).toEqual([]);
  });

  it('have types that are checked with those of what they import', () => {
    const config = (folder: string) =>
      JSON.parse(readFileSync(join(source, folder, 'tsconfig.json'), 'utf8')) as {
        readonly references: readonly { readonly path: string }[];
      };
    const referred = (folder: string) =>
      config(folder).references.map(({ path }) => basename(path));
    for (const [wing, drawn] of wings) {
      if (wing !== 'index.ts') expect([wing, referred(wing)]).toEqual([wing, drawn]);
    }
    expect([...referred('.'), 'index.ts'].sort()).toEqual([...wings.keys()].sort());
  });

  it('have a page each', () => {
    const folders = [...wings.keys()].filter(wing => wing !== 'index.ts');
    expect(folders.filter(wing => !existsSync(join(source, wing, 'README.md')))).toEqual([]);
  });
});

describe('the rows of the engine', () => {
  const inEngine = imports.filter(
    ({ from, to }) => wingOf(from) === 'engine' && wingOf(to) === 'engine',
  );

  it('have a place for each folder', () => {
    const folders = files.flatMap(file => (wingOf(file) === 'engine' ? [folderOf(file)] : []));
    expect(rows.flat().sort()).toEqual([...new Set(folders)].sort());
  });

  it('import from rows above only', () => {
    const wrong = inEngine.filter(
      ({ from, to }) => folderOf(from) !== folderOf(to) && rowOf(to) >= rowOf(from),
    );
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });
});

describe('the modules of src', () => {
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
    ['all formats', /^runtime\/pipeline\/catalogue\//],
    ['the schemas of pipeline files', /^zod$|^runtime\/pipeline\/options\/\w+-schema/],
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
  return [...text.matchAll(/(?:from|import\(?)\s*'(\.[^']+)'/g)].map(match => {
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

function page(name: string): string {
  return readFileSync(join(source, name), 'utf8');
}

function wingOf(file: string): string {
  return file.split('/')[0]!;
}

/** The folder of the engine that a file is in. */
function folderOf(file: string): string {
  return file.split('/')[1]!;
}

function rowOf(file: string): number {
  return rows.findIndex(row => row.includes(folderOf(file)));
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
