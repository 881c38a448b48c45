// @module-tag slow
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workspace } from '../cli/commands/workspace.js';
import { chromiumFile, startChromium } from './chromium.js';
import { samplePages } from './sample-pages.js';

const folder = workspace();
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const width = { narrow: 400, wide: 1200 };

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return pathToFileURL(join(folder, name)).href;
}

describe.skipIf(chromiumFile === undefined)('the pages, in Chromium,', () => {
  let browser: Awaited<ReturnType<typeof startChromium>>;
  const addresses: Record<string, string> = {};

  beforeAll(async () => {
    for (const [name, text] of Object.entries(samplePages()))
      addresses[name] = write(`${name}.html`, text);
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  /** Opens a page, lets `work` do something with it, and returns what it said and asked for. */
  async function visit(name: string, work: (page: Page) => Promise<void>): Promise<string[]> {
    const page = await browser.context.newPage();
    const heard: string[] = [];
    page.on('console', message => heard.push(`console: ${message.text()}`));
    page.on('pageerror', error => heard.push(`error: ${error.message}`));
    page.on('request', request => {
      const isOwn = request.url() === addresses[name] || request.url().startsWith('data:');
      if (!isOwn) heard.push(`request: ${request.url()}`);
    });
    await page.goto(addresses[name]!);
    await work(page);
    await page.close();
    return heard;
  }

  it.each(['spans', 'words', 'study', 'stream', 'tagged', 'speech'])(
    'can be used by all: %s',
    async name => {
      const heard = await visit(name, async page => {
        const title = await page.title();
        for (const colorScheme of ['light', 'dark'] as const) {
          for (const size of ['narrow', 'wide'] as const) {
            await page.emulateMedia({ colorScheme });
            await page.setViewportSize({ width: width[size], height: 800 });
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth);
            expect(overflow, `${colorScheme} ${size}`).toBe(width[size]);
            if (size === 'narrow') continue;
            // What axe looks at is the same for both widths, and but for contrast in light and dark.
            const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined;
            expect(await violations(page, rules), colorScheme).toEqual([]);
          }
        }
        // A token asks for another title.
        expect(await page.title()).toBe(title);
        expect(await page.locator('script').count()).toBe(/^Eval/.test(title) ? 1 : 0);
      });
      expect(heard).toEqual([]);
    },
  );

  it('lead the keyboard to everything that can be used, with a frame around it', async () => {
    const heard = await visit('spans', async page => {
      await page.setViewportSize({ width: 1200, height: 800 });
      const usable = await page.evaluate(
        () =>
          [...document.querySelectorAll('a, select, button, summary, [tabindex="0"]')].filter(
            element => element.checkVisibility(),
          ).length,
      );
      const reached: string[] = [];
      for (let i = 0; i < usable; i += 1) {
        await page.keyboard.press('Tab');
        reached.push(
          await page.evaluate(() => {
            const at = document.activeElement!;
            const framed = getComputedStyle(at).outlineStyle === 'solid' ? 'framed' : 'bare';
            return `${at.tagName} ${framed}`;
          }),
        );
      }
      const tags = reached.map(text => text.split(' ')[0]);
      expect(reached.filter(text => !text.endsWith('framed'))).toEqual([]);
      expect([...new Set(tags)].sort()).toEqual(['A', 'BUTTON', 'DIV', 'SELECT', 'SUMMARY']);
      expect(tags.filter(tag => tag === 'SELECT')).toHaveLength(2);
    });
    expect(heard).toEqual([]);
  });

  it('filter errors by label and by confusion', async () => {
    const heard = await visit('spans', async page => {
      const shown = () => page.locator('ol.errors > li:visible').count();
      expect(await shown()).toBe(8);
      expect(await page.locator('#count').textContent()).toBe('8 of 8 sentences shown');
      await page.locator('select[name=pair]').selectOption({ label: 'I-LOC tagged B-LOC (3)' });
      expect(await shown()).toBe(3);
      await page.locator('select[name=label]').selectOption({ label: 'PER (8)' });
      expect(await shown()).toBe(3);
      expect(await page.locator('#count').textContent()).toBe('3 of 8 sentences shown');
      await page.getByRole('button', { name: 'Show all' }).press('Enter');
      await page.waitForFunction(() => document.querySelector('ol.errors > li[hidden]') === null);
      // The number in the table is the number in the form, and that of the sentences.
      const links = page.locator('a[data-pair]');
      const numbers = (text: string) => /(\d+)\D*$/.exec(text)![1];
      const counts: string[] = [];
      for (const link of await links.all()) {
        await link.press('Enter');
        const chosen = await page.locator('select[name=pair] option:checked').innerText();
        counts.push([await link.innerText(), chosen].map(numbers).join(' '));
        expect(counts.at(-1)).toBe(`${await shown()} ${await shown()}`);
      }
      expect(counts).toEqual(['8 8', '8 8', '3 3']);
    });
    expect(heard).toEqual([]);
  });
});

/** What axe finds wrong, with where. */
async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // By the protocol, not as a script of the page, whose own policy would forbid it.
  await page.evaluate(await source());
  const runOnly = rules === undefined ? '' : JSON.stringify({ runOnly: rules });
  const results = (await page.evaluate(`axe.run(${runOnly})`)) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(node => `${id}: ${node.html.slice(0, 200)} ${node.any[0]?.message ?? ''}`),
  );
}

async function source(): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(axe, 'utf8');
}
