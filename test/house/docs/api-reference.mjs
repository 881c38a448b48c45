// The page of everything that the package exports, from the declarations and docstrings of what is built.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @returns {string} the page as Markdown */
export function apiReference(source, dist) {
  const parts = [
    '# The library, every export',
    'Made by `npm run docs` from the docstrings. Every example in it is run by the tests. [`README.md`](../../README.md) explains how it is used, [`README.md`](../README.md) of the sources how it is built. What stands under Io, Pipeline, Reports, Studies and Workers is for Node, in the entry `tagstream`; all else is in `tagstream/browser` too, and the operators in `tagstream/operators`. Further types that signatures name can be imported, and are listed in [`named-types.ts`](named-types.ts).',
  ];
  const found = sections(source, 'index.ts').sort((a, b) => (a.title < b.title ? -1 : 1));
  for (const { title, exported } of found) {
    const items = exported.map(item => ({ ...item, ...declarationOf(dist, item) }));
    items.sort((a, b) => (a.publicName < b.publicName ? -1 : 1));
    const names = items.map(({ publicName }) => `[${publicName}](#${publicName.toLowerCase()})`);
    parts.push(`## ${title}`, `${names.join(', ')}.`, ...items.flatMap(itemPart));
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

function itemPart({ publicName, own, doc, code, file }) {
  const shown = code
    .replace(/^ {4}#private;\n/gm, '')
    .replaceAll(/^( {4})+/gm, spaces => ' '.repeat(spaces.length / 2));
  const renamed =
    publicName === own ? shown : shown.replace(new RegExp(`\\b${own}\\b`), publicName);
  return [
    `### ${publicName}`,
    ...textOf(doc),
    `\`\`\`ts\n${renamed}\n\`\`\``,
    ...exampleOf(doc),
    `In [\`${file.slice(2)}\`](../${file.slice(2)}).`,
  ];
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
