import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { isBlankLabel } from '../../core/sentence/partial-tag.js';
import type { LabelSet } from './label-set.js';

/** Words with their allowed tags. */
export type DictionaryEntries = readonly (readonly [word: string, tags: readonly string[]])[];

/**
 * The allowed labels of some words; all other words may have any label.
 *
 * @example
 * const labels = new LabelSet(['DET', 'NOUN']);
 * const dictionary = TagDictionary.of([['the', ['DET']]], labels);
 * Array.from(dictionary.allowed('the')) // => [1, 0]
 * dictionary.allowed('dog') // => undefined
 */
export class TagDictionary {
  /** For each word, a mask with 1 for each label that it may have. */
  readonly #allowed: ReadonlyMap<string, Uint8Array>;

  constructor(
    words: Iterable<readonly [word: string, labels: Iterable<number>]>,
    labels: Pick<LabelSet, 'size' | 'states'>,
  ) {
    requireArgument('TagDictionary: the words', words, kinds.iterable);
    requireArgument('TagDictionary: the labels', labels, kinds.labels);
    const { size, states } = labels;
    const allowed = new Map<string, Uint8Array>();
    for (const [word, numbers] of words) {
      const mask = new Uint8Array(size);
      for (const y of numbers) mask.fill(1, y, y + states);
      allowed.set(word, mask);
    }
    this.#allowed = allowed;
  }

  /**
   * Creates a dictionary, skipping tags that are not labels, and words without other tags.
   *
   * @throws TagstreamError `config` if nothing is left
   */
  static of(entries: DictionaryEntries, labels: LabelSet): TagDictionary {
    const words = entries
      .map(([word, tags]) => [word, tags.flatMap(tag => labels.numbersOf(tag))] as const)
      .filter(([, numbers]) => numbers.length > 0);
    if (words.length === 0 && entries.length > 0) {
      throw new TagstreamError('config', 'no tag of the dictionary is a label of the model', {
        fix: `the labels are ${labels.tags.slice(0, 5).join(', ')}, ...`,
      });
    }
    return new TagDictionary(words, labels);
  }

  get size(): number {
    return this.#allowed.size;
  }

  /**
   * Returns 1 for each label that a word may have; undefined if the word is not in the dictionary.
   */
  allowed(word: string): Uint8Array | undefined {
    return this.#allowed.get(word);
  }
}

/**
 * Parses the entries of a dictionary file: lines `word TAB tag tag ...`, or JSON `{"word": "...", "tags": [...]}`.
 *
 * A repeated word gets the tags of all its lines. Blank lines are skipped.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `config` for a line in neither format
 * @example
 * parseDictionary('the\tDET\nback\tADV NOUN\n{"word": "New York", "tags": ["PROPN"]}')
 * // => [['the', ['DET']], ['back', ['ADV', 'NOUN']], ['New York', ['PROPN']]]
 */
export function parseDictionary(text: string, source = '<dictionary>'): DictionaryEntries {
  requireArgument('parseDictionary: the dictionary', text, kinds.text);
  const words = new Map<string, string[]>();
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const entry = line.includes('\t') ? rowOf(line) : objectOf(line);
    if (entry === undefined) {
      throw new TagstreamError('config', 'the line is not a word with its tags', {
        place: { source, line: i + 1 },
        fix: 'write word TAB tag tag ..., or {"word": "...", "tags": ["..."]}',
      });
    }
    const tags = words.get(entry.word) ?? [];
    words.set(entry.word, [...tags, ...entry.tags]);
  }
  return [...words];
}

interface Entry {
  readonly word: string;
  readonly tags: readonly string[];
}

function rowOf(line: string): Entry | undefined {
  const at = line.indexOf('\t');
  const tags = line.slice(at + 1).match(/[^\t ]+/g);
  return at === 0 || tags === null ? undefined : { word: line.slice(0, at), tags };
}

function objectOf(line: string): Entry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { word, tags } = (value ?? {}) as Record<string, unknown>;
  const isEntry =
    typeof word === 'string' &&
    Array.isArray(tags) &&
    tags.length > 0 &&
    tags.every(tag => typeof tag === 'string' && !isBlankLabel(tag));
  return isEntry ? { word, tags } : undefined;
}
