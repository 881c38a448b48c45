// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnnotationServer } from '../../src/annotation/server/annotation-server.js';
import type { SessionOptions } from '../../src/annotation/session/annotator.js';
import { strategyOf } from '../../src/annotation/strategies/strategies.js';
import { spansTask, tagsTask } from '../../src/annotation/task/annotation-task.js';
import { workspace } from '../cli/commands/workspace.js';
import { chromiumFile, startChromium } from '../reports/chromium.js';
import { payloads } from './payloads.js';
import { openSample, sampleQueue } from './sample-session.js';

type Point = { readonly x: number; readonly y: number };

const folder = workspace();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let count = 0;

const guidelines = `# People

<b>names</b>

- **only** \`PER <i>\`
- [the manual](https://example.com/), [no](javascript:alert(1))
`;

/** What the page says of each token, as a screen reader hears it. */
const heardTokens = (page: Page) =>
  page
    .locator('.token')
    .evaluateAll(all => all.map(each => each.getAttribute('aria-label')!.replace(/, \d+ %$/, '')));

describe.skipIf(chromiumFile === undefined)('the page of annotate, in Chromium,', () => {
  let browser: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  /** Opens a session in a page of its own; what the page says or asks of others is an error. */
  async function opened(
    texts: readonly object[] | undefined,
    more: Partial<SessionOptions>,
    work: (page: Page, out: string) => Promise<void>,
    expected: readonly RegExp[] = [],
  ) {
    count += 1;
    const out = join(folder, `out${count}.ndjson`);
    const queue =
      texts === undefined
        ? sampleQueue(folder, 60, `q${count}.ndjson`)
        : join(folder, `q${count}.ndjson`);
    if (texts !== undefined)
      writeFileSync(queue, texts.map(text => JSON.stringify(text)).join('\n'));
    const session = await openSample(queue, out, { strategy: strategyOf('sequential'), ...more });
    const server = await AnnotationServer.start(session, {
      port: 0,
      guidelines,
      saveModel: () => 'a.model',
      modelFile: 'a.model',
    });
    const page = await browser.context.newPage();
    const wrong: string[] = [];
    page.on('console', message => wrong.push(`console: ${message.text()}`));
    page.on('pageerror', error => wrong.push(`error: ${error.message}`));
    page.on('dialog', dialog => wrong.push(`dialog: ${dialog.message()}`));
    page.on('request', asked => {
      if (!asked.url().startsWith(server.url) && !asked.url().startsWith('data:'))
        wrong.push(asked.url());
    });
    await page.goto(server.url);
    await page.locator('.token').first().waitFor();
    await work(page, out);
    await page.close();
    await server.close();
    await session.close();
    expect(wrong.filter(line => !expected.some(each => each.test(line)))).toEqual([]);
  }

  const answered = (page: Page, number: number) =>
    page.locator('header [role=status]', { hasText: new RegExp(`^${number} of`) }).waitFor();

  it('makes one span of a selection across the end of a guessed sentence, and keeps it', () =>
    opened([{ text: 'Anna works at Yahoo! Inc today.' }], {}, async (page, out) => {
      const { keyboard } = page;
      const before = await heardTokens(page);
      const from = before.findIndex(heard => heard.startsWith('Yahoo'));
      for (let i = 0; i < from; i += 1) await keyboard.press('ArrowRight');
      for (let i = 0; i < 2; i += 1) await keyboard.press('Shift+ArrowRight');
      await keyboard.press('2');
      await expect
        .poll(async () => (await heardTokens(page)).slice(from, from + 4))
        .toEqual(['Yahoo: ORG, set', '!: ORG, set', 'Inc: ORG, set', 'today: no label']);
      await keyboard.press('Enter');
      await answered(page, 1);
      const record = JSON.parse(readFileSync(out, 'utf8'));
      expect(record.tags.slice(from, from + 4)).toEqual(['B-ORG', 'I-ORG', 'I-ORG', 'O']);
      // The sentences of the answer do not cut the span.
      const ends = (record.sentences ?? []).map(([, end]: readonly [number, number]) => end);
      expect(ends).not.toContain(from + 2);
    }));

  it('makes a span of each part where the record has its own sentences', () =>
    opened(
      [
        {
          tokens: ['Anna', 'left', 'Ben', 'stayed'],
          sentences: [
            [0, 2],
            [2, 4],
          ],
        },
      ],
      {},
      async (page, out) => {
        for (let i = 0; i < 3; i += 1) await page.keyboard.press('Shift+ArrowRight');
        await page.keyboard.press('1');
        await page.keyboard.press('Enter');
        await answered(page, 1);
        const { tags } = JSON.parse(readFileSync(out, 'utf8'));
        expect(tags).toEqual(['B-PER', 'I-PER', 'B-PER', 'I-PER']);
      },
    ));

  it.each([
    ['a Cyrillic layout', { key: 'ы', code: 'KeyS' }, 'skip'],
    ['a Greek layout', { key: 'σ', code: 'KeyS' }, 'skip'],
    ['the capitals lock', { key: 'S', code: 'KeyS', modifierCapsLock: true }, 'skip'],
    ['digits with shift, as in France', { key: '&', code: 'Digit1' }, 'label'],
    ['the number pad without its lock', { key: 'End', code: 'Numpad1' }, undefined],
    ['another Latin layout', { key: 'o', code: 'KeyS' }, undefined],
  ])('hears the keys of %s', (_, pressed, meaning) =>
    opened(undefined, {}, async page => {
      const before = await heardTokens(page);
      await page.evaluate(
        init => document.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...init })),
        pressed,
      );
      if (meaning === 'skip') await answered(page, 1);
      else if (meaning === 'label') {
        await expect.poll(() => heardTokens(page)).toContain('Anna: PER, set');
      } else {
        await page.keyboard.press('ArrowRight');
        expect(await heardTokens(page)).toEqual(before);
      }
    }),
  );

  it('labels by keyboard alone: mark, extend, clear, accept, skip, flag, undo, jump, search', () =>
    opened(undefined, {}, async (page, out) => {
      const { keyboard } = page;
      expect((await heardTokens(page))[0]).toBe('Anna: no label');
      await keyboard.press('1');
      await expect.poll(() => heardTokens(page)).toContain('Anna: PER, set');
      for (let i = 0; i < 3; i += 1) await keyboard.press('ArrowRight');
      await keyboard.press('3');
      await expect.poll(() => heardTokens(page)).toContain('Oslo: LOC, set');
      await keyboard.press('ArrowRight');
      await keyboard.press('Shift+ArrowLeft');
      await keyboard.press('2');
      await expect
        .poll(() => heardTokens(page))
        .toEqual([
          'Anna: PER, set',
          'flew: no label',
          'to: no label',
          'Oslo: ORG, set',
          '.: ORG, set',
        ]);
      await keyboard.press('Backspace');
      await keyboard.press('u');
      await keyboard.press('u');
      await expect.poll(() => heardTokens(page)).toContain('Oslo: LOC, set');
      await keyboard.press('Enter');
      await answered(page, 1);
      await keyboard.press('s');
      await answered(page, 2);
      await keyboard.press('f');
      await keyboard.type('<i>who?</i>');
      await keyboard.press('Enter');
      await answered(page, 3);
      await keyboard.press('u');
      await answered(page, 2);
      await keyboard.press('r');
      await answered(page, 3);
      await keyboard.press('j');
      await keyboard.type('1');
      await keyboard.press('Enter');
      await page.getByText('answered: accept').waitFor();
      await expect.poll(() => heardTokens(page)).toContain('Anna: PER');
      await keyboard.press('w');
      await page.getByRole('heading', { name: 'Alternatives' }).waitFor();
      // In words, without names of templates.
      const why = (await page.locator('.reasons').innerText()).split('\n');
      expect(why.join(' ')).toMatch(
        /word( before| after)?: (“|initial capital|lower case|begins|ends)/,
      );
      expect(why.join(' ')).not.toMatch(/U\d+:/);
      expect(await page.locator('.alternatives .chip').first().textContent()).toMatch(
        /PER|LOC|ORG/,
      );
      await keyboard.press('/');
      await keyboard.type('initech');
      await keyboard.press('Enter');
      const found = page.locator('.found button');
      await found.first().waitFor();
      expect(await found.first().innerText()).toMatch(/Record \d+\s+open\s.*Initech/);
      expect(await found.first().locator('mark').textContent()).toBe('Initech');
      await keyboard.press('Enter');
      await page.locator('.token', { hasText: 'Initech' }).waitFor();
      // The list of what was answered, the last first; and back to one.
      await keyboard.press('o');
      await found.first().waitFor();
      expect(await page.locator('.found .state').allTextContents()).toEqual([
        ...['rejected', 'skipped', 'accepted'],
      ]);
      expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
      await keyboard.press('Tab');
      await keyboard.press('Tab');
      await keyboard.press('Enter');
      await page.getByText('Record 1, r0').waitFor();
      await page.getByText('answered: accept').waitFor();
      const lines = readFileSync(out, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line));
      expect(lines.map(({ _annotation }) => _annotation.answer)).toEqual([
        'accept',
        'skip',
        'reject',
      ]);
      expect(lines[0].tags).toEqual(['B-PER', 'O', 'O', 'B-LOC', 'O']);
    }));

  it('shows no score before there is one, and says at the end what comes next', () =>
    opened([{ text: 'Anna flew .' }, { text: 'It rains .' }], {}, async (page, out) => {
      const facts = page.locator('.facts');
      const bar = page.getByRole('progressbar');
      expect(await facts.textContent()).not.toMatch(/F1|Corrections/);
      expect(await bar.evaluate((each: HTMLProgressElement) => each.position)).toBe(0);
      await page.keyboard.press('1');
      await page.locator('.token.fixed').first().waitFor();
      await page.keyboard.press('Enter');
      await answered(page, 1);
      expect(await facts.textContent()).toMatch(/F1 before each answer0\.0/);
      expect(await bar.evaluate((each: HTMLProgressElement) => each.position)).toBe(0.5);
      await page.keyboard.press('Enter');
      await answered(page, 2);
      const end = page.locator('section');
      await end.getByRole('heading', { name: 'All records are answered' }).waitFor();
      const said = await end.innerText();
      expect(said).toContain(`Your answers are in ${out}.`);
      expect(said).toContain('The model goes to a.model');
      for (const command of ['tag --model a.model', 'init ', 'train ']) {
        expect(said).toContain(`tagstream ${command}`);
      }
      await page.getByRole('button', { name: 'Save the model now' }).press('Enter');
      await page.getByText('The model is in a.model').waitFor();
    }));

  it('is at hand on a phone and a desk: labels and Accept are always in sight', () =>
    opened([{ tokens: Array.from({ length: 900 }, (_, i) => `w${i}`) }], {}, async page => {
      for (const [width, height] of [
        [390, 844],
        [1280, 800],
      ] as const) {
        await page.setViewportSize({ width, height });
        for (const key of ['End', 'Home', 'End']) {
          await page.keyboard.press(key);
          const cursor = page.locator('.token.cursor', {
            hasText: key === 'Home' ? /^w0/ : /^w899/,
          });
          await cursor.waitFor();
          for (const name of [/PER$/, /LOC$/, /accept/i]) {
            const box = (await page.getByRole('button', { name }).boundingBox())!;
            expect(box.y).toBeGreaterThanOrEqual(0);
            expect(box.y + box.height).toBeLessThanOrEqual(height);
          }
          // What is pointed at is behind nothing.
          const isSeen = await cursor.evaluate(each => {
            const { left, top, width, height } = each.getBoundingClientRect();
            const seen = document.elementFromPoint(left + width / 2, top + height / 2);
            return each.contains(seen);
          });
          expect(isSeen, `${key} at ${width}`).toBe(true);
        }
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
    }));

  it('draws a span as one box, of one colour and without gaps', () =>
    opened([{ text: 'Anna Maria Berg flew .' }], {}, async page => {
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('1');
      await expect.poll(() => heardTokens(page)).toContain('Berg: PER, set');
      // Not as selected ones are drawn.
      await page.keyboard.press('End');
      const parts = await page.locator('.token, .gap').evaluateAll(all =>
        all.map(each => {
          const { left, right } = each.getBoundingClientRect();
          const { backgroundColor, borderInlineStartColor } = getComputedStyle(each);
          return { left, right, fill: backgroundColor, edge: borderInlineStartColor };
        }),
      );
      const [first, ...inside] = parts.slice(0, 5);
      expect(new Set(inside.map(({ fill }) => fill))).toEqual(new Set([first!.fill]));
      expect(parts[5]!.fill).not.toBe(first!.fill);
      for (const [i, { left }] of inside.entries()) {
        expect(Math.abs(left - parts[i]!.right)).toBeLessThan(0.1);
      }
    }));

  it('says when an answer is not on the disk, and keeps it until it is, over a reload too', () =>
    opened(
      undefined,
      {},
      async (page, out) => {
        const refusal = { error: 'cannot write: no space is left on the device', code: 'file' };
        let refused = 0;
        await page.route('**/api/answer', route => {
          refused += 1;
          return refused > 2 ? route.continue() : route.fulfill({ status: 507, json: refusal });
        });
        await page.keyboard.press('1');
        await page.locator('.token.fixed').first().waitFor();
        await page.keyboard.press('Enter');
        await page.getByRole('alert').getByText('Not saved, your answer is kept here').waitFor();
        await page.keyboard.press('Enter');
        await expect.poll(() => refused).toBe(2);
        expect(readFileSync(out, 'utf8')).toBe('');
        await page.reload();
        await answered(page, 1);
        expect(JSON.parse(readFileSync(out, 'utf8')).tags[0]).toBe('B-PER');
      },
      [/507/],
    ));

  it('labels by touch: a tap, a finger moved over several, buttons', () =>
    opened(undefined, {}, async (page, out) => {
      const touch = await page.context().newCDPSession(page);
      await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true });
      const middle = async (place: Locator) => {
        const box = (await place.boundingBox())!;
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      };
      const put = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: Point[]) =>
        touch.send('Input.dispatchTouchEvent', { type, touchPoints });
      const tap = async (place: Locator) => {
        await place.scrollIntoViewIfNeeded();
        await put('touchStart', await middle(place));
        await put('touchEnd');
      };
      // Nothing depends on whether the browser makes a click of it.
      await page.evaluate(() =>
        addEventListener('click', event => event.stopImmediatePropagation(), true),
      );
      const token = (text: string) => page.locator('.token', { hasText: text });
      const button = (name: RegExp) => page.getByRole('button', { name });
      await tap(token('Oslo'));
      await page.locator('.token.cursor', { hasText: 'Oslo' }).waitFor();
      await tap(button(/LOC$/));
      await expect.poll(() => heardTokens(page)).toContain('Oslo: LOC, set');
      await put('touchStart', await middle(token('Anna')));
      for (const text of ['flew', 'to']) await put('touchMove', await middle(token(text)));
      await put('touchEnd');
      await expect.poll(() => page.locator('.token.selected').count()).toBe(3);
      await tap(button(/PER$/));
      await expect
        .poll(() => heardTokens(page))
        .toEqual([
          'Anna: PER, set',
          'flew: PER, set',
          'to: PER, set',
          'Oslo: LOC, set',
          '.: no label',
        ]);
      await tap(button(/accept/i));
      await answered(page, 1);
      expect(JSON.parse(readFileSync(out, 'utf8')).tags).toEqual([
        ...['B-PER', 'I-PER', 'I-PER', 'B-LOC', 'O'],
      ]);
    }));

  it('notices that the server stops, and that it is back', async () => {
    const session = await openSample(
      sampleQueue(folder, 6, 'gone.ndjson'),
      join(folder, 'gone-out.ndjson'),
    );
    const start = (port: number) =>
      AnnotationServer.start(session, { port, saveModel: () => 'a.model' });
    const first = await start(0);
    const page = await browser.context.newPage();
    await page.goto(first.url);
    await page.locator('.token').first().waitFor();
    const said = page.locator('.banner[role=status]');
    expect(await said.isVisible()).toBe(false);
    await first.close();
    await said.getByText('The server has stopped').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Not saved').waitFor();
    const second = await start(Number(new URL(first.url).port));
    await said.getByText('The server is back. Enter sends your answer.').waitFor();
    await page.keyboard.press('Enter');
    await answered(page, 1);
    await said.waitFor({ state: 'hidden' });
    await page.close();
    await second.close();
    await session.close();
  });

  it('offers the names of people where the address has none, or another one', async () => {
    const session = await openSample(
      sampleQueue(folder, 9, 'names.ndjson'),
      join(folder, 'names-out.ndjson'),
      { annotators: ['anna', 'ben'], overlap: 1 },
    );
    const server = await AnnotationServer.start(session, { port: 0, saveModel: () => 'a.model' });
    const page = await browser.context.newPage();
    for (const query of ['', '?annotator=zoe']) {
      await page.goto(`${server.url}${query}`);
      const links = page.locator('.names a');
      await links.first().waitFor();
      expect(await links.allTextContents()).toEqual(['anna', 'ben', 'review']);
      expect(await violations(page)).toEqual([]);
      await links.nth(1).press('Enter');
      await page.getByRole('heading', { name: 'names.ndjson, ben' }).waitFor();
    }
    await page.close();
    await server.close();
    await session.close();
  });

  it('shows guidelines as Markdown, of which HTML stays text', () =>
    opened(undefined, {}, async page => {
      const shown = page.locator('.guidelines');
      expect(await shown.locator('h3').textContent()).toBe('People');
      expect(await shown.locator('ul li strong').textContent()).toBe('only');
      expect(await shown.locator('code').textContent()).toBe('PER <i>');
      const links = shown.locator('a');
      expect(await links.allTextContents()).toEqual(['the manual']);
      expect(await links.getAttribute('href')).toBe('https://example.com/');
      expect(await shown.innerText()).toContain('<b>names</b>');
      expect(await shown.innerText()).toContain('[no](javascript:alert(1))');
      expect(await shown.locator('b, i, img').count()).toBe(0);
    }));

  it('has keys that can be changed, and stay so', () =>
    opened(undefined, {}, async page => {
      await page.keyboard.press('?');
      await page.getByRole('button', { name: 'change the key of PER' }).press('Enter');
      await page.keyboard.press('p');
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).press('Enter');
      await page.keyboard.press('p');
      await expect.poll(() => heardTokens(page)).toContain('Anna: PER, set');
      await page.reload();
      await page.locator('.token').first().waitFor();
      await page.keyboard.press('p');
      await expect.poll(() => heardTokens(page)).toContain('Anna: PER, set');
      await page.evaluate(() => localStorage.clear());
    }));

  it('can be used by all: no rule of axe is broken, in light and dark, and at 200 %', () =>
    opened(
      [{ text: 'Anna saw Oslo.' }, { text: 'b' }],
      { task: spansTask(['PER', 'ORG', 'LOC', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I']) },
      async page => {
        await page.keyboard.press('1');
        await page.keyboard.press('w');
        await page.getByRole('heading', { name: 'Alternatives' }).waitFor();
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await violations(page), colorScheme).toEqual([]);
        }
        await page.keyboard.press('?');
        expect(await violations(page), 'keys').toEqual([]);
        await page.keyboard.press('Escape');
        await page.keyboard.press('/');
        await page.keyboard.type('anna');
        await page.getByRole('button', { name: 'Search', exact: true }).click();
        await page.locator('.found button').first().waitFor();
        expect(await violations(page), 'search').toEqual([]);
        await page.keyboard.press('Escape');
        // As wide as a window of 1280 pixels is at 200 %.
        await page.setViewportSize({ width: 640, height: 400 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(640);
      },
    ));

  it('follows the eye in text from right to left, and labels scripts without spaces and emoji', () =>
    opened(
      [{ tokens: ['ذهبت', 'آنا', 'إلى', 'أوسلو'] }, { tokens: ['東京', 'へ', '👩🏽‍🚀'] }],
      {},
      async page => {
        await page.keyboard.press('ArrowLeft');
        await page.keyboard.press('1');
        await expect.poll(() => heardTokens(page)).toContain('آنا: PER, set');
        await page.keyboard.press('Enter');
        await answered(page, 1);
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('Shift+ArrowRight');
        await page.keyboard.press('3');
        await expect
          .poll(() => heardTokens(page))
          .toEqual([expect.stringMatching(/^東京/), 'へ: LOC, set', '👩🏽‍🚀: LOC, set']);
      },
    ));

  it('draws of a very long record what is seen, and what the cursor goes to', () =>
    opened(
      [{ tokens: Array.from({ length: 20_000 }, (_, i) => `w${i}`) }],
      { task: tagsTask(['X', 'Y']) },
      async page => {
        expect(await page.locator('.token').count()).toBeLessThan(4000);
        await page.keyboard.press('End');
        await page.locator('#t19999.cursor').waitFor();
        await page.keyboard.press('2');
        await expect
          .poll(() => page.locator('#t19999').getAttribute('aria-label'))
          .toBe('w19999: Y, set');
      },
    ));

  it('takes texts, labels and ids as text, whatever they hold', async () => {
    const evil = payloads();
    expect(evil.length).toBe(500);
    const half = evil.slice(0, 250);
    const texts = half.map((payload, i) => ({
      id: evil[i + 250],
      text: payload.trim() === '' ? '-' : payload,
      tokens: [payload === '' ? '-' : payload, 'x'],
    }));
    const task = spansTask(evil.slice(0, 12).map((payload, i) => `${i}${payload}`.slice(0, 100)));
    await opened(texts, { task }, async page => {
      await page.evaluate(() => Object.assign(window, { taken: 0 }));
      for (let i = 0; i < half.length; i += 1) {
        await page.keyboard.press(String((i % 9) + 1));
        await page.locator('.token.fixed').first().waitFor();
        await page.keyboard.press('Enter');
        await answered(page, i + 1);
      }
      expect(await page.evaluate(() => (window as unknown as { taken: number }).taken)).toBe(0);
      expect(await page.locator('script').count()).toBe(1);
      expect(
        await page.locator('img, iframe, svg, object, embed, style + style, b, i, form').count(),
      ).toBe(0);
    });
  });

  async function violations(page: Page): Promise<string[]> {
    // By the protocol, not as a script of the page, whose own policy would forbid it.
    await page.evaluate(axe);
    const results = (await page.evaluate('axe.run()')) as AxeResults;
    return results.violations.flatMap(({ id, nodes }) =>
      nodes.map(node => `${id}: ${node.html.slice(0, 200)} ${node.any[0]?.message ?? ''}`),
    );
  }
});
