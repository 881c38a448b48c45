import { type ColumnLook, lookAtColumn } from './column-look.js';
import { featureColumns } from './feature-columns.js';
import type { Guess, Hints } from './guess.js';
import { notLabelled } from './not-labelled.js';
import { shownValues } from './shown-values.js';
import { tagRank } from './tag-rank.js';

interface LooseRecord {
  readonly tokens?: unknown;
  readonly tags?: unknown;
  readonly columns?: unknown;
}

/** Where the tags of NDJSON records are, and what further columns they have. */
export function guessNdjson(lines: readonly string[], source: string, hints: Hints): Guess {
  const records = recordsOf(lines).filter(({ tokens }) => Array.isArray(tokens));
  if (records.length === 0) {
    throw notLabelled('no record has tokens', source, {
      fix: 'a labelled record is {"tokens": [...], "tags": [...]}, one tag per token',
    });
  }
  const names = [...new Set(records.flatMap(({ columns }) => Object.keys(objectOf(columns))))];
  const looks = new Map<string, ColumnLook>();
  for (const name of ['', ...names]) {
    const values = records.flatMap(record => stringsOf(valuesOf(record, name)));
    if (values.length > 0) looks.set(name, lookAtColumn(values));
  }
  const tag = tagColumn(looks, source, hints);
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
function tagColumn(looks: ReadonlyMap<string, ColumnLook>, source: string, hints: Hints): string {
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
  if (ranked[0] === undefined || ranked[0].rank < 2) {
    throw notLabelled('no record has tags', source, {
      fix: 'a labelled record is {"tokens": [...], "tags": [...]}, one tag per token',
    });
  }
  return ranked[0].name;
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
