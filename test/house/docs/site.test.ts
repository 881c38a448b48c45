import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workspace } from '../../cli/commands/workspace.js';
import { chromiumFile, startChromium } from '../../reports/chromium.js';
import { buildSite } from './build-site.mjs';

const root = resolve(import.meta.dirname, '../../..');
const folder = join(workspace(), 'site');
const files = (await buildSite(folder)).sort();
const outputs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
  name.endsWith('.html'),
);
const texts = new Map(outputs.map(name => [name, readFileSync(join(folder, name), 'utf8')]));

describe('the site', () => {
  it('has the README, all guides, decisions and papers, and the reference of the API', () => {
    const guides = ['pipelines', 'pipelines/papers', 'src/engine/decisions'].flatMap(name =>
      readdirSync(join(root, name))
        .filter(file => file.endsWith('.md'))
        .map(file => `${name}/${file}`),
    );
    expect(files).toEqual(expect.arrayContaining(['README.md', 'src/entries/API.md', ...guides]));
    expect(outputs).toHaveLength(files.length + 1);
  });

  it('has no link to a page or an anchor that is not there', { tags: 'slow' }, () => {
    const dead: string[] = [];
    let links = 0;
    for (const [name, text] of texts) {
      for (const [, href] of text.matchAll(/<a href="([^"]*)"/g)) {
        if (/^[a-z]+:/.test(href!)) continue;
        links++;
        const [path, anchor] = href!.split('#');
        const target = path === '' ? name : join(dirname(name), path!);
        const page = texts.get(target);
        if (page === undefined || (anchor !== undefined && !page.includes(` id="${anchor}"`)))
          dead.push(`${name}: ${href}`);
      }
    }
    expect(links).toBeGreaterThan(1000);
    expect(dead).toEqual([]);
    expect(existsSync(join(folder, 'index.html'))).toBe(true);
  });
});

describe.skipIf(chromiumFile === undefined)('the site, in Chromium,', () => {
  let browser: Awaited<ReturnType<typeof startChromium>>;
  const urlOf = (name: string) => pathToFileURL(join(folder, name)).href;

  beforeAll(async () => {
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser.close();
  });

  it('finds each page by its title and by its first paragraph, and an export', {
    tags: 'slow',
  }, async () => {
    const page = await browser.context.newPage();
    await page.goto(urlOf('search.html'));
    const missed: string[] = [];
    for (const [name, text] of texts) {
      if (name === 'search.html') continue;
      for (const part of [/<title>(.*)<\/title>/, /<(?:p|li|td)>(.*?)<\/(?:p|li|td)>/s]) {
        const words = part
          .exec(text)![1]!
          .replaceAll(/<[^>]*>|&[^;]*;/g, ' ')
          .match(/\w+/g)!;
        await page.fill('input', words.slice(0, 8).join(' '));
        const found = await page.$$eval('ol a', all => all.map(each => each.getAttribute('href')));
        if (!found.some(href => href!.startsWith(`${name}#`))) missed.push(`${name}: ${words}`);
      }
    }
    expect(missed).toEqual([]);
    await page.fill('input', 'no-such-word-anywhere-qqq');
    expect(await page.locator('ol a').count()).toBe(0);
    await page.fill('input', 'createService');
    await page.click('ol a[href*="API.html#createservice"]');
    expect(await page.locator(':target').textContent()).toBe('createService');
    await page.close();
  });

  it('is accessible, and as wide as a phone', { tags: 'slow' }, async () => {
    const page = await browser.context.newPage();
    const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
    await page.setViewportSize({ width: 390, height: 800 });
    const wide: string[] = [];
    for (const name of outputs) {
      await page.goto(urlOf(name));
      if ((await page.evaluate(() => document.documentElement.scrollWidth)) > 390) wide.push(name);
    }
    expect(wide).toEqual([]);
    for (const name of ['index.html', 'pipelines/guides.html', 'search.html']) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(urlOf(name));
        await page.evaluate(readFileSync(axe, 'utf8'));
        const { violations } = await page.evaluate(() =>
          (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
        );
        expect(violations.map(({ id, nodes }) => `${name} ${id}: ${nodes[0]!.html}`)).toEqual([]);
      }
    }
    await page.close();
  });
});
