import { grouped } from '../../core/wording/grouped.js';
import type { LearningCurve } from '../../metrics/learning-curve.js';
import { points as percentText } from '../figures.js';
import { html, type Markup } from '../page/html.js';
import { learningCurveChart } from './learning-curve-chart.js';
import { scrollable } from './scrollable.js';

/** Scores by the amount of training data, drawn and as a table. */
export function learningCurveSection(curve: LearningCurve): Markup {
  const spans = curve.points.some(({ scores }) => scores.f1 !== undefined);
  const rows = curve.points.map(
    ({ records, scores: { accuracy, f1 } }) =>
      html`<tr><th scope="row">${grouped(records)}</th><td>${percentText(accuracy)}</td>${spans ? html`<td>${f1 === undefined ? '' : percentText(f1)}</td>` : ''}</tr>
`,
  );
  const table = html`<table>
<thead><tr><th scope="col">records</th><th scope="col">accuracy</th>${spans ? html`<th scope="col">F1</th>` : ''}</tr></thead>
<tbody>
${rows}</tbody>
</table>`;
  return html`<section id="curve" aria-labelledby="curve-h">
<h2 id="curve-h">Learning curve</h2>
<div class="cols">
<figure>
<figcaption>Test scores of ${curve.name}, trained on the first records of its source</figcaption>
${learningCurveChart(curve)}
</figure>
${scrollable('Learning curve', table)}
</div>
</section>
`;
}
