import { CodeColumns, type CodeSpec } from './code-columns.js';
import { LabelSet } from './label-set.js';
import { LayerColumns } from './layer-columns.js';
import { PartColumns } from './part-columns.js';

/** The part of a specification that determines the parameters' columns. */
interface LabelSpec {
  readonly hidden?: { readonly states: number };
  readonly layers?: { readonly separator: string };
  readonly parts?: { readonly separator: string };
  readonly codes?: CodeSpec;
  readonly encode?: 'bioes';
}

/** The columns of labels with layers: those of the first, the second, and further layers. */
export interface StoredLayers {
  readonly first: readonly number[];
  readonly second: readonly number[];
  readonly further?: readonly (readonly number[])[] | undefined;
}

/** Labels as stored in files. */
export interface StoredLabels {
  /** Names of the parameter columns: those of labels, hidden states, layers, parts, or bits. */
  readonly labels: readonly string[];
  /** Columns of each label, if labels have layers. */
  readonly pairs?: StoredLayers;
  /** Names of the labels, if they are composed of parts. */
  readonly names?: readonly string[];
  /** Names of the labels and the digits of each word, if labels are words of a code. */
  readonly words?: { readonly names: readonly string[]; readonly digits: readonly string[] };
}

/** Returns an empty label set for a model with this specification. */
export function noLabels({ hidden, layers, parts, codes, encode }: LabelSpec): LabelSet {
  if (encode !== undefined) return new LabelSet([], 1, undefined, encode);
  if (codes !== undefined) return new LabelSet([], 1, new CodeColumns(codes));
  if (parts !== undefined) return new LabelSet([], 1, new PartColumns(parts.separator));
  if (layers === undefined) return new LabelSet([], hidden?.states);
  return new LabelSet([], 1, new LayerColumns(layers.separator));
}

/** Converts labels to their stored form. */
export function storedLabels({ names, columnNames, layers, parts, codes }: LabelSet): StoredLabels {
  if (codes !== undefined) {
    const digits = codes.codes.words.map(word => word.join(''));
    return { labels: columnNames, words: { names, digits } };
  }
  if (parts !== undefined) return { labels: columnNames, names };
  if (layers === undefined) return { labels: columnNames };
  const [first = [], second = [], ...further] = layers.layers.map(layer => [...layer]);
  const more = further.length === 0 ? {} : { further };
  return { labels: columnNames, pairs: { first, second, ...more } };
}

/**
 * Restores stored labels; returns undefined if they are inconsistent or do not fit the
 * specification.
 */
export function readLabels(
  { labels, pairs, names, words }: StoredLabels,
  { hidden, layers, parts, codes, encode }: LabelSpec,
): LabelSet | undefined {
  if (encode !== undefined) {
    const read = new LabelSet(labels, 1, undefined, encode);
    return read.names.join('\n') === labels.join('\n') ? read : undefined;
  }
  if ((codes === undefined) !== (words === undefined)) return undefined;
  if (codes !== undefined && words !== undefined) {
    return pairs === undefined ? readWords(labels, words, codes) : undefined;
  }
  if ((parts === undefined) !== (names === undefined)) return undefined;
  if (parts !== undefined && names !== undefined) return readParts(labels, names, parts.separator);
  if ((layers === undefined) !== (pairs === undefined)) return undefined;
  if (layers === undefined || pairs === undefined) return LabelSet.ofStates(labels, hidden?.states);
  const columns = LayerColumns.of(layers.separator, labels);
  const stored = [pairs.first, pairs.second, ...(pairs.further ?? [])];
  const { length } = pairs.first;
  if (columns === undefined || stored.some(layer => layer.length !== length)) return undefined;
  const read = new LabelSet([], 1, columns);
  try {
    for (let p = 0; p < length; p += 1) {
      read.intern(columns.labelOf(stored.map(layer => layer[p]!)));
    }
  } catch {
    return undefined;
  }
  const same =
    columns.names.length === labels.length &&
    read.size === length &&
    (length === 0 || columns.layers.length === stored.length) &&
    columns.layers.every((layer, k) => layer.every((column, p) => column === stored[k]![p]));
  return same ? read : undefined;
}

function readParts(
  labels: StoredLabels['labels'],
  names: readonly string[],
  separator: string,
): LabelSet | undefined {
  const columns = PartColumns.of(separator, labels);
  if (columns === undefined) return undefined;
  const read = new LabelSet(names, 1, columns);
  const same = read.size === names.length && columns.names.length === labels.length;
  return same ? read : undefined;
}

function readWords(
  labels: StoredLabels['labels'],
  { names, digits }: NonNullable<StoredLabels['words']>,
  codes: CodeSpec,
): LabelSet | undefined {
  const columns = new CodeColumns(codes);
  const read = new LabelSet(names, 1, columns);
  const bits = labels.length / 2;
  const fit = digits.every(word => word.length === bits && /^[01]*$/.test(word));
  if (!fit || digits.length !== names.length || read.size !== names.length) return undefined;
  columns.place(digits.map(word => Array.from(word, Number)));
  return columns.names.every((name, column) => name === labels[column]) &&
    columns.names.length === labels.length
    ? read
    : undefined;
}
