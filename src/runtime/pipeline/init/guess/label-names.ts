import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { readText } from '../../../../formats/reading/read-text.js';

/** Names of numbered labels, and where they were found. */
export interface LabelNames {
  readonly labels: readonly string[];
  readonly where: string;
}

/** Files with label names that are often stored next to records, for example in data sets from Hugging Face. */
const files = [
  ...['dataset_info.json', 'dataset_infos.json', 'README.md', 'features.json'],
  ...['label.json', 'labels.json', 'label2id.json', 'id2label.json', 'config.json', 'labels.txt'],
];

/**
 * Returns the names of the numbers in a field, from the description of a class label in its `names`.
 *
 * @param description parsed JSON or YAML
 * @example
 * const type = { feature: { names: ['O', 'B-PER'], _type: 'ClassLabel' }, _type: 'Sequence' };
 * labelNamesOf([{ name: 'ner_tags', type }], 'ner_tags') // => ['O', 'B-PER']
 * labelNamesOf({ features: { ner_tags: { feature: { names: ['O'] } } } }, 'ner_tags') // => ['O']
 */
export function labelNamesOf(description: unknown, field: string): readonly string[] | undefined {
  if (typeof description !== 'object' || description === null) return undefined;
  const members = description as Readonly<Record<string, unknown>>;
  const own =
    members.name === field ? members : Array.isArray(members) ? undefined : members[field];
  const found = own === undefined ? undefined : namesWithin(own);
  if (found !== undefined) return found;
  for (const value of Object.values(members)) {
    const inner = labelNamesOf(value, field);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function namesWithin(value: unknown): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { names } = value as Readonly<Record<string, unknown>>;
  const found = names === undefined ? undefined : listOfNames(names);
  if (found !== undefined) return found;
  for (const inner of Object.values(value)) {
    const within = namesWithin(inner);
    if (within !== undefined) return within;
  }
  return undefined;
}

/** Returns the names from a list, an object with names by number, or one with numbers by name. */
function listOfNames(value: unknown): readonly string[] | undefined {
  if (Array.isArray(value)) {
    const areNames =
      value.length > 0 && value.every(name => typeof name === 'string' && name !== '');
    return areNames ? value : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const pairs = Object.entries(value).map(([key, item]): readonly [unknown, unknown] =>
    typeof item === 'number' ? [item, key] : [Number(key), item],
  );
  const list = pairs.toSorted(([a], [b]) => Number(a) - Number(b));
  return list.every(([number], i) => number === i)
    ? listOfNames(list.map(([, name]) => name))
    : undefined;
}

/**
 * Returns the names of the numbers in a field, from a file next to the records; undefined if no file
 * has them.
 *
 * @param source the file with the records
 */
export function labelNamesBeside(source: string, field: string): LabelNames | undefined {
  for (const name of files) {
    const path = join(dirname(source), name);
    if (name === basename(source) || !existsSync(path)) continue;
    const labels = namesInFile(path, field);
    if (labels !== undefined) return { labels, where: path };
  }
  return undefined;
}

function namesInFile(path: string, field: string): readonly string[] | undefined {
  try {
    const text = readText(path);
    if (path.endsWith('.txt')) {
      return listOfNames(text.split(/\r?\n/).filter(line => line.trim() !== ''));
    }
    const description: unknown = path.endsWith('.md')
      ? parse(/^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '')
      : JSON.parse(text);
    return labelNamesOf(description, field) ?? namesOfModel(description);
  } catch {
    // A file with that name may have any contents.
    return undefined;
  }
}

/** Returns the label names from a model's configuration, or from a file that contains nothing else. */
function namesOfModel(description: unknown): readonly string[] | undefined {
  if (typeof description !== 'object' || description === null) return undefined;
  const { id2label, label2id } = description as Readonly<Record<string, unknown>>;
  return listOfNames(id2label ?? label2id ?? description);
}
