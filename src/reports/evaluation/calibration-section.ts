import { type Figure, figureText } from '../../engine/core/figures.js';
import { grouped } from '../../engine/core/wording/numbers.js';
import type { CalibrationSummary } from '../../engine/metrics/evaluation/calibration.js';
import type { EvaluationReport } from '../../engine/metrics/evaluation/evaluation.js';
import { drawn } from '../figures.js';
import { html, type Markup, scrollable } from '../page/html.js';

/** Renders how well the probabilities of tokens and spans are calibrated; nothing if there are none. */
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
        html`<tr><th scope="row">${range(bin.from, bin.to)}</th><td>${grouped(bin.count)}</td><td>${figureText(bin.confidence, 4)}</td><td>${figureText(bin.accuracy, 4)}</td></tr>
`,
    );
  const table = html`<table>
<thead><tr><th scope="col">probability</th><th scope="col">${name}</th><th scope="col">mean</th><th scope="col">right</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`;
  return html`<figure>
<figcaption>${title}: expected error ${figureText(summary.expectedError, 4)}, largest of a bin ${figureText(summary.maximumError, 4)} (${summary.bins.length} bins, ${grouped(summary.count)} probabilities)</figcaption>
${reliabilityDiagram(name, summary)}
<details><summary>Numbers<span class="vh"> of the calibration of ${name}</span></summary>
${scrollable(`Calibration of ${name}`, table)}
</details>
</figure>
`;
}

/** Positions in the drawing: the square of the curve, and the counts below it. */
const [left, top, side, countsTop, countsHeight] = [44, 24, 300, 352, 50];
const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];

/** Draws the share of correct predictions by their probability, as SVG, with their counts below. */
function reliabilityDiagram(name: string, summary: CalibrationSummary): Markup {
  // Only bins with predictions are drawn, whose figures are defined.
  const x = (p: Figure) => drawn(left + p! * side);
  const y = (share: Figure) => drawn(top + (1 - share!) * side);
  const bins = summary.bins.filter(bin => bin.count > 0);
  const most = Math.max(...bins.map(bin => bin.count));
  const line = bins.map(bin => `${x(bin.confidence)},${y(bin.accuracy)}`).join(' ');
  const id = `reliability-${name}`;
  const grid = ticks.map(
    tick => html`<line class="grid" x1="${left}" x2="${left + side}" y1="${y(tick)}" y2="${y(tick)}"/><line class="grid" y1="${top}" y2="${top + side}" x1="${x(tick)}" x2="${x(tick)}"/>
<text x="${left - 6}" y="${y(tick) + 4}" text-anchor="end">${tick.toFixed(1)}</text><text x="${x(tick)}" y="${countsTop + countsHeight + 15}" text-anchor="middle">${tick.toFixed(1)}</text>
`,
  );
  const counts = bins.map(bin => {
    const height = Math.max(1, drawn((countsHeight * bin.count) / most));
    const from = x(bin.from);
    return html`<rect class="count" x="${from + 1}" y="${countsTop + countsHeight - height}" width="${drawn(x(bin.to) - from - 2)}" height="${height}"/>`;
  });
  const dots = bins.map(
    bin => html`<circle class="point" cx="${x(bin.confidence)}" cy="${y(bin.accuracy)}" r="4.5"><title>${range(bin.from, bin.to)}: ${grouped(bin.count)} ${name}, mean probability ${figureText(bin.confidence, 3)}, right ${figureText(bin.accuracy, 3)}</title></circle>
`,
  );
  return html`<svg class="square" viewBox="0 0 360 442" role="img" aria-labelledby="${id}">
<title id="${id}">Reliability of the probabilities of ${name}: expected calibration error ${figureText(summary.expectedError, 4)}</title>
${grid}<line class="ideal" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}"/>
${counts}
<line class="axis" x1="${left}" x2="${left + side}" y1="${countsTop + countsHeight}" y2="${countsTop + countsHeight}"/>
<polyline class="curve" points="${line}"/>
${dots}<text x="${left}" y="${top - 10}">share that is right</text>
<text x="${left + side}" y="${countsTop + countsHeight + 32}" text-anchor="end">probability given by the model</text>
<text x="${left}" y="${countsTop - 8}">${name} by probability</text>
</svg>`;
}

/** Formats the bounds of a bin. */
function range(from: number, to: number): string {
  return `${from.toFixed(2)} to ${to.toFixed(2)}`;
}
