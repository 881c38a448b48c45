import type { Codec } from '../../io/codecs/codec.js';
import { folderOutput, isFolder } from '../../io/writing/folder-output.js';
import { type Output, openOutput } from '../../io/writing/open-output.js';

/**
 * Where records of a format go: into a folder, where each has files of its own and the path is one; else a file or the
 * standard output.
 *
 * @param inputs what is read, which is not replaced
 * @throws TagstreamError `file`
 */
export function outputOfRecords(
  { recordFiles }: Pick<Codec, 'recordFiles'>,
  path: string,
  inputs: readonly string[],
  options?: Parameters<typeof openOutput>[1],
): Output | Promise<Output> {
  return recordFiles !== undefined && isFolder(path)
    ? folderOutput(path, recordFiles, filesRead(inputs))
    : openOutput(path, options);
}

/** The inputs, and the text beside each `.ann`. */
function filesRead(inputs: readonly string[]): readonly string[] {
  const files = inputs.filter(input => input !== '-');
  return [...files, ...files.map(file => file.replace(/\.ann$/, '.txt'))];
}
