import { isRecord } from '../../../../engine/core/schema/is-record.js';
import type { Guess } from './column-look.js';

const names: Readonly<Record<string, string>> = {
  spans: 'texts with spans, offsets in UTF-16 units',
  doccano: 'records of doccano',
  spacy: 'records for spaCy',
  prodigy: 'records of Prodigy',
  'label-studio': 'tasks of Label Studio',
  brat: 'annotations of brat',
};

/**
 * Returns the annotation tool that wrote a JSON record; undefined if it is not a text with spans.
 *
 * @example
 * foreignNameOf({ text: 'Go, Ann', label: [[4, 7, 'PER']] }) // => 'doccano'
 * foreignNameOf({ text: 'Go, Ann', spans: [{ start: 4, end: 7, label: 'PER' }] }) // => 'spans'
 * foreignNameOf({ text: 'a', tokens: ['a'], spans: [] }) // => undefined
 */
export function foreignNameOf(record: unknown): string | undefined {
  if (Array.isArray(record)) {
    return typeof record[0] === 'string' && isRecord(record[1]) ? 'spacy' : undefined;
  }
  if (!isRecord(record)) return undefined;
  const {
    text,
    data,
    tokens,
    annotations,
    completions,
    label,
    labels,
    entities,
    ents,
    spans,
    answer,
  } = record;
  if (Array.isArray(record.paragraphs) && record.paragraphs.every(isParagraph)) return 'spacy';
  // Records of other programs may have data next to their text.
  const isTask = text === undefined && tokens === undefined && isRecord(data);
  if (isTask && (Array.isArray(annotations ?? completions) || annotations === undefined)) {
    return 'label-studio';
  }
  if (typeof text !== 'string') return undefined;
  const areObjects = (items: unknown) => Array.isArray(items) && items.every(isRecord);
  const areLists = (items: unknown) => Array.isArray(items) && items.every(Array.isArray);
  if (areObjects(label) && !areLists(label)) return 'label-studio';
  if (record.annotation_id !== undefined) return 'label-studio';
  const isTokenized = Array.isArray(tokens) && areObjects(tokens);
  if (answer !== undefined || (isTokenized && areObjects(spans))) return 'prodigy';
  if (areLists(label) || areLists(labels) || areOfUsers(annotations)) return 'doccano';
  if (areObjects(entities) && !areLists(entities)) return 'doccano';
  if (areLists(entities) || areObjects(ents)) return 'spacy';
  return tokens === undefined && areObjects(spans) ? 'spans' : undefined;
}

/** Returns the tool of the first line that shows it: texts alone may come before those with labels. */
export function foreignNameIn(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    try {
      const record = JSON.parse(line);
      const name = foreignNameOf(record);
      if (name !== undefined || !isTextAlone(record)) return name;
    } catch {
      // The codec reports unreadable lines with their position.
    }
  }
  return undefined;
}

function isTextAlone(record: unknown): boolean {
  return isRecord(record) && typeof record.text === 'string' && record.tokens === undefined;
}

/** Returns the guess for a file of an annotation tool. */
export function guessForeign(format: string): Guess {
  return {
    format,
    options: {},
    columns: [],
    reasons: [`${names[format]!}; spans become tags in BIO`],
    warnings: [],
  };
}

function isParagraph(paragraph: unknown): boolean {
  return isRecord(paragraph) && Array.isArray(paragraph.sentences);
}

function areOfUsers(annotations: unknown): boolean {
  return Array.isArray(annotations) && annotations[0]?.start_offset !== undefined;
}
