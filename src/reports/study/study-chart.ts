import { hues } from '../label-palette.js';
import { html, type Markup } from '../page/html.js';
import { axisScale } from './axis-scale.js';
import type { ShownAxis, ShownPlot } from './shown-study.js';
import { dashCount } from './study-style.js';

const [left, right, top, bottom] = [70, 620, 14, 330];

/** A drawing as SVG, with a key of its lines: distinguished by colour, dashes and names of points. */
export function studyChart({ title, x, y, lines }: ShownPlot): Markup {
  const points = lines.flatMap(line => line.points);
  if (points.length === 0) {
    return html`<figure class="plot"><figcaption>${title}</figcaption><p class="soft">There are no points to draw.</p></figure>
`;
  }
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
    return html`<polyline class="line ${colour(i)} ${dash(i)}" points="${path}"/>${dots}
`;
  });
  return html`<figure class="plot">
<figcaption>${title}</figcaption>
<svg viewBox="0 0 640 374" role="img" aria-label="${title}: ${y.title} by ${x.title}">
${levels}${marks}<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>
<text x="${right}" y="${bottom + 38}" text-anchor="end">${axisText(x)}</text>
<text x="${left}" y="${bottom + 38}" text-anchor="start">upwards: ${axisText(y)}</text>
${drawn}</svg>
<ul class="key">${lines.map((line, i) => html`<li><svg viewBox="0 0 32 12" aria-hidden="true"><line class="line ${colour(i)} ${dash(i)}" x1="0" x2="32" y1="6" y2="6"/></svg>${line.name}</li>`)}</ul>
</figure>
`;
}

function colour(i: number): string {
  return `c${i % hues.length}`;
}

/** Another one each time, and another one for the same colour. */
function dash(i: number): string {
  return `d${(i + Math.floor(i / hues.length)) % dashCount}`;
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
