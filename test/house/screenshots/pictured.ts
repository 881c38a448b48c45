import type { BrowserContext, Page } from 'playwright-core';

/** The panels of a page by name: left, top, width and height in pixels. */
export type Layout = Readonly<Record<string, string>>;

/**
 * Where the panels of a page are: elements that have a meaning or an id, and at least half its width. What
 * is smaller takes its place from the letters in it.
 */
export function layoutOf(page: Page): Promise<Layout> {
  return page.evaluate(() => {
    const named = 'header, nav, main, aside, footer, section, form, dialog, figure, [id]';
    const boxes: Record<string, string> = {};
    for (const element of document.querySelectorAll(named)) {
      const box = element.getBoundingClientRect();
      const isPanel = box.width >= innerWidth / 2 && box.height > 0;
      if (!isPanel || element.closest('svg') !== null || !element.checkVisibility()) continue;
      const tag = element.tagName.toLowerCase();
      const heading = tag === 'section' ? (element.querySelector('h2')?.textContent ?? '') : '';
      const name = element.id === '' ? `${tag} ${heading}`.trim() : `${tag}#${element.id}`;
      const { left, top, width, height } = box;
      boxes[name] ??= [left + scrollX, top + scrollY, width, height].map(Math.round).join(' ');
    }
    return boxes;
  });
}

/** Left and width may differ by this share of the page's width. */
const across = 0.03;
/** Top and height, which come from lines of letters, may differ by this share and by so many pixels. */
const [down, lines] = [0.2, 40];

/** How a layout differs from another more than fonts make it differ. */
export function layoutDifferences(found: Layout, known: Layout, pageWidth: number): string[] {
  const names = new Set([...Object.keys(found), ...Object.keys(known)]);
  return [...names].flatMap(name => {
    const [one, other] = [found[name], known[name]];
    if (one === undefined) return [`${name} is missing`];
    if (other === undefined) return [`${name} is new`];
    const numbers = other.split(' ').map(Number);
    const differs = one.split(' ').some((text, i) => {
      const [value, wanted] = [Number(text), numbers[i]!];
      const most = i % 2 === 0 ? across * pageWidth : lines + down * Math.max(value, wanted);
      return Math.abs(value - wanted) > most;
    });
    return differs ? [`${name} is at ${one}, not ${other}`] : [];
  });
}

/** Columns and rows of a grid over what a window shows. */
const [columns, rows] = [6, 6];

/** The lightness of each cell of a grid over a picture, from 0 to f, row by row. */
export async function lightnessOf(context: BrowserContext, picture: Buffer): Promise<string> {
  const page = await context.newPage();
  const cells = await page.evaluate(
    async ([data, across_, down_]) => {
      const answer = await fetch(`data:image/png;base64,${data}`);
      const image = await createImageBitmap(await answer.blob());
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
      canvas.drawImage(image, 0, 0);
      const { data: pixels } = canvas.getImageData(0, 0, image.width, image.height);
      const sums = new Float64Array(across_ * down_);
      const counts = new Float64Array(across_ * down_);
      for (let i = 0; i < pixels.length; i += 4) {
        const [x, y] = [(i / 4) % image.width, Math.floor(i / 4 / image.width)];
        const cell =
          Math.floor((y * down_) / image.height) * across_ +
          Math.floor((x * across_) / image.width);
        sums[cell]! += 0.2126 * pixels[i]! + 0.7152 * pixels[i + 1]! + 0.0722 * pixels[i + 2]!;
        counts[cell]! += 1;
      }
      return [...sums].map((sum, cell) => sum / counts[cell]!);
    },
    [picture.toString('base64'), columns, rows] as const,
  );
  await page.close();
  return cells.map(cell => Math.min(15, Math.floor(cell / 16)).toString(16)).join('');
}

/** The share of cells that differ by more than letters make them differ. */
export function lightnessDifference(found: string, known: string): number {
  const cells = [...found].filter(
    (cell, i) => Math.abs(Number.parseInt(cell, 16) - Number.parseInt(known[i] ?? '', 16)) <= 2,
  );
  return 1 - cells.length / found.length;
}
