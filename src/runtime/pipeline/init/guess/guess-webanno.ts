import {
  cellLabels,
  ownCells,
  webannoMark,
} from '../../../../formats/codecs/webanno/webanno-rows.js';
import { type ColumnLook, type Guess, type Hints, lookAtColumn, tagRank } from './column-look.js';
import { notLabelled } from './not-labelled.js';

/** Returns whether a file is WebAnno TSV 3. */
export function isWebanno(lines: readonly string[]): boolean {
  return lines[0]?.startsWith(webannoMark) === true;
}

/** Guesses the label column of WebAnno TSV: the feature with few values, spans before parts of speech. */
export function guessWebanno(
  lines: readonly string[],
  source: string,
  { tag, task }: Hints,
): Guess {
  const names = featuresOf(lines);
  const rows = lines.filter(line => /^\d+-\d+\t/.test(line)).map(line => line.split('\t'));
  const found = names.flatMap((name, i) => {
    const cells = rows.map(row => row[ownCells + i] ?? '_');
    const labels = cells.map(cell => cellLabels(cell)[0]?.label ?? '');
    if (labels.every(label => label === '')) return [];
    const spans = cells.some(cell => cell === '_' || cellLabels(cell)[0]?.key !== undefined);
    const look: ColumnLook = lookAtColumn(labels.map(label => label || '_'));
    const own = { ...look, values: look.values.filter(value => value !== '_') };
    return [{ name, column: i + 1, spans, look: own, rank: spans ? 3 : tagRank(look, task) }];
  });
  const usable = found.filter(({ look, rank }) => look.kind !== 'open' && rank > 0);
  const fits = ({ spans }: (typeof found)[number]) =>
    task === undefined || (task === 'pos' ? !spans : spans);
  const best =
    tag === undefined
      ? (usable.find(one => one.spans && fits(one)) ?? usable.find(fits) ?? usable[0])
      : found.find(({ name, column }) => name === tag || String(column) === tag);
  if (best === undefined) {
    throw notLabelled('no layer has labels', source, {
      fix: `the columns are ${names.join(', ')}: name one with --tag`,
    });
  }
  const what = (one: (typeof found)[number]) =>
    `  column ${one.column}, ${one.name}: ${one.spans ? 'spans ' : ''}(${one.look.values.slice(0, 5).join(', ')})`;
  return {
    format: 'webanno',
    options: { column: best.column, ...(best.spans ? {} : { spans: false }) },
    columns: [],
    reasons: [
      'WebAnno TSV 3',
      `${what(best)}; used as the tags`,
      ...found.filter(one => one !== best).map(one => `${what(one)}; --tag ${one.column} uses it`),
    ],
    warnings: [],
  };
}

/** Returns the features in column order, from the layers named in the header. */
function featuresOf(lines: readonly string[]): string[] {
  return lines.flatMap(line => {
    const [, kind, layer] = /^#T_(SP|CH|RL)=(.*)$/.exec(line) ?? [];
    if (layer === undefined) return [];
    const [name, ...features] = layer.split('|');
    const short = name!.split('.').at(-1)!;
    const all = features.map(feature => `${short}.${feature.split(/[=:]/).at(-1)}`);
    return kind === 'SP' && all.length === 0 ? [short] : all;
  });
}
