import { access } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { missingPathFix } from '../../io/files/missing-path.js';
import { chosenOf } from '../options/one-of.js';
import { filesOf } from '../sources/common-options.js';
import type { ChosenSource } from '../sources/source-component.js';
import type { Pipeline } from './pipeline.js';

/**
 * Finds out whether the files of the source, the test and the held-out data are there, before anything
 * is run.
 *
 * @param more sources beside them, as a pipeline file has them
 *
 * @throws TagstreamError `file`
 */
export async function requireFiles(
  pipeline: Pipeline,
  more: readonly Readonly<Record<string, unknown>>[] = [],
): Promise<void> {
  const heldOut = pipeline.stages
    .map(({ options }) => options.on as Record<string, unknown> | undefined)
    .filter(on => on !== undefined);
  const others = [...heldOut, ...more].map(on => chosenOf(pipeline.catalogue.sources.items, on));
  for (const source of [pipeline.source, pipeline.test, ...others]) {
    if (source !== undefined) await requireFilesOf(source, pipeline);
  }
}

async function requireFilesOf(source: ChosenSource, pipeline: Pipeline): Promise<void> {
  for (const name of filesOf(source.options)) {
    if (name === '-') continue;
    const path = resolve(pipeline.baseDirectory, name);
    try {
      await access(path);
    } catch (cause) {
      throw new TagstreamError('file', `the input ${path} does not exist`, {
        place: { source: pipeline.file },
        fix: fixOf(path),
        cause,
      });
    }
  }
}

/** What to do about an input that is not there: pipelines of the package read corpora that are not part of it. */
function fixOf(path: string): string {
  const folder = dirname(path);
  if (basename(dirname(folder)) !== 'corpora') return missingPathFix(path);
  return `correct the path, or fetch the corpus: tagstream corpora fetch ${basename(folder)} --dir FOLDER, and set TAGSTREAM_CORPORA to that folder`;
}
