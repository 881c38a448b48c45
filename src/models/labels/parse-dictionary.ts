import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { DictionaryEntries } from './tag-dictionary.js';

/**
 * The entries of a dictionary file: lines `word TAB tag tag ...`, or JSON `{"word": "...", "tags": [...]}`.
 *
 * A repeated word has the tags of all its lines. Blank lines are skipped.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `config` at a line that is neither
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
      throw new TagstreamError('config', 'this is not a word with its tags', {
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
    tags.every(tag => typeof tag === 'string');
  return isEntry ? { word, tags } : undefined;
}
