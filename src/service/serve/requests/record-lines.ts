import { TagstreamError } from '../../../engine/core/errors.js';
import { jsonArrayLines } from '../../../formats/lines/json-array-lines.js';
import { countRecordLines, isBlankByte } from '../../../formats/lines/line-bytes.js';
import { Problem } from '../../../runtime/http/problem.js';

/** Media types that request bodies have. */
export type BodyType = 'application/json' | 'text/plain' | 'application/x-ndjson';

/** The records of a body, one per line. */
export interface RecordLines {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly records: number;
  /** Whether the body has a list of records, in which case the answer is a list too. */
  readonly isList: boolean;
}

const LF = 10;
const CR = 13;
const BLANK = 32;
const QUOTE = 34;
const OPEN_LIST = 91;

const encoder = new TextEncoder();

/** Other names that clients give to NDJSON. */
const ndjsonNames: ReadonlySet<string> = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
  'application/json-lines',
]);

/**
 * Returns the type of the body of a request.
 *
 * @throws Problem 415 for another one, a character set other than UTF-8, or compressed bytes
 * @example
 * bodyType('Application/JSON; charset=UTF-8', null) // => 'application/json'
 */
export function bodyType(contentType: string | null, encoding: string | null): BodyType {
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    throw unsupported(`bodies in ${encoding} are not unpacked`, 'send the body as it is');
  }
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters.map(part => part.trim()).find(part => part.startsWith('charset='));
  if (charset !== undefined && !/^charset="?(?:utf-8|utf8|us-ascii)"?$/.test(charset)) {
    throw unsupported(`the body is in ${charset.slice(8)}`, 'send UTF-8');
  }
  const name = type.trim();
  if (name === 'application/json' || name === 'text/plain') return name;
  if (ndjsonNames.has(name)) return 'application/x-ndjson';
  throw unsupported(
    name === '' ? 'the body has no Content-Type' : `the body is ${name}`,
    'send text/plain for a text, application/json for a record or an array, or application/x-ndjson',
  );
}

function unsupported(problem: string, fix: string): Problem {
  return new Problem(new TagstreamError('usage', problem, { fix }), { status: 415 });
}

/**
 * Returns the records of a whole body: a text, a record, or an array of either; or lines.
 *
 * Records keep their bytes; line ends between their members become blanks.
 *
 * @param most maximum number of records
 * @throws TagstreamError `not-json`, `invalid-utf8`, `wrong-shape`, `too-large`
 * @example
 * const lines = recordLines('application/json', new TextEncoder().encode('["a", "b"]'), 10);
 * new TextDecoder().decode(lines.bytes) // => '{"text":"a"}\n{"text":"b"}\n'
 */
export function recordLines(
  type: BodyType,
  body: Uint8Array<ArrayBuffer>,
  most: number,
): RecordLines {
  if (type === 'text/plain') return lineOfText(decoded(body));
  if (type === 'application/x-ndjson') {
    const bytes = body.at(-1) === LF ? body : withEnd(body);
    return { bytes, records: atMost(countRecordLines(bytes), most), isList: true };
  }
  const first = body.findIndex(byte => !isSpace(byte) && !isOfMark(byte));
  switch (body[first]) {
    case undefined:
      throw new TagstreamError('not-json', 'the body is empty', {
        fix: 'send a record, {"text": "..."}, or an array of records',
      });
    case QUOTE:
      return lineOfText(parsed(body) as string);
    case OPEN_LIST:
      return jsonArrayLines.isNeeded(body.subarray(first))
        ? linesOfArray(body.subarray(first), most)
        : linesOfTexts(parsed(body), most);
    default:
      return lineOfRecord(body.subarray(first));
  }
}

function lineOfText(text: string): RecordLines {
  const bytes = encoder.encode(`${JSON.stringify({ text })}\n`);
  return { bytes, records: 1, isList: false };
}

function lineOfRecord(body: Uint8Array<ArrayBuffer>): RecordLines {
  let end = body.length;
  while (isSpace(body[end - 1])) end -= 1;
  const bytes = withEnd(body.subarray(0, end));
  for (let i = 0; i < end; i += 1) if (bytes[i] === LF || bytes[i] === CR) bytes[i] = BLANK;
  return { bytes, records: 1, isList: false };
}

function linesOfArray(body: Uint8Array<ArrayBuffer>, most: number): RecordLines {
  const scan = jsonArrayLines.begin();
  const lines = scan.lines(body);
  const { rest, missing } = scan.end();
  if (missing !== undefined)
    throw new TagstreamError('not-json', `the JSON array is cut off: ${missing}`);
  const bytes = new Uint8Array(lines.length + rest.length + 1);
  bytes.set(lines);
  bytes.set(rest, lines.length);
  bytes[bytes.length - 1] = LF;
  return { bytes, records: atMost(countRecordLines(bytes), most), isList: true };
}

function linesOfTexts(texts: unknown, most: number): RecordLines {
  const all = texts as readonly unknown[];
  atMost(all.length, most);
  const lines = all.map((text, i) => {
    if (typeof text === 'string') return `${JSON.stringify({ text })}\n`;
    throw new Problem(
      new TagstreamError('wrong-shape', 'the array mixes texts and other items', {
        fix: 'send either texts or records: {"text": "..."}',
      }),
      { record: i },
    );
  });
  return { bytes: encoder.encode(lines.join('')), records: lines.length, isList: true };
}

function atMost(records: number, most: number): number {
  if (records <= most) return records;
  throw new TagstreamError('too-large', `the body has ${records} records`, {
    fix: `the limit is ${most}; send fewer at a time, or stream NDJSON`,
  });
}

function withEnd(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(body.length + 1);
  bytes.set(body);
  bytes[body.length] = LF;
  return bytes;
}

const strict = new TextDecoder('utf-8', { fatal: true });

function decoded(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch (cause) {
    throw new TagstreamError('invalid-utf8', 'the body is not UTF-8', { cause });
  }
}

function parsed(body: Uint8Array): unknown {
  const text = decoded(body);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TagstreamError('not-json', 'the body is not JSON', { cause });
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === LF || (byte !== undefined && isBlankByte(byte));
}

/** Returns whether a byte belongs to a byte order mark. */
function isOfMark(byte: number): boolean {
  return byte === 0xef || byte === 0xbb || byte === 0xbf;
}
