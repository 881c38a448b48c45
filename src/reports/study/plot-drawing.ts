import { hues } from '../label-palette.js';
import { html, type Markup } from '../page/html.js';
import { axisScale } from './axis-scale.js';
import type { ShownAxis, ShownPlot } from './shown-study.js';
import { dashCount } from './study-style.js';

const [left, right, top, bottom] = [70, 620, 14, 330];

/** Width and height of every drawing. */
export const [plotWidth, plotHeight] = [640, 374] as const;

/** The axes, lines and points of a drawing that has points; what they look like is up to the style around it. */
export function plotDrawing({ x, y, lines }: ShownPlot): Markup {
  const points = lines.flatMap(line => line.points);
  const across = axisScale(
    points.map(point => point.x),
    x.log,
  );
  const up = axisScale(
    points.map(point => point.y),
    y.log,
  );
  const xOf = (value: number) => round(left + across.at(value) * (right - left));
  const yOf = (value: number) => round(bottom - up.at(value) * (bottom - top));
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
  const drawn = lines.map((line, i) => {
    const path = line.points.map(point => `${xOf(point.x)},${yOf(point.y)}`).join(' ');
    const dots = line.points.map(
      point =>
        html`<circle class="dot ${colour(i)}" cx="${xOf(point.x)}" cy="${yOf(point.y)}" r="4"><title>${point.name}: ${x.title} ${valueText(point.x, x)}, ${y.title} ${valueText(point.y, y)}</title></circle>`,
    );
    return html`<polyline class="${lineClasses(i)}" points="${path}"/>${dots}
`;
  });
  return html`${levels}${marks}<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>
<text x="${right}" y="${bottom + 38}" text-anchor="end">${axisText(x)}</text>
<text x="${left}" y="${bottom + 38}" text-anchor="start">upwards: ${axisText(y)}</text>
${drawn}`;
}

/** The classes of a line, by its number: its colour, and another dash for the same colour. */
export function lineClasses(i: number): string {
  return `line ${colour(i)} d${(i + Math.floor(i / hues.length)) % dashCount}`;
}

function colour(i: number): string {
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

function round(coordinate: number): number {
  return Math.round(10 * coordinate) / 10;
}
