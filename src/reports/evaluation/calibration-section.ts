import { grouped } from '../../core/wording/grouped.js';
import type { CalibrationSummary } from '../../metrics/evaluation/calibration.js';
import type { EvaluationReport } from '../../metrics/evaluation/evaluation-report.js';
import { html, type Markup } from '../page/html.js';
import { range, reliabilityDiagram } from './reliability-diagram.js';
import { scrollable } from './scrollable.js';

/** How far the probabilities of tokens and of spans can be trusted; nothing if there are none. */
export function calibrationSection({ calibration }: EvaluationReport): Markup | undefined {
  if (calibration === undefined) return undefined;
  const { tokens, spans } = calibration;
  return html`<section id="calibration" aria-labelledby="calibration-h">
<h2 id="calibration-h">Calibration</h2>
<p class="soft">On the dashed line, of all predictions with probability p a share of p is right. The expected error is the mean distance from it, weighted by the number of predictions.</p>
<div class="cols">
${figure('tokens', tokens)}${figure('spans', spans)}</div>
</section>
`;
}

function figure(name: string, summary: CalibrationSummary | undefined): Markup | undefined {
  if (summary === undefined) return undefined;
  const title = name === 'tokens' ? 'Tags of tokens' : 'Spans';
  const rows = summary.bins
    .filter(bin => bin.count > 0)
    .map(
      bin =>
        html`<tr><th scope="row">${range(bin.from, bin.to)}</th><td>${grouped(bin.count)}</td><td>${bin.confidence.toFixed(4)}</td><td>${bin.accuracy.toFixed(4)}</td></tr>
`,
    );
  const table = html`<table>
<thead><tr><th scope="col">probability</th><th scope="col">${name}</th><th scope="col">mean</th><th scope="col">right</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`;
  return html`<figure>
<figcaption>${title}: expected error ${summary.expectedError.toFixed(4)}, largest of a bin ${summary.maximumError.toFixed(4)} (${summary.bins.length} bins, ${grouped(summary.count)} probabilities)</figcaption>
${reliabilityDiagram(name, summary)}
<details><summary>Numbers<span class="vh"> of the calibration of ${name}</span></summary>
${scrollable(`Calibration of ${name}`, table)}
</details>
</figure>
`;
}
