import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../../src/service/serve/service.js';
import { type StartedService, startService } from '../../../src/service/serve/start-service.js';
import { payloads } from '../../annotation/payloads.js';
import { workspace } from '../../cli/commands/workspace.js';
import { chromiumFile, startChromium } from '../../reports/chromium.js';
import { writeModels } from './served.js';

const folder = workspace();
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const token = 'a-token-of-some-length';
const text = 'Anna lives in Oslo. Ben saw New York.';

describe.skipIf(chromiumFile === undefined)('the page of a service, in Chromium,', () => {
  let browser: Awaited<ReturnType<typeof startChromium>>;
  let service: Service;
  let started: StartedService;

  beforeAll(async () => {
    service = await createService({ models: writeModels(folder), threads: 1, maxWait: 60_000 });
    started = await startService(service, { port: 0, host: '127.0.0.1' });
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await started.stop(0);
  });

  /** Opens the page; returns what it asked for elsewhere, and what it complained of. */
  async function visit(hash: string, work: (page: Page) => Promise<void>): Promise<string[]> {
    const page = await browser.context.newPage();
    const heard: string[] = [];
    page.on('console', message => heard.push(`console: ${message.text()}`));
    page.on('pageerror', error => heard.push(`error: ${error.message}`));
    page.on('request', request => {
      const url = request.url();
      if (!url.startsWith(`${started.url}/`) && !url.startsWith('data:')) heard.push(url);
      if (url.includes('Oslo')) heard.push(`the text is in an address: ${url}`);
    });
    await page.goto(`${started.url}/${hash}`);
    await page.waitForSelector('html[data-ready=true]');
    await work(page);
    await page.close();
    return heard;
  }

  const shows = (page: Page, shown: string) =>
    page.waitForFunction(wanted => document.documentElement.dataset.shown === wanted, shown);
  const type = async (page: Page, typed: string) => {
    await page.fill('#text', typed);
    await shows(page, typed);
  };
  const marksOf = (page: Page) => page.locator('#result mark').allInnerTexts();

  it('marks what is typed, and says how sure it is, what else there is, and why', {
    tags: 'slow',
  }, async () => {
    const heard = await visit('', async page => {
      await type(page, text);
      const marks = await marksOf(page);
      expect(marks.map(mark => mark.replace(/ ?\d.*/, ''))).toEqual([
        ...['AnnaPER', 'OsloLOC', 'BenPER', 'New YorkLOC'].map(mark => expect.stringMatching(mark)),
      ]);
      expect(marks.every(mark => /%/.test(mark))).toBe(true);
      expect(await page.locator('#alternatives ol').count()).toBe(2);
      expect(await page.locator('#alternatives li').first().innerText()).toMatch(
        /^\d.* %: .*Anna\/B-PER/,
      );
      await page.locator('#words button', { hasText: 'York' }).click();
      const reason = page.locator('#reason');
      await reason.locator('table').waitFor();
      expect(await reason.innerText()).toMatch(/York\s+I-LOC \(.* %\), not /);
      expect(await reason.innerText()).toContain('word: “York”');
      await page.selectOption('#model', 'pets');
      await page.waitForFunction(() =>
        document.querySelector('#result')!.textContent!.includes('ACT'),
      );
      await type(page, ' ');
      expect(await marksOf(page)).toEqual([]);
    });
    expect(heard).toEqual([]);
  });

  it.each([
    ['', 0, []],
    [' \n', 0, []],
    ['Anna', 1, ['Anna']],
    ['Clara flew to New York.', 1, ['New York']],
    ['Anna lives in Oslo. Ben saw New York. Anna.', 3, ['Anna', 'Oslo', 'Ben', 'New York', 'Anna']],
  ])(
    'shows a text of any number of sentences: %j',
    { tags: 'slow' },
    async (typed, sentences, spans) => {
      const heard = await visit('', async page => {
        await type(page, 'Ben saw Oslo. Anna.');
        await type(page, typed);
        expect(await page.locator('#state').innerText()).toBe('');
        const marks = await marksOf(page);
        for (const span of spans) expect(marks.some(mark => mark.startsWith(span))).toBe(true);
        if (sentences === 0) expect(marks).toEqual([]);
        expect(await page.locator('#alternatives').isVisible()).toBe(sentences > 0);
        expect(await page.locator('#alternatives ol').count()).toBe(sentences);
        for (const list of await page.locator('#alternatives ol').all()) {
          expect(await list.locator('li').count()).toBeGreaterThan(1);
        }
        expect(await page.locator('#why').isVisible()).toBe(sentences > 0);
        const words = page.locator('#words button');
        if (sentences === 0) return;
        await words.last().click();
        await page.locator('#reason h3').waitFor();
      });
      expect(heard).toEqual([]);
    },
  );

  it('shows nothing of the text before after an error', { tags: 'slow' }, async () => {
    const heard = await visit('', async page => {
      await type(page, text);
      await page.locator('#words button').first().click();
      await page.locator('#reason h3').waitFor();
      await page.route('**/v1/tag?*', route => route.fulfill({ status: 503, body: 'no' }));
      await type(page, 'Ben.');
      expect(await page.locator('#state').innerText()).toBe('the server answers 503');
      expect(await page.locator('#result, #words, #reason').allInnerTexts()).toEqual(['', '', '']);
      expect(await page.locator('#alternatives, #why').filter({ visible: true }).count()).toBe(0);
      await page.unroute('**/v1/tag?*');
      await type(page, text);
      expect((await marksOf(page)).length).toBe(4);
    });
    expect(heard.filter(line => !/status of 503/.test(line))).toEqual([]);
  });

  it('gives a link that has the text where no server sees it', async () => {
    const heard = await visit('', async page => {
      await type(page, text);
      await page.click('#share');
      const link = page.url();
      expect(link).toContain('#');
      const other = await browser.context.newPage();
      await other.goto(link);
      await shows(other, text);
      expect(await other.inputValue('#text')).toBe(text);
      expect((await marksOf(other)).length).toBe(4);
      await other.close();
    });
    expect(heard).toEqual([]);
  });

  it('asks for a token where it needs one, and tells what goes wrong', {
    tags: 'slow',
  }, async () => {
    service.setTokens({ text: token, source: 'tokens' });
    const heard = await visit('', async page => {
      expect(await page.locator('#state').innerText()).toContain('token');
      await page.fill('#token', token);
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelectorAll('#model option').length === 2);
      await type(page, text);
      expect((await marksOf(page)).length).toBe(4);
      service.setTokens(undefined);
      await type(page, 'a'.repeat(1 << 21));
      expect(await page.locator('#state').innerText()).toMatch(
        /the body has at least .*: the limit is/,
      );
    });
    service.setTokens(undefined);
    // Of answers that are errors the console has a line of its own.
    expect(heard.filter(line => !/status of 4(01|13)/.test(line))).toEqual([]);
  });

  it('takes nothing of a text for markup', { tags: 'slow' }, async () => {
    const heard = await visit('', async page => {
      await type(page, payloads().slice(0, 60).join('\n'));
      expect(await page.locator('main img, main svg, main iframe, main script').count()).toBe(0);
      for (const button of (await page.locator('#words button').all()).slice(0, 5)) {
        await button.click();
        await page.locator('#reason h3').waitFor();
      }
      expect(await page.evaluate(() => 'taken' in globalThis)).toBe(false);
    });
    expect(heard).toEqual([]);
  });

  it.each([
    ['a phone', 390],
    ['a desk', 1280],
  ])('can be used by all on %s, in light and dark', { tags: 'slow' }, async (_, width) => {
    const heard = await visit('', async page => {
      await page.setViewportSize({ width, height: 800 });
      await type(page, text);
      await page.locator('#words button').first().click();
      await page.locator('#reason table').waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        if ((await page.evaluate(() => 'axe' in globalThis)) === false) await addAxe(page);
        const { violations } = await page.evaluate(() =>
          (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
        );
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`)).toEqual([]);
      }
      const small = await page.evaluate(
        () =>
          [...document.querySelectorAll('button, select')].filter(
            each => each.checkVisibility() && each.getBoundingClientRect().height < 44,
          ).length,
      );
      expect(small).toBe(0);
    });
    expect(heard).toEqual([]);
  });
});

/** The policy of the page allows its own script alone; what the browser's debugger runs is not under it. */
async function addAxe(page: Page): Promise<void> {
  const { readFileSync } = await import('node:fs');
  await page.evaluate(readFileSync(axe, 'utf8'));
}
