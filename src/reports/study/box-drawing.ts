import { drawn } from '../figures.js';
import { html, type Markup } from '../page/html.js';
import { axisScale, colourClass, plotWidth } from './plot-drawing.js';
import type { ShownBoxes } from './shown-study.js';

/** A box of a box plot (Tukey). */
export interface Box {
  readonly median: number;
  /** First and third quartile. */
  readonly low: number;
  readonly high: number;
  /** The outermost values whose distance from the box is at most 1.5 times its height. */
  readonly whiskers: readonly [low: number, high: number];
  /** The values beyond the whiskers. */
  readonly outliers: readonly number[];
}

/**
 * Computes the box of a sample; quartiles are interpolated between the values at the positions (n - 1) q (Hyndman and Fan
 * 1996, type 7).
 *
 * @param values at least one
 * @example
 * boxOf([1, 2, 3, 4, 100]) // => { median: 3, low: 2, high: 4, whiskers: [1, 4], outliers: [100] }
 */
export function boxOf(values: readonly number[]): Box {
  const sorted = [...values].sort((a, b) => a - b);
  const quantile = (q: number) => {
    const place = (sorted.length - 1) * q;
    const below = sorted[Math.floor(place)]!;
    return below + (place % 1) * (sorted[Math.ceil(place)]! - below);
  };
  const [low, median, high] = [quantile(0.25), quantile(0.5), quantile(0.75)];
  const reach = 1.5 * (high - low);
  const isNear = (value: number) => value >= low - reach && value <= high + reach;
  const near = sorted.filter(isNear);
  return {
    ...{ median, low, high },
    whiskers: [near[0]!, near.at(-1)!],
    outliers: sorted.filter(value => !isNear(value)),
  };
}

const [left, right, step, foot] = [200, 610, 34, 46];

/** Returns the height of a box drawing. */
export function boxesHeight({ boxes }: ShownBoxes): number {
  return step * boxes.length + foot;
}

/** Draws box plots one below the other, on one axis, with names on the left. */
export function boxDrawing({ axis, boxes }: ShownBoxes): Markup {
  const scale = axisScale(
    boxes.flatMap(({ values }) => values),
    axis.log,
  );
  const bottom = step * boxes.length + 6;
  const x = (value: number) => drawn(left + scale.at(value) * (right - left));
  const text = (value: number) =>
    value.toLocaleString('en', { maximumFractionDigits: axis.digits });
  const grid = scale.marks.map(
    mark =>
      html`<line class="grid" x1="${x(mark)}" x2="${x(mark)}" y1="2" y2="${bottom}"/><text x="${x(mark)}" y="${bottom + 16}" text-anchor="middle">${mark.toLocaleString('en', { maximumFractionDigits: 6 })}</text>
`,
  );
  const rows = boxes.map(({ name, values }, i) => {
    const { median, low, high, whiskers, outliers } = boxOf(values);
    const [top, middle] = [step * i + 9, step * i + 20];
    const dots = outliers.map(
      value =>
        html`<circle class="dot ${colourClass(i)}" cx="${x(value)}" cy="${middle}" r="3"><title>${name}: ${text(value)}</title></circle>`,
    );
    return html`<g><title>${name}: median ${text(median)}, quartiles ${text(low)} and ${text(high)}, ${values.length} runs</title><text x="${left - 10}" y="${middle + 4}" text-anchor="end">${shortened(name)}</text><line class="bar ${colourClass(i)}" x1="${x(whiskers[0])}" x2="${x(low)}" y1="${middle}" y2="${middle}"/><line class="bar ${colourClass(i)}" x1="${x(high)}" x2="${x(whiskers[1])}" y1="${middle}" y2="${middle}"/><rect class="box ${colourClass(i)}" x="${x(low)}" y="${top}" width="${drawn(x(high) - x(low))}" height="22"/><line class="median ${colourClass(i)}" x1="${x(median)}" x2="${x(median)}" y1="${top}" y2="${top + 22}"/>${dots}</g>
`;
  });
  return html`${grid}<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>
<text x="${right}" y="${bottom + 34}" text-anchor="end">${axis.title}${axis.log ? ' (logarithmic)' : ''}</text>
${rows}`;
}

/** Width of the left margin, in characters. */
const room = 30;

function shortened(name: string): string {
  return name.length <= room ? name : `${name.slice(0, room - 1)}…`;
}

/** Returns a box plot as a figure of a page. */
export function boxFigure(shown: ShownBoxes): Markup {
  const { title, axis } = shown;
  return html`<figure class="plot">
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${plotWidth} ${boxesHeight(shown)}" role="img" aria-label="${title}: ${axis.title} by variant, as box plots">
${boxDrawing(shown)}</svg>
<p class="soft">Boxes have the quartiles and the median; whiskers end at the last value within 1.5 boxes.</p>
</figure>
`;
}
