/** The beginning of the first line of a file. */
export const webannoMark = '#FORMAT=WebAnno TSV 3';

/** Whether a line belongs to the header of a file, as its format or a layer. */
export function isHeader(line: string): boolean {
  return line.startsWith('#FORMAT=') || /^#T_(?:SP|CH|RL)=/.test(line);
}

/** Number of a row's cells before those of the layers. */
export const ownCells = 3;

/** A label at a token. */
export interface CellLabel {
  /** The label; empty if the annotation has no value. */
  readonly label: string;
  /** Key shared with the other tokens of the span; undefined for a span of one token. */
  readonly key: string | undefined;
}

/**
 * Parses the labels of a cell; none for `_`.
 *
 * @example
 * cellLabels('PER[1]|ORG') // => [{ label: 'PER', key: '1' }, { label: 'ORG', key: undefined }]
 * cellLabels('_') // => []
 */
export function cellLabels(cell: string): readonly CellLabel[] {
  if (cell === '_' || cell === '') return [];
  return cell.split(/(?<!\\)\|/).map(item => {
    const [, label = item, key] = /^(.*?)(?<!\\)\[(\d+)\]$/.exec(item) ?? [];
    return { label: label === '*' ? '' : unescaped(label), key };
  });
}

/** Formats a label as a cell. */
export function cellOf(label: string, key: number | undefined): string {
  const text = label.replace(/[\\[\]|_;*]|->/g, '\\$&').replace(/[\t\r\n]+/g, ' ');
  return `${text === '' ? '*' : text}${key === undefined ? '' : `[${key}]`}`;
}

/** Returns text without its escapes. */
export function unescaped(text: string): string {
  return text.replace(/\\(->|[tnr\\[\]|_;*])/g, (_, character: string) => {
    const named: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };
    return named[character] ?? character;
  });
}
