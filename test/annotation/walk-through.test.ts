// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmptyFolder } from '../house/docs/empty-folder.js';
import { readPage } from '../house/docs/page.js';
import { chromiumFile, startChromium } from '../reports/chromium.js';
import { goldTags, sampleText } from './sample-session.js';
import { type ServedCommand, serveCommand } from './served-command.js';

const root = resolve(import.meta.dirname, '../..');
const readme = readPage(root, 'README.md');
const page = readPage(root, 'src/annotation/labelling.md');
const lines = linesOf(readme, 'walk');
const records = 60;
const names = ['PER', 'ORG', 'LOC'];

/** Of the answers of the first person: before which the server is killed, and after which one is undone and the page read anew. */
const [killed, undone] = [12, 20];

describe.skipIf(chromiumFile === undefined)('the walk through labelling', () => {
  const folder = new EmptyFolder(root);
  let browser: Awaited<ReturnType<typeof startChromium>>;
  let server: ServedCommand;
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

  it('is done by keyboard alone: two people, corrections, undo, a kill, review, export, training', async () => {
    const [annotate, ...rest] = lines;
    expect(annotate).toMatch(/^tagstream annotate .* --annotators anna,ben /);
    server = await served(0);
    const anna = await labelAsAnna();
    const own = new Set(recordsIn('labelled.anna.ndjson'));
    const ben = await labelAsBen(own);
    const reviewed = await decide();
    await server.end('SIGTERM');
    expect(anna).toBeGreaterThan(5);
    // What one of them has got wrong is all that they do not agree on.
    expect(ben).toBeGreaterThan(0);
    expect(reviewed).toBe(ben);
    const answers = read('labelled.ndjson');
    expect(new Set(recordsIn('labelled.ndjson')).size).toBe(records);
    expect(answers).toHaveLength(records);
    for (const { tokens, tags } of answers) expect(tags).toEqual(goldTags(tokens));
    let printed = '';
    for (const line of rest) printed = (await folder.sh(line)).stdout;
    expect(JSON.parse(printed).spans).toMatchObject([
      { label: 'PER', text: 'Clara' },
      { label: 'LOC', text: 'Rome' },
    ]);
    const exported = read('doccano.jsonl');
    expect(exported).toHaveLength(records);
    for (const { text, label } of exported) {
      const found = label.map(([start, end]: [number, number]) => text.slice(start, end));
      const tags = goldTags(text.split(' '));
      expect(found.join(' ')).toBe(
        text
          .split(' ')
          .filter((_: string, t: number) => tags[t] !== 'O')
          .join(' '),
      );
    }
  });

  it('is told for one person too, and strategies can be compared on what comes of it', async () => {
    const alone = lines.filter(line => !line.startsWith('tagstream convert'));
    expect(linesOf(page, 'walk')).toEqual(alone.map(line => line.replace(/ --annotators .*/, '')));
    const [compared] = linesOf(page, 'simulate');
    expect((await folder.sh(compared!)).stdout).toMatch(/\nspans +\d+\.\d/);
  });

  /** Labels all that is hers, with the server killed in between, and an answer undone. */
  async function labelAsAnna(): Promise<number> {
    const window = await opened('anna');
    let corrections = 0;
    for (let answered = 0; await isAsked(window, answered); answered += 1) {
      corrections += await correct(window);
      if (answered === killed) {
        await server.end('SIGKILL');
        await window.keyboard.press('Enter');
        await window.locator('.banner', { hasText: 'Not saved' }).waitFor();
        server = await served(server.port);
      }
      await window.keyboard.press('Enter');
      await shows(window, answered + 1);
      if (answered === undone) {
        await window.keyboard.press('u');
        await shows(window, answered);
        await correct(window);
        await window.keyboard.press('Enter');
        await shows(window, answered + 1);
        await window.reload();
        await shows(window, answered + 1);
      }
    }
    await window.close();
    return corrections;
  }

  /** Labels all that is his; of firms in records of both he is not sure. Returns how many of these he gets wrong. */
  async function labelAsBen(others: ReadonlySet<number>): Promise<number> {
    const window = await opened('ben');
    let wrong = 0;
    for (let answered = 0; await isAsked(window, answered); answered += 1) {
      const about = await window.locator('section p').first().textContent();
      const isShared = others.has(Number(/Record (\d+)/.exec(about!)![1]) - 1);
      await correct(window);
      const firm = await heardOf(window).then(heard => heard.findIndex(each => each[1] === 'ORG'));
      if (isShared && firm >= 0) {
        await goTo(window, firm);
        await window.keyboard.press('Backspace');
        await expect.poll(async () => (await heardOf(window))[firm]![1]).toBe('no label');
        wrong += 1;
      }
      await window.keyboard.press('Enter');
      await shows(window, answered + 1);
    }
    await window.close();
    return wrong;
  }

  /** Decides between them; returns in how many records. */
  async function decide(): Promise<number> {
    const window = await opened('review');
    let answered = 0;
    for (; await isAsked(window, answered); answered += 1) {
      await correct(window);
      await decideRest(window);
      await window.keyboard.press('Enter');
      await shows(window, answered + 1);
    }
    await window.close();
    return answered;
  }

  /** Runs the line that serves the page. */
  const served = (port: number) => serveCommand(lines[0]!.split(' ').slice(1), folder.path, port);

  async function opened(annotator: string): Promise<Page> {
    const window = await browser.context.newPage();
    await window.goto(`${server.url}?annotator=${annotator}`);
    return window;
  }

  const read = (name: string) =>
    readFileSync(join(folder.path, name), 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));

  const recordsIn = (name: string): number[] =>
    read(name).map(({ _annotation }) => _annotation.record);
});

/** The lines of a block of a page. */
function linesOf({ blocks }: typeof page, name: string): string[] {
  return blocks
    .find(block => block.name === name)!
    .code.trim()
    .split('\n');
}

const shows = (window: Page, answered: number) =>
  window.locator('header [role=status]', { hasText: new RegExp(`^${answered} of`) }).waitFor();

/** Whether there is a record after so many answers. */
async function isAsked(window: Page, answered: number): Promise<boolean> {
  await shows(window, answered);
  await window.locator('.token, section .end').first().waitFor();
  return (await window.locator('.token').count()) > 0;
}

/** What the tokens of the page are, and the label of each. */
const heardOf = (window: Page) =>
  window.locator('.token').evaluateAll(all =>
    all.map(each => {
      const [, token, label] = /^(.*): (.*), (?:set|to be decided|\d+ %)$/.exec(
        each.getAttribute('aria-label')!,
      )!;
      return [token!, label!] as const;
    }),
  );

async function goTo(window: Page, token: number): Promise<void> {
  await window.keyboard.press('Home');
  for (let i = 0; i < token; i += 1) await window.keyboard.press('ArrowRight');
}

/** Says of each token that is still marked that it has the label it is shown with. */
async function decideRest(window: Page): Promise<void> {
  const marked = window.locator('.token.undecided');
  for (let left = await marked.count(); left > 0; left = await marked.count()) {
    const id = await marked.first().getAttribute('id');
    const token = Number(id!.slice(1));
    const [, label] = (await heardOf(window))[token]!;
    await goTo(window, token);
    const number = names.indexOf(label) + 1;
    await window.keyboard.press(number === 0 ? 'Backspace' : String(number));
    await expect.poll(() => marked.count()).toBeLessThan(left);
  }
}

/** Puts right what is wrong, by keys; returns how often. */
async function correct(window: Page): Promise<number> {
  for (let corrections = 0; ; corrections += 1) {
    const shown = await heardOf(window);
    const gold = goldTags(shown.map(([token]) => token));
    const right = gold.map(tag => (tag === 'O' ? 'no label' : tag.slice(2)));
    const wrong = shown.findIndex(([, label], t) => label !== right[t]);
    if (wrong < 0) return corrections;
    const start = gold[wrong]!.startsWith('I-') ? wrong - 1 : wrong;
    await goTo(window, start);
    if (gold[start + 1]?.startsWith('I-') === true) await window.keyboard.press('Shift+ArrowRight');
    const number = names.indexOf(right[start]!) + 1;
    const done = window.waitForResponse(/propose/);
    await window.keyboard.press(number === 0 ? 'Backspace' : String(number));
    await done;
    await expect.poll(async () => (await heardOf(window))[wrong]![1]).toBe(right[wrong]);
  }
}
