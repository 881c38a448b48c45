import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pairedBootstrap } from '../../src/metrics/evaluation/paired-bootstrap.js';
import { evaluationPage } from '../../src/reports/evaluation/evaluation-page.js';
import { hues } from '../../src/reports/label-palette.js';
import { StreamCourse } from '../../src/reports/stream/stream-course.js';
import { streamPage } from '../../src/reports/stream/stream-page.js';
import { studyPage } from '../../src/reports/study/study-page.js';
import { TaggedPage } from '../../src/reports/tagged/tagged-page.js';
import { workspace } from '../cli/commands/workspace.js';
import { chromiumFile, startChromium } from './chromium.js';
import { spanEvaluation, wordEvaluation } from './sample-evaluation.js';

const folder = workspace();
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const width = { narrow: 400, wide: 1200 };

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return pathToFileURL(join(folder, name)).href;
}

/** Pages with everything in them. */
function pages(): Record<string, string> {
  const spans = spanEvaluation();
  const resamples = { resamples: 50, spanScheme: true };
  const comparison = {
    against: 'b.model',
    scores: { sentences: 12, tokens: 84, accuracy: 50, f1: 50 },
    ...pairedBootstrap(spans.counts, spans.counts, resamples),
  };
  const points = [10, 200].map(records => ({
    records,
    scores: { sentences: 9, tokens: 90, accuracy: 80 + records / 20, f1: 70 },
  }));
  const words = wordEvaluation();
  return {
    spans: evaluationPage({
      ...{ model: 'a.model', gold: 'gold.ndjson', evaluation: spans },
      report: { ...spans.report(), comparison },
      curve: { name: 'a', points },
    }),
    words: evaluationPage({
      ...{ model: 'a.model', gold: 'gold.ndjson', evaluation: words, report: words.report() },
    }),
    study: study(),
    stream: stream(),
    tagged: tagged(true),
    speech: tagged(false),
  };
}

/** A stream with everything that happens on one. */
function stream(): string {
  const course = new StreamCourse();
  const labels = ['PER', 'LOC', 'A long label < of many letters'].map((label, i) => {
    return { label, correct: 3, gold: 4, predicted: 5, precision: 60, recall: 75, f1: 66 + i };
  });
  for (let sentences = 1000; sentences <= 9000; sentences += 1000) {
    course.sentences = sentences;
    if (sentences === 5000) course.mark('the stream may have changed');
    const scores = { sentences, tokens: 9 * sentences, accuracy: 80 + sentences / 1000, f1: 70 };
    course.add({
      ...{ sentences, all: scores, inWindow: scores, recent: scores },
      details: {
        ...{ accuracy: [79, 91], f1: [60, 80], unseen: { tokens: sentences - 1000, accuracy: 50 } },
        ...{ baselines: { majority: 40, last: 20, word: 75 }, labels },
      },
    });
  }
  return streamPage('pipelines/a.yaml', course);
}

/** A study with more lines than there are colours. */
function study(): string {
  const names = Array.from({ length: 14 }, (_, i) => `variant ${i} with a long name`);
  const cell = { measured: '93.61 ± 0.04', published: '93.66', difference: '-0.05' };
  const heads = ['F1', 'active'].map(name => ({ name, published: 'paper', compared: true }));
  const lines = names.map((name, i) => ({
    name,
    points: [1, 2, 3].map(x => ({ name: `${name}, ${x}`, x: 10 ** x, y: 90 + x / (1 + i) })),
  }));
  const axis = { title: 'active', digits: 0, log: true };
  return studyPage({
    ...{ name: 's', title: 'A < B', reference: 'Nobody (2009)', about: 'Nothing.', runs: '2 runs' },
    tables: [
      { title: 'T', heads, rows: names.map(name => ({ name, cells: [cell, cell] })), note: 'N' },
    ],
    plots: [
      { title: 'P', x: axis, y: { ...axis, title: 'F1', log: false }, lines },
      { title: 'empty', x: axis, y: axis, lines: [] },
    ],
    expectations: [true, false, undefined].map(met => ({ text: 'x', found: 'y', met })),
    notes: ['A note.'],
  });
}

/** Tagged text in each of the colours. */
function tagged(spans: boolean): string {
  const labels = hues.map((_, i) => `L${i}`);
  const page = new TaggedPage({ model: 'a.model', labels: labels.map(l => `B-${l}`), spans });
  const tokens = labels.map(label => `word${label}`);
  const record = page.write({
    document: { id: '1' },
    tokens,
    tags: labels.map(label => `B-${label}`),
    marginals: labels.map((_, i) => i / 12),
    ...(spans
      ? { spans: labels.map((label, i) => ({ label, start: i, end: i + 1, probability: 0.7 })) }
      : {}),
  });
  return page.head + record + page.tail;
}

describe.skipIf(chromiumFile === undefined)('the pages, in Chromium,', () => {
  let browser: Awaited<ReturnType<typeof startChromium>>;
  const addresses: Record<string, string> = {};

  beforeAll(async () => {
    for (const [name, text] of Object.entries(pages()))
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
      await page.locator('select[name=label]').selectOption({ label: 'PER' });
      expect(await shown()).toBe(3);
      expect(await page.locator('#count').textContent()).toBe('3 of 8 sentences shown');
      await page.getByRole('button', { name: 'Show all' }).press('Enter');
      await page.waitForFunction(() => document.querySelector('ol.errors > li[hidden]') === null);
      await page.getByRole('link', { name: 'show I-LOC tagged B-LOC' }).press('Enter');
      expect(await shown()).toBe(3);
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
