import {
  cellIndex,
  conlluColumns,
  conlluWidth,
  isWordRow,
} from '../../../io/codecs/conllu/conllu-columns.js';
import { lookAtColumn } from './column-look.js';
import type { Guess, Hints } from './guess.js';
import { notLabelled } from './not-labelled.js';
import { shownValues } from './shown-values.js';

/** Whether the rows of a file are those of CoNLL-U: ten cells, the first a number or a range. */
export function isConllu(rows: readonly string[]): boolean {
  const data = rows.filter(row => !row.startsWith('#'));
  const fits = (row: string) =>
    row.split('\t').length === conlluWidth && /^\d+(?:[-.]\d+)?\t/.test(row);
  return data.length > 0 && data.every(fits);
}

/** The column of the tags in CoNLL-U: UPOS, else XPOS. */
export function guessConllu(rows: readonly string[], source: string, { tag }: Hints): Guess {
  const words = rows.filter(row => isWordRow(row)).map(row => row.split('\t'));
  const look = (name: (typeof conlluColumns)[number]) =>
    lookAtColumn(words.map(cells => cells[cellIndex(name)]!));
  const named = conlluColumns.find(name => name === tag);
  if (tag !== undefined && named === undefined) {
    throw notLabelled(`CoNLL-U has no column ${tag}`, source, {
      fix: `there are: ${conlluColumns.join(', ')}`,
    });
  }
  const candidates = named === undefined ? (['upos', 'xpos'] as const) : [named];
  const chosen = candidates.find(name => look(name).kind !== 'empty');
  if (chosen === undefined) {
    throw notLabelled(`the column ${candidates.join(' and ')} holds nothing but _`, source, {
      fix: 'name the column of the tags with --tag',
    });
  }
  return {
    format: 'conllu',
    options: { tag: chosen },
    columns: [],
    reasons: ['CoNLL-U', `  ${chosen}: ${shownValues(look(chosen), false)}; used as the tags`],
    warnings: [],
  };
}
