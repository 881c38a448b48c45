import { evaluationStyle } from '../evaluation/evaluation-style.js';
import { baseStyle } from '../page/base-style.js';
import { html, type Markup } from '../page/html.js';
import { pageFrame } from '../page/page.js';
import type { ShownStudy } from './shown-study.js';
import { expectedSection, notesSection, plotsSection, tableSection } from './study-sections.js';
import { studyStyle } from './study-style.js';

/**
 * A study as one page of HTML that needs nothing from outside: tables, plots, what was expected.
 *
 * @example
 * const nothing = { tables: [], plots: [], expectations: [], notes: [] };
 * const page = studyPage({ name: 's', title: 'A < B', runs: '2 runs', ...nothing });
 * page.includes('<h1>A &lt; B</h1>') // => true
 */
export function studyPage(study: ShownStudy): string {
  const { title, reference, about, runs, tables } = study;
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
<footer><p>Written by tagstream study. Scores are percentages; values after ± are standard deviations.</p></footer>
`.text
  }${tail}`;
}
