import { TagstreamError } from '../../../engine/core/errors.js';
import { isRecord } from '../../../engine/core/schema/is-record.js';
import { jsonArrayLines } from '../../lines/json-array-lines.js';
import type { IntoLines, LineMaker } from '../../lines/line-splitter.js';
import { itemSpans, memberSpans } from './member-spans.js';

/** Layout of the records in a file that is one JSON object; see `jsonDocumentLines`. */
export const jsonLayouts = ['rows', 'columns'] as const;

export type JsonLayout = (typeof jsonLayouts)[number];

type Json = Readonly<Record<string, unknown>>;

/**
 * Converts the records in a JSON object to lines, byte for byte. `rows`: the items of its list `rows`, or their members
 * `row`, as in pages of Hugging Face data sets. `columns`: an object per index of its lists, as written by `to_dict`
 * and pandas.
 *
 * @throws TagstreamError `not-json`, `wrong-shape`
 * @example
 * jsonDocumentLines('{"features": [], "rows": [{"row_idx": 0, "row": {"n": 1.0}}]}', 'rows') // => '{"n": 1.0}\n'
 * jsonDocumentLines('{"a": [["x"], ["y"]], "n": [1.0, 2]}', 'columns') // => '{"a":["x"],"n":1.0}\n{"a":["y"],"n":2}\n'
 */
export function jsonDocumentLines(text: string, layout: JsonLayout): string {
  const parsed = parsedObject(text);
  const lines = layout === 'rows' ? rowsOf(text, parsed) : columnsOf(text);
  return lines.map(line => `${line.replace(/[\r\n]+/g, ' ')}\n`).join('');
}

function parsedObject(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new TagstreamError('not-json', `not valid JSON: ${(cause as Error).message}`, {
      fix: 'the file must be one JSON object: get the whole file again, or remove the option records',
      cause,
    });
  }
  throw new TagstreamError('wrong-shape', 'the file is not a JSON object', {
    fix: 'remove the option records: lines and arrays do not need it',
  });
}

function rowsOf(text: string, { rows }: Json): readonly string[] {
  if (!Array.isArray(rows)) throw withoutLists('rows', 'a list rows');
  const list = membersOf(text).find(([name]) => name === 'rows')![1];
  return partsOf(list).map(item => {
    const [, row] = membersOf(item).find(([name]) => name === 'row') ?? [];
    return row?.startsWith('{') === true ? row : item;
  });
}

function columnsOf(text: string): readonly string[] {
  const columns = membersOf(text).map(
    ([name, list]) => [JSON.stringify(name), partsOf(list)] as const,
  );
  const [first] = columns;
  const odd = columns.find(([, items]) => items.length !== first![1].length);
  if (first === undefined || first[1].length === 0) {
    throw withoutLists('columns', 'lists with one item per record');
  }
  if (odd !== undefined) {
    throw new TagstreamError(
      'length-mismatch',
      `the column ${odd[0]} has ${odd[1].length} items, but ${first[0]} has ${first[1].length}`,
      { fix: 'give each column one item per record' },
    );
  }
  return first[1].map(
    (_, i) => `{${columns.map(([name, items]) => `${name}:${items[i]}`).join(',')}}`,
  );
}

function withoutLists(layout: JsonLayout, expected: string): TagstreamError {
  return new TagstreamError('wrong-shape', `the JSON object of the file has no ${layout}`, {
    fix: `with records: ${layout} it has ${expected}`,
  });
}

function membersOf(json: string): (readonly [name: string, value: string])[] {
  return memberSpans(json).map(({ key, valueStart, valueEnd }) => [
    key,
    json.slice(valueStart, valueEnd),
  ]);
}

/** Returns the items of a list, or the values of an object with numeric keys, as pandas writes it. */
function partsOf(json: string): readonly string[] {
  if (json.startsWith('{')) return membersOf(json).map(([, value]) => value);
  if (!json.startsWith('[')) return [];
  return itemSpans(json).map(({ start, end }) => json.slice(start, end));
}

/**
 * Returns the layout of the records in a JSON object; undefined if it is itself a record or not an object.
 *
 * @param beginning beginning of the file, which may be truncated
 * @example
 * jsonLayoutOf('{"tokens": [["a"], ["b"]], "tags": [["X"], ["Y"]]}') // => 'columns'
 * jsonLayoutOf('{"features": [], "rows": [{"row": {"tokens": ["a"]}}]}') // => 'rows'
 * jsonLayoutOf('{"tokens": ["a"], "tags": ["X"]}') // => undefined
 */
export function jsonLayoutOf(beginning: string): JsonLayout | undefined {
  const text = beginning.replace(blankStart, '');
  if (!text.startsWith('{')) return undefined;
  const [line = ''] = text.split('\n', 1);
  const whole = parsedOrNothing(line) ?? parsedOrNothing(text);
  return whole === undefined ? layoutOfBeginning(text) : layoutOfObject(whole);
}

function parsedOrNothing(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function layoutOfObject(value: Json): JsonLayout | undefined {
  const { rows } = value;
  if (Array.isArray(rows) && rows.length > 0 && rows.every(isRecord)) return 'rows';
  const columns = Object.values(value).map(column =>
    isRecord(column) ? Object.values(column) : column,
  );
  const areLists = columns.every(Array.isArray);
  if (!areLists || new Set(columns.map(list => (list as unknown[]).length)).size !== 1) {
    return undefined;
  }
  const isOfTokens = (list: unknown) =>
    (list as unknown[]).length > 0 &&
    (list as unknown[]).every(
      item => Array.isArray(item) && item.every(token => typeof token === 'string'),
    );
  // Tokens that are strings indicate a record, whose constraints are lists of strings by number.
  const named = columns.filter((_, i) => tokenNames.includes(Object.keys(value)[i]!));
  if (named.length > 0 && !named.some(isOfTokens)) return undefined;
  return columns.some(isOfTokens) ? 'columns' : undefined;
}

/** Fields with tokens. */
const tokenNames = ['tokens', 'words'];

const recordTokens = new RegExp(String.raw`"(?:${tokenNames.join('|')})"\s*:\s*\[\s*"`);

const list = String.raw`"(?:[^"\\]|\\.)*"\s*:\s*(?:\[|\{\s*"0"\s*:)\s*\[\s*"`;
const ofRows =
  /^\{\s*"(?:features"\s*:\s*\[\s*\{\s*"(?:feature_idx|name)|dataset"\s*:\s*"[^"]*"\s*,\s*"config)"/;
const ofColumns = new RegExp(String.raw`^\{\s*${list}`);
const withColumns = new RegExp(String.raw`[{,\]]\s*${list}`);

/** Returns the layout of a truncated object: records take one line each, so an object with no end is not a record. */
function layoutOfBeginning(text: string): JsonLayout | undefined {
  if (ofRows.test(text)) return 'rows';
  return withColumns.test(text) && !recordTokens.test(text) ? 'columns' : undefined;
}

const blankStart = /^[\uFEFF\s]+/;

/** Number of bytes inspected at the beginning of a file; see `openInput`. */
const shown = 256;

/** Converts input to lines of NDJSON records, if they are in an array or in one object. */
export function jsonLines(layout: JsonLayout | undefined): IntoLines {
  const layoutBy = (head: Uint8Array): JsonLayout | undefined => {
    if (layout !== undefined) return layout;
    const text = Buffer.from(head.subarray(0, shown)).toString().replace(blankStart, '');
    if (ofRows.test(text)) return 'rows';
    return ofColumns.test(text) && !isRecordText(text) ? 'columns' : undefined;
  };
  return {
    isNeeded: head => jsonArrayLines.isNeeded(head) || layoutBy(head) !== undefined,
    begin: () => {
      let maker: LineMaker | undefined;
      return {
        lines: chunk => {
          const found = maker === undefined ? layoutBy(chunk) : undefined;
          maker ??= found === undefined ? jsonArrayLines.begin() : documentMaker(found);
          return maker.lines(chunk);
        },
        end: () => maker?.end() ?? { rest: new Uint8Array(0) },
      };
    },
  };
}

/**
 * Whether a truncated object is a record: labels are lists too, as in `{"label": [["a", ...`, unless the name is one of
 * tokens or texts.
 */
function isRecordText(text: string): boolean {
  return !/^\{\s*"(?:tokens|words|forms?|sentences?|text|sequence)"/.test(text);
}

/** Creates a line maker that holds the file in memory, because a column extends to its end. */
function documentMaker(layout: JsonLayout): LineMaker {
  const chunks: Uint8Array[] = [];
  return {
    lines: chunk => {
      chunks.push(Uint8Array.from(chunk));
      return new Uint8Array(0);
    },
    end: () => {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
      return { rest: Buffer.from(jsonDocumentLines(text, layout)) };
    },
  };
}
