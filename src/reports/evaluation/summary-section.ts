import { grouped } from '../../core/wording/grouped.js';
import type {
  EvaluationReport,
  ModelComparison,
} from '../../metrics/evaluation/evaluation-report.js';
import type { BootstrapDifference } from '../../metrics/evaluation/paired-bootstrap.js';
import { percent } from '../../metrics/scores/percent.js';
import { describeSchemes } from '../../text/tags/detect-scheme.js';
import { fileName, points, pValueText, signed } from '../figures.js';
import { html, type Markup } from '../page/html.js';
import { scrollable } from './scrollable.js';

/** The main figures, large. */
export function summarySection(report: EvaluationReport): Markup {
  const { tokens, accuracy, f1, precision, recall, calibration, words, schemes } = report;
  const figures: Markup[] = [];
  if (f1 !== undefined) {
    figures.push(figure('F1 of spans', points(f1), '%'));
    figures.push(figure('Precision', points(precision!), '%'));
    figures.push(figure('Recall', points(recall!), '%'));
  }
  figures.push(figure('Accuracy of tokens', points(accuracy), '%'));
  if (words !== undefined) {
    const { unseen } = words;
    const share = `${grouped(unseen.tokens)} tokens, ${percent(unseen.tokens, tokens).toFixed(1)} % of all`;
    figures.push(figure('Accuracy on unseen words', points(unseen.accuracy), '%', share));
    figures.push(figure('Accuracy on seen words', points(words.seen.accuracy), '%'));
  }
  for (const kind of ['tokens', 'spans'] as const) {
    const summary = calibration?.[kind];
    if (summary === undefined) continue;
    const note = `${summary.bins.length} bins of equal width`;
    figures.push(figure(`Calibration error, ${kind}`, summary.expectedError.toFixed(4), '', note));
  }
  return html`<section id="summary" aria-labelledby="summary-h">
<h2 id="summary-h">Summary</h2>
<dl class="figures">
${figures}</dl>
${
  schemes === undefined
    ? undefined
    : html`<p class="soft">${describeSchemes(schemes)}</p>
`
}</section>
`;
}

/** This model against another one; nothing if there is none. */
export function comparisonSection({
  comparison,
  accuracy,
  f1,
}: EvaluationReport): Markup | undefined {
  if (comparison === undefined) return undefined;
  const { against, resamples, seed, scores } = comparison;
  return html`<section id="comparison" aria-labelledby="comparison-h">
<h2 id="comparison-h">Against ${fileName(against)}</h2>
<p class="soft">The other model is ${against}. Paired bootstrap over sentences, ${grouped(resamples)} resamples, seed ${seed}; p is two-sided.</p>
${scrollable(
  'Comparison of two models',
  html`<table>
<thead><tr><th scope="col">score</th><th scope="col">this model</th><th scope="col">other model</th><th scope="col">difference</th><th scope="col">95 % interval</th><th scope="col">p</th><th scope="col" class="left">verdict</th></tr></thead>
<tbody>
${row('accuracy', accuracy, scores.accuracy, comparison.accuracy)}${f1Row(f1, comparison)}</tbody>
</table>`,
)}
</section>
`;
}

function f1Row(f1: number | undefined, { f1: found, scores }: ModelComparison): Markup | undefined {
  return found === undefined ? undefined : row('F1', f1 ?? 0, scores.f1 ?? 0, found);
}

function row(name: string, own: number, other: number, found: BootstrapDifference): Markup {
  const { difference, interval, pValue } = found;
  const verdict =
    pValue >= 0.05 ? 'no significant difference' : difference > 0 ? 'better' : 'worse';
  return html`<tr><th scope="row">${name}</th><td>${points(own)}</td><td>${points(other)}</td><td>${signed(difference)}</td><td>${signed(interval[0])} to ${signed(interval[1])}</td><td>${pValueText(pValue)}</td><td class="left">${verdict}</td></tr>
`;
}

function figure(name: string, value: string, unit: string, note?: string): Markup {
  const small = note === undefined ? undefined : html`<small>${note}</small>`;
  return html`<div><dt>${name}</dt><dd>${value}${unit === '' ? '' : ` ${unit}`}${small}</dd></div>
`;
}
