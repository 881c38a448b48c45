import { grouped } from '../../core/wording/grouped.js';
import type { EvaluationReport, LabelScores } from '../../metrics/evaluation/evaluation-report.js';
import type { MatchScores } from '../../metrics/scores/match-counts.js';
import { points } from '../figures.js';
import { html, type Markup } from '../page/html.js';
import { scrollable } from './scrollable.js';

/** Precision, recall and F1 of spans by label; nothing for tags that mark none. */
export function spanSection({ spans }: EvaluationReport): Markup | undefined {
  if (spans === undefined) return undefined;
  return html`<section id="spans" aria-labelledby="spans-h">
<h2 id="spans-h">Spans by label</h2>
<p class="soft">Counted as conlleval counts them: a span is right when its ends and its label are.</p>
${scoreTable('Spans by label', 'label', spans.labels, spans.total)}
</section>
`;
}

/** Precision, recall and F1 of tokens by tag. */
export function tagSection({ labels }: EvaluationReport): Markup {
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
      : html`<tfoot><tr><th scope="row">all</th>${cells(total)}</tr></tfoot>`;
  return scrollable(
    name,
    html`<table class="wide">
<thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows.map(row => html`<tr><th scope="row">${row.label}</th>${cells(row)}</tr>\n`)}</tbody>
${foot}
</table>`,
  );
}

function cells({ gold, predicted, correct, precision, recall, f1 }: MatchScores): Markup {
  const counts = [gold, predicted, correct].map(count => html`<td>${grouped(count)}</td>`);
  const shares = [precision, recall].map(share => html`<td>${points(share)}</td>`);
  return html`${counts}${shares}<td class="bar b${Math.round(f1 / 5)}">${points(f1)}</td>`;
}
