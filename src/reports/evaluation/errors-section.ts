import { grouped } from '../../core/wording/grouped.js';
import type { Evaluation } from '../../metrics/evaluation/evaluation.js';
import type { LabelPalette } from '../label-palette.js';
import { html, type Markup } from '../page/html.js';
import type { ErrorFilters } from './error-filters.js';
import { spanErrors, tokenErrors } from './sentence-errors.js';

/** The kept sentences with errors, and a form that filters them. */
export function errorsSection(
  { errors, errorSentences, spanScheme }: Evaluation,
  filters: ErrorFilters,
  palette: LabelPalette,
): Markup {
  const of = `${grouped(errorSentences)} ${errorSentences === 1 ? 'sentence' : 'sentences'} with errors`;
  const amount =
    errors.length < errorSentences ? `The first ${grouped(errors.length)} of ${of}.` : `${of}.`;
  const items = errors.map((sentence, n) => {
    const { labels, pairs } = filters.of(sentence);
    const shown = spanScheme ? spanErrors(sentence, palette) : tokenErrors(sentence);
    return html`<li data-l="${labels.join(' ')}" data-p="${pairs.join(' ')}"><span class="n">${n + 1}</span>${shown}</li>
`;
  });
  const how = spanScheme
    ? 'A dashed frame and ? mark a gold span that the model has not found, a whole frame and ✗ one that it has and should not have.'
    : 'A wrong word is underlined: the tag of the model is struck out, the gold tag follows it.';
  const content =
    errors.length === 0
      ? undefined
      : html`<p class="soft">${how}</p>
${filterForm(filters)}
<ol class="errors">
${items}</ol>`;
  return html`<section id="errors" aria-labelledby="errors-h">
<h2 id="errors-h">Errors in context</h2>
<p>${amount}</p>
${content}
</section>
`;
}

function filterForm({ labels, pairs }: ErrorFilters): Markup {
  const labelOptions = labels.map((label, i) => html`<option value="${i}">${label}</option>`);
  const pairOptions = pairs.map(
    ({ gold, predicted, count }, i) =>
      html`<option value="${i}">${gold} tagged ${predicted} (${count})</option>`,
  );
  return html`<form class="filter noprint" id="filter" hidden>
<label>Label<select name="label"><option value="">all</option>${labelOptions}</select></label>
<label>Confusion<select name="pair"><option value="">all</option>${pairOptions}</select></label>
<button type="reset">Show all</button>
<output id="count" class="soft"></output>
</form>`;
}
