import { endOutput, type OpenOutputOptions, openOutput } from './open-output.js';

/**
 * Writes a whole output: a file, which always has either its old or its new content, a pipe once it has a reader, or
 * the standard output for `-`.
 *
 * @throws (rejects with) TagstreamError `file`, the reason of the signal
 * @example
 * await writeWhole('/dev/null', 'text') // => undefined
 */
export async function writeWhole(
  path: string,
  content: string,
  { stdout, signal }: OpenOutputOptions = {},
): Promise<void> {
  const output = await openOutput(path, { stdout, signal });
  const failure = await new Promise<unknown>(resolve => output.write(content, resolve));
  await endOutput(output, failure);
}
