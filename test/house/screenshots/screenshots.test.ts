import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workspace } from '../../cli/commands/workspace.js';
import { chromiumFile, startChromium } from '../../reports/chromium.js';
import { dashboard, type OpenedPage, pageMakers } from './pages.js';
import {
  type Layout,
  layoutDifferences,
  layoutOf,
  lightnessDifference,
  lightnessOf,
} from './pictured.js';

// Every page on a desk and on a phone, light and dark. Compared are the places of panels, which show what has moved and
// depend little on fonts, and how light a page is in the cells of a coarse grid, which shows a theme that is not
// taken up. Pictures compared dot by dot differ with every font and version of a browser.
//
//     TAGSTREAM_RECORD=1 npx vitest run test/house/screenshots    writes down how the pages look now
//     npm run screenshots                                         puts the pictures into screenshots/
//
// Recording takes the pictures of the README, too.

const recording = process.env.TAGSTREAM_RECORD === '1';
const pictures = process.env.TAGSTREAM_SCREENSHOTS;
const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const schemes = ['light', 'dark'] as const;

/** How a page looks: its panels by size, its lightness by size and theme. */
interface Look {
  readonly panels: Readonly<Record<string, Layout>>;
  readonly lightness: Readonly<Record<string, string>>;
}

const file = join(import.meta.dirname, 'recorded.json');
const known: Record<string, Look> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const folder = workspace();

describe.skipIf(chromiumFile === undefined)('the look of a page, in Chromium,', () => {
  let browser: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    browser = await startChromium();
    if (pictures !== undefined) mkdirSync(resolve(pictures), { recursive: true });
  });
  afterAll(async () => {
    await browser?.close();
    if (recording) writeFileSync(file, `${JSON.stringify(known, null, 2)}\n`);
  });

  async function visit(name: string, work: (page: Page) => Promise<void>): Promise<void> {
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    await show(await pageMakers[name]!(own), work);
  }

  async function show(opened: OpenedPage, work: (page: Page) => Promise<void>): Promise<void> {
    const page = await browser.context.newPage();
    try {
      await page.setViewportSize(sizes.desk);
      await page.goto(opened.url);
      await opened.prepare(page);
      await work(page);
    } finally {
      await page.close();
      await opened.close();
    }
  }

  async function resize(page: Page, size: keyof typeof sizes): Promise<void> {
    await page.setViewportSize(sizes[size]);
    await page.evaluate(() => scrollTo(0, 0));
    // Charts are drawn after the page has its new size.
    await page.waitForTimeout(200);
  }

  it.each(Object.keys(pageMakers))('is as recorded: %s', { tags: 'slow' }, async name => {
    const panels: Record<string, Layout> = {};
    const lightness: Record<string, string> = {};
    await visit(name, async page => {
      for (const size of ['desk', 'phone'] as const) {
        await resize(page, size);
        panels[size] = await layoutOf(page);
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme });
          const picture = await page.screenshot();
          lightness[`${size} ${colorScheme}`] = await lightnessOf(browser.context, picture);
          if (pictures !== undefined) {
            const path = resolve(pictures, `${name}-${size}-${colorScheme}.png`);
            await page.screenshot({ path, fullPage: true });
          }
        }
      }
    });
    if (recording) {
      known[name] = { panels, lightness };
      return;
    }
    const recorded = known[name]!;
    for (const size of ['desk', 'phone'] as const) {
      const { width } = sizes[size];
      expect(layoutDifferences(panels[size]!, recorded.panels[size]!, width), size).toEqual([]);
    }
    for (const [shown, found] of Object.entries(lightness)) {
      const difference = lightnessDifference(found, recorded.lightness[shown]!);
      expect(difference, `${shown}: ${found}`).toBeLessThan(0.2);
    }
  });

  it.runIf(recording).each(pictured)('is in the README: %s', async name => {
    const own = join(folder, `picture-${name}`);
    mkdirSync(own, { recursive: true });
    // A run that has lasted so long that its charts have a course.
    const opened = await (name === 'dashboard' ? dashboard(own, 20) : pageMakers[name]!(own));
    await show(opened, async page => {
      await page.setViewportSize({ width: 800, height: 480 });
      await page.evaluate(() => scrollTo(0, 0));
      await page.waitForTimeout(500);
      mkdirSync(dirname(pictureOf(name)), { recursive: true });
      await page.screenshot({ path: pictureOf(name) });
    });
  });

  it('does not depend on the font, but on the place of a panel and on the theme', {
    tags: 'slow',
  }, async () => {
    const { panels, lightness } = known['report-spans']!;
    await visit('report-spans', async page => {
      for (const size of ['desk', 'phone'] as const) {
        const differences = async () =>
          layoutDifferences(await layoutOf(page), panels[size]!, sizes[size].width);
        await resize(page, size);
        await restyle(page, '* { font-family: serif !important }');
        expect(await differences(), size).toEqual([]);
        const found = await lightnessOf(browser.context, await page.screenshot());
        expect(lightnessDifference(found, lightness[`${size} light`]!)).toBeLessThan(0.2);
        expect(lightnessDifference(found, lightness[`${size} dark`]!)).toBeGreaterThan(0.9);
        await restyle(page, '#tags { margin-left: 60px !important }');
        expect(await differences()).toContainEqual(expect.stringMatching(/^section#tags is at/));
        await restyle(page, '#tags { display: none !important }');
        expect(await differences()).toContainEqual('section#tags is missing');
      }
    });
  });
});

/** The pages of which the README has a picture. */
const pictured: readonly string[] = ['dashboard', 'annotate', 'try-it'];
const pictureOf = (name: string) =>
  join(import.meta.dirname, `../../../src/runtime/http/pictures/${name}.png`);

it.each(pictured)('the README has a small picture: %s', name => {
  const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');
  expect(readme).toContain(`(src/runtime/http/pictures/${name}.png)`);
  expect(statSync(pictureOf(name)).size).toBeLessThanOrEqual(60_000);
});

/** Another style besides that of a page; its policy is for elements. */
function restyle(page: Page, text: string): Promise<void> {
  return page.evaluate(async style => {
    const sheet = new CSSStyleSheet();
    await sheet.replace(style);
    document.adoptedStyleSheets = [sheet];
  }, text);
}
