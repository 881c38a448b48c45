import { grouped } from '../../core/wording/grouped.js';
import type { Confusion } from '../../metrics/evaluation/confusion.js';
import type { EvaluationReport } from '../../metrics/evaluation/evaluation-report.js';
import { percent } from '../../metrics/scores/percent.js';
import { points } from '../figures.js';
import { html, type Markup } from '../page/html.js';
import { scrollable } from './scrollable.js';

/** Tags in the matrix, and pairs in the list. */
const shownTags = 30;
const shownPairs = 15;

/**
 * The matrix of gold and predicted tags as a heat map, and the most frequent confusions.
 *
 * @param pairNumber number of a pair among those that the errors can be filtered by, if it is one
 */
export function confusionSection(
  { confusions, tokens, accuracy }: EvaluationReport,
  confusion: Confusion,
  pairNumber: (gold: string, predicted: string) => number | undefined,
): Markup {
  const wrong = Math.round(tokens * (1 - accuracy / 100));
  const rows = confusions.slice(0, shownPairs).map(({ gold, predicted, count }) => {
    const number = pairNumber(gold, predicted);
    const link =
      number === undefined
        ? ''
        : html`<a href="#errors" data-pair="${number}">show<span class="vh"> ${gold} tagged ${predicted}</span></a>`;
    return html`<tr><th scope="row">${gold}</th><td class="left">${predicted}</td><td>${grouped(count)}</td><td>${points(percent(count, wrong))}</td><td class="noprint">${link}</td></tr>
`;
  });
  const pairs = html`<table>
<thead><tr><th scope="col">gold</th><th scope="col" class="left">predicted</th><th scope="col">tokens</th><th scope="col">% of errors</th><th scope="col" class="noprint">sentences</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`;
  const { labels, all } = mostFrequent(confusion);
  const part = labels.length < all ? ` The ${labels.length} most frequent of ${all} tags.` : '';
  return html`<section id="confusions" aria-labelledby="confusions-h">
<h2 id="confusions-h">Confusions</h2>
<h3>Most frequent</h3>
${rows.length === 0 ? html`<p>None.</p>` : scrollable('Most frequent confusions', pairs)}
<h3>All pairs</h3>
<p class="soft">Rows are gold tags, columns predicted ones; the colour of a cell is the stronger the larger its share of its row. On the diagonal, in bold, are the right ones.${part}</p>
${scrollable('Confusion matrix', matrix(confusion, labels))}
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
      // By the square root, so that rare pairs can be seen.
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

/** The tags with the most tokens, gold or predicted, in the order of their names. */
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
