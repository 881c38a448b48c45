import { scrollable } from '../evaluation/scrollable.js';
import { html, type Markup } from '../page/html.js';
import type { ShownStudy, ShownTable } from './shown-study.js';
import { studyChart } from './study-chart.js';

/** A table of a study, as a section with an anchor of its own. */
export function tableSection(table: ShownTable, i: number): Markup {
  const { title, heads, rows, note } = table;
  const top = heads.map(
    ({ name, published, compared }) =>
      html`<th scope="col">${name}</th>${published === undefined ? '' : html`<th scope="col" class="published">${published}<span class="vh"> ${name}</span></th>`}${compared ? html`<th scope="col" class="difference">diff<span class="vh"> ${name}</span></th>` : ''}`,
  );
  const lines = rows.map(({ name, cells }) => {
    const values = cells.map(
      (cell, at) =>
        html`<td class="measured">${cell.measured}</td>${heads[at]!.published === undefined ? '' : html`<td class="published">${cell.published}</td>`}${heads[at]!.compared ? html`<td class="difference">${cell.difference}</td>` : ''}`,
    );
    return html`<tr><th scope="row">${name}</th>${values}</tr>
`;
  });
  const content = html`<table>
<thead><tr><th scope="col"><span class="vh">variant</span></th>${top}</tr></thead>
<tbody>
${lines}</tbody>
</table>`;
  return html`<section id="table-${i + 1}" aria-labelledby="table-${i + 1}-h">
<h2 id="table-${i + 1}-h">${title}</h2>
${scrollable(title, content)}
${note === undefined ? '' : html`<p class="soft">${note}</p>`}</section>
`;
}

/** All drawings of a study; nothing where there are none. */
export function plotsSection({ plots }: ShownStudy): Markup | undefined {
  if (plots.length === 0) return undefined;
  return html`<section id="plots" aria-labelledby="plots-h">
<h2 id="plots-h">Plots</h2>
${plots.map(studyChart)}</section>
`;
}

/** What had to come out; nothing where nothing was said. */
export function expectedSection({ expectations }: ShownStudy): Markup | undefined {
  if (expectations.length === 0) return undefined;
  const items = expectations.map(({ text, found, met }) => {
    const mark =
      met === undefined
        ? html`<span>not known</span>`
        : html`<span class="${met ? 'yes' : 'no'}">${met ? 'yes' : 'no'}</span>`;
    return html`<li>${mark}: ${text} <span class="soft">(${found})</span></li>
`;
  });
  return html`<section id="expected" aria-labelledby="expected-h">
<h2 id="expected-h">Expected</h2>
<ul class="expected">
${items}</ul>
</section>
`;
}

/** Notes of a study, a paragraph each; nothing where there are none. */
export function notesSection({ notes }: ShownStudy): Markup | undefined {
  if (notes.length === 0) return undefined;
  return html`<section id="notes" aria-labelledby="notes-h">
<h2 id="notes-h">Notes</h2>
${notes.map(note => html`<p>${note}</p>\n`)}</section>
`;
}
