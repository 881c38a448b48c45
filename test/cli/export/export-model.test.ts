// @module-tag slow
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TaggedText, type Tagger, type TrainRequest, train } from '../../../src/index.js';
import { fromDenseText, toDenseText } from '../../../src/reports/tagger-page/dense-text.js';
import { chromiumFile, startChromium } from '../../reports/chromium.js';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const people = ['Anna', 'Ben', 'Clara', 'Zoë'];
const places = ['Oslo', 'Bath', 'Rome', 'Kyōto'];
const corpus = Array.from({ length: 40 }, (_, i) => ({
  tokens: [people[i % 4]!, i % 2 === 0 ? 'likes' : 'left', places[(i * 3) % 4]!, '.'],
  tags: ['B-PER', 'O', 'B-LOC', 'O'],
}));
let taggers: Record<'names' | 'words', Tagger>;

/** What models of other kinds are trained with: a page leaves out what it takes for needless, and has to have all of it. */
const kinds: Readonly<Record<string, Omit<TrainRequest, 'corpus'>>> = {
  segments: { features: { preset: 'ner' }, structure: 'segments' },
  pairs: {
    ...{ features: { preset: 'ner' }, structure: 'segments' },
    segmentFeatures: ['length', 'lower', 'B:length'],
  },
  graph: { features: { preset: 'ner' }, structure: 'graph', links: { sameWord: 'capitalised' } },
  hidden: { features: { preset: 'ner' }, hidden: 2 },
  memm: { features: { preset: 'ner' }, scorer: 'memm', loss: 'log' },
  trees: { features: { preset: 'ner' }, scorer: 'trees', optimizer: { trees: {} } },
  perceptron: { features: { preset: 'ner' }, loss: 'perceptron', optimizer: { perceptron: {} } },
  patterns: { features: { templates: 'U0:%x[0,0]\nU1:%t[0,0,"^[A-Z]"]\nB' } },
  hashed: { features: { preset: 'ner', hashed: {} } },
};

/** What an exported page gives its scripts. */
interface PageTagger {
  readonly tagstream: { tag(text: string, options?: object): TaggedText };
}

beforeAll(async () => {
  const names = await train({ corpus, features: { preset: 'ner' } });
  const speech = corpus.map(({ tokens }) => ({ tokens, tags: ['NOUN', 'VERB', 'NOUN', '<&>'] }));
  const words = await train({ corpus: speech, features: { preset: 'pos' } });
  taggers = { names: names.tagger, words: words.tagger };
  writeFileSync(path('names.model'), names.bytes);
  writeFileSync(path('words.model'), words.bytes);
  const columns = corpus.map(sentence => ({ ...sentence, columns: { pos: ['A', 'B', 'C', 'D'] } }));
  const templates = 'U0:%x[0,pos]';
  const withColumns = await train({ corpus: columns, features: { templates } });
  writeFileSync(path('columns.model'), withColumns.bytes);
});

it('text that HTML keeps holds any bytes, in 8/7 of their length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), bytes => {
      const text = toDenseText(bytes);
      expect(text).not.toMatch(/[\0\r<]/);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Math.ceil((bytes.length * 8) / 7) + 1);
      expect(fromDenseText(text, bytes.length)).toEqual(Uint8Array.from(bytes));
    }),
    { seed: 1 },
  );
  const many = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7919) >> 3);
  expect(fromDenseText(toDenseText(many), many.length)).toEqual(many);
});

it('a module tags as the model does, without the package', async () => {
  const { code } = await tagstream(['export', 'names.model', '--js', 'names.js'], { cwd: folder });
  expect(code).toBe(0);
  const { tagger } = (await import(pathToFileURL(path('names.js')).href)) as { tagger: Tagger };
  const text = 'Zoë left Rome. Ben likes Kyōto.';
  expect(tagger.tagText(text)).toEqual(taggers.names.tagText(text));
  expect(readFileSync(path('names.d.ts'), 'utf8')).toContain('tagger: Tagger');
  expect(readFileSync(path('names.js'), 'utf8')).not.toMatch(/\bimport\s*[{*"']|\brequire\(/);
});

it.each([
  [['export', 'names.model'], '--html FILE'],
  [['export', 'names.model', '--out', 'names.model'], 'names.model'],
  [['export', 'columns.model', '--html', 'columns.html'], 'pos'],
  [['export', 'names.model', '--html', 'names.model'], 'names.model'],
  [['export', 'no.model', '--html', 'no.html'], 'no.model'],
  [['export', 'names.model', '--js', 'names.js', '--sample', 'A text'], 'html'],
])('says what is wrong with %j', async (words, told) => {
  const { code, stderr } = await tagstream(words, { cwd: folder });
  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain(told);
});

describe.skipIf(chromiumFile === undefined)('an exported page, in Chromium,', () => {
  let browser: Awaited<ReturnType<typeof startChromium>>;

  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  /** Opens a page from its file; returns what it said and asked for. */
  async function visit(name: string, work: (page: Page) => Promise<void>): Promise<string[]> {
    const page = await browser.context.newPage();
    const heard: string[] = [];
    const { href } = pathToFileURL(path(name));
    page.on('console', message => heard.push(`console: ${message.text()}`));
    page.on('pageerror', error => heard.push(`error: ${error.message}`));
    page.on('request', request => {
      if (request.url() !== href && !request.url().startsWith('data:')) heard.push(request.url());
    });
    await page.goto(href);
    await page.locator('html[data-ready]').waitFor();
    await work(page);
    await page.close();
    return heard;
  }

  it.each(['names', 'words'] as const)('tags as Node does and needs no network: %s', async name => {
    const sample = '<b>Zoë</b> left Kyōto & "Bath".\n\nBen likes Rome.';
    const words = ['export', `${name}.model`, '--html', `${name}.html`, '--sample', sample];
    expect(await tagstream(words, { cwd: folder })).toMatchObject({ code: 0 });
    const size = (file: string) => statSync(path(file)).size;
    expect(size(`${name}.html`)).toBeLessThanOrEqual(size(`${name}.model`) + 200_000);
    const tagger = taggers[name];
    const texts = corpus.map(({ tokens }) => `${tokens.join(' ')} ${sample}`);
    const heard = await visit(`${name}.html`, async page => {
      expect(await page.locator('#text').inputValue()).toBe(sample);
      expect(await page.locator('#result').textContent()).toContain('left');
      expect(await page.locator('#result b').count()).toBe(0);
      const found = await page.evaluate(
        given =>
          given.map(text =>
            JSON.stringify((globalThis as unknown as PageTagger).tagstream.tag(text)),
          ),
        texts,
      );
      expect(found).toEqual(texts.map(text => JSON.stringify(tagger.tagText(text))));
      await page.locator('#text').fill('Clara left Oslo .');
      const mark = name === 'names' ? 'mark.span' : 'ruby';
      await expect
        .poll(() => page.locator(`#result ${mark}`).count())
        .toBe(name === 'names' ? 2 : 4);
      if (name === 'names') {
        await page.getByLabel('Probabilities').check();
        await expect.poll(() => page.locator('#result .p').count()).toBe(2);
      }
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width: 390, height: 844 });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide).toBe(390);
        expect(await violations(page)).toEqual([]);
      }
    });
    expect(heard).toEqual([]);
  });

  it('shows texts of 0, 1 and 3 sentences, and nothing of the text before after an error', async () => {
    const words = ['export', 'names.model', '--html', 'counts.html'];
    expect(await tagstream(words, { cwd: folder })).toMatchObject({ code: 0 });
    const heard = await visit('counts.html', async page => {
      const marks = page.locator('#result mark.span');
      for (const [text, spans] of [
        ['Anna likes Rome .', 2],
        ['', 0],
        ['Anna left Bath . Ben likes Rome . Clara left Oslo .', 6],
        [' \n', 0],
        ['Ben', 1],
      ] as const) {
        await page.locator('#text').fill(text);
        await expect.poll(() => marks.count()).toBe(spans);
      }
      // Fails as a browser without memory does.
      await page.evaluate(() => {
        Array.prototype.findLast = () => {
          throw new RangeError('no memory');
        };
        for (const name of ['subarray', 'set', 'fill'] as const) {
          Int32Array.prototype[name] = Array.prototype.findLast as never;
          Uint32Array.prototype[name] = Array.prototype.findLast as never;
          Float64Array.prototype[name] = Array.prototype.findLast as never;
        }
      });
      await page.locator('#text').fill('Anna likes Oslo .');
      await expect.poll(() => page.locator('#state').textContent()).toContain('no memory');
      expect(await page.locator('#result').textContent()).toBe('');
    });
    expect(heard).toEqual([]);
  });
});

describe.skipIf(chromiumFile === undefined)(
  'a page with a model of another kind, in Chromium,',
  () => {
    let browser: Awaited<ReturnType<typeof startChromium>>;
    beforeAll(async () => {
      browser = await startChromium();
    });
    afterAll(() => browser?.close());

    it.each(Object.keys(kinds))('tags as Node does: %s', async kind => {
      const { tagger, bytes } = await train({ corpus, ...kinds[kind]! });
      writeFileSync(path(`${kind}.model`), bytes);
      const words = ['export', `${kind}.model`, '--html', `${kind}.html`];
      expect(await tagstream(words, { cwd: folder })).toMatchObject({ code: 0 });
      const texts = corpus.map(({ tokens }) => `${tokens.join(' ')} Zoë left Kyōto & Bath.`);
      const page = await browser.context.newPage();
      await page.goto(pathToFileURL(path(`${kind}.html`)).href);
      await page.locator('html[data-ready]').waitFor();
      // Graphs and trees have none.
      const more = ['graph', 'trees'].includes(kind) ? [] : [{ spanProbabilities: true }];
      for (const options of [{}, ...more]) {
        const found = await page.evaluate(
          ([given, chosen]) =>
            given.map(text =>
              JSON.stringify((globalThis as unknown as PageTagger).tagstream.tag(text, chosen)),
            ),
          [texts, options] as const,
        );
        expect(found).toEqual(texts.map(text => JSON.stringify(tagger.tagText(text, options))));
      }
      await page.close();
    });
  },
);

describe.skipIf(chromiumFile === undefined)('<tagstream-text>, in Chromium,', () => {
  const web = join(import.meta.dirname, '../../../dist/web');
  const page = `<!doctype html><meta charset="utf-8"><title>An element</title>
<script type="module" src="entries/element.js"></script>
<tagstream-text id="a" model="names.model" probabilities>Zoë left <b>Kyōto</b>.</tagstream-text>
<tagstream-text id="b" model="words.model">Ben likes Rome .</tagstream-text>
<tagstream-text id="c" model="none.model">Anna</tagstream-text>`;
  let browser: Awaited<ReturnType<typeof startChromium>>;
  let server: Server;
  const asked: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      const name = request.url!.slice(1);
      asked.push(name);
      if (name === '' || name.endsWith('.js')) {
        const type = name === '' ? 'text/html' : 'text/javascript';
        response.setHeader('Content-Type', type);
        response.end(name === '' ? page : readFileSync(join(web, name)));
      } else if (!name.endsWith('.model') || name === 'none.model') {
        response.writeHead(404).end();
      } else {
        response.end(readFileSync(path(name)));
      }
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it('marks its text in a thread, again when it changes, and says when it cannot', async () => {
    const opened = await browser.context.newPage();
    await opened.addInitScript(() => {
      const told: [string, unknown][] = [];
      for (const kind of ['tagged', 'failed']) {
        addEventListener(kind, event => {
          told.push([(event.target as Element).id, (event as CustomEvent).detail]);
        });
      }
      Object.assign(globalThis, { told });
    });
    await opened.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await expect.poll(() => opened.locator('#a mark.span').count()).toBe(2);
    expect(await opened.locator('#a .p').count()).toBe(2);
    await expect.poll(() => opened.locator('#b ruby').count()).toBe(4);
    type Told = readonly (readonly [string, unknown])[];
    const told = () =>
      opened.evaluate(() => (globalThis as unknown as { told: Told }).told) as Promise<Told>;
    await expect.poll(async () => new Map(await told()).get('c')).toContain('none.model');
    const options = { spanProbabilities: true };
    expect(new Map(await told()).get('a')).toEqual(
      taggers.names.tagText('Zoë left Kyōto.', options),
    );
    await opened.evaluate(() => {
      document.querySelector('#a')!.textContent = 'Clara left Bath . Ben likes Rome .';
    });
    await expect.poll(() => opened.locator('#a mark.span').count()).toBe(4);
    expect(asked.filter(name => name === 'names.model')).toHaveLength(1);
    await opened.close();
  });
});

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe finds wrong, with where. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(axe, 'utf8'));
  const { violations: found } = (await page.evaluate('axe.run()')) as AxeResults;
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
