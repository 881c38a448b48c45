import type { Log } from '../../engine/core/log.js';
import { counted } from '../../engine/core/wording/numbers.js';
import type { Codec } from '../../formats/codecs/codec.js';
import { folderOutput, isFolder } from '../../runtime/io/writing/folder-output.js';
import {
  type OpenOutputOptions,
  type Output,
  openOutput,
} from '../../runtime/io/writing/open-output.js';

/** Options for opening the output, and a log for records whose file names change. */
interface RecordOutputOptions extends OpenOutputOptions {
  readonly log?: Log | undefined;
}

/**
 * Opens the output of records: a folder if each record has its own files and the path is a folder,
 * otherwise a file or the standard output.
 *
 * @param inputs input files, which must not be replaced
 * @throws TagstreamError `file`
 */
export function outputOfRecords(
  { recordFiles }: Pick<Codec, 'recordFiles'>,
  path: string,
  inputs: readonly string[],
  { log, ...options }: RecordOutputOptions = {},
): Output | Promise<Output> {
  if (recordFiles === undefined || !isFolder(path)) return openOutput(path, options);
  let renamed = 0;
  let first = '';
  const output = folderOutput(path, recordFiles, filesRead(inputs), (given, name) => {
    if (renamed === 0) first = `${JSON.stringify(given)} became ${JSON.stringify(name)}`;
    renamed += 1;
  });
  const report = () => {
    if (renamed === 0) return;
    log?.warn(
      `${counted(renamed, 'record')} renamed, because ids are repeated or cannot name a file: ${first}`,
      { renamed },
    );
  };
  return {
    ...output,
    commit: () => output.commit().then(report),
    abort: () => output.abort().then(report),
  };
}

/** Returns the inputs, and the text file next to each `.ann` file. */
function filesRead(inputs: readonly string[]): readonly string[] {
  const files = inputs.filter(input => input !== '-');
  return [...files, ...files.map(file => file.replace(/\.ann$/, '.txt'))];
}
