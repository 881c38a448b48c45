// The pages of everything that the package exports, from the declarations and docstrings of what is built.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Anchors } from './anchors.mjs';

/** @returns {string} the page as Markdown: each entry with its exports, each described in the first entry that has it */
export function apiReference(root) {
  const parts = [
    '# The library, every export',
    'Made by `npm run docs` from the docstrings. Every example in it is run by the tests. [`README.md`](../../README.md) explains how it is used, [`README.md`](../README.md) of the sources how it is built, and [`api-report.md`](api-report.md) has the signatures alone. The entries `tagstream`, `tagstream/io`, `tagstream/pipeline` and `tagstream/plugin` are for Node; all others run in pages too. The root has every type that a signature names.',
  ];
  const dist = join(root, 'dist');
  const anchors = new Anchors();
  anchors.of('The library, every export');
  const described = new Map();
  const chapters = chaptersOf(root, dist).map(({ name, items, own }) => {
    anchors.of(name);
    for (const item of own)
      described.set(keyOf(item), { ...item, anchor: anchors.of(item.publicName) });
    return { name, items, own };
  });
  const all = [...described.values()];
  for (const { name, items, own } of chapters) {
    const names = items.map(item => `[${item.publicName}](#${described.get(keyOf(item)).anchor})`);
    const shown = own.flatMap(item => {
      const whole = described.get(keyOf(item));
      return itemPart(whole, basesOf(dist, whole), all);
    });
    parts.push(`## ${name}`, `${names.join(', ')}.`, ...shown);
  }
  return `${parts.join('\n\n')}\n`;
}

/**
 * The page of names and signatures alone, which shows each change of what the package promises: its diff is the change of
 * the interface.
 *
 * @returns {string} the page as Markdown
 */
export function apiReport(root) {
  const dist = join(root, 'dist');
  const parts = [
    '# The interface of the package',
    'Names and signatures of every export, made by `npm run docs`; the tests compare it with the code.',
  ];
  const chapters = chaptersOf(root, dist);
  const homes = new Map(chapters.flatMap(({ name, own }) => own.map(item => [keyOf(item), name])));
  for (const { name, items, own } of chapters) {
    const values = items.filter(({ isType }) => !isType).length;
    parts.push(`## ${name}`, `${values} values, ${items.length - values} types.`);
    const others = items.filter(item => homes.get(keyOf(item)) !== name);
    for (const entry of new Set(others.map(item => homes.get(keyOf(item))))) {
      const names = others.filter(item => homes.get(keyOf(item)) === entry);
      parts.push(`As in \`${entry}\`: ${names.map(item => `\`${item.publicName}\``).join(', ')}.`);
    }
    if (own.length > 0) parts.push(`\`\`\`ts\n${own.map(signatureOf).join('\n')}\n\`\`\``);
  }
  return `${parts.join('\n\n')}\n`;
}

/** The entries with their exports and, as `own`, those described with them: in the first entry that has the value, or the type. */
function chaptersOf(root, dist) {
  const chapters = entriesOf(root).map(({ name, exported }) => {
    const items = exported.map(item => ({ ...item, ...declarationOf(dist, item) }));
    return { name, items: items.sort((a, b) => (a.publicName < b.publicName ? -1 : 1)) };
  });
  const homes = new Map();
  for (const isType of [false, true]) {
    for (const { name, items } of chapters) {
      for (const item of items) {
        if (item.isType === isType && !homes.has(keyOf(item))) homes.set(keyOf(item), name);
      }
    }
  }
  return chapters.map(({ name, items }) => ({
    ...{ name, items },
    own: items.filter(item => homes.get(keyOf(item)) === name),
  }));
}

/** A declaration without comments and what is private. */
function signatureOf(item) {
  return shownCode(item.code)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^ +(?:private|protected) .*\n/gm, '')
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{2,}/g, '\n');
}

function keyOf({ own, file }) {
  return `${file} ${own}`;
}

/** The entries of the package by their names, the root first, each with what it exports by name. */
function entriesOf(root) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const file = target.types.replace('dist', 'src').replace(/\.d\.ts$/, '.ts');
    return [{ name: path.replace('.', 'tagstream'), exported: exportedBy(root, file) }];
  });
}

/** What an entry exports by name; types that it passes on as a whole are of the inside. */
function exportedBy(root, file) {
  const text = readFileSync(join(root, file), 'utf8');
  const folder = dirname(file).replace(/^(?:\.\/)?src/, '.');
  const found = [];
  for (const [, type, names, from] of text.matchAll(
    /^export (type )?\{([^}]*)\} from '(.*)';$/gm,
  )) {
    for (const name of names.split(',').map(part => part.trim())) {
      if (name === '') continue;
      const [own, publicName = own] = name.split(' as ');
      const path = `./${join(folder, from)}`;
      found.push({ own, publicName, path, isType: type !== undefined });
    }
  }
  return found;
}

/** Docstring and declaration of a name, found through the files that only pass it on. */
function declarationOf(dist, { own, path }) {
  const file = join(dist, path.replace(/\.js$/, '.d.ts'));
  const text = readFileSync(file, 'utf8');
  const start = new RegExp(
    `^(?:export )?(?:declare )?(?:abstract )?(?:class|function|const|interface|type) ${own}\\b`,
    'm',
  ).exec(text);
  if (start === null) {
    const passed = new RegExp(`export (?:type )?\\{[^}]*\\b${own}\\b[^}]*\\} from '(.*)'`).exec(
      text,
    );
    if (passed === null) throw new Error(`${file} does not declare ${own}`);
    return declarationOf(dist, { own, path: join(dirname(path), passed[1]) });
  }
  const declarations = [...overloads(text, own)];
  const doc = docBefore(text, start.index);
  if (doc === '') throw new Error(`${own} in ${file} has no docstring`);
  return { doc, code: declarations.join('\n'), file: path.replace(/\.js$/, '.ts') };
}

/**
 * The classes of this project that a class extends, the nearest first: each with its declaration, its file, and the names
 * of the members that nothing nearer declares again.
 */
function basesOf(dist, { own, file, code }) {
  const found = [];
  const seen = new Set(membersOf(code));
  let at = { own, file, code };
  for (;;) {
    const heritage = new RegExp(`^(?:abstract )?class ${at.own}\\b[^{]*? extends (\\w+)`);
    const base = heritage.exec(at.code)?.[1];
    if (base === undefined) return found;
    const text = readFileSync(join(dist, at.file.replace(/\.ts$/, '.d.ts')), 'utf8');
    const from = importOf(text, base);
    if (from === undefined) return found;
    const next = { own: from.own, path: `./${join(dirname(at.file), from.path)}` };
    at = { ...next, ...declarationOf(dist, next) };
    const members = membersOf(at.code).filter(name => !seen.has(name));
    for (const name of members) seen.add(name);
    found.push({ ...at, members });
  }
}

/** Where a name that a file uses is imported from. */
function importOf(text, name) {
  for (const [, names, path] of text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\..*)';$/gm)) {
    for (const part of names.split(',')) {
      const [own, local = own] = part
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      if (local === name) return { own, path };
    }
  }
  return undefined;
}

/** Names of the public members of a class, in the order of their declaration; not its constructor. */
function membersOf(code) {
  const bare = code.replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const members = bare.matchAll(
    /^ {4}(?!private |protected )((?:static )?)(?:(?:readonly|abstract|get|set) )*(\w+)(?=[<(:?; ])/gm,
  );
  const names = [...members].map(([, kind, name]) => `${kind}${name}`);
  return [...new Set(names)].filter(name => name !== 'constructor');
}

/** All declarations of a name, one below the other. */
function* overloads(text, own) {
  const pattern = new RegExp(
    `^export (?:declare )?(?:abstract )?(class|function|const|interface|type) ${own}\\b`,
    'gm',
  );
  for (const { index } of text.matchAll(pattern)) {
    yield text.slice(index, endOf(text, index)).replace(/^export (declare )?/, '');
  }
}

/** Where a declaration ends: at the first semicolon or closing brace outside of all brackets. */
function endOf(text, start) {
  let depth = 0;
  for (let i = start; i < text.length; i += 1) {
    if (text.startsWith('/*', i)) i = text.indexOf('*/', i) + 1;
    else if ('{(['.includes(text[i])) depth += 1;
    else if ('})]'.includes(text[i])) {
      depth -= 1;
      if (depth === 0 && text[i] === '}' && text[i + 1] !== ';') {
        if (text[i + 1] === '\n' || text[i + 1] === undefined) return i + 1;
      }
    } else if (text[i] === ';' && depth === 0) return i + 1;
  }
  return text.length;
}

function docBefore(text, index) {
  const before = text.slice(0, index).trimEnd();
  if (!before.endsWith('*/')) return '';
  const comment = before.slice(before.lastIndexOf('/**'));
  return comment
    .slice(3, -2)
    .split('\n')
    .map(line => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();
}

/** A part of the page: an export, with what it has from the classes that it extends. */
function itemPart({ publicName, own, doc, code, file }, bases, all) {
  const shown = shownCode(code);
  const renamed =
    publicName === own ? shown : shown.replaceAll(new RegExp(`\\b${own}\\b`, 'g'), publicName);
  return [
    `### ${publicName}`,
    ...textOf(doc),
    `\`\`\`ts\n${renamed}\n\`\`\``,
    ...exampleOf(doc),
    ...bases.flatMap(base => basePart(base, all)),
    `In [\`${file.slice(2)}\`](../${file.slice(2)}).`,
  ];
}

function shownCode(code) {
  return code
    .replace(/^ {4}#private;\n/gm, '')
    .replaceAll(/^( {4})+/gm, spaces => ' '.repeat(spaces.length / 2));
}

/** What an export inherits from a class: names with a link, or the declaration of a class that the page does not have. */
function basePart({ own, file, code, members }, all) {
  const place = `[\`${own}\`](../${file.slice(2)})`;
  const at = all.find(item => item.own === own && item.file === file);
  if (at === undefined) return [`Inherits from ${place}:`, `\`\`\`ts\n${shownCode(code)}\n\`\`\``];
  const names = members.map(name => `\`${name}\``).join(', ');
  return [`Inherits from [\`${at.publicName}\`](#${at.anchor}): ${names}.`];
}

/** The text of a docstring: its tags as a list, its formulas as code. */
function textOf(doc) {
  const [text, ...tags] = doc.replace(/@example[\s\S]*?(?=\n@|$)/, '').split(/^@/m);
  const list = tags.map(tag => `- ${tagText(tag.trim().replaceAll(/\s*\n\s*/g, ' '))}`);
  return [text.trim(), list.join('\n')].filter(part => part !== '');
}

function tagText(tag) {
  const [, kind, rest] = /^(\w+) ?(.*)$/s.exec(tag);
  if (kind === 'throws') return `Throws ${rest.replace(/^TagstreamError /, '')}`;
  if (kind === 'param') return rest.replace(/^(\w+) /, '`$1`: ');
  return `${kind}: ${rest}`;
}

function exampleOf(doc) {
  const example = /@example\n([\s\S]*?)(?=\n@|$)/.exec(doc);
  return example === null ? [] : [`\`\`\`ts\n${example[1].trimEnd()}\n\`\`\``];
}
