// The page of everything that the package exports, from the declarations and docstrings of what is built.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Anchors } from './anchors.mjs';

/** @returns {string} the page as Markdown */
export function apiReference(source, dist) {
  const parts = [
    '# The library, every export',
    'Made by `npm run docs` from the docstrings. Every example in it is run by the tests. [`README.md`](../../README.md) explains how it is used, [`README.md`](../README.md) of the sources how it is built. What stands under Io, Pipeline, Reports, Studies and Workers is for Node, in the entry `tagstream`; all else is in `tagstream/browser` too, and the operators in `tagstream/operators`. Further types that signatures name can be imported, and are listed in [`named-types.ts`](named-types.ts).',
  ];
  const found = sections(source, 'index.ts').sort((a, b) => (a.title < b.title ? -1 : 1));
  const anchors = new Anchors();
  anchors.of('The library, every export');
  const chapters = found.map(({ title, exported }) => {
    anchors.of(title);
    const items = exported.map(item => ({ ...item, ...declarationOf(dist, item) }));
    items.sort((a, b) => (a.publicName < b.publicName ? -1 : 1));
    return { title, items: items.map(item => ({ ...item, anchor: anchors.of(item.publicName) })) };
  });
  const all = chapters.flatMap(({ items }) => items);
  for (const { title, items } of chapters) {
    const names = items.map(({ publicName, anchor }) => `[${publicName}](#${anchor})`);
    const shown = items.flatMap(item => itemPart(item, basesOf(dist, item), all));
    parts.push(`## ${title}`, `${names.join(', ')}.`, ...shown);
  }
  return `${parts.join('\n\n')}\n`;
}

/** The exports of an index, and of those that it passes on, under the comments that head them. */
function sections(source, file) {
  const found = [];
  const pattern =
    /^\/\/ (.*)$|^export \* from '(.*)';$|^export (?:type )?\{([^}]*)\} from '(.*)';$/gm;
  const pathOf = from => `./${join(dirname(file), from)}`;
  for (const [, title, all, names, from] of readFileSync(join(source, file), 'utf8').matchAll(
    pattern,
  )) {
    if (title !== undefined) {
      found.push({ title: title[0].toUpperCase() + title.slice(1), exported: [] });
    } else if (all !== undefined) {
      found.push(...sections(source, pathOf(all).replace(/\.js$/, '.ts')));
    } else {
      for (const name of names.split(',').map(part => part.trim())) {
        if (name === '') continue;
        const [own, publicName = own] = name.replace(/^type /, '').split(' as ');
        found.at(-1).exported.push({ own, publicName, path: pathOf(from) });
      }
    }
  }
  return found.filter(({ exported }) => exported.length > 0);
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
  // A class may have the public name of the one that it extends: what it inherits is named below.
  const distinct = renamed.replace(
    `class ${publicName} extends ${publicName} {`,
    `class ${publicName} {`,
  );
  return [
    `### ${publicName}`,
    ...textOf(doc),
    `\`\`\`ts\n${distinct}\n\`\`\``,
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
