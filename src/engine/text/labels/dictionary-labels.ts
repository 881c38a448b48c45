import {
  areForms,
  areIndices,
  areTexts,
  type ColumnToken,
  formsOf,
  type LabelCodec,
  type LabelCodecKind,
  Numbers,
  type StoredForms,
  storedForms,
  type ValuedToken,
} from './label-codec.js';

/** Minimum number of occurrences of a word with a tag. */
const leastCount = 12;

/** Minimum share of its occurrences in which a word with a tag has the same value. */
const leastShare = 0.995;

/** Words with the same tag and the same value: `[tag, value, forms]`, tag and value as numbers. */
type StoredGroup = readonly [number, number, StoredForms];

/** Codec data in a model file. */
interface StoredDictionary {
  readonly tags: readonly (string | null)[];
  readonly values: readonly string[];
  readonly words: readonly StoredGroup[];
}

/** A form's value with a tag. */
interface SettledWord {
  readonly tag: string | undefined;
  readonly value: string;
}

/** Uses the values as labels, except for words in a dictionary from the training data, whose value is settled. */
class DictionaryCodec implements LabelCodec {
  readonly name = 'dictionary';
  readonly #stored: StoredDictionary;
  /** The tags of each form with their values; built on the first lookup. */
  #words: ReadonlyMap<string, readonly SettledWord[]> | undefined;

  constructor(stored: StoredDictionary) {
    this.#stored = stored;
  }

  encode(_: ColumnToken, value: string): string {
    return value;
  }

  decode(token: ColumnToken, label: string): string {
    return this.settled(token) ?? label;
  }

  settled({ form, tag }: ColumnToken): string | undefined {
    this.#words ??= wordsOf(this.#stored);
    const entries = this.#words.get(form);
    if (entries === undefined) return undefined;
    for (const entry of entries) if (entry.tag === tag) return entry.value;
    return undefined;
  }

  toJSON(): object {
    return this.#stored;
  }
}

function wordsOf({ tags, values, words }: StoredDictionary): Map<string, SettledWord[]> {
  const byForm = new Map<string, SettledWord[]>();
  for (const [number, value, forms] of words) {
    const entry = { tag: tags[number] ?? undefined, value: values[value]! };
    for (const form of formsOf(forms)) {
      const others = byForm.get(form);
      if (others === undefined) byForm.set(form, [entry]);
      else others.push(entry);
    }
  }
  return byForm;
}

/**
 * Uses the values themselves as labels, and looks up frequent words: a form that occurred at least twelve times with a tag,
 * and in 99.5 % of these cases with the same value, always has this value. The model then decides only about the other
 * words, with the looked-up values as context; in most languages these are less than half of all tokens.
 */
export const dictionaryLabels: LabelCodecKind = {
  name: 'dictionary',
  learn: tokens => new DictionaryCodec(storedDictionary(tokens)),
  read: stored => (isStored(stored) ? new DictionaryCodec(stored) : undefined),
};

function storedDictionary(tokens: Iterable<ValuedToken>): StoredDictionary {
  const counts = new Map<string | undefined, Map<string, Map<string, number>>>();
  for (const { form, tag, value } of tokens) {
    const forms = counts.get(tag) ?? new Map<string, Map<string, number>>();
    counts.set(tag, forms);
    const own = forms.get(form) ?? new Map<string, number>();
    forms.set(form, own);
    own.set(value, (own.get(value) ?? 0) + 1);
  }
  const tags = new Numbers<string | null>();
  const values = new Numbers<string>();
  const words: StoredGroup[] = [];
  for (const [tag, forms] of counts) {
    const groups = new Map<string, string[]>();
    for (const [form, own] of forms) {
      const value = settledValue(own);
      if (value === undefined) continue;
      const group = groups.get(value) ?? [];
      groups.set(value, group);
      group.push(form);
    }
    for (const [value, group] of groups) {
      words.push([tags.of(tag ?? null), values.of(value), storedForms(group)]);
    }
  }
  return { tags: tags.values, values: values.values, words };
}

/** Returns the value of a word that occurs often enough, practically always with that value. */
function settledValue(counts: ReadonlyMap<string, number>): string | undefined {
  let total = 0;
  let most = 0;
  let best = '';
  for (const [value, count] of counts) {
    total += count;
    if (count <= most) continue;
    most = count;
    best = value;
  }
  return total >= leastCount && most >= leastShare * total ? best : undefined;
}

function isStored(stored: object): stored is StoredDictionary {
  const { tags, values, words } = stored as Partial<StoredDictionary>;
  return (
    Array.isArray(tags) &&
    tags.every(tag => tag === null || typeof tag === 'string') &&
    areTexts(values) &&
    Array.isArray(words) &&
    words.every(
      group =>
        Array.isArray(group) &&
        areIndices([group[0]], tags.length) &&
        areIndices([group[1]], values.length) &&
        areForms(group[2]),
    )
  );
}
