import { evaluationStyle } from '../evaluation/evaluation-style.js';
import { html, type Markup, scrollable } from '../page/html.js';
import { pageFrame } from '../page/page.js';
import { baseStyle } from '../page/style.js';
import { boxFigure } from './box-drawing.js';
import { lineClasses, plotDrawing, plotHeight, plotWidth, studyStyle } from './plot-drawing.js';
import type { ShownPlot, ShownStudy, ShownTable } from './shown-study.js';

/**
 * Returns a study as a self-contained page of HTML: tables, plots, expectations.
 *
 * @example
 * const nothing = { tables: [], plots: [], expectations: [], notes: [] };
 * const page = studyPage({ name: 's', title: 'A < B', runs: '2 runs', ...nothing });
 * page.includes('<h1>A &lt; B</h1>') // => true
 */
export function studyPage(study: ShownStudy): string {
  const { title, reference, about, runs, tables, by = 'study' } = study;
  const { head, tail } = pageFrame({ title, style: baseStyle + evaluationStyle + studyStyle });
  const sections: [id: string, name: string, section: Markup | undefined][] = [
    ...tables.map((table, i): [string, string, Markup] => [
      ...([`table-${i + 1}`, table.title] as const),
      tableSection(table, i),
    ]),
    ['plots', 'Plots', plotsSection(study)],
    ['expected', 'Expected', expectedSection(study)],
    ['notes', 'Notes', notesSection(study)],
  ];
  const present = sections.filter(([, , section]) => section !== undefined);
  const links = present.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`);
  const nav = html`<nav class="noprint" aria-label="Sections"><ul>${links}</ul></nav>
`;
  return `${head}${
    html`<header>
<h1>${title}</h1>
${reference === undefined ? '' : html`<p>After ${reference}</p>\n`}${about === undefined ? '' : html`<p>${about}</p>\n`}<p class="soft">${runs}</p>
${present.length === 0 ? '' : nav}</header>
<main>
${present.map(([, , section]) => section)}</main>
<footer><p>Written by tagstream ${by}. Scores are percentages; values after ± are standard ${by === 'study' ? 'deviations' : 'errors'}.</p></footer>
`.text
  }${tail}`;
}

/** Returns a table of a study, as a section with its own anchor. */
function tableSection(table: ShownTable, i: number): Markup {
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

/** Renders all drawings of a study; nothing if there are none. */
function plotsSection({ plots, boxes = [] }: ShownStudy): Markup | undefined {
  if (plots.length + boxes.length === 0) return undefined;
  return html`<section id="plots" aria-labelledby="plots-h">
<h2 id="plots-h">Plots</h2>
${plots.map(plotFigure)}${boxes.map(boxFigure)}</section>
`;
}

/** Renders the expected results; nothing if there are none. */
function expectedSection({ expectations }: ShownStudy): Markup | undefined {
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

/** Renders the notes of a study, one paragraph each; nothing if there are none. */
function notesSection({ notes }: ShownStudy): Markup | undefined {
  if (notes.length === 0) return undefined;
  return html`<section id="notes" aria-labelledby="notes-h">
<h2 id="notes-h">Notes</h2>
${notes.map(note => html`<p>${note}</p>\n`)}</section>
`;
}

/** Renders a drawing as a figure of a page, with a key of its lines, which differ in colour, dashes and point names. */
export function plotFigure(plot: ShownPlot): Markup {
  const { title, x, y, lines } = plot;
  if (lines.every(({ points }) => points.length === 0)) {
    return html`<figure class="plot"><figcaption>${title}</figcaption><p class="soft">There are no points to draw.</p></figure>
`;
  }
  return html`<figure class="plot">
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${plotWidth} ${plotHeight}" role="img" aria-label="${title}: ${y.title} by ${x.title}">
${plotDrawing(plot)}</svg>
<ul class="key">${lines.map((line, i) => html`<li><svg viewBox="0 0 32 12" aria-hidden="true"><line class="${lineClasses(i)}" x1="0" x2="32" y1="6" y2="6"/></svg>${line.name}</li>`)}</ul>
</figure>
`;
}
