import { isUtf8 } from 'node:buffer';
import { createReadStream, statSync } from 'node:fs';
import type { Position } from '../../../engine/core/delivery/delivery.js';
import { type ErrorCode, TagstreamError } from '../../../engine/core/errors.js';
import { isRecord } from '../../../engine/core/schema/is-record.js';
import type { BadRecord } from '../../../formats/bad-records/bad-record.js';
import { fileError } from '../../../formats/files/file-error.js';
import { shortDigest } from '../../../formats/files/node-parts.js';
import { splitLines } from '../../../formats/lines/line-splitter.js';
import { readsOnce } from '../../../formats/reading/read-bytes.js';
import { withAllRotations } from './rotations.js';

/** Maximum number of bytes of a line written or read, 64 MiB: a record of 48 MiB always fits. */
export const maxRejectedBytes = 2 ** 26;

/**
 * Formats a bad record as a line of JSON, including the line end.
 *
 * `raw` is the record's text; bytes that are not UTF-8 are in `rawBase64`, and `truncated` is true if
 * only the beginning was kept. `recordLine` is present if the error is in a later line of the record.
 *
 * @param base64 whether UTF-8 also goes into `rawBase64`
 * @example
 * const position = { source: 'a', line: 1, start: 0, end: 4 };
 * const error = new TagstreamError('not-an-object', 'a null');
 * const raw = new TextEncoder().encode('null');
 * writeRejected({ position, raw, truncated: false, error }) // => '{"source":"a","line":1,"start":0,"end":4,"code":"not-an-object","error":"a null","raw":"null"}\n'
 */
export function writeRejected(
  { position, raw, truncated, error }: BadRecord,
  time?: Date,
  base64 = false,
): string {
  const text = base64 ? undefined : textOf(raw, truncated);
  const line = error.place.line ?? position.line;
  const rejected = {
    source: position.source,
    line,
    ...(line === position.line ? {} : { recordLine: position.line }),
    start: position.start,
    end: position.end,
    code: error.code,
    error: error.fix === undefined ? error.problem : `${error.problem} (${error.fix})`,
    ...(text === undefined ? { rawBase64: Buffer.from(raw).toString('base64') } : { raw: text }),
    ...(truncated ? { truncated } : {}),
    ...(time === undefined ? {} : { time: time.toISOString() }),
  };
  return `${JSON.stringify(rejected)}\n`;
}

/**
 * Reads a line of a dead-letter file.
 *
 * @throws TagstreamError `not-json`, or `wrong-shape` if a field is missing or of another type
 * @example
 * const line = '{"source":"a","line":1,"start":0,"end":2,"code":"not-json","error":"x","raw":"{}"}';
 * new TextDecoder().decode(readRejected(line).raw) // => '{}'
 */
export function readRejected(text: string): BadRecord {
  const rejected = parse(text);
  const field = <Kind>(name: string, isRight: (value: unknown) => value is Kind): Kind => {
    const value = rejected[name];
    if (isRight(value)) return value;
    throw malformed(`${name} is ${value === undefined ? 'missing' : 'of the wrong type'}`);
  };
  const line = field('line', isCount);
  const position = {
    source: field('source', isText),
    line: rejected.recordLine === undefined ? line : field('recordLine', isCount),
    start: field('start', isCount),
    end: field('end', isCount),
  };
  const raw =
    rejected.rawBase64 === undefined
      ? Buffer.from(field('raw', isText))
      : Buffer.from(field('rawBase64', isText), 'base64');
  const error = new TagstreamError(field('code', isText) as ErrorCode, field('error', isText), {
    place: { source: position.source, line },
  });
  return { position, raw, truncated: rejected.truncated === true, error };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TagstreamError('not-json', `not a rejected record: ${(cause as Error).message}`, {
      fix: 'write each rejected record as one JSON object on a line',
      cause,
    });
  }
  if (isRecord(value)) return value;
  throw malformed('it is not an object');
}

function malformed(problem: string): TagstreamError {
  return new TagstreamError('wrong-shape', `not a rejected record: ${problem}`, {
    fix: 'replay a file that was written with --dead-letter',
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns the record's text; truncation may have split a character, whose first bytes are dropped. */
function textOf(raw: Uint8Array, truncated: boolean): string | undefined {
  const most = truncated ? Math.min(3, raw.length) : 0;
  for (let cut = 0; cut <= most; cut += 1) {
    const bytes = raw.subarray(0, raw.length - cut);
    if (isUtf8(bytes)) return Buffer.from(bytes).toString();
  }
  return undefined;
}

/**
 * Returns the key of a record from its source and start.
 *
 * @example
 * recordKey({ source: 'a', line: 1, start: 7, end: 9 }) // => '7 a'
 */
export function recordKey({ source, start }: Position): string {
  return `${start} ${source}`;
}

/**
 * Returns the key of a rejected record from its place and bytes, since a file may have changed after the place of a
 * checkpoint. Of a record with its beginning only, the place has to do.
 *
 * @example
 * const [position, raw] = [{ source: 'a', line: 1, start: 7, end: 9 }, new TextEncoder().encode('{}')];
 * rejectedKey({ position, raw, truncated: true }) // => '7 a'
 */
export function rejectedKey({
  position,
  raw,
  truncated,
}: Pick<BadRecord, 'position' | 'raw' | 'truncated'>): string {
  return truncated ? recordKey(position) : `${shortDigest(raw)} ${recordKey(position)}`;
}

/**
 * Returns the keys of the records in a dead-letter file and its rotated files that begin after a position: a run resumed
 * from it reads them again.
 *
 * @param files the inputs, in order
 * @throws TagstreamError `file` if the file cannot be read
 */
export async function rejectedAfter(
  path: string,
  files: readonly string[],
  position: Position | undefined,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const from = position === undefined ? -1 : files.indexOf(position.source);
  // Input that can be read only once differs each time, with its own offsets.
  const known = new Set(files.filter(file => !readsOnce(file)));
  const isAfter = ({ source, start }: Position) =>
    known.has(source) &&
    (position === undefined ||
      (source === position.source ? start >= position.end : files.indexOf(source) > from));
  for (const file of withAllRotations(path)) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    try {
      for await (const lines of splitLines(createReadStream(file), {
        maxLineBytes: maxRejectedBytes,
      })) {
        for (const { text } of lines) {
          const bad = badOf(text);
          if (bad !== undefined && isAfter(bad.position)) found.add(rejectedKey(bad));
        }
      }
    } catch (cause) {
      throw fileError('read', file, cause);
    }
  }
  return found;
}

/** Returns the record in a line; undefined for the partial line of a killed run, which is not a record. */
function badOf(text: string): BadRecord | undefined {
  try {
    return readRejected(text);
  } catch (thrown) {
    if (thrown instanceof TagstreamError) return undefined;
    throw thrown;
  }
}
