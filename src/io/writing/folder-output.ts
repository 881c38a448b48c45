import { existsSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import type { RecordFiles } from '../codecs/codec.js';
import { fileError } from '../files/file-error.js';
import { makeDirectory } from '../files/make-directory.js';
import { realTarget } from '../files/real-target.js';
import { atomicWrite } from './atomic-write.js';
import type { Output } from './open-output.js';

/** Whether a path is meant as a folder: it ends as one, or is one, or there is nothing and its name has no ending. */
export function isFolder(path: string): boolean {
  if (path === '-') return false;
  if (/[/\\]$/.test(path)) return true;
  return existsSync(path) ? statSync(path).isDirectory() : extname(path) === '';
}

/**
 * An output in which each record has files of its own in one folder, which is made where it is not there. A record whose
 * name is none for a file everywhere, as `../a`, is called by its number: `record-7`. Each file is whole or not there; what
 * was written before an error stays.
 *
 * @param filesOf the files of the text of a record
 * @param kept files that are not to be replaced: those that are read
 * @throws TagstreamError `file` if the folder cannot be made; from `write` also where two records have one name
 */
export function folderOutput(
  path: string,
  filesOf: (record: string) => RecordFiles,
  kept: readonly string[],
): Output {
  try {
    makeDirectory(path);
  } catch (cause) {
    throw fileError('write', path, cause);
  }
  const reserved = new Set(kept.map(realTarget));
  const names = new Set<string>();
  const writeRecord = (record: string) => {
    const { name: given, contents } = filesOf(record);
    const name = isName(given) ? given : `record-${names.size + 1}`;
    if (names.has(name.toLowerCase())) throw twice(path, name);
    names.add(name.toLowerCase());
    for (const [ending, content] of Object.entries(contents)) {
      const file = join(path, `${name}${ending}`);
      if (reserved.has(realTarget(file))) throw isRead(file);
      atomicWrite(file, content);
    }
  };
  return {
    name: path,
    byRecord: true,
    write: (text, done) => {
      try {
        writeRecord(typeof text === 'string' ? text : new TextDecoder().decode(text));
      } catch (thrown) {
        done(thrown);
        return;
      }
      done();
    },
    commit: () => Promise.resolve(),
    abort: () => Promise.resolve(),
  };
}

/** Names that are good on every system, and cannot lead out of the folder. */
function isName(name: string | undefined): name is string {
  return name !== undefined && /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]{0,99}$/u.test(name);
}

function twice(path: string, name: string): TagstreamError {
  return new TagstreamError('file', `two records would be ${join(path, name)}`, {
    fix: 'give each record an id of its own',
  });
}

function isRead(file: string): TagstreamError {
  return new TagstreamError('file', `${file} is read, and would be replaced`, {
    fix: 'write to another folder',
  });
}
