import { attributeOf } from '../../../../formats/codecs/conllu/conllu-columns.js';
import { tagPlaceOf } from '../../../../formats/codecs/conllu/result-place.js';
import {
  columnsIn,
  conlluColumns,
  conlluLayout,
  conlluWidth,
  rowKind,
} from '../../../../formats/codecs/conllu/surface-words.js';
import {
  type ColumnLook,
  type Guess,
  type Hints,
  lookAtColumn,
  shownValues,
} from './column-look.js';
import { notLabelled } from './not-labelled.js';

/**
 * Returns whether the rows of a file are CoNLL-U: ten cells, the first a number or a range; or CoNLL-U Plus, whose first
 * line names the columns.
 */
export function isConllu(rows: readonly string[]): boolean {
  if (columnsIn(rows[0] ?? '') !== undefined) return true;
  const data = rows.filter(row => !row.startsWith('#'));
  const fits = (row: string) =>
    row.split('\t').length === conlluWidth && /^\d+(?:[-.]\d+)?\t/.test(row);
  return data.length > 0 && data.every(fits);
}

/**
 * Guesses the tags in CoNLL-U: spans in an attribute of MISC, else UPOS, else XPOS; parts of speech if they are the
 * task.
 */
export function guessConllu(rows: readonly string[], source: string, { tag, task }: Hints): Guess {
  const columns = columnsIn(rows[0]!);
  const layout = conlluLayout(columns);
  const words = rows.map(row => row.split('\t')).filter(cells => rowKind(cells, layout) === 'word');
  const look = (name: string) => {
    const { column, attribute } = tagPlaceOf(name)!;
    const index = layout.names.indexOf(column);
    const cells = words.map(row => row[index] ?? '_');
    return lookAtColumn(
      attribute === undefined ? cells : cells.map(cell => attributeOf(cell, attribute) ?? 'O'),
    );
  };
  if (tag !== undefined && tagPlaceOf(tag) === undefined) {
    throw notLabelled(`CoNLL-U has no column ${tag}`, source, {
      fix: `there are: ${conlluColumns.join(', ')}, and attributes, as misc.NAME`,
    });
  }
  const ofMisc = layout.names.indexOf('misc');
  const misc = words.map(row => row[ofMisc] ?? '_');
  const spans = tag !== undefined || task === 'pos' ? [] : spansInMisc(misc, look);
  const candidates = tag === undefined ? [...spans, 'upos', 'xpos'] : [tag];
  const chosen = candidates.find(name => look(name).kind !== 'empty');
  if (chosen === undefined) {
    throw notLabelled(`every value of the column ${candidates.join(' and ')} is _`, source, {
      fix: 'name the column of the tags with --tag',
    });
  }
  const others = spans.length === 0 ? [] : candidates.filter(name => name !== chosen);
  return {
    format: 'conllu',
    options: { tag: chosen, ...(columns && { columns }), ...look(chosen).form },
    columns: [],
    reasons: [
      columns === undefined ? 'CoNLL-U' : `CoNLL-U Plus with the columns ${columns.join(' ')}`,
      `  ${chosen}: ${shownValues(look(chosen), false)}; used as the tags`,
      ...others
        .filter(name => look(name).kind !== 'empty')
        .map(
          name => `  ${name}: ${shownValues(look(name), false)}; --tag ${name} uses it as the tags`,
        ),
    ],
    warnings: [],
  };
}

/** Returns the attributes of MISC that mark spans, the most frequent first. */
function spansInMisc(
  misc: readonly string[],
  look: (name: string) => ColumnLook,
): readonly string[] {
  const counts = new Map<string, number>();
  for (const cell of misc) {
    for (const pair of cell.split('|')) {
      const [, name] = /^([^=\s]+)=./.exec(pair) ?? [];
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => `misc.${name}`)
    .filter(name => look(name).kind === 'spans');
}
