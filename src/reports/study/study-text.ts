import { kinds, requireArgument } from '../../engine/core/schema/require-argument.js';
import { textTable } from '../figures.js';
import type { ShownStudy, ShownTable } from './shown-study.js';

/**
 * Formats a study as text: its tables, published values next to measured ones, and the expected results.
 *
 * @example
 * const heads = [{ name: 'F1', published: 'paper', compared: true }];
 * const cells = [{ measured: '93.61', published: '93.66', difference: '-0.05' }];
 * const table = { title: 'T', heads, rows: [{ name: 'a', cells }] };
 * const study = { name: 's', title: 'S', runs: 'r', plots: [], expectations: [], notes: [] };
 * studyText({ ...study, tables: [table] }) // => 'S\nr\n\nT\n      F1  paper   diff\na  93.61  93.66  -0.05\n'
 */
export function studyText(study: ShownStudy): string {
  requireArgument('studyText: the study', study, kinds.shownStudy);
  const { title, reference, runs, tables, expectations, notes } = study;
  const head = [title, ...(reference === undefined ? [] : [reference]), runs];
  const parts = [
    `${head.join('\n')}\n`,
    ...tables.map(tableText),
    ...(expectations.length === 0 ? [] : [expectationsText(study)]),
    ...notes.map(note => `${note}\n`),
  ];
  return parts.join('\n');
}

function tableText({ title, heads, rows, note }: ShownTable): string {
  const top = heads.flatMap(({ name, published, compared }) => [
    name,
    ...(published === undefined ? [] : [published]),
    ...(compared ? ['diff'] : []),
  ]);
  const lines = rows.map(({ name, cells }) => [
    name,
    ...cells.flatMap((cell, i) => [
      cell.measured,
      ...(heads[i]!.published === undefined ? [] : [cell.published ?? '']),
      ...(heads[i]!.compared ? [cell.difference ?? ''] : []),
    ]),
  ]);
  return `${title}\n${textTable([['', ...top], ...lines])}${note === undefined ? '' : `${note.trim()}\n`}`;
}

function expectationsText({ expectations }: ShownStudy): string {
  const lines = expectations.map(({ text, found, met }) => {
    const mark = met === undefined ? 'not known' : met ? 'yes' : 'NO';
    return `${mark}: ${text} (${found})\n`;
  });
  return `Expected\n${lines.join('')}`;
}
