import { readAttribute } from '../../../../formats/codecs/crfsuite/attribute.js';
import {
  type ColumnLook,
  featureColumns,
  type Guess,
  type Hints,
  lookAtColumn,
  shownValues,
} from './column-look.js';
import { notLabelled } from './not-labelled.js';

/** Maximum number of rows that are examined. */
const lookedAt = 5000;

/** Usual names of the attribute that holds the token. */
const usual =
  /^(?:0:|\+0:|0\|)?(?:w|word|form|token|tok|text|term|surface|U\d*)(?:\[0\]|\.lower\(\)|\.lower)?$/i;

/** Returns whether rows are items of CRFsuite: labels, then attributes, most of the form `name=value`. */
export function isCrfsuite(rows: readonly string[]): boolean {
  const some = rows.slice(0, lookedAt).map(row => row.split('\t'));
  const isItem = ([, ...cells]: readonly string[]) =>
    cells.length > 0 &&
    2 * cells.filter(cell => /^[^=\s][^=]*=./.test(cell)).length >= cells.length;
  return some.length > 0 && some.filter(isItem).length >= 0.95 * some.length;
}

/** Guesses which attributes of a CRFsuite file are the token and further columns. */
export function guessCrfsuite(rows: readonly string[], source: string, { tag }: Hints): Guess {
  const items = rows.slice(0, lookedAt).map(row => row.split('\t'));
  const values = new Map<string, string[]>();
  for (const [, ...cells] of items) {
    for (const cell of cells) {
      const { name, value } = readAttribute(cell);
      if (value === '') continue;
      const found = values.get(name);
      if (found === undefined) values.set(name, [value]);
      else found.push(value);
    }
  }
  const everywhere = [...values].filter(([, found]) => found.length >= items.length);
  const form = formOf(everywhere);
  if (tag !== undefined || form === undefined) {
    throw notLabelled('no attribute of the items looks like the token', source, {
      fix: 'the first cell is the label; name the token in the source: crfsuite: { attributes: { form: "w[0]" } }',
    });
  }
  const looks = new Map<string, ColumnLook>();
  const attributes: Record<string, string> = { form };
  for (const [name, found] of everywhere) {
    const column = /^([A-Za-z]\w*)\[0\]$/.exec(name)?.[1];
    if (column === undefined || name === form || column === 'form') continue;
    attributes[column] = name;
    looks.set(column, lookAtColumn(found));
  }
  const labels = lookAtColumn(items.map(([label]) => label!));
  return {
    format: 'crfsuite',
    options: { attributes, ...labels.form },
    columns: featureColumns(looks),
    reasons: [
      `data of CRFsuite: labels with attributes; ${form} is used as the tokens`,
      `  labels: ${shownValues(labels, false)}`,
      ...[...looks].map(([name, look]) => `  ${attributes[name]}: ${shownValues(look)}`),
      '  other attributes are left out: features are made of the columns',
    ],
    warnings: [],
  };
}

/** Returns the token's attribute by its name, else the attribute with the most values. */
function formOf(
  all: readonly (readonly [name: string, values: readonly string[]])[],
): string | undefined {
  const named = all.find(([name]) => usual.test(name));
  if (named !== undefined) return named[0];
  const ranked = all
    .map(([name, values]) => ({ name, different: new Set(values).size }))
    .sort((a, b) => b.different - a.different);
  return ranked[0]?.name;
}
