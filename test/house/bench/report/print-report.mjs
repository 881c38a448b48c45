import { table } from './table.mjs';

export const head = [
  '',
  'runs',
  'wall s',
  'tokens/s',
  'peak MiB',
  'F1',
  'model KiB',
  'wall / wall of',
];
export const growthHead = [
  '',
  'tokens',
  'us a token',
  'ratio',
  'peak MiB',
  'features',
  'ns a pair',
  'ns a feature',
];

/**
 * Prints the table of ratios and the growth tables.
 *
 * @param {object} report
 * @param {{ write: (text: string) => unknown }} output
 */
export function printReport({ node, processors, corpus, rows, growth }, output) {
  const { train, test } = corpus;
  output.write(`node ${node}, ${processors}\n`);
  output.write(`${corpus.name}: ${number(train.tokens)} tokens to train on, `);
  output.write(`${number(test.tokens)} to tag; medians\n\n`);
  if (rows.length > 0) output.write(`${table(head, rows.map(cellsOf))}\n`);
  for (const { title, rows: measured } of growth) {
    output.write(`${table([title, ...growthHead.slice(1)], measured.map(growthCellsOf))}\n`);
  }
}

export function cellsOf({ group, what, runs, seconds, tokens, peakBytes, f1, modelBytes, ...row }) {
  const name = `${group}: ${what}`;
  if (row.failed !== undefined && f1 === undefined) return [name, '', 'failed', '', '', '', '', ''];
  const ratios = Object.entries(row.ratios).map(([base, ratio]) => `${ratio.toFixed(2)} x ${base}`);
  return [
    name,
    text(runs, String),
    text(seconds, value => value.toPrecision(3)),
    text(seconds === undefined ? undefined : tokens, value => number(value / seconds)),
    text(peakBytes, mebibytes),
    text(f1, value => value.toFixed(2)),
    text(modelBytes, value => number(value / 1024)),
    row.note ?? ratios.join('; '),
  ];
}

export function growthCellsOf({ what, tokens, micros, ratio, ...row }) {
  return [
    what,
    number(tokens),
    micros.toFixed(3),
    ratio.toFixed(2),
    text(row.peakBytes, mebibytes),
    text(row.features, number),
    text(row.nanosPerPair, value => value.toFixed(2)),
    text(row.nanosPerFeature, value => value.toFixed(1)),
  ];
}

function text(value, shown) {
  return value === undefined ? '' : shown(value);
}

function number(value) {
  return Math.round(value).toLocaleString('en');
}

function mebibytes(bytes) {
  return number(bytes / 2 ** 20);
}
