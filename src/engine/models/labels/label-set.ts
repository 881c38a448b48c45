import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { PartialTag } from '../../core/sentence/partial-tag.js';
import { noLabel } from '../../core/training/contribution.js';
import { convertTags } from '../../text/tags/convert-tags.js';
import { CodeColumns } from './code-columns.js';
import { LayerColumns } from './layer-columns.js';
import { PartColumns } from './part-columns.js';

/** The columns that make up labels: layers, parts, or the bits of a code. */
export type MadeColumns = LayerColumns | PartColumns | CodeColumns;

/**
 * The labels of a model, numbered in order of first occurrence.
 *
 * The parameters have one column per number, except for labels with layers (one per name in a layer), with parts (one
 * per part), or with words of a code (two per bit).
 *
 * With hidden states, a label has several consecutive numbers, one per state: `names` contains its name at all of
 * them, and `find` and `intern` return the first.
 *
 * @example
 * const labels = new LabelSet(['O', 'B-PER']);
 * labels.intern('I-PER') // => 2
 * const hidden = new LabelSet(['O', 'B-PER'], 2);
 * [hidden.size, hidden.find('B-PER'), hidden.name(3), hidden.stateName(3)] // => [4, 2, 'B-PER', 'B-PER#2']
 */
export class LabelSet {
  /** Number of hidden states per label; 1 means none. */
  readonly states: number;
  /** The columns that make up labels, if labels have no columns themselves. */
  readonly made: MadeColumns | undefined;
  /** Label scheme if it differs from the records' scheme, in which tags are reported. */
  readonly encode: 'bioes' | undefined;
  readonly #names: string[] = [];
  readonly #reported: string[] = [];
  readonly #numbers = new Map<string, number>();

  /**
   * @param made columns, without labels yet, if labels have layers or parts, or are words of a code
   * @param encode scheme of the labels, if it differs from that of the records
   */
  constructor(names: Iterable<string> = [], states = 1, made?: MadeColumns, encode?: 'bioes') {
    requireArgument('LabelSet: the names', names, kinds.texts);
    this.encode = encode;
    this.states = states;
    this.made = made;
    for (const name of names) this.intern(name);
  }

  /** Returns the labels whose columns have these names; undefined unless they are valid `columnNames`. */
  static ofStates(names: readonly string[], states = 1): LabelSet | undefined {
    if (states === 1) return new LabelSet(names);
    const suffix = stateSuffix(0).length;
    const tags = names.filter((_, y) => y % states === 0).map(name => name.slice(0, -suffix));
    const labels = new LabelSet(tags, states);
    const same = labels.size === names.length && labels.columnNames.every((n, y) => n === names[y]);
    return same ? labels : undefined;
  }

  /** Columns of the layers, if labels have layers. */
  get layers(): LayerColumns | undefined {
    return this.made instanceof LayerColumns ? this.made : undefined;
  }

  /** Columns of the parts, if labels are composed of parts. */
  get parts(): PartColumns | undefined {
    return this.made instanceof PartColumns ? this.made : undefined;
  }

  /** Columns of the bits, if labels are words of a code. */
  get codes(): CodeColumns | undefined {
    return this.made instanceof CodeColumns ? this.made : undefined;
  }

  /** Number of labels times their states. */
  get size(): number {
    return this.#names.length;
  }

  /** Name of the label at each number. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Tag reported for each label number. */
  get reported(): readonly string[] {
    return this.encode === undefined ? this.#names : this.#reported;
  }

  /**
   * Returns the tags of a sentence whose predicted labels are the numbers from `start` to `end`; undefined if nothing
   * was predicted for it.
   */
  predictedTags(numbers: Int32Array, start: number, end: number): string[] | undefined {
    if (start < end && numbers[start] === noLabel) return undefined;
    return this.tagsOf(numbers, start, end);
  }

  /** Returns the tags reported for the numbers from `start` to `end`. */
  tagsOf(numbers: Int32Array, start = 0, end = numbers.length): string[] {
    const { reported } = this;
    const tags: string[] = [];
    for (let t = start; t < end; t += 1) tags.push(reported[numbers[t]!]!);
    return tags;
  }

  /**
   * For each number, the first one that is reported as the same tag; undefined if no two share a
   * tag.
   */
  get groups(): Int32Array | undefined {
    if (this.encode === undefined) return undefined;
    return Int32Array.from(this.#reported, tag => this.#reported.indexOf(tag));
  }

  /** Returns the numbers of the labels reported as a tag, the first state of each. */
  numbersOf(tag: string): number[] {
    const names = this.encode === undefined ? [tag] : labelsOf(tag);
    return names.map(name => this.find(name)).filter(y => y >= 0);
  }

  /** Returns the numbers of the records' tags, -1 for unknown tags. */
  goldOf(tags: readonly string[], grow: boolean): Int32Array {
    const names = this.encode === undefined ? tags : bioesOf(tags);
    const gold = new Int32Array(names.length);
    for (let t = 0; t < names.length; t += 1) {
      gold[t] = grow ? this.intern(names[t]!) : this.find(names[t]!);
    }
    return gold;
  }

  /** Reported tags, without duplicates. */
  get tags(): readonly string[] {
    const { states } = this;
    if (this.encode !== undefined) return [...new Set(this.#reported)];
    return states === 1 ? this.#names : this.#names.filter((_, y) => y % states === 0);
  }

  /** Number of parameter columns. */
  get columns(): number {
    return this.made?.names.length ?? this.#names.length;
  }

  /** Unique column names: `B-PER#2` is the second state of `B-PER`, `DT|` belongs to the first layer. */
  get columnNames(): readonly string[] {
    if (this.made !== undefined) return this.made.names;
    return this.states === 1 ? this.#names : this.#names.map((_, y) => this.stateName(y));
  }

  /** Returns the name of a column. */
  columnName(column: number): string {
    return this.made?.names[column] ?? this.stateName(column);
  }

  /** Returns the number of a label (that of its first state), or -1 if it is unknown. */
  find(name: string): number {
    return this.#numbers.get(name) ?? -1;
  }

  /** Returns the number of a label, adding it if it is new. */
  intern(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (this.encode !== undefined) return this.#internAll(name);
    if (!(this.made instanceof CodeColumns)) this.made?.add(name);
    const first = this.#names.length;
    this.#numbers.set(name, first);
    for (let state = 0; state < this.states; state += 1) this.#names.push(name);
    return first;
  }

  /**
   * Also adds all other labels of the span type, because records may constrain tokens to any tag
   * that is reported for them.
   */
  #internAll(name: string): number {
    for (const sibling of siblings(name)) {
      this.#numbers.set(sibling, this.#names.length);
      this.#names.push(sibling);
      this.#reported.push(reportedTag(sibling));
    }
    return this.#numbers.get(name)!;
  }

  /** Forgets the labels from number `size` on. */
  truncate(size: number): void {
    for (const name of this.#names.splice(size)) this.#numbers.delete(name);
    this.#reported.splice(size);
    if (!(this.made instanceof CodeColumns)) this.made?.truncate(size);
  }

  name(number: number): string {
    return this.#names[number]!;
  }

  /** Returns the name of a state, or that of its label without hidden states. */
  stateName(number: number): string {
    const { states } = this;
    const name = this.#names[number]!;
    return states === 1 ? name : name + stateSuffix(number % states);
  }
}

/**
 * Returns the suffix of a state's name, given its number from 0: digits only, so that names are
 * unique.
 */
function stateSuffix(state: number): string {
  return `#${state + 1}`;
}

/** Labels for a position in a span. In schemes without E and S, the first or an inside token may also be the last. */
const finer: Readonly<Record<string, string>> = {
  ...{ B: 'BS', I: 'IE', M: 'I' },
  ...{ E: 'E', L: 'E', S: 'S', U: 'S', W: 'S' },
};

const spanTag = /^(?:O|[BIESLUMW](?:-.+)?)$/s;

/**
 * Returns all labels of a label's span type: a model that knows one of them knows all.
 *
 * @example
 * siblings('E-X') // => ['B-X', 'I-X', 'E-X', 'S-X']
 * siblings('O') // => ['O']
 */
export function siblings(label: string): string[] {
  return label === 'O' ? ['O'] : [...'BIES'].map(letter => letter + label.slice(1));
}

/**
 * Returns the BIO tag reported for a label: B also starts spans of one token, and I also ends spans.
 *
 * @example
 * ['S-X', 'E-X', 'B-X', 'O'].map(reportedTag) // => ['B-X', 'I-X', 'B-X', 'O']
 */
export function reportedTag(label: string): string {
  if (label[0] === 'S') return `B${label.slice(1)}`;
  return label[0] === 'E' ? `I${label.slice(1)}` : label;
}

/**
 * Returns the labels of a sentence with tags in any scheme that marks spans.
 *
 * @throws TagstreamError `unknown-label` for a tag that does not mark a span
 */
export function bioesOf(tags: readonly string[]): string[] {
  for (const tag of tags) requireSpanTag(tag);
  return convertTags(tags, 'BIOES');
}

/**
 * Returns the labels allowed by partially known tags: all that are reported as one of them.
 *
 * @throws TagstreamError `unknown-label` for a tag that does not mark a span
 * @example
 * partialBioes(['B-X', null, ['O', 'I-X']]) // => [['B-X', 'S-X'], null, ['O', 'I-X', 'E-X']]
 */
export function partialBioes(tags: readonly PartialTag[]): PartialTag[] {
  return tags.map(tag => (tag === null ? null : [tag].flat().flatMap(labelsOf)));
}

/** Returns the labels reported as a tag, and the tag itself if it is one of them. */
export function labelsOf(tag: string): string[] {
  requireSpanTag(tag);
  if (tag === 'O') return [tag];
  return [...finer[tag[0]!]!].map(letter => letter + tag.slice(1));
}

function requireSpanTag(tag: string): void {
  if (spanTag.test(tag)) return;
  throw new TagstreamError('unknown-label', `encode: bioes, but the tag "${tag}" marks no span`, {
    fix: 'use the tags O, B-X and I-X, or leave encode out',
  });
}
