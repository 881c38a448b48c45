import { readsOnce } from '../../io/reading/reads-once.js';
import type { Pipeline } from './pipeline.js';
import { sourceFiles } from './source-files.js';

/** Whether the source of a pipeline can be read several times: it names files, none of which is a pipe. */
export function canReadAgain(pipeline: Pick<Pipeline, 'source' | 'baseDirectory'>): boolean {
  return pipeline.source.options.from === undefined && !sourceFiles(pipeline).some(readsOnce);
}
