import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const program = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** In the page: notes the milliseconds from each key to the frame after the proposal that it brought. */
const noting = () => {
  const noted = [];
  let key;
  addEventListener(
    'keydown',
    event => {
      key = event.timeStamp;
    },
    true,
  );
  const plain = window.fetch;
  window.fetch = async (...given) => {
    const response = await plain(...given);
    if (!String(given[0]).includes('/propose') || key === undefined) return response;
    const pressed = key;
    const read = response.text.bind(response);
    response.text = async () => {
      const value = await read();
      // The page takes it before any other task, and so before the next frame, which shows it.
      requestAnimationFrame(() => setTimeout(() => noted.push(performance.now() - pressed)));
      return value;
    };
    return response;
  };
  window.noted = noted;
};

/** In the page: resolves when so many are noted. */
const isNoted = count =>
  new Promise(done => {
    const look = () => (window.noted.length >= count ? done() : setTimeout(look, 5));
    look();
  });

/**
 * Milliseconds from a key that gives a label, to the page that shows the rest decoded anew.
 *
 * @param {string} url of a page of `annotate`
 * @param {number} keys
 * @param {number} pause milliseconds from the key before, which moves the cursor: 60 is faster than anybody types; with 0 the
 *   frame that shows the cursor is still being drawn
 * @returns {Promise<number[] | undefined>} undefined where there is no Chromium
 */
export async function keyToRedraw(url, keys, pause) {
  if (!existsSync(program)) return undefined;
  const browser = await chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage();
    await page.addInitScript(noting);
    await page.goto(url);
    await page.locator('.token').first().waitFor();
    for (let i = 0; i < keys; i += 1) {
      await page.keyboard.press('ArrowRight');
      await setTimeout(pause);
      await page.keyboard.press(String((i % 3) + 1));
      await page.evaluate(isNoted, i + 1);
    }
    // The first of them finds all cold: compilers, fonts.
    return (await page.evaluate(() => window.noted)).slice(Math.min(10, keys >> 1));
  } finally {
    await browser.close();
  }
}
