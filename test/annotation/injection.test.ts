// @module-tag slow
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnnotationServer } from '../../src/annotation/server/annotation-server.js';
import type { SessionOptions } from '../../src/annotation/session/annotator.js';
import type { AnnotationSession } from '../../src/annotation/session/session.js';
import { strategyOf } from '../../src/annotation/strategies/strategies.js';
import { annotatorsOf } from '../../src/cli/run/annotate/annotate-file.js';
import { workspace } from '../cli/commands/workspace.js';
import { chromiumFile, startChromium } from '../reports/chromium.js';
import { payloads } from './payloads.js';
import { openSample, sampleQueue } from './sample-session.js';

const folder = workspace();
const evil = payloads();

/** Twenty to a text: all of them in twenty-five. */
const texts = Array.from({ length: evil.length / 20 }, (_, i) =>
  evil.slice(20 * i, 20 * i + 20).join('\n'),
);

/** Those that a file can be named by, without the longest. */
const names = [
  '<img src=x onerror=taken=1>',
  '"><svg onload=window.taken++>',
  "' onmouseover='taken=1' x='",
  `{{constructor.constructor('taken=1')()}}`,
  '\u202e<iframe srcdoc="<i autofocus onfocus=taken=1>">',
];

describe('names of annotators', () => {
  it('are refused where they are more than names', () => {
    for (const payload of evil) {
      expect(() => annotatorsOf({ annotators: `${payload.replaceAll(',', ';')},ben` })).toThrow(
        /--annotators/,
      );
    }
  });
});

describe.skipIf(chromiumFile === undefined)('in Chromium nothing takes effect that stands', () => {
  let browser: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  /** Opens a page; nothing of what it shows may have run, be markup, or ask for anything when the work is done. */
  async function untouched(
    given: Partial<SessionOptions> & {
      readonly queue: string;
      readonly guidelines?: string;
      readonly saveModel?: () => string;
    },
    work: (page: Page, session: AnnotationSession) => Promise<void>,
  ) {
    const { guidelines, saveModel = () => 'a.model', queue, ...more } = given;
    const out = join(folder, `out${Math.random()}.ndjson`);
    const strategy = strategyOf('sequential');
    const session = await openSample(queue, out, { strategy, ...more });
    const server = await AnnotationServer.start(session, { port: 0, guidelines, saveModel });
    const page = await browser.context.newPage();
    const wrong: string[] = [];
    page.on('console', message => wrong.push(`console: ${message.text()}`));
    page.on('pageerror', error => wrong.push(`error: ${error.message}`));
    page.on('dialog', dialog => wrong.push(`dialog: ${dialog.message()}`));
    page.on('request', asked => {
      const isOwn = asked.url().startsWith(server.url) || asked.url().startsWith('data:');
      if (!isOwn) wrong.push(asked.url());
    });
    await page.addInitScript('window.taken = 0');
    const [one] = session.annotators;
    const who = one!.name === '' ? '' : `?annotator=${encodeURIComponent(one!.name)}`;
    await page.goto(`${server.url}${who}`);
    await page.locator('.token').first().waitFor();
    await work(page, session);
    expect(await page.evaluate('window.taken')).toBe(0);
    const markup = 'img, iframe, svg, object, embed, base, i, b, form, a, math, details';
    expect(await page.locator(markup).count()).toBe(0);
    expect(await page.locator('script, style').count()).toBe(2);
    await page.close();
    await server.close();
    await session.close();
    expect(wrong).toEqual([]);
  }

  it('in guidelines', () =>
    untouched({ queue: sampleQueue(folder, 3), guidelines: evil.join('\n') }, async page => {
      const shown = await page.locator('.guidelines').textContent();
      // Markdown takes line ends as it likes.
      const bare = (text: string | null) => text!.replaceAll(/\s/g, '');
      expect(bare(shown)).toBe(bare(evil.join('\n')));
    }));

  it('in guidelines, in all places that Markdown has', () => {
    const places = evil.flatMap(payload => [
      ...[`# ${payload}`, `- ${payload}`, `1. **${payload}**`, `> *${payload}*`],
      ...[`\`${payload}\``, `[x](${payload})`, `![${payload}](${payload})`, `    ${payload}`],
      `| ${payload} |\n|---|\n| ${payload} |`,
    ]);
    const guidelines = places.join('\n\n');
    return untouched({ queue: sampleQueue(folder, 3), guidelines }, async page => {
      expect(await page.locator('.guidelines h3').count()).toBeGreaterThan(100);
    });
  });

  it('in notes', () =>
    untouched({ queue: sampleQueue(folder, texts.length + 1) }, async (page, session) => {
      const [one] = session.annotators;
      for (const [record, note] of texts.entries()) {
        session.answer(one!, { record, answer: 'flag', note, corrections: 0 });
      }
      for (const [record, note] of texts.entries()) {
        await page.keyboard.press('j');
        await page.keyboard.type(String(record + 1));
        await page.keyboard.press('Enter');
        const about = page.locator('section p.soft', { hasText: `Record ${record + 1},` });
        await about.waitFor();
        expect(await about.textContent()).toContain(`answered: flag, ${note}`);
      }
    }));

  it('in the name of the model, and in messages', () => {
    let saved = 0;
    const saveModel = () => {
      const text = texts[saved >> 1]!;
      saved += 1;
      if (saved % 2 === 0) throw new Error(text);
      return text;
    };
    return untouched({ queue: sampleQueue(folder, 3), saveModel }, async page => {
      page.removeAllListeners('console');
      for (const text of texts) {
        await page.keyboard.press('m');
        const status = page.locator('header [role=status]');
        await expect.poll(() => status.textContent()).toBe(`The model is in ${text}`);
        await page.keyboard.press('m');
        await expect.poll(() => page.getByRole('alert').textContent()).toContain(text);
      }
    });
  });

  it.each(names)('in the name of the file: %s', name =>
    untouched({ queue: sampleQueue(folder, 3, name) }, async page => {
      expect(await page.locator('h1').textContent()).toContain(name);
    }),
  );

  it('in the names of people, were they any text', () => {
    const annotators = names.slice(0, 3);
    const queue = sampleQueue(folder, 6);
    return untouched({ queue, annotators, overlap: 1 }, async (page, session) => {
      expect(await page.locator('h1').textContent()).toContain(annotators[0]);
      for (const [i, annotator] of session.annotators.entries()) {
        const { record, tokens } = session.next(annotator)!;
        const tags = tokens.map((_, t) => (t === i ? 'B-PER' : 'O'));
        session.answer(annotator, { record, answer: 'accept', tags, corrections: 0 });
      }
      await page.keyboard.press('a');
      await page.getByRole('dialog').waitFor();
      expect(await page.getByRole('dialog').textContent()).toContain(annotators[1]);
    });
  });
});
