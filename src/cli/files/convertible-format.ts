import type { Readable } from 'node:stream';
import { stringify } from 'yaml';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Registry } from '../../engine/core/registry.js';
import { beginningOf } from '../../formats/reading/beginning-of.js';
import { readsOnce } from '../../formats/reading/read-bytes.js';
import type { CodecChoice } from '../../runtime/pipeline/catalogue/codec-of.js';
import type { SourceComponent } from '../../runtime/pipeline/sources/source-component.js';
import { type ContentFormat, formatOfContent, formatOfJson, mayBeJson } from './content-format.js';
import { formatByExtension, isSureByName } from './input-format.js';

/** A format, and its name for `--from` if it was guessed from the content of the file. */
export interface ConvertibleFormat extends ContentFormat {
  readonly guessed?: string;
}

/**
 * Detects the format of a file to be converted, if none is named, by its extension, otherwise by
 * its beginning.
 *
 * @param isText whether any input other than JSON is plain text
 * @param option name of the option for the format
 * @throws TagstreamError `usage` if the format cannot be determined, `file`
 */
export async function convertibleFormat(
  file: string,
  sources: Registry<SourceComponent> | undefined,
  stdin: Readable,
  isText = false,
  option = '--from',
): Promise<ConvertibleFormat> {
  const named = formatByExtension(file, sources);
  if (isSureByName(named)) return { name: named, options: {} };
  const use = { untagged: false };
  const text = { name: 'text', options: {}, guessed: 'text' };
  if (file === '-') {
    const beginning = await beginningOf(stdin);
    if (mayBeJson(beginning)) return withName(await formatOfJson(beginning, file, use));
    if (isText) return text;
    throw unknownFormat('the standard input', 'it does not start with {, as NDJSON does', option);
  }
  // Input that can be read only once would be lost by reading ahead.
  if (readsOnce(file)) return { name: named ?? 'ndjson', options: {} };
  try {
    const found = await formatOfContent(file, { untagged: false, isText });
    return named === found.name && named === 'conllu' ? found : withName(found);
  } catch (cause) {
    if (!(cause instanceof TagstreamError) || cause.code !== 'wrong-shape') throw cause;
    // The records of such a file have no tags.
    if (named !== undefined) return { name: named, options: {} };
    throw unknownFormat(file, cause.problem, option, cause);
  }
}

/** Adds the name of a format that does not go without saying. */
function withName(found: ContentFormat): ConvertibleFormat {
  const isUsual = found.name === 'ndjson' && Object.keys(found.options).length === 0;
  return isUsual ? found : { ...found, guessed: asNamed(found.name, found.options) };
}

/** Returns the text with which the command line names a format. */
function asNamed(name: string, options: CodecChoice['options']): string {
  if (Object.keys(options).length === 0) return name;
  return `${name}:${stringify(options, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trim()}`;
}

function unknownFormat(
  file: string,
  problem: string,
  option: string,
  cause?: unknown,
): TagstreamError {
  return new TagstreamError('usage', `cannot tell the format of ${file}: ${problem}`, {
    fix: `name it with ${option} FORMAT, as in ${option} text, or ${option} 'conll:{columns: [form, pos, tag]}'`,
    cause,
  });
}
