import type { TagstreamError } from '../../../core/errors.js';
import { type ColumnLook, lookAtColumn } from './column-look.js';
import { featureColumns } from './feature-columns.js';
import type { Guess, Hints } from './guess.js';
import { notLabelled } from './not-labelled.js';
import { withoutLabels } from './plain-text.js';
import { shownValues } from './shown-values.js';
import { tagRank } from './tag-rank.js';

const labelled = 'a labelled record is {"tokens": [...], "tags": [...]}, one tag per token';

interface LooseRecord {
  readonly [field: string]: unknown;
  readonly text?: unknown;
  readonly spans?: unknown;
  readonly tokens?: unknown;
  readonly tags?: unknown;
  readonly columns?: unknown;
}

/** Where the tags of NDJSON records are, and what further columns they have. */
export function guessNdjson(lines: readonly string[], source: string, hints: Hints): Guess {
  const all = recordsOf(lines);
  const records = all.filter(({ tokens }) => Array.isArray(tokens));
  if (records.length === 0) throw withoutTokens(all, source);
  const names = [...new Set(records.flatMap(({ columns }) => Object.keys(objectOf(columns))))];
  const looks = new Map<string, ColumnLook>();
  for (const name of ['', ...names]) {
    const values = records.flatMap(record => stringsOf(valuesOf(record, name)));
    if (values.length > 0) looks.set(name, lookAtColumn(values));
  }
  const tag = tagColumn(looks, source, hints, records);
  const complete = [...looks].filter(([name]) =>
    records.every(record => Array.isArray(valuesOf(record, name))),
  );
  const others = new Map(complete.filter(([name]) => name !== tag && name !== ''));
  const reasons = [...looks].map(([name, look]) => {
    const shown = name === '' ? 'tags' : `columns.${name}`;
    return `  ${shown}: ${shownValues(look, name !== tag)}${name === tag ? '; used as the tags' : ''}`;
  });
  return {
    format: 'ndjson',
    options: tag === '' ? {} : { tag },
    columns: featureColumns(others),
    reasons: ['lines of JSON with tokens', ...reasons],
    warnings: [],
  };
}

/** The field `tags` if there is one and the task does not ask for another, else the best column; '' is the field. */
function tagColumn(
  looks: ReadonlyMap<string, ColumnLook>,
  source: string,
  hints: Hints,
  records: readonly LooseRecord[],
): string {
  const named = hints.tag === 'tags' ? '' : hints.tag;
  if (named !== undefined) {
    if (looks.has(named)) return named;
    const known = [...looks.keys()].map(name => name || 'tags').join(', ');
    throw notLabelled(`no record has a column ${named}`, source, { fix: `there are: ${known}` });
  }
  const ranked = [...looks]
    .map(([name, look]) => ({ name, rank: tagRank(look, hints.task) }))
    .sort((a, b) => b.rank - a.rank);
  const field = ranked.find(({ name }) => name === '');
  if (field !== undefined && (hints.task === undefined || field.rank >= ranked[0]!.rank)) return '';
  if (ranked[0] === undefined || ranked[0].rank < 2) throw withoutTags(records, source);
  return ranked[0].name;
}

/** The error of records without tokens: texts, which can be labelled, or something else, with the names of its fields. */
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

/** The error of spans that are no objects, as `[0, 4, "PER"]`. */
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

/** The error of tokens without tags, with the fields that could be them: as long as the tokens in each record. */
function withoutTags(records: readonly LooseRecord[], source: string): TagstreamError {
  const isAsLong = (values: unknown, { tokens }: LooseRecord) =>
    Array.isArray(values) && values.length === (tokens as unknown[]).length;
  const field = fieldsOf(records).find(
    name => name !== 'tokens' && records.every(record => isAsLong(record[name], record)),
  );
  if (field === undefined) return withoutLabels('tokens', source);
  const areNumbers = records.every(record =>
    (record[field] as unknown[]).every(value => typeof value === 'number'),
  );
  return notLabelled('no record has tags', source, {
    fix: `if they are in ${field}, rename it to tags${areNumbers ? ', and write names in place of its numbers' : ''}`,
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
      // What cannot be read is reported by the codec, with its place.
      return [];
    }
  });
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function valuesOf({ tags, columns }: LooseRecord, name: string): unknown {
  return name === '' ? tags : objectOf(columns)[name];
}

function stringsOf(values: unknown): string[] {
  return Array.isArray(values) ? values.filter(value => typeof value === 'string') : [];
}
