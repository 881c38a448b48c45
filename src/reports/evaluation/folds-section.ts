import type { CrossValidation } from '../../metrics/evaluation/cross-validation.js';
import { html, type Markup } from '../page/html.js';
import { foldRows, labelRows } from './fold-rows.js';
import { scrollable } from './scrollable.js';

/** The folds of a cross-validation, and how far they are apart, as two tables. */
export function foldsSection(result: CrossValidation): Markup {
  return html`<section id="folds" aria-labelledby="folds-h">
<h2 id="folds-h">Folds</h2>
<p class="soft">Each fold is tagged by a model that was trained on all others. Everything below is of all folds together.</p>
${scrollable('Scores by fold', table(foldRows(result)))}
${scrollable('F1 by label over the folds', table(labelRows(result)))}
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
  return html`<table>
<thead><tr>${head!.map(cell => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>
${body}</tbody>
</table>`;
}
