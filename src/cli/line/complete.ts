import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Commands whose argument is a pipeline file or a study file. */
const pipelineCommands = ['train', 'run', 'test', 'validate', 'curve', 'crossval', 'study'];

/** Requests the parser's suggestions for commands and options. */
export type Suggest = (
  onSuggested?: (error: Error | null, suggested: string[] | undefined) => void,
) => unknown;

/**
 * Returns the completions of a word on the command line: commands, options and their choices,
 * pipeline files, corpus names. Empty if any file is possible, so that the shell suggests files.
 *
 * @param current beginning of the word to complete
 * @param words words of the line, the current one last
 */
export async function complete(
  current: string,
  words: readonly string[],
  suggest: Suggest,
): Promise<string[]> {
  const suggested = await new Promise<string[]>((resolve, reject) => {
    suggest((error, found = []) => (error === null ? resolve(found) : reject(error)));
  });
  if (current.startsWith('-')) return suggested;
  const isOptions = suggested.every(text => text.startsWith('-'));
  if (!isOptions) return suggested;
  // The word after an option without choices may be a file.
  if (words.at(-2)?.startsWith('-') === true) return [];
  const [command, action] = words.slice(1, -1).filter(word => !word.startsWith('-'));
  if (pipelineCommands.includes(command ?? '')) return pipelineFiles(current);
  if (command === 'corpora' && (action === 'fetch' || action === 'convert')) return corpusNames();
  return [];
}

/**
 * Returns YAML files whose path begins with the word; empty if there are none, so that folders can
 * be suggested.
 */
function pipelineFiles(current: string): string[] {
  const folder = current.endsWith('/') ? current : current === '' ? '.' : dirname(current);
  const prefix = current.includes('/') ? folder : '';
  try {
    return readdirSync(folder)
      .filter(name => /\.ya?ml$/.test(name))
      .map(name => (prefix === '' ? name : join(prefix, name)))
      .filter(path => path.startsWith(current.replace(/^\.\//, '')))
      .map(path => (current.startsWith('./') ? `./${path}` : path))
      .sort();
  } catch {
    return [];
  }
}

async function corpusNames(): Promise<string[]> {
  const { readCatalogue } = await import('../../runtime/pipeline/corpora/read-catalogue.js');
  const { shippedCatalogue } = await import('../shipped-catalogue.js');
  return readCatalogue(shippedCatalogue).map(({ name }) => name);
}
