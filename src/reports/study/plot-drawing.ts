import { drawn } from '../figures.js';
import { hues } from '../label-palette.js';
import { html, type Markup } from '../page/html.js';
import type { ShownAxis, ShownPlot } from './shown-study.js';

const [left, right, top, bottom] = [70, 620, 14, 330];

/** Width and height of all drawings. */
export const [plotWidth, plotHeight] = [640, 374] as const;

/** Returns the axes, lines and points of a nonempty drawing; the surrounding style determines their look. */
export function plotDrawing({ x, y, lines, marks: places = [] }: ShownPlot): Markup {
  const points = lines.flatMap(line => line.points);
  const across = axisScale(
    points.map(point => point.x),
    x.log,
  );
  const up = axisScale(
    points.flatMap(({ y: at, error = 0 }) => (error === 0 ? [at] : [at - error, at + error])),
    y.log,
  );
  const xOf = (value: number) => drawn(left + across.at(value) * (right - left));
  const yOf = (value: number) => drawn(bottom - up.at(value) * (bottom - top));
  const levels = up.marks.map(
    mark =>
      html`<line class="grid" x1="${left}" x2="${right}" y1="${yOf(mark)}" y2="${yOf(mark)}"/><text x="${left - 8}" y="${yOf(mark) + 4}" text-anchor="end">${markText(mark)}</text>
`,
  );
  const marks = across.marks.map(
    mark =>
      html`<line class="axis" x1="${xOf(mark)}" x2="${xOf(mark)}" y1="${bottom}" y2="${bottom + 5}"/><text x="${xOf(mark)}" y="${bottom + 19}" text-anchor="middle">${markText(mark)}</text>
`,
  );
  const happened = places.map(
    ({ x: place, label, name }) =>
      html`<g class="mark"><title>${label}: ${name}</title><line x1="${xOf(place)}" x2="${xOf(place)}" y1="${top}" y2="${bottom}"/><text x="${xOf(place) + 3}" y="${top + 10}">${label}</text></g>
`,
  );
  const curves = lines.map((line, i) => {
    const path = line.points.map(point => `${xOf(point.x)},${yOf(point.y)}`).join(' ');
    // Keeps the line visible among many points.
    const radius = line.points.length > 60 ? 2 : 4;
    const bars = line.points.map(({ x: at, y: mean, error = 0 }) =>
      error === 0
        ? ''
        : html`<line class="bar ${colourClass(i)}" x1="${xOf(at)}" x2="${xOf(at)}" y1="${yOf(mean - error)}" y2="${yOf(mean + error)}"/>`,
    );
    const dots = line.points.map(
      point =>
        html`<circle class="dot ${colourClass(i)}" cx="${xOf(point.x)}" cy="${yOf(point.y)}" r="${radius}"><title>${point.name}: ${x.title} ${valueText(point.x, x)}, ${y.title} ${valueText(point.y, y)}${point.error === undefined ? '' : ` ± ${valueText(point.error, y)}`}</title></circle>`,
    );
    return html`<polyline class="${lineClasses(i)}" points="${path}"/>${bars}${dots}
`;
  });
  return html`${levels}${marks}<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>
<text x="${right}" y="${bottom + 38}" text-anchor="end">${axisText(x)}</text>
<text x="${left}" y="${bottom + 38}" text-anchor="start">upwards: ${axisText(y)}</text>
${happened}${curves}`;
}

/** Returns the classes of a line by its number: its colour, and a different dash if the colour repeats. */
export function lineClasses(i: number): string {
  return `line ${colourClass(i)} d${(i + Math.floor(i / hues.length)) % dashCount}`;
}

/** Returns the class of a colour by the number of its line or box. */
export function colourClass(i: number): string {
  return `c${i % hues.length}`;
}

function axisText({ title, log }: ShownAxis): string {
  return log ? `${title} (logarithmic)` : title;
}

function markText(mark: number): string {
  return mark.toLocaleString('en', { maximumFractionDigits: 6 });
}

function valueText(value: number, { digits }: ShownAxis): string {
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** Maps values to positions on an axis, with its tick marks. */
export interface AxisScale {
  /** Returns the position of a value: 0 at the start of the axis, 1 at its end. */
  at(value: number): number;
  readonly marks: readonly number[];
}

/**
 * Returns an axis that spans the values, with four to ten marks at round numbers.
 *
 * @example
 * axisScale([0, 9], false).marks // => [0, 2, 4, 6, 8, 10]
 */
export function axisScale(values: readonly number[], log: boolean): AxisScale {
  const least = Math.min(...values);
  const most = Math.max(...values);
  return log ? logScale(least, most) : linearScale(least, most);
}

function linearScale(least: number, most: number): AxisScale {
  const range = most - least || Math.abs(most) * 0.01 || 1;
  const rough = range / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find(factor => rough <= factor * power) ?? 10);
  const first = Math.floor(least / step);
  const last = Math.max(first + 1, Math.ceil(most / step));
  const marks = Array.from({ length: last - first + 1 }, (_, i) => tidy((first + i) * step));
  return { marks, at: value => (value / step - first) / (last - first) };
}

function logScale(least: number, most: number): AxisScale {
  const low = Math.log10(least);
  const high = Math.log10(most);
  const margin = 0.04 * (high - low) || 0.1;
  const [start, end] = [low - margin, high + margin];
  const factors = high - low > 3 ? [1] : high - low > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
  const marks: number[] = [];
  for (let power = Math.floor(start); power <= Math.ceil(end); power += 1) {
    for (const factor of factors) {
      const mark = tidy(factor * 10 ** power);
      if (Math.log10(mark) >= start && Math.log10(mark) <= end) marks.push(mark);
    }
  }
  const at = (value: number) => (Math.log10(value) - start) / (end - start);
  if (marks.length > 1) return { marks, at };
  // Too narrow for powers of ten: round numbers of a linear axis are denser.
  const inside = (mark: number) => mark > 0 && at(mark) >= 0 && at(mark) <= 1;
  return { marks: linearScale(10 ** start, 10 ** end).marks.filter(inside), at };
}

/** Removes the rounding error of a multiplication. */
function tidy(value: number): number {
  return Number(value.toPrecision(10));
}

/** Dashes distinguish lines when colours do not. */
const dashes = ['none', '7 4', '2 3', '9 3 2 3', '12 4', '4 2'];

/** The dash of each line, by its class `d0`, `d1`, ... */
export const dashStyle = dashes.map((dash, i) => `.d${i}{stroke-dasharray:${dash}}`).join('');

/** Styles of the study page, in addition to those of evaluations. */
export const studyStyle = `
h3{overflow-wrap:anywhere}
td.published,td.difference,th.published,th.difference{color:var(--soft)}
td.measured{font-weight:550}
figure.plot{margin:0}
figure.plot+figure.plot,figure.plot+.scroll{margin-top:1.5rem}
:root{--curve:.5 .14}
@media screen and (prefers-color-scheme:dark){:root{--curve:.8 .12}}
figure.plot figcaption{color:var(--text);font-weight:550}
figure.plot svg{max-width:44rem}
svg .line{stroke:oklch(var(--curve) var(--h));stroke-width:2;fill:none}
svg .bar{stroke:oklch(var(--curve) var(--h));stroke-width:1.5}
svg .box{fill:oklch(var(--curve) var(--h)/.18);stroke:oklch(var(--curve) var(--h));stroke-width:1.5}
svg .median{stroke:oklch(var(--curve) var(--h));stroke-width:3}
svg .dot{fill:oklch(var(--curve) var(--h));stroke:var(--panel);stroke-width:1}
svg .mark line{stroke:var(--bad);stroke-width:1.5}
svg .mark text{fill:var(--bad)}
ul.key{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;list-style:none;margin:.5rem 0 0;padding:0;font-size:.9rem}
ul.key li{display:inline-flex;align-items:center;gap:.45rem;overflow-wrap:anywhere}
ul.key svg{width:2rem;height:.8rem;flex:none}
ul.expected{list-style:none;margin:0;padding:0}
ul.expected li{padding:.2rem 0}
.yes{color:var(--good);font-weight:650}
.no{color:var(--bad);font-weight:650}
@media (min-width:60rem){figure.plot{display:grid;grid-template-columns:minmax(0,44rem) minmax(0,1fr);gap:0 2rem}
figure.plot figcaption{grid-column:1/-1}figure.plot ul.key{flex-direction:column;flex-wrap:nowrap}}
${dashStyle}`;

/** Number of different dashes. */
const dashCount = dashes.length;

const colours = hues.map((hue, i) => `.c${i}{--h:${hue}}`).join('');
const style = `text{font:12px system-ui,sans-serif;fill:#565e6c}.title,.name{fill:#1b1f27}.title{font-size:15px;font-weight:650}
.page{fill:#fff}.grid{stroke:#e6e9ee}.axis{stroke:#565e6c}.line{stroke:oklch(.5 .14 var(--h));stroke-width:2;fill:none}
.bar{stroke:oklch(.5 .14 var(--h));stroke-width:1.5}
.dot{fill:oklch(.5 .14 var(--h));stroke:#fff;stroke-width:1}${colours}${dashStyle}
@media(prefers-color-scheme:dark){text{fill:#a6aebd}.title,.name{fill:#e7eaf0}.page{fill:#121418}.grid{stroke:#2a303a}
.axis{stroke:#a6aebd}.line,.bar{stroke:oklch(.8 .12 var(--h))}.dot{fill:oklch(.8 .12 var(--h));stroke:#121418}}`;

/** Height of the title and of a line of the key, and the number of columns of the key. */
const [titleHeight, keyHeight, columns] = [34, 20, 3];

/**
 * Returns a drawing as a standalone SVG file for light and dark pages, with its title and a key of its lines. Names are
 * escaped.
 */
export function plotPicture(plot: ShownPlot): string {
  const { title, lines } = plot;
  const keyTop = titleHeight + plotHeight + 8;
  const height = keyTop + keyHeight * Math.ceil(lines.length / columns) + 4;
  const key = lines.map((line, i) => {
    const x = 70 + (i % columns) * 190;
    const y = keyTop + keyHeight * Math.floor(i / columns) + 6;
    return html`<line class="${lineClasses(i)}" x1="${x}" x2="${x + 32}" y1="${y}" y2="${y}"/><text class="name" x="${x + 40}" y="${y + 4}">${line.name}</text>
`;
  });
  const picture = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${plotWidth} ${height}" width="${plotWidth}" height="${height}" role="img" aria-labelledby="plot">
<title id="plot">${title}</title>
<style>${style}</style>
<rect class="page" width="${plotWidth}" height="${height}"/>
<text class="title" x="70" y="22">${title}</text>
<g transform="translate(0 ${titleHeight})">
${plotDrawing(plot)}</g>
${key}</svg>
`;
  return picture.text;
}
