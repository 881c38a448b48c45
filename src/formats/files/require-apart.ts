import { basename, dirname } from 'node:path';
import { type ErrorPlace, TagstreamError } from '../../engine/core/errors.js';
import { fileIdentity, realTarget } from './file-identity.js';

/**
 * Checks that no file written by a command is also read, or written in another way. Must be called before any file is
 * opened. The same file may be read twice.
 *
 * Files are compared by identity, not by name: links make no difference.
 *
 * @throws TagstreamError that names both: `config` if both are in a pipeline file, `usage` if the command line is
 *   involved
 * @example
 * const reads = [{ path: 'a.ndjson', what: 'the input' }];
 * let problem;
 * try { requireApart({ reads, writes: [{ path: './a.ndjson', what: 'the output' }] }); } catch (error) { problem = error.problem; }
 * problem // => './a.ndjson and a.ndjson are the same file, which would be both the output and the input'
 */
export function requireApart({ reads, writes }: FileUses): void {
  const known = new Map<string, FileUse>();
  for (const use of reads) {
    const identity = fileIdentity(use.path, 0);
    if (identity !== undefined) known.set(identity, use);
  }
  for (const use of writes) {
    const identity = fileIdentity(use.path, 1);
    if (identity === undefined) continue;
    const other = known.get(identity);
    if (other !== undefined) throw oneFile(use, other);
    known.set(identity, use);
  }
  for (const folder of writes) {
    const inside = folder.names === undefined ? undefined : insideOf(folder, [...reads, ...writes]);
    if (inside !== undefined) throw ownFile(inside, folder);
  }
}

/** Returns the use of a file that the command itself writes in a folder. */
function insideOf({ path, names }: FileUse, uses: readonly FileUse[]): FileUse | undefined {
  const folder = fileIdentity(path);
  if (folder === undefined) return undefined;
  return uses.find(use => {
    if (use.path === '-') return false;
    try {
      let at = realTarget(use.path);
      for (; dirname(at) !== at; at = dirname(at)) {
        if (names!.test(basename(at)) && fileIdentity(dirname(at)) === folder) return true;
      }
    } catch {
      // A file that cannot be inspected cannot be opened either, and opening reports the error.
    }
    return false;
  });
}

function oneFile(written: FileUse, other: FileUse): TagstreamError {
  const [path, otherPath] = [nameOf(written.path, '<stdout>'), nameOf(other.path, '<stdin>')];
  const both = `both ${written.what} and ${other.what}`;
  return refusal(
    path === otherPath
      ? `${path} would be ${both}`
      : `${path} and ${otherPath} are the same file, which would be ${both}`,
    written,
    other,
  );
}

function ownFile(use: FileUse, folder: FileUse): TagstreamError {
  const path = nameOf(use.path, '<stdout>');
  return refusal(`${path}, ${use.what}, has a name reserved inside ${folder.what}`, use, folder);
}

function refusal(problem: string, use: FileUse, other: FileUse): TagstreamError {
  const inFile = use.place !== undefined && other.place !== undefined;
  return new TagstreamError(inFile ? 'config' : 'usage', problem, {
    ...(inFile ? { place: use.place! } : {}),
    fix: `name another file for ${use.what}`,
  });
}

function nameOf(path: string, standard: string): string {
  return path === '-' ? standard : path;
}

/** A file that a command reads or writes. */
export interface FileUse {
  /** Path; `-` is the standard input or output. */
  readonly path: string;
  /** Its role in the command, such as `the input`. */
  readonly what: string;
  /** Place in the pipeline file that names it; undefined for the command line. */
  readonly place?: ErrorPlace | undefined;
  /** For a folder: pattern for the names of files that the command writes and removes in it. */
  readonly names?: RegExp | undefined;
}

/** All files that a command reads and writes. */
export interface FileUses {
  readonly reads: readonly FileUse[];
  readonly writes: readonly FileUse[];
}
