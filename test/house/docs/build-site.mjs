// Writes the documentation as static pages: `npm run site`, into site/ or the folder named.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Marked } from 'marked';
import { Anchors } from './anchors.mjs';

const root = resolve(import.meta.dirname, '../../..');
const home = 'README.md';
const starts = [home, 'pipelines/guides.md', 'src/engine/decisions/README.md', 'CONTRIBUTING.md'];
const mimeTypes = { '.svg': 'image/svg+xml', '.png': 'image/png' };

const style = `
.site{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem}
main{padding-bottom:3rem;overflow-wrap:anywhere}
h2{margin-top:2rem}
img{max-width:100%;height:auto}
pre,.scroll{overflow-x:auto;overflow-wrap:normal;margin:0 0 1rem}
pre{background:var(--panel);border:1px solid var(--line);border-radius:.4rem;padding:.75rem;font-size:.85rem}
code{font-family:ui-monospace,Menlo,Consolas,monospace}
table{border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--line)}
input{font:inherit;width:100%;min-height:44px;padding:.4rem .6rem}`;

/** Runs in the search page: every word of the query has to begin a word of the section. */
const searchScript = `
const input = document.querySelector('input'), list = document.querySelector('ol'), state = document.querySelector('[role=status]');
function search() {
  const asked = input.value.toLowerCase().match(/[\\p{L}\\p{N}_]+/gu) ?? [];
  const found = asked.length === 0 ? [] : sections.flatMap(([address, page, heading, words]) => {
    const title = ' ' + (page + ' ' + heading).toLowerCase().replace(/[^\\p{L}\\p{N}_]+/gu, ' ');
    if (!asked.every(word => words.includes(' ' + word) || title.includes(' ' + word))) return [];
    return [{ address, page, heading, score: asked.filter(word => title.includes(' ' + word)).length }];
  }).sort((a, b) => b.score - a.score);
  state.textContent = asked.length === 0 ? '' : found.length + (found.length === 1 ? ' section' : ' sections');
  list.replaceChildren(...found.slice(0, 50).map(({ address, page, heading }) => {
    const item = document.createElement('li'), link = document.createElement('a');
    link.href = address;
    link.textContent = heading === page ? page : page + ': ' + heading;
    item.append(link);
    return item;
  }));
}
input.addEventListener('input', search);
search();`;

/**
 * Builds the README and every page that its links, the guides and the decisions lead to. Pictures are part of the pages.
 * A link to a file that is not a page becomes plain text: its path in the sources.
 *
 * @returns {Promise<string[]>} the Markdown files of the pages
 */
export async function buildSite(folder) {
  const [{ pageFrame }, { escapeHtml }, { baseStyle }] = await Promise.all(
    ['page', 'html', 'style'].map(
      name => import(pathToFileURL(join(root, `dist/reports/page/${name}.js`)).href),
    ),
  );
  const write = (output, { title, body, script }) => {
    const frame = pageFrame({ title, style: baseStyle + style, script });
    const to = name => escapeHtml(relative(output, name));
    const nav = `<header><nav class="site" aria-label="Documentation">
<a href="${to('index.html')}">Tagstream</a> <a href="${to('pipelines/guides.html')}">Guides</a>
<a href="${to('src/entries/API.html')}">API</a> <a href="${to('src/engine/decisions/index.html')}">Decisions</a>
<a href="${to('search.html')}">Search</a></nav></header>\n`;
    mkdirSync(dirname(join(folder, output)), { recursive: true });
    writeFileSync(
      join(folder, output),
      `${frame.head}${nav}<main>\n${body}\n</main>\n${frame.tail}`,
    );
  };
  rmSync(folder, { recursive: true, force: true });
  const pages = [...starts];
  const sections = [];
  // Grows while it is walked: links add the pages that they lead to.
  for (const file of pages) {
    const { title, body, found, links } = render(file, escapeHtml);
    for (const link of links) if (!pages.includes(link)) pages.push(link);
    write(outputOf(file), { title, body });
    for (const { anchor, heading, text } of found) {
      const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];
      sections.push([`${outputOf(file)}#${anchor}`, title, heading, ` ${words.join(' ')}`]);
    }
  }
  write('search.html', {
    title: 'Search',
    body: `<h1>Search</h1>
<label for="query">Words, or how they begin</label>
<input id="query" type="search" autocomplete="off">
<p role="status"></p>
<ol></ol>`,
    script: `const sections = ${JSON.stringify(sections)};${searchScript}`,
  });
  return pages;
}

/** A page as HTML, with its sections and the Markdown files that it links to. */
function render(file, escapeHtml) {
  const anchors = new Anchors();
  const found = [];
  const links = [];
  let tables = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const heading = plainOf(tokens);
        return `<h${depth} id="${escapeHtml(anchors.of(heading))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (/^(?:[a-z]+:|#)/i.test(href)) return `<a href="${escapeHtml(href)}">${text}</a>`;
        const [path, anchor] = href.split('#');
        const page = pageAt(posix.join(posix.dirname(file), path));
        if (page === undefined) return text;
        links.push(page);
        const address = relative(outputOf(file), outputOf(page));
        return `<a href="${escapeHtml(anchor === undefined ? address : `${address}#${anchor}`)}">${text}</a>`;
      },
      image({ href, text }) {
        const path = join(root, dirname(file), href);
        const data = readFileSync(path).toString('base64');
        return `<img alt="${escapeHtml(text)}" src="data:${mimeTypes[extname(path)]};base64,${data}">`;
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
      },
      table({ header, rows }) {
        tables++;
        const cell = (tag, { tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
        const line = (cells, tag) =>
          `<tr>${cells.map(each => cell(each.text === '' ? 'td' : tag, each)).join('')}</tr>\n`;
        return `<div class="scroll" role="region" aria-label="Table ${tables}" tabindex="0"><table>
<thead>${line(header, 'th')}</thead><tbody>${rows.map(row => line(row, 'td')).join('')}</tbody></table></div>\n`;
      },
    },
  });
  const tokens = marked.lexer(readFileSync(join(root, file), 'utf8'));
  const names = new Anchors();
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = plainOf(token.tokens);
      found.push({ anchor: names.of(heading), heading, text: '' });
    } else if (found.length > 0) found.at(-1).text += ` ${token.raw}`;
  }
  return { title: found[0].heading, body: marked.parser(tokens), found, links };
}

/** The text of inline tokens without their marks. */
function plainOf(tokens) {
  return tokens.map(token => (token.tokens ? plainOf(token.tokens) : token.text)).join('');
}

/** The Markdown file that a link names: itself, or the README of a folder. */
function pageAt(path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (stats === undefined || path.startsWith('..')) return undefined;
  if (stats.isDirectory()) return pageAt(posix.join(path, 'README.md'));
  return path.endsWith('.md') ? path : undefined;
}

function outputOf(file) {
  return file.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');
}

function relative(from, to) {
  return posix.relative(posix.dirname(from), to);
}

if (import.meta.filename === process.argv[1])
  await buildSite(resolve(process.argv[2] ?? join(root, 'site')));
