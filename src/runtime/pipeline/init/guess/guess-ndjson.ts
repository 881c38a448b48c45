import { TagstreamError } from '../../../../engine/core/errors.js';
import { formOptions } from '../../../../engine/text/tags/tag-form.js';
import {
  type ColumnLook,
  featureColumns,
  type Guess,
  type Hints,
  lookAtColumn,
  shownValues,
  tagRank,
} from './column-look.js';
import { type LabelNames, labelNamesBeside } from './label-names.js';
import { notLabelled, withoutLabels } from './not-labelled.js';

const labelled = 'a labelled record is {"tokens": [...], "tags": [...]}, one tag per token';

interface LooseRecord {
  readonly [field: string]: unknown;
  readonly text?: unknown;
  readonly spans?: unknown;
  readonly tokens?: unknown;
  readonly tags?: unknown;
  readonly columns?: unknown;
}

/** Guesses the fields with the tokens and tags of NDJSON records, the names of numeric tags, and further columns. */
export function guessNdjson(lines: readonly string[], source: string, hints: Hints): Guess {
  const all = recordsOf(lines);
  const tokens = tokensField(all);
  const records =
    tokens === 'tokens'
      ? all.filter(record => Array.isArray(record.tokens))
      : all
          .filter(record => Array.isArray(record[tokens]))
          .map(record => ({ ...record, tokens: record[tokens] }));
  if (records.length === 0) throw withoutTokens(all, source);
  const names = [...new Set(records.flatMap(({ columns }) => Object.keys(objectOf(columns))))];
  const members = memberFields(records, tokens).filter(name => !names.includes(name));
  const looks = new Map<string, ColumnLook>();
  const numbered = new Map<string, LabelNames | undefined>();
  for (const name of ['', ...names, ...members]) {
    const values = records.map(record => valuesOf(record, name));
    const named = areNumbers(values)
      ? namesOfNumbers(name || 'tags', values, source, hints)
      : undefined;
    if (areNumbers(values)) numbered.set(name, named);
    const texts = values.flatMap(list => stringsOf(list, named?.labels));
    if (texts.length > 0) looks.set(name, lookAtColumn(texts));
  }
  for (const name of members) {
    if (!numbered.has(name) && name !== hints.tag && !readsAsTags(name, looks.get(name)))
      looks.delete(name);
  }
  const tag = tagColumn({ looks, numbered, tokens, source, hints, records });
  const complete = [...looks].filter(([name]) =>
    records.every(record => Array.isArray(valuesOf(record, name))),
  );
  const others = new Map(
    complete.filter(([name]) => name !== tag && name !== '' && names.includes(name)),
  );
  const shownName = (name: string) =>
    name === '' ? 'tags' : names.includes(name) ? `columns.${name}` : name;
  const reasons = [...looks].map(([name, look]) => {
    const numbers = numbered.get(name);
    const read = numbers === undefined ? '' : `numbers, named in ${numbers.where}: `;
    return `  ${shownName(name)}: ${read}${shownValues(look, name !== tag)}${name === tag ? '; used as the tags' : ''}`;
  });
  const labels = numbered.get(tag)?.labels;
  return {
    format: 'ndjson',
    options: {
      ...(tokens === 'tokens' ? {} : { tokens }),
      ...(tag === '' ? {} : { tag }),
      ...(labels === undefined ? {} : { labels }),
      ...looks.get(tag)?.form,
    },
    columns: featureColumns(others),
    reasons: [`lines of JSON with tokens${tokens === 'tokens' ? '' : ` in ${tokens}`}`, ...reasons],
    warnings: [],
  };
}

export interface NeededOptions {
  /** Whether only tokens are needed. */
  readonly untagged: boolean;
  /** Receives the error about numeric tags without names, which are ignored. */
  readonly onNameless?: ((error: TagstreamError) => void) | undefined;
}

/**
 * Returns the options needed to read NDJSON records completely: none if the tokens are in `tokens`, and the tags in
 * `tags` or a column.
 */
export function neededFields(
  lines: readonly string[],
  source: string,
  hints: Hints,
  { untagged, onNameless }: NeededOptions,
): Guess['options'] {
  const records = recordsOf(lines);
  const tokens = tokensField(records);
  const own = tokens === 'tokens' ? {} : { tokens };
  if (untagged || records.every(record => record[tokens] === undefined)) return own;
  try {
    const { options } = guessNdjson(lines, source, hints);
    const { tag, labels } = options;
    if (formOptions(options) !== '') return options;
    const isColumn = records.some(({ columns }) => Object.hasOwn(objectOf(columns), String(tag)));
    return isColumn && labels === undefined ? own : options;
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
    if (thrown.problem.includes('they have no names')) onNameless?.(thrown);
    return own;
  }
}

/** Usual names of the member with the tokens. */
const tokensNames = ['tokens', 'words', 'token', 'word', 'forms', 'form', 'sentence', 'text'];

/** Returns the member with the tokens: it contains lists of texts in most records that have lists. */
function tokensField(records: readonly LooseRecord[]): string {
  const areTexts = (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every(item => typeof item === 'string');
  const has = (name: string) => records.some(record => areTexts(record[name]));
  const isUsed = (name: string) =>
    records.some(
      record =>
        areTexts(record[name]) && (name === 'tokens' || memberFields([record], name).length > 0),
    );
  return tokensNames.find(name => has(name) && isUsed(name)) ?? 'tokens';
}

/**
 * Returns the members that have as many items as tokens in each record that contains them, either all texts or all
 * integers.
 */
function memberFields(records: readonly LooseRecord[], tokens: string): readonly string[] {
  const known = new Set([tokens, 'tokens', 'tags', 'gold', 'offsets', 'sentences', 'columns']);
  const fields = [...new Set(records.flatMap(record => Object.keys(record)))];
  return fields.filter(
    name =>
      !known.has(name) &&
      records.some(record => Array.isArray(record[name])) &&
      records.every(record => {
        const values = record[name];
        if (values === undefined || values === null) return true;
        const list = record[tokens];
        if (!Array.isArray(values) || !Array.isArray(list) || values.length !== list.length) {
          return false;
        }
        return values.every(value => typeof value === 'string') || values.every(Number.isInteger);
      }),
  );
}

/** Returns whether the contents or the name of a member that no option names look like tags. */
function readsAsTags(name: string, look: ColumnLook | undefined): boolean {
  return look?.kind === 'spans' || look?.kind === 'upos' || tagName.test(name);
}

const tagName =
  /(?:^|_)(?:tags?|labels?|ner|pos|upos|xpos|chunks?|bio|iob|entities|classes)(?:_|$)/i;

function areNumbers(values: readonly unknown[]): boolean {
  const items = values.flatMap(list => (Array.isArray(list) ? list : []));
  return items.length > 0 && items.every(item => Number.isInteger(item) && item >= 0);
}

/**
 * Returns the complete names of numeric labels: as given, from the file, or from a file next to it.
 */
function namesOfNumbers(
  field: string,
  values: readonly unknown[],
  source: string,
  { labels, namesOf }: Hints,
): LabelNames | undefined {
  let most = 0;
  for (const value of values.flat() as readonly number[]) most = Math.max(most, value);
  const fits = (names: readonly string[] | undefined) => names !== undefined && names.length > most;
  if (labels !== undefined) return fits(labels) ? { labels, where: 'what was given' } : undefined;
  const own = namesOf?.(field);
  if (own !== undefined && fits(own)) return { labels: own, where: 'the file' };
  const beside = labelNamesBeside(source, field);
  return fits(beside?.labels) ? beside : undefined;
}

interface FoundFields {
  readonly looks: ReadonlyMap<string, ColumnLook>;
  /** Fields with numbers, and the names of the numbers. */
  readonly numbered: ReadonlyMap<string, LabelNames | undefined>;
  /** Field with the tokens. */
  readonly tokens: string;
  readonly source: string;
  readonly hints: Hints;
  readonly records: readonly LooseRecord[];
}

/**
 * Returns the field `tags` if there is one and the task does not need another, else the best column; '' means the
 * field.
 */
function tagColumn({ looks, numbered, tokens, source, hints, records }: FoundFields): string {
  const named = hints.tag === 'tags' ? '' : hints.tag;
  if (named !== undefined) {
    if (looks.has(named)) return named;
    if (numbered.has(named)) throw withoutNames(named, records, { source, hints });
    const known = [...looks.keys()].map(name => name || 'tags').join(', ');
    throw notLabelled(`no record has a column ${named}`, source, { fix: `there are: ${known}` });
  }
  const ranked = [...looks]
    .map(([name, look]) => ({ name, rank: tagRank(look, hints.task) - oddness(name, look) }))
    .reverse()
    .sort((a, b) => b.rank - a.rank);
  const field = ranked.find(({ name }) => name === '');
  if (field !== undefined && (hints.task === undefined || field.rank >= ranked[0]!.rank)) return '';
  const best = ranked[0];
  const nameless = [...numbered].filter(
    ([name, names]) => names === undefined && tagName.test(name || 'tags'),
  );
  if (
    nameless.length > 0 &&
    (best === undefined || best.rank < 3 || nameless.some(([name]) => name === ''))
  ) {
    throw withoutNames(nameless.at(-1)![0], records, { source, hints });
  }
  if (best === undefined || best.rank < 2) throw withoutTags(records, source, tokens);
  return best.name;
}

/**
 * Returns 1 for spans with a name of parts of speech, else 0: given label names would also fit the numbers of parts of
 * speech.
 */
function oddness(name: string, { kind }: ColumnLook): number {
  return kind === 'spans' && /(?:^|[^a-z])[ux]?pos(?:[^a-z]|$)/i.test(name) ? 1 : 0;
}

/** Returns the error about tags that are numbers, with ways to name them. */
function withoutNames(
  name: string,
  records: readonly LooseRecord[],
  { source, hints }: Pick<FoundFields, 'source' | 'hints'>,
): TagstreamError {
  let most = 0;
  for (const record of records) {
    for (const value of (valuesOf(record, name) ?? []) as readonly number[])
      most = Math.max(most, value);
  }
  const given =
    hints.labels === undefined
      ? 'and they have no names'
      : `and --labels names ${hints.labels.length}`;
  return notLabelled(`${name || 'tags'} holds numbers, 0 to ${most}, ${given}`, source, {
    fix: `name them in order from 0: --labels O,B-PER,I-PER for 0 to 2; or put the dataset_info.json of the data set next to the file`,
  });
}

/**
 * Returns the error about records without tokens: either texts, which can be labelled, or something else, with the
 * names of its fields.
 */
function withoutTokens(records: readonly LooseRecord[], source: string): TagstreamError {
  const texts = records.filter(({ text }) => typeof text === 'string');
  const lists = texts.flatMap(({ spans }) => (Array.isArray(spans) ? spans : []));
  const list = lists.find(span => Array.isArray(span));
  if (list !== undefined) throw spansAsLists(list, source);
  if (texts.length > 0 && texts.length * 2 > records.length) return withoutLabels('texts', source);
  const fields = fieldsOf(records);
  const there = fields.length === 0 ? '' : `; their fields are ${fields.join(', ')}`;
  return notLabelled(`no record has tokens${there}`, source, { fix: labelled });
}

/** Returns the error about spans that are not objects, such as `[0, 4, "PER"]`. */
function spansAsLists(span: readonly unknown[], source: string): TagstreamError {
  const [start, end, label] = span;
  const isAsDoccano = Number.isInteger(start) && Number.isInteger(end) && typeof label === 'string';
  const renamed =
    ', or rename spans to label: doccano has lists there, with offsets in code points';
  return notLabelled(`a span is a list, ${cut(JSON.stringify(span))}`, source, {
    fix: `write {"start": 0, "end": 4, "label": "PER"}, offsets in UTF-16 units${isAsDoccano ? renamed : ''}`,
  });
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

/**
 * Returns the error about tokens without tags, with the fields that could be tags, because they are as long as the
 * tokens in each record.
 */
function withoutTags(
  records: readonly LooseRecord[],
  source: string,
  tokens: string,
): TagstreamError {
  const isAsLong = (values: unknown, { tokens }: LooseRecord) =>
    Array.isArray(values) && values.length === (tokens as unknown[]).length;
  const field = fieldsOf(records).find(
    name =>
      name !== tokens &&
      name !== 'tokens' &&
      records.every(record => isAsLong(record[name], record)),
  );
  if (field === undefined) return withoutLabels('tokens', source);
  return notLabelled('no record has tags', source, {
    fix: `if they are in ${field}, name it: --tag ${field}`,
  });
}

function fieldsOf(records: readonly LooseRecord[]): string[] {
  return [...new Set(records.flatMap(record => Object.keys(record)))].slice(0, 12);
}

function recordsOf(lines: readonly string[]): LooseRecord[] {
  return lines.flatMap(line => {
    try {
      return [objectOf(JSON.parse(line))];
    } catch {
      // The codec reports unreadable lines with their position.
      return [];
    }
  });
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function valuesOf(record: LooseRecord, name: string): unknown {
  if (name === '') return record.tags;
  const columns = objectOf(record.columns);
  return Object.hasOwn(columns, name) ? columns[name] : record[name];
}

function stringsOf(values: unknown, labels?: readonly string[]): string[] {
  if (!Array.isArray(values)) return [];
  return values
    .map(value => (typeof value === 'number' ? labels?.[value] : value))
    .filter(value => typeof value === 'string');
}
