import { type Figure, isDefined } from '../../engine/core/figures.js';
import { grouped } from '../../engine/core/wording/numbers.js';
import type { LearningCurve, LearningPoint } from '../../engine/metrics/learning-curve.js';
import { drawn, points as percentText } from '../figures.js';
import { html, type Markup, scrollable } from '../page/html.js';
import { pageFrame } from '../page/page.js';
import { baseStyle } from '../page/style.js';
import { evaluationStyle } from './evaluation-style.js';

/** Renders scores by the amount of training data, as a chart and a table. */
export function learningCurveSection(curve: LearningCurve): Markup {
  return html`<section id="curve" aria-labelledby="curve-h">
<h2 id="curve-h">Learning curve</h2>
${curveFigures(curve)}
</section>
`;
}

function curveFigures(curve: LearningCurve): Markup {
  const spans = curve.points.some(({ scores }) => scores.f1 !== undefined);
  const rows = curve.points.map(
    ({ records, scores: { accuracy, f1 } }) =>
      html`<tr><th scope="row">${grouped(records)}</th><td>${percentText(accuracy)}</td>${spans ? html`<td>${f1 === undefined ? '' : percentText(f1)}</td>` : ''}</tr>
`,
  );
  const failed = (curve.diverged ?? []).map(
    ({ records }) =>
      html`<tr><th scope="row">${grouped(records)}</th><td>diverged</td>${spans ? html`<td></td>` : ''}</tr>
`,
  );
  const table = html`<table>
<thead><tr><th scope="col">records</th><th scope="col">accuracy</th>${spans ? html`<th scope="col">F1</th>` : ''}</tr></thead>
<tbody>
${rows}${failed}</tbody>
</table>`;
  return html`<div class="cols">
<figure>
<figcaption>Test scores of ${curve.name}, trained on the first records of its source</figcaption>
${learningCurveChart(curve)}
</figure>
${scrollable('Learning curve', table)}
</div>`;
}

const [left, right, top, bottom] = [52, 510, 30, 276];
const wide = right - left;
const high = bottom - top;

/** Draws scores by the number of records, as SVG: accuracy as a solid line, F1, if any, as a dashed one. */
function learningCurveChart({ name, points }: LearningCurve): Markup {
  const scores = points.flatMap(({ scores: { accuracy, f1 } }) => [accuracy, f1]).filter(isDefined);
  const step = stepOf(Math.max(...scores) - Math.min(...scores));
  const low = Math.max(0, Math.floor(Math.min(...scores) / step) * step);
  const up = Math.min(100, Math.max(low + step, Math.ceil(Math.max(...scores) / step) * step));
  const most = Math.max(1, ...points.map(({ records }) => records));
  const x = (records: number) => drawn(left + (records / most) * wide);
  const y = (score: number) => drawn(bottom - ((score - low) / (up - low || 1)) * high);
  const levels = Array.from(
    { length: Math.round((up - low) / step) + 1 },
    (_, i) => low + i * step,
  );
  const grid = levels.map(
    level =>
      html`<line class="grid" x1="${left}" x2="${right}" y1="${y(level)}" y2="${y(level)}"/><text x="${left - 6}" y="${y(level) + 4}" text-anchor="end">${drawn(level)}</text>
`,
  );
  const places = points.filter(({ records }, i) => {
    const next = points[i + 1];
    return next === undefined || x(next.records) - x(records) > 48;
  });
  const ticks = places.map(
    ({ records }) =>
      html`<text x="${x(records)}" y="${bottom + 18}" text-anchor="middle">${grouped(records)}</text>`,
  );
  const line = (
    what: string,
    classes: string,
    of: (point: LearningPoint) => Figure | undefined,
  ) => {
    const known = points.filter(point => isDefined(of(point)));
    if (known.length === 0) return undefined;
    const path = known.map(point => `${x(point.records)},${y(of(point)!)}`).join(' ');
    const dots = known.map(
      point =>
        html`<circle class="point${classes}" cx="${x(point.records)}" cy="${y(of(point)!)}" r="4.5"><title>${grouped(point.records)} records: ${what} ${percentText(of(point)!)} %</title></circle>`,
    );
    const last = known.at(-1)!;
    return html`<polyline class="curve${classes}" points="${path}"/>
${dots}<text x="${x(last.records)}" y="${y(of(last)!) - 9}" text-anchor="end">${what}</text>
`;
  };
  return html`<svg viewBox="0 0 540 318" role="img" aria-labelledby="curve-title">
<title id="curve-title">Learning curve of ${name}: score in percent by records trained on</title>
${grid}<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>
${ticks}<text x="${right}" y="${bottom + 36}" text-anchor="end">records trained on</text>
${line('accuracy', '', ({ scores: { accuracy } }) => accuracy)}${line('F1', ' second', ({ scores: { f1 } }) => f1)}</svg>`;
}

/** Returns a round distance between grid lines, for four to ten of them. */
function stepOf(range: number): number {
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20];
  return steps.find(step => range / step <= 6) ?? 20;
}

/** Returns a learning curve as a standalone page. */
export function learningCurvePage(curve: LearningCurve): string {
  const title = `Learning curve of ${curve.name}`;
  const { head, tail } = pageFrame({ title, style: baseStyle + evaluationStyle });
  const body = html`<header><h1 id="curve-h">${title}</h1></header>
<main>
<section id="curve" aria-labelledby="curve-h">
${curveFigures(curve)}
</section>
</main>
<footer><p>Written by tagstream curve. Scores are percentages.</p></footer>
`;
  return `${head}${body.text}${tail}`;
}
