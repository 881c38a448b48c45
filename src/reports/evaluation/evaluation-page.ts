import { grouped } from '../../core/wording/grouped.js';
import type { CrossValidation } from '../../metrics/evaluation/cross-validation.js';
import type { Evaluation } from '../../metrics/evaluation/evaluation.js';
import type { EvaluationReport } from '../../metrics/evaluation/evaluation-report.js';
import type { LearningCurve } from '../../metrics/learning-curve.js';
import { fileName } from '../figures.js';
import { LabelPalette } from '../label-palette.js';
import { baseStyle } from '../page/base-style.js';
import { html, type Markup } from '../page/html.js';
import { pageFrame } from '../page/page.js';
import { calibrationSection } from './calibration-section.js';
import { confusionSection } from './confusion-section.js';
import { ErrorFilters } from './error-filters.js';
import { errorsSection } from './errors-section.js';
import { evaluationScript } from './evaluation-script.js';
import { evaluationStyle } from './evaluation-style.js';
import { foldsSection } from './folds-section.js';
import { learningCurveSection } from './learning-curve-section.js';
import { spanSection, tagSection } from './score-tables.js';
import { comparisonSection, summarySection } from './summary-section.js';

/** What the page of an evaluation shows. */
export interface EvaluationPage {
  /** Name of the model, and of the labelled data. */
  readonly model: string;
  readonly gold: string;
  readonly report: EvaluationReport;
  readonly evaluation: Evaluation;
  readonly curve?: LearningCurve | undefined;
  /** Where the evaluation is that of a cross-validation. */
  readonly folds?: CrossValidation | undefined;
}

/**
 * An evaluation as one page of HTML that needs nothing from outside. The same evaluation gives the same
 * bytes.
 *
 * @example
 * const evaluation = new Evaluation({ spanScheme: false, errors: 1 });
 * evaluation.add({ tokens: ['<a>'], gold: ['X'], tags: ['Y'] });
 * const page = evaluationPage({ model: 'm', gold: 'g', report: evaluation.report(), evaluation });
 * [page.includes('&lt;a&gt;'), page.includes('<a>')] // => [true, false]
 */
export function evaluationPage(shown: EvaluationPage): string {
  const { model, gold, report, evaluation, curve, folds } = shown;
  const { head, tail } = pageFrame({
    title: `Evaluation of ${fileName(model)}`,
    style: baseStyle + evaluationStyle,
    script: evaluationScript,
  });
  const filters = new ErrorFilters(evaluation.errors, evaluation.spanScheme);
  const palette = new LabelPalette(report.spans?.labels.map(({ label }) => label) ?? []);
  const sections: [id: string, name: string, section: Markup | undefined][] = [
    ['summary', 'Summary', summarySection(report)],
    ['folds', 'Folds', folds === undefined ? undefined : foldsSection(folds)],
    ['comparison', 'Comparison', comparisonSection(report)],
    ['spans', 'Spans', spanSection(report)],
    ['tags', 'Tags', tagSection(report)],
    [
      'confusions',
      'Confusions',
      confusionSection(report, evaluation.confusion, (a, b) => filters.pair(a, b)),
    ],
    ['calibration', 'Calibration', calibrationSection(report)],
    ['curve', 'Learning curve', curve === undefined ? undefined : learningCurveSection(curve)],
    ['errors', 'Errors', errorsSection(evaluation, filters, palette)],
  ];
  const present = sections.filter(([, , section]) => section !== undefined);
  const links = present.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`);
  const { sentences, tokens, skipped = 0 } = report;
  const left =
    skipped === 0 ? '' : `; ${grouped(skipped)} sentences skipped that are not fully labelled`;
  return `${head}${
    html`<header>
<h1>Evaluation of ${fileName(model)}</h1>
<p class="soft">${model} on ${gold}: ${grouped(sentences)} sentences, ${grouped(tokens)} tokens${left}</p>
<nav class="noprint" aria-label="Sections"><ul>${links}</ul></nav>
</header>
<main>
${present.map(([, , section]) => section)}</main>
<footer><p>Written by tagstream ${folds === undefined ? 'eval' : 'crossval'}. Scores are percentages.</p></footer>
`.text
  }${tail}`;
}
