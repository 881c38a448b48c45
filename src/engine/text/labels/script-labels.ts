import { applyParsed, editScript, type ParsedScript, parseScript } from './edit-script.js';
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
import { lowerCase } from './letter-case.js';

/**
 * Common label of words whose script no other word has: the dictionary knows their lemma, and the
 * script says nothing about other words.
 */
const rare = '?';

/** Maximum number of words with tags in a dictionary; the most frequent ones are kept. */
const mostWords = 200_000;

/** Number of labels that are compared for an unknown word. */
const compared = 12;

/** Factor for the probability of a lemma that occurs with this tag in the training data. */
const knownTimes = Math.exp(4);

/** Words of one tag with the same scripts, the most frequent script first: `[tag, scripts, forms]`. */
type StoredGroup = readonly [number, readonly number[], StoredForms];

/** Codec data in a model file. */
interface StoredScripts {
  readonly decompose: boolean;
  /** Scripts of single words, which share a common label. */
  readonly rare: readonly number[];
  readonly scripts: readonly string[];
  readonly tags: readonly (string | null)[];
  readonly words: readonly StoredGroup[];
}

/** Lemmas of a form with a tag. */
interface Entry {
  /** Script numbers, the most frequent first. */
  readonly scripts: readonly number[];
  /** Results of applying the scripts to the form; undefined until the form is looked up. */
  readonly lemmas: readonly string[] | undefined;
}

/** Dictionary of the words with one tag. */
interface TagWords {
  /** Forms whose lemmas are not yet known share the entry of their group. */
  readonly entries: Map<string, Entry>;
  /** All lemmas; built on demand. */
  lemmas: Set<string> | undefined;
}

const noWords: TagWords = { entries: new Map(), lemmas: new Set() };

/**
 * Lemmatizes with edit scripts, after looking up words in a dictionary from the training data.
 *
 * A form seen with its tag in training gets one of its lemmas in the training data: that of the
 * label if it is among them, otherwise the most frequent one. Other forms are looked up in lower
 * case, and if that fails, the label's script is applied. A script that does not fit the form, or a
 * label that is not a script, leaves the form unchanged.
 */
class ScriptCodec implements LabelCodec {
  readonly name = 'script';
  readonly #stored: StoredScripts;
  /** Words by tag; built on the first lookup of a tag. */
  readonly #words = new Map<string | undefined, TagWords>();
  #groups: ReadonlyMap<string | undefined, readonly StoredGroup[]> | undefined;
  readonly #scripts: readonly ParsedScript[];
  readonly #parsed = new Map<string, ParsedScript | undefined>();
  readonly #rare: ReadonlySet<string>;

  /** @param scripts parsed scripts of `stored` */
  constructor(stored: StoredScripts, scripts: readonly ParsedScript[]) {
    this.#stored = stored;
    this.#scripts = scripts;
    this.#rare = new Set(stored.rare.map(number => stored.scripts[number]!));
  }

  encode({ form, tag }: ColumnToken, value: string): string | undefined {
    if (isNone(form, value)) return undefined;
    const script = editScript(form, value, { decompose: this.#stored.decompose });
    return this.#rare.has(script) && this.#find(form, tag)?.scripts.length === 1 ? rare : script;
  }

  decode({ form, tag }: ColumnToken, label: string): string {
    const found = this.#known(form, tag);
    if (found !== undefined && found.length === 1) return found[0]!;
    const lemma = this.#apply(form, label);
    if (found === undefined) return lemma ?? form;
    return lemma !== undefined && found.includes(lemma) ? lemma : found[0]!;
  }

  choose(
    token: ColumnToken,
    labels: readonly string[],
    probabilities: ArrayLike<number>,
    start: number,
  ): string {
    const { form, tag } = token;
    const best = largest(probabilities, start, labels.length, compared);
    if (this.#known(form, tag) !== undefined) return this.decode(token, labels[best[0]!] ?? rare);
    const known = this.#lemmasOf(tag);
    const scores = new Map<string, number>();
    for (const number of best) {
      const label = labels[number]!;
      const lemma = this.#apply(form, label);
      if (lemma === undefined) continue;
      // A script that contains the whole lemma is no evidence for it.
      const counts = known.has(lemma) && this.#parsed.get(label)?.whole === undefined;
      const score = probabilities[start + number]! * (counts ? knownTimes : 1);
      scores.set(lemma, (scores.get(lemma) ?? 0) + score);
    }
    let chosen = form;
    let most = 0;
    for (const [lemma, score] of scores) {
      if (score <= most) continue;
      most = score;
      chosen = lemma;
    }
    return chosen;
  }

  settled({ form, tag }: ColumnToken): string | undefined {
    const found = this.#known(form, tag);
    return found?.length === 1 ? found[0] : undefined;
  }

  toJSON(): object {
    return this.#stored;
  }

  #find(form: string, tag: string | undefined): Entry | undefined {
    return this.#wordsOf(tag).entries.get(form);
  }

  #wordsOf(tag: string | undefined): TagWords {
    let words = this.#words.get(tag);
    if (words !== undefined) return words;
    if (!this.#stored.tags.includes(tag ?? null)) return noWords;
    words = { entries: new Map(), lemmas: undefined };
    for (const [, scripts, forms] of this.#groupsOf(tag)) {
      const entry: Entry = { scripts, lemmas: undefined };
      for (const form of formsOf(forms)) {
        if (!words.entries.has(form)) words.entries.set(form, entry);
      }
    }
    this.#words.set(tag, words);
    return words;
  }

  /** Returns the groups of words with a tag. */
  #groupsOf(tag: string | undefined): readonly StoredGroup[] {
    this.#groups ??= groupsByTag(this.#stored);
    return this.#groups.get(tag) ?? [];
  }

  /**
   * Returns the lemmas of a form with a tag, the most frequent first; those of the lower-case form
   * if the form has none.
   */
  #known(form: string, tag: string | undefined): readonly string[] | undefined {
    const { entries } = this.#wordsOf(tag);
    const entry = entries.get(form);
    if (entry !== undefined) return this.#lemmas(form, entry, entries);
    const lower = lowerCase(form);
    const other = lower === form ? undefined : entries.get(lower);
    return other === undefined ? undefined : this.#lemmas(lower, other, entries);
  }

  #lemmas(form: string, entry: Entry, entries: Map<string, Entry>): readonly string[] {
    if (entry.lemmas !== undefined) return entry.lemmas;
    const { scripts } = entry;
    const lemmas = this.#applyAll(form, scripts);
    entries.set(form, { scripts, lemmas });
    return lemmas;
  }

  #applyAll(form: string, scripts: readonly number[]): string[] {
    return scripts.map(number => applyParsed(form, this.#scripts[number]!) ?? form);
  }

  /** Returns all lemmas of words with a tag. */
  #lemmasOf(tag: string | undefined): ReadonlySet<string> {
    const words = this.#wordsOf(tag);
    if (words.lemmas !== undefined) return words.lemmas;
    const lemmas = new Set<string>();
    for (const [, scripts, forms] of this.#groupsOf(tag)) {
      for (const form of formsOf(forms))
        for (const lemma of this.#applyAll(form, scripts)) lemmas.add(lemma);
    }
    words.lemmas = lemmas;
    return lemmas;
  }

  #apply(form: string, label: string): string | undefined {
    let script = this.#parsed.get(label);
    if (script === undefined && !this.#parsed.has(label)) {
      script = parseScript(label);
      this.#parsed.set(label, script);
    }
    return script === undefined ? undefined : applyParsed(form, script);
  }
}

function groupsByTag({ tags, words }: StoredScripts): Map<string | undefined, StoredGroup[]> {
  const groups = new Map<string | undefined, StoredGroup[]>();
  const byNumber = tags.map(name => {
    const tag = name ?? undefined;
    const known = groups.get(tag) ?? [];
    groups.set(tag, known);
    return known;
  });
  for (const group of words) byNumber[group[0]]!.push(group);
  return groups;
}

/**
 * Returns the indices, from `start` on, of the largest `count` numbers in descending order; ties go
 * to the first.
 */
function largest(numbers: ArrayLike<number>, start: number, count: number, most: number): number[] {
  const found: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const number = numbers[start + i]!;
    if (found.length === most && number <= numbers[start + found.at(-1)!]!) continue;
    let at = found.length;
    while (at > 0 && numbers[start + found[at - 1]!]! < number) at -= 1;
    found.splice(at, 0, i);
    if (found.length > most) found.pop();
  }
  return found;
}

/** A form with a tag, and the count of each value. */
interface Word {
  readonly form: string;
  readonly tag: string | undefined;
  readonly values: Map<string, number>;
  count: number;
}

/**
 * Uses edit scripts as labels, for lemmas: words with the same inflection share a label, and words
 * of the training data are looked up.
 *
 * Letters are decomposed into letters and marks if that lowers the entropy of the training data's scripts, as in Greek, where
 * accents move.
 */
export const scriptLabels: LabelCodecKind = {
  name: 'script',
  learn(tokens: Iterable<ValuedToken>): LabelCodec {
    const words = countWords(tokens);
    const whole = scriptsOf(words, false);
    const apart = scriptsOf(words, true);
    const decompose = entropyOf(apart) < entropyOf(whole);
    const stored = storedScripts(words, decompose ? apart : whole, decompose);
    return new ScriptCodec(
      stored,
      stored.scripts.map(script => parseScript(script)!),
    );
  },
  read(stored: object): LabelCodec | undefined {
    if (!isStored(stored)) return undefined;
    const scripts = stored.scripts.map(parseScript);
    if (scripts.includes(undefined)) return undefined;
    return new ScriptCodec(stored, scripts as ParsedScript[]);
  },
};

/** Returns whether a value is CoNLL-U's mark for a missing value. */
function isNone(form: string, value: string): boolean {
  return value === '_' && form !== '_';
}

/**
 * Returns all words with their values, ordered by descending frequency, then by first occurrence.
 */
function countWords(tokens: Iterable<ValuedToken>): readonly Word[] {
  const byForm = new Map<string, Word[]>();
  const words: Word[] = [];
  for (const { form, tag, value } of tokens) {
    if (isNone(form, value)) continue;
    const own = byForm.get(form) ?? [];
    byForm.set(form, own);
    let word = own.find(each => each.tag === tag);
    if (word === undefined) {
      word = { form, tag, values: new Map(), count: 0 };
      own.push(word);
      words.push(word);
    }
    word.count += 1;
    word.values.set(value, (word.values.get(value) ?? 0) + 1);
  }
  return words.sort((a, b) => b.count - a.count).slice(0, mostWords);
}

/** Returns the scripts of each word, the most frequent first. */
function scriptsOf(words: readonly Word[], decompose: boolean): readonly (readonly string[])[] {
  return words.map(({ form, values }) =>
    [...values]
      .sort(([, a], [, b]) => b - a)
      .map(([value]) => editScript(form, value, { decompose })),
  );
}

function entropyOf(scripts: readonly (readonly string[])[]): number {
  const counts = new Map<string, number>();
  for (const own of scripts) for (const each of own) counts.set(each, (counts.get(each) ?? 0) + 1);
  let total = 0;
  for (const count of counts.values()) total += count;
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / total) * Math.log2(count / total);
  return entropy;
}

function storedScripts(
  words: readonly Word[],
  all: readonly (readonly string[])[],
  decompose: boolean,
): StoredScripts {
  const scripts = new Numbers<string>();
  const tags = new Numbers<string | null>();
  /** Lower-case forms of each script; a script with two of them is not rare. */
  const seenForms: Set<string>[] = [];
  const groups = new Map<string, [number, readonly number[], string[]]>();
  for (const [i, { form, tag }] of words.entries()) {
    const own = all[i]!.map(script => scripts.of(script));
    for (const number of own) {
      seenForms[number] ??= new Set();
      if (seenForms[number].size < 2) seenForms[number].add(lowerCase(form));
    }
    const number = tags.of(tag ?? null);
    const key = `${number}:${own}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [number, own, [form]]);
    else group[2].push(form);
  }
  return {
    decompose,
    rare: seenForms.flatMap((forms, number) => (forms.size === 1 ? [number] : [])),
    scripts: scripts.values,
    tags: tags.values,
    words: Array.from(groups.values(), ([tag, own, forms]) => [tag, own, storedForms(forms)]),
  };
}

function isStored(stored: object): stored is StoredScripts {
  const { decompose, rare, scripts, tags, words } = stored as Partial<StoredScripts>;
  if (typeof decompose !== 'boolean' || !areTexts(scripts) || !Array.isArray(tags)) return false;
  if (!tags.every(tag => tag === null || typeof tag === 'string')) return false;
  const areScripts = (numbers: unknown) => areIndices(numbers, scripts.length);
  if (!areScripts(rare) || !Array.isArray(words)) return false;
  return words.every(
    group =>
      Array.isArray(group) &&
      areIndices([group[0]], tags.length) &&
      areScripts(group[1]) &&
      group[1].length > 0 &&
      areForms(group[2]),
  );
}
