import { TagstreamError } from '../../../core/errors.js';
import type { Line } from '../../lines/line-splitter.js';
import type { DocumentDraft } from '../codec.js';
import { readTagCells, type TagCells } from '../tag-cells.js';
import { type Attribute, readAttribute } from './attribute.js';

/** What `crfsuiteOptions` say of items. */
export interface CrfsuiteLayout {
  /** Names of attributes by those of columns. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly window: number;
  readonly tagCells: TagCells;
}

/**
 * The sentence that some items describe: a label, then attributes, with tabs between. A column whose attributes have no
 * value after `=` is one of numbers, their weights, 0 where it is missing; a text that is missing is `_`. Labels of nothing
 * but `_` mean that the sentence is unlabelled.
 *
 * @throws TagstreamError `wrong-shape` that names the line of an item without the token
 */
export function readItems(lines: readonly Line[], layout: CrfsuiteLayout): DocumentDraft {
  const names = Object.entries(layout.attributes);
  const found = names.map((): (Attribute | undefined)[] => []);
  const labels: string[] = [];
  for (const line of lines) {
    const [label = '', ...cells] = line.text.split('\t');
    const attributes = new Map<string, Attribute>();
    for (const cell of cells) {
      const attribute = readAttribute(cell);
      attributes.set(attribute.name, attribute);
    }
    labels.push(label === '' ? '_' : label);
    for (const [i, [column, name]] of names.entries()) {
      const attribute = attributes.get(name);
      if (column === 'form' && (attribute === undefined || attribute.value === '')) {
        throw withoutToken(line, name, cells);
      }
      found[i]!.push(attribute);
    }
  }
  const draft: DocumentDraft = {};
  const columns: Record<string, readonly string[] | readonly number[]> = {};
  for (const [i, [column]] of names.entries()) {
    if (column === 'form') draft.tokens = found[i]!.map(attribute => attribute!.value);
    else columns[column] = columnOf(found[i]!);
  }
  if (names.length > 1) draft.columns = columns;
  if (labels.some(label => label !== '_'))
    Object.assign(draft, readTagCells(labels, layout.tagCells));
  return draft;
}

/**
 * Names of what `readItems` leaves out: attributes that the layout does not name, weights of those whose texts are read, and
 * attributes that an item has twice. Those that say what an item beside this one says (`w[-1]`), `__BOS__` and `__EOS__`
 * are no loss.
 */
export function unreadAttributes(raw: string, { attributes }: CrfsuiteLayout): readonly string[] {
  const rows = raw.split('\n').map(row => row.split('\t').slice(1).map(readAttribute));
  const values = rows.map(row => new Map(row.map(({ name, value }) => [name, value])));
  const columns = new Map(Object.entries(attributes).map(([column, name]) => [name, column]));
  const texts = new Set([...columns.keys()].filter(name => values.some(row => row.get(name))));
  const found: string[] = [];
  for (const [t, row] of rows.entries()) {
    const seen = new Set<string>();
    for (const { name, value, weight } of row) {
      if (columns.has(name)) {
        if (seen.has(name)) found.push(`${name} (repeated)`);
        if (weight !== undefined && weight !== 1 && texts.has(name)) found.push(`${name} (weight)`);
      } else if (!isOfNeighbour(name, value, weight, t, values, columns)) {
        found.push(name);
      }
      seen.add(name);
    }
  }
  return found;
}

function isOfNeighbour(
  name: string,
  value: string,
  weight: number | undefined,
  t: number,
  values: readonly ReadonlyMap<string, string>[],
  columns: ReadonlyMap<string, string>,
): boolean {
  if (value === '' && (name === '__BOS__' || name === '__EOS__')) return true;
  const [, base, distance] = /^(.*)\[([-+]?\d+)\]$/.exec(name) ?? [];
  const own = `${base}[0]`;
  return (
    weight === undefined && columns.has(own) && values[t + Number(distance)]?.get(own) === value
  );
}

function columnOf(
  found: readonly (Attribute | undefined)[],
): readonly string[] | readonly number[] {
  const given = found.filter(attribute => attribute !== undefined);
  const areNumbers = given.length > 0 && given.every(({ value }) => value === '');
  if (areNumbers)
    return found.map(attribute => (attribute === undefined ? 0 : (attribute.weight ?? 1)));
  return found.map(attribute => attribute?.value || '_');
}

function withoutToken(line: Line, name: string, cells: readonly string[]): TagstreamError {
  const shown = cells
    .slice(0, 3)
    .map(cell => cell.slice(0, 20))
    .join(', ');
  return new TagstreamError('wrong-shape', `an item has no attribute ${name}, the token`, {
    place: { line: line.number },
    fix: `name the attribute that has the token, as in attributes: {form: "w[0]"}; the item has ${shown === '' ? 'none' : shown}`,
  });
}
