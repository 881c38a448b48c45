import { existsSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { RecordFiles } from '../../../formats/codecs/codec.js';
import { makeDirectory } from '../../../formats/files/directories.js';
import { fileError } from '../../../formats/files/file-error.js';
import { realTarget } from '../../../formats/files/file-identity.js';
import { atomicWrite } from './atomic-write.js';
import type { Output } from './open-output.js';

/** Returns whether a path denotes a folder: it ends like one, or is one, or does not exist and has no extension. */
export function isFolder(path: string): boolean {
  if (path === '-') return false;
  if (/[/\\]$/.test(path)) return true;
  return existsSync(path) ? statSync(path).isDirectory() : extname(path) === '';
}

/**
 * Returns an output in which each record has its own files in one folder, which is created if it is missing. A record
 * whose name is not a valid file name on every system, such as `../a`, is named by its number: `record-7`. A record
 * whose name is taken, ignoring case, gets a number: `a-2`. Each file is whole or missing; files written before an
 * error stay.
 *
 * @param filesOf returns the files for a record's text
 * @param kept files that must not be replaced, because they are read
 * @param onRenamed called for each record whose files do not have its name
 * @throws TagstreamError `file` if the folder cannot be created; from `write` also if a file that is read would be
 *   replaced
 */
export function folderOutput(
  path: string,
  filesOf: (record: string) => RecordFiles,
  kept: readonly string[],
  onRenamed?: (given: string, name: string) => void,
): Output {
  try {
    makeDirectory(path);
  } catch (cause) {
    throw fileError('write', path, cause);
  }
  const reserved = new Set(kept.map(realTarget));
  const names = new Set<string>();
  /** The last number given to each name, so that numbers of a frequent name are not tried from the start each time. */
  const numbers = new Map<string, number>();
  const free = (wanted: string) => {
    const folded = foldedName(wanted);
    let name = wanted;
    for (let n = numbers.get(folded) ?? 1; names.has(foldedName(name)); name = `${wanted}-${n}`) {
      n += 1;
      numbers.set(folded, n);
    }
    names.add(foldedName(name));
    return name;
  };
  const writeRecord = (record: string) => {
    const { name: given, contents } = filesOf(record);
    const name = free(isName(given) ? given : `record-${names.size + 1}`);
    if (given !== undefined && name !== given) onRenamed?.(given, name);
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

/** Maximum number of bytes in a name, without its extension. */
const longestName = 200;

/** Names that some systems reserve for devices, whatever the extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Returns whether a name is valid on every system, and cannot lead out of the folder. */
function isName(name: string | undefined): name is string {
  return (
    name !== undefined &&
    /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*$/u.test(name) &&
    Buffer.byteLength(name) <= longestName &&
    !devices.test(name)
  );
}

/** Returns a form that is equal for names that denote the same file on some systems. */
function foldedName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase();
}

function isRead(file: string): TagstreamError {
  return new TagstreamError('file', `${file} is an input and would be overwritten`, {
    fix: 'write to another folder',
  });
}
