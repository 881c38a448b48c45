import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmptyFolder } from '../house/docs/empty-folder.js';
import { readPage } from '../house/docs/page.js';
import { chromiumFile, startChromium } from '../reports/chromium.js';
import { goldTags, sampleText } from './sample-session.js';
import { serveCommand } from './served-command.js';

const root = resolve(import.meta.dirname, '../..');
const page = readPage(root, 'src/annotation/README.md');
const lines = page.blocks
  .find(({ name }) => name === 'walk')!
  .code.trim()
  .split('\n');
const records = 60;

describe.skipIf(chromiumFile === undefined)('the walk through labelling', () => {
  const folder = new EmptyFolder(root);
  let browser: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    writeFileSync(
      join(folder.path, 'news.txt'),
      Array.from({ length: records }, (_, i) => `${sampleText(i)}\n`).join(''),
    );
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    folder.remove();
  });

  it('is done by keyboard alone, with corrections, undo and a kill in between', async () => {
    const [annotate, ...rest] = lines;
    expect(annotate).toMatch(/^tagstream annotate /);
    let server = await served(annotate!, 0);
    const window = await browser.context.newPage();
    await window.goto(server.url);
    let corrections = 0;
    for (let answered = 0; answered < records; answered += 1) {
      corrections += await correct(window);
      if (answered === 25) {
        await server.end('SIGKILL');
        await window.keyboard.press('Enter');
        await window.locator('.banner', { hasText: 'Not saved' }).waitFor();
        server = await served(annotate!, server.port);
        await window.keyboard.press('Enter');
      } else await window.keyboard.press('Enter');
      await shows(window, answered + 1);
      if (answered === 40) {
        // Twice accepted: once undone.
        await window.keyboard.press('u');
        await shows(window, answered);
        await correct(window);
        await window.keyboard.press('Enter');
        await shows(window, answered + 1);
        await window.reload();
        await shows(window, answered + 1);
      }
    }
    await window.getByText('All records are answered.').waitFor();
    await server.end('SIGTERM');
    expect(corrections).toBeGreaterThan(5);
    const answers = readFileSync(join(folder.path, 'labelled.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(new Set(answers.map(({ _annotation }) => _annotation.record)).size).toBe(records);
    expect(answers).toHaveLength(records);
    for (const { tokens, tags } of answers) expect(tags).toEqual(goldTags(tokens));
    let printed = '';
    for (const line of rest) printed = (await folder.sh(line)).stdout;
    expect(JSON.parse(printed).spans).toMatchObject([
      { label: 'PER', text: 'Clara' },
      { label: 'LOC', text: 'Rome' },
    ]);
    const compared = page.blocks.find(({ name }) => name === 'simulate')!.code;
    expect((await folder.sh(compared)).stdout).toMatch(/\nspans +\d+\.\d/);
    expect(readFileSync(join(folder.path, 'first.model')).length).toBeGreaterThan(0);
  });

  /** Runs the line that serves the page. */
  const served = (line: string, port: number) =>
    serveCommand(line.split(' ').slice(1), folder.path, port);

  const shows = (window: Page, answered: number) =>
    window.locator('header [role=status]', { hasText: new RegExp(`^${answered} of`) }).waitFor();

  /** What the tokens of the page are, and the label of each. */
  const heard = (window: Page) =>
    window.locator('.token').evaluateAll(all =>
      all.map(each => {
        const [, token, label] = /^(.*): (.*), (?:set|\d+ %)$/.exec(
          each.getAttribute('aria-label')!,
        )!;
        return [token!, label!] as const;
      }),
    );

  /** Puts right what is wrong, by keys; returns how often. */
  async function correct(window: Page): Promise<number> {
    await window.locator('.token').first().waitFor();
    const tokens = (await heard(window)).map(([token]) => token);
    const gold = goldTags(tokens);
    const names = gold.map(tag => (tag === 'O' ? 'no label' : tag.slice(2)));
    let corrections = 0;
    for (let t = 0; t < tokens.length; t += 1) {
      const shown = await heard(window);
      const end = gold[t + 1]?.startsWith('I-') === true ? t + 1 : t;
      if (gold[t]!.startsWith('I-')) continue;
      if (shown.slice(t, end + 1).every(([, label], i) => label === names[t + i])) continue;
      await window.keyboard.press('Home');
      for (let i = 0; i < t; i += 1) await window.keyboard.press('ArrowRight');
      if (end > t) await window.keyboard.press('Shift+ArrowRight');
      const key =
        gold[t] === 'O' ? 'Backspace' : String(['PER', 'ORG', 'LOC'].indexOf(names[t]!) + 1);
      await window.keyboard.press(key);
      await expect.poll(async () => (await heard(window))[t]![1]).toBe(names[t]);
      await window.waitForLoadState('networkidle');
      corrections += 1;
      // What the model made of it may be wrong before here.
      t = -1;
    }
    return corrections;
  }
});
