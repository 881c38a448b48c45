import { type Figure, figureText, percent } from '../../engine/core/figures.js';
import { grouped } from '../../engine/core/wording/numbers.js';
import type { Confusion } from '../../engine/metrics/evaluation/confusion.js';
import type {
  CrossValidation,
  SpreadScore,
} from '../../engine/metrics/evaluation/cross-validation.js';
import type {
  Evaluation,
  EvaluationReport,
  LabelScores,
  ModelComparison,
} from '../../engine/metrics/evaluation/evaluation.js';
import type { BootstrapDifference } from '../../engine/metrics/evaluation/paired-bootstrap.js';
import type { LearningCurve } from '../../engine/metrics/learning-curve.js';
import type { MatchScores } from '../../engine/metrics/scores/match-counts.js';
import { describeSchemes } from '../../engine/text/tags/detect-scheme.js';
import { fileName, points, pValueText, signed } from '../figures.js';
import { LabelPalette } from '../label-palette.js';
import { html, type Markup, scrollable, warningList } from '../page/html.js';
import { pageFrame } from '../page/page.js';
import { baseStyle } from '../page/style.js';
import { calibrationSection } from './calibration-section.js';
import { ErrorFilters, errorsSection } from './errors-section.js';
import { evaluationScript, evaluationStyle } from './evaluation-style.js';
import { learningCurveSection } from './learning-curve.js';

/** The content of an evaluation page. */
export interface EvaluationPage {
  /** Name of the model, and of the labelled data. */
  readonly model: string;
  readonly gold: string;
  readonly report: EvaluationReport;
  readonly evaluation: Evaluation;
  readonly curve?: LearningCurve | undefined;
  /** Reasons why the scores may mean less than they seem to. */
  readonly warnings?: readonly string[] | undefined;
  /** Set if the evaluation is a cross-validation. */
  readonly folds?: CrossValidation | undefined;
}

/**
 * Returns an evaluation as a self-contained HTML page. Equal evaluations give equal bytes.
 *
 * @example
 * const evaluation = new Evaluation({ spanScheme: false, errors: 1 });
 * evaluation.add({ tokens: ['<a>'], gold: ['X'], tags: ['Y'] });
 * const page = evaluationPage({ model: 'm', gold: 'g', report: evaluation.report(), evaluation });
 * [page.includes('&lt;a&gt;'), page.includes('<a>')] // => [true, false]
 */
export function evaluationPage(shown: EvaluationPage): string {
  const { model, gold, report, evaluation, curve, folds, warnings = [] } = shown;
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
    ['confusions', 'Confusions', confusionSection(report, evaluation.confusion, filters)],
    ['calibration', 'Calibration', calibrationSection(report)],
    ['curve', 'Learning curve', curve === undefined ? undefined : learningCurveSection(curve)],
    ['ranks', 'Ranks', rankSection(report)],
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
${warningList(warnings)}<nav class="noprint" aria-label="Sections"><ul>${links}</ul></nav>
</header>
<main>
${present.map(([, , section]) => section)}</main>
<footer><p>Written by tagstream ${folds === undefined ? 'eval' : 'crossval'}. Scores are percentages.</p></footer>
`.text
  }${tail}`;
}

/** Renders the folds of a cross-validation, and their spread, as two tables. */
function foldsSection(result: CrossValidation): Markup {
  return html`<section id="folds" aria-labelledby="folds-h">
<h2 id="folds-h">Folds</h2>
<p class="soft">Each fold is tagged by a model that was trained on all others. Everything below is of all folds together.</p>
<div class="pairs">
${scrollable('Scores by fold', table(foldRows(result)))}
${scrollable('F1 by label over the folds', table(labelRows(result)))}
</div>
</section>
`;
}

function table([head, ...rows]: readonly (readonly string[])[]): Markup {
  const body = rows.map(
    ([
      name,
      ...cells
    ]) => html`<tr><th scope="row">${name!}</th>${cells.map(cell => html`<td>${cell}</td>`)}</tr>
`,
  );
  return html`<table class="tight">
<thead><tr>${head!.map(cell => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>
${body}</tbody>
</table>`;
}

const columns: readonly (readonly [SpreadScore, string])[] = [
  ['f1', 'F1'],
  ['precision', 'precision'],
  ['recall', 'recall'],
  ['accuracy', 'accuracy'],
];

/**
 * Returns the scores of each fold, their mean and deviation, and those of all folds together, as rows of text below a
 * header row.
 */
export function foldRows({ folds, scores, pooled }: CrossValidation): string[][] {
  const shown = columns.filter(([score]) => scores[score] !== undefined);
  const cells = (values: (score: SpreadScore) => Figure | undefined) =>
    shown.map(([score]) => points(values(score)));
  const counts = ({ sentences, skipped = 0 }: CrossValidation['folds'][number]) =>
    [sentences, skipped].map(grouped);
  return [
    ['fold', 'sentences', 'skipped', ...shown.map(([, name]) => name)],
    ...folds.map((fold, i) => [String(i + 1), ...counts(fold), ...cells(score => fold[score])]),
    ['mean', '', '', ...cells(score => scores[score]!.mean)],
    ['deviation', '', '', ...cells(score => scores[score]!.deviation)],
    ['pooled', ...counts(pooled), ...cells(score => pooled[score])],
  ];
}

/** Returns the F1 of each label over the folds, as rows of text below a header row. */
export function labelRows({ labels }: CrossValidation): string[][] {
  return [
    ['label', 'gold', 'folds', 'mean F1', 'deviation', 'pooled F1'],
    ...labels.map(({ label, gold, folds, mean, deviation, pooled }) => [
      ...[label, grouped(gold), String(folds)],
      ...[mean, deviation, pooled].map(points),
    ]),
  ];
}

/** Renders precision, recall and F1 of spans by label; nothing for tags that mark none. */
function spanSection({ spans }: EvaluationReport): Markup | undefined {
  if (spans === undefined) return undefined;
  return html`<section id="spans" aria-labelledby="spans-h">
<h2 id="spans-h">Spans by label</h2>
<p class="soft">Counted as conlleval counts them: a span is right when its ends and its label are.</p>
${scoreTable('Spans by label', 'label', spans.labels, spans.total)}
</section>
`;
}

/** Renders precision, recall and F1 of tokens by tag. */
function tagSection({ labels }: EvaluationReport): Markup {
  return html`<section id="tags" aria-labelledby="tags-h">
<h2 id="tags-h">Tokens by tag</h2>
${scoreTable('Tokens by tag', 'tag', labels)}
</section>
`;
}

function scoreTable(
  name: string,
  what: string,
  rows: readonly LabelScores[],
  total?: MatchScores,
): Markup {
  const heads = [what, 'gold', 'predicted', 'correct', 'precision', 'recall', 'F1'];
  const foot =
    total === undefined
      ? undefined
      : html`<tfoot><tr>${rowHead('all', total)}${cells(total)}</tr></tfoot>`;
  return scrollable(
    name,
    html`<table class="wide scores">
<thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows.map(row => html`<tr>${rowHead(row.label, row)}${cells(row)}</tr>\n`)}</tbody>
${foot}
</table>`,
  );
}

/** Renders the name of a row; on a phone, which is too narrow for seven columns, with the counts below it. */
function rowHead(name: string, { gold, predicted, correct }: MatchScores): Markup {
  const counts = `gold ${grouped(gold)}, predicted ${grouped(predicted)}, correct ${grouped(correct)}`;
  return html`<th scope="row">${name}<small>${counts}</small></th>`;
}

function cells({ gold, predicted, correct, precision, recall, f1 }: MatchScores): Markup {
  const counts = [gold, predicted, correct].map(count => html`<td>${grouped(count)}</td>`);
  const shares = [precision, recall].map(share => html`<td>${points(share)}</td>`);
  return html`${counts}${shares}<td class="bar b${Math.round((f1 ?? 0) / 5)}">${points(f1)}</td>`;
}

/** Maximum number of tags in the matrix, and of pairs in the list. */
const shownTags = 30;
const shownPairs = 15;

/**
 * Renders the matrix of gold and predicted tags as a heat map, and the most frequent confusions.
 *
 * @param filters filters of the sentences below: a pair that has one links to its sentences, with their number
 */
function confusionSection(
  { confusions, tokens, accuracy }: EvaluationReport,
  confusion: Confusion,
  filters: ErrorFilters,
): Markup {
  const wrong = accuracy === null ? 0 : Math.round(tokens * (1 - accuracy / 100));
  const rows = confusions.slice(0, shownPairs).map(({ gold, predicted, count }) => {
    const number = filters.pair(gold, predicted);
    const link =
      number === undefined
        ? '0'
        : html`<a href="#errors" data-pair="${number}"><span class="vh">show ${gold} tagged ${predicted}: </span>${grouped(filters.pairs[number]!.sentences)}</a>`;
    return html`<tr><th scope="row">${gold}</th><td class="left">${predicted}</td><td>${grouped(count)}</td><td>${points(percent(count, wrong))}</td><td class="noprint">${link}</td></tr>
`;
  });
  const pairs = html`<table class="tight">
<thead><tr><th scope="col">gold</th><th scope="col" class="left">predicted</th><th scope="col">tokens</th><th scope="col">% of errors</th><th scope="col" class="noprint">sentences below</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`;
  const { labels, all } = mostFrequent(confusion);
  const part = labels.length < all ? ` The ${labels.length} most frequent of ${all} tags.` : '';
  return html`<section id="confusions" aria-labelledby="confusions-h">
<h2 id="confusions-h">Confusions</h2>
<div class="pairs">
<div><h3>Most frequent</h3>
${rows.length === 0 ? html`<p>None.</p>` : scrollable('Most frequent confusions', pairs)}</div>
<div><h3>All pairs</h3>
<p class="soft">Rows are gold tags, columns predicted ones; the colour of a cell is the stronger the larger its share of its row. On the diagonal, in bold, are the right ones.${part}</p>
${scrollable('Confusion matrix', matrix(confusion, labels))}</div>
</div>
</section>
`;
}

function matrix(confusion: Confusion, labels: readonly string[]): Markup {
  const heads = labels.map(
    label => html`<th scope="col" class="turned"><span>${label}</span></th>`,
  );
  const rows = labels.map(gold => {
    const total = confusion.of(gold).gold;
    const cells = labels.map(predicted => {
      const count = confusion.count(gold, predicted);
      if (count === 0) return html`<td></td>`;
      // The shade grows with the square root, so that rare pairs are visible.
      const shade = Math.round(8 * Math.sqrt(count / total));
      const right = gold === predicted ? ' right' : '';
      return html`<td class="cell s${shade}${right}">${count}</td>`;
    });
    return html`<tr><th scope="row">${gold}</th>${cells}</tr>
`;
  });
  return html`<table class="matrix">
<caption class="vh">Tokens by gold tag and predicted tag</caption>
<thead><tr><th scope="col"><span class="vh">gold</span></th>${heads}</tr></thead>
<tbody>
${rows}</tbody>
</table>`;
}

/** Returns the tags with the most tokens, gold or predicted, sorted by name. */
function mostFrequent(confusion: Confusion): { labels: string[]; all: number } {
  const { labels } = confusion;
  const size = new Map(
    labels.map(label => {
      const { gold, predicted } = confusion.of(label);
      return [label, gold + predicted];
    }),
  );
  const most = [...labels].sort((a, b) => size.get(b)! - size.get(a)!).slice(0, shownTags);
  return { labels: most.sort(), all: labels.length };
}

/** Renders the main figures in large type. */
function summarySection(report: EvaluationReport): Markup {
  const { tokens, accuracy, f1, precision, recall, calibration, rank, words, schemes } = report;
  const figures: Markup[] = [];
  if (f1 !== undefined) {
    figures.push(figure('F1 of spans', points(f1), '%'));
    figures.push(figure('Precision', points(precision), '%'));
    figures.push(figure('Recall', points(recall), '%'));
  }
  figures.push(figure('Accuracy of tokens', points(accuracy), '%'));
  if (words !== undefined) {
    const { unseen } = words;
    const share = `${grouped(unseen.tokens)} tokens, ${figureText(percent(unseen.tokens, tokens), 1)} % of all`;
    figures.push(figure('Accuracy on unseen words', points(unseen.accuracy), '%', share));
    figures.push(figure('Accuracy on seen words', points(words.seen.accuracy), '%'));
  }
  for (const kind of ['tokens', 'spans'] as const) {
    const summary = calibration?.[kind];
    if (summary === undefined) continue;
    const note = `${summary.bins.length} bins of equal width`;
    figures.push(
      figure(`Calibration error, ${kind}`, figureText(summary.expectedError, 4), '', note),
    );
  }
  if (rank !== undefined) {
    const note = `a sentence, counted up to ${grouped(rank.limit)}`;
    figures.push(figure('Rank loss', figureText(rank.mean, 3), '', note));
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

/** Renders how often the gold tags are among the best sequences; nothing if this was not requested. */
function rankSection({ rank }: EvaluationReport): Markup | undefined {
  if (rank === undefined) return undefined;
  const { limit, loss, beyond, within } = rank;
  const rows = within.map(({ best, sentences, share }) => [
    grouped(best),
    ...[grouped(sentences), points(share)],
  ]);
  return html`<section id="ranks" aria-labelledby="ranks-h">
<h2 id="ranks-h">Ranks of the gold tags</h2>
<p class="soft">The rank loss is the number of tag sequences that score higher than the gold tags: ${beyond === 0 ? '' : 'at least '}${grouped(loss)} in all. Of each sentence the ${grouped(limit)} best sequences were looked at; the gold tags of ${grouped(beyond)} sentences are not among them.</p>
${scrollable('Ranks of the gold tags', table([['best sequences', 'sentences with the gold tags', '%'], ...rows]))}
</section>
`;
}

/** Compares the model with another one; empty if there is none. */
function comparisonSection({ comparison, accuracy, f1 }: EvaluationReport): Markup | undefined {
  if (comparison === undefined) return undefined;
  const { against, resamples, seed, scores } = comparison;
  return html`<section id="comparison" aria-labelledby="comparison-h">
<h2 id="comparison-h">Against ${fileName(against)}</h2>
<p class="soft">The other model is ${against}. Paired bootstrap over sentences, ${grouped(resamples)} resamples, seed ${seed}; p is two-sided.</p>
${scrollable(
  'Comparison of two models',
  html`<table class="tight">
<thead><tr><th scope="col">score</th><th scope="col">this model</th><th scope="col">other model</th><th scope="col">difference</th><th scope="col">95 % interval</th><th scope="col">p</th><th scope="col" class="left">verdict</th></tr></thead>
<tbody>
${row('accuracy', accuracy, scores.accuracy, comparison.accuracy)}${f1Row(f1, comparison)}</tbody>
</table>`,
)}
</section>
`;
}

function f1Row(f1: Figure | undefined, { f1: found, scores }: ModelComparison): Markup | undefined {
  return found === undefined ? undefined : row('F1', f1 ?? null, scores.f1 ?? null, found);
}

function row(name: string, own: Figure, other: Figure, found: BootstrapDifference): Markup {
  const { difference, interval, pValue } = found;
  const verdict =
    pValue === null || difference === null
      ? 'undefined'
      : pValue >= 0.05
        ? 'no significant difference'
        : difference > 0
          ? 'better'
          : 'worse';
  return html`<tr><th scope="row">${name}</th><td>${points(own)}</td><td>${points(other)}</td><td>${signed(difference)}</td><td>${signed(interval[0])} to ${signed(interval[1])}</td><td>${pValueText(pValue)}</td><td class="left">${verdict}</td></tr>
`;
}

function figure(name: string, value: string, unit: string, note?: string): Markup {
  const small = note === undefined ? undefined : html`<small>${note}</small>`;
  return html`<div><dt>${name}</dt><dd>${value}${unit === '' ? '' : ` ${unit}`}${small}</dd></div>
`;
}
