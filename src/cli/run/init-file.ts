import { existsSync } from 'node:fs';
import { TagstreamError } from '../../core/errors.js';
import { writeWhole } from '../../io/writing/write-whole.js';
import type { Task } from '../../pipeline/init/guess/guess.js';
import { initPipeline } from '../../pipeline/init/init-pipeline.js';
import { requireFilesApart } from '../files/require-files-apart.js';

/** Arguments of `init`. */
export interface InitArguments {
  readonly file: string;
  readonly test?: string | undefined;
  readonly out: string;
  readonly task?: Task | undefined;
  readonly columns?: string | undefined;
  readonly tag?: string | undefined;
  readonly wordsOnly?: boolean | undefined;
  readonly force?: boolean | undefined;
}

/** Writes a first pipeline for a labelled file, and says what was seen and why it is as it is. */
export async function initFile(given: InitArguments): Promise<void> {
  const { file, test, out, task, columns, tag, wordsOnly } = given;
  if (file === '-' || test === '-') {
    throw new TagstreamError('usage', 'init needs a file that the pipeline can name', {
      fix: 'write the standard input to a file first',
    });
  }
  requireFilesApart({
    reads: { 'the labelled file': file, 'the test data': test },
    writes: { 'the pipeline file': out },
  });
  if (out !== '-' && given.force !== true && existsSync(out)) {
    throw new TagstreamError('usage', `${out} already exists`, {
      fix: 'give another name with --out, or replace it with --force',
    });
  }
  const names = columns?.split(',').map(name => name.trim());
  const made = await initPipeline({ file, test, out, task, columns: names, tag, wordsOnly });
  for (const reason of made.reasons) process.stderr.write(`${reason}\n`);
  for (const warning of made.warnings) process.stderr.write(`tagstream: ${warning}\n`);
  await writeWhole(out, made.text);
  if (out !== '-') process.stderr.write(`wrote ${out}; next: tagstream train ${out}\n`);
}
