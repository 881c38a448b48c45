import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { TagstreamError } from '../../../core/errors.js';
import { readText } from '../../reading/read-text.js';
import type { RecordFiles } from '../codec.js';

/**
 * The record of a file of annotations, as a line for `brat`: its own text and that of the file beside it, `a.txt` for `a.ann`.
 *
 * @throws TagstreamError `file` where one of the two cannot be read, `invalid-utf8`
 */
export function bratLine(path: string): Uint8Array {
  const text = path.replace(/\.ann$/, '.txt');
  if (text === path) {
    throw new TagstreamError('file', `${path} is not a file of annotations`, {
      fix: 'name the .ann files; the .txt file beside each has its text',
    });
  }
  if (!existsSync(text)) {
    throw new TagstreamError('file', `there is no text beside ${path}`, {
      fix: `brat keeps it in ${basename(text)}`,
    });
  }
  const id = basename(path, '.ann');
  return Buffer.from(`${JSON.stringify({ id, text: readText(text), ann: readText(path) })}\n`);
}

/** The two files of a record of `brat`, by their endings. */
export function bratFiles(record: string): RecordFiles {
  const { id, text, ann } = JSON.parse(record) as Record<string, string | undefined>;
  return {
    name: id == null ? undefined : String(id),
    contents: { '.txt': text ?? '', '.ann': ann ?? '' },
  };
}
