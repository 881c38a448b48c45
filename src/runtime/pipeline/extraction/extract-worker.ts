import { threadId } from 'node:worker_threads';
import { serveTasks } from '../../workers/serve-tasks.js';
import type { BlockTask } from '../blocks/block-task.js';
import type { ExtractedBlock, ExtractionSettings } from './block-joiner.js';
import { MixedExtractor } from './mixed-extractor.js';
import { buffersOf } from './packed-sentences.js';

// The module of a worker that reads and encodes blocks of a training corpus.
serveTasks<ExtractionSettings, BlockTask, ExtractedBlock>(async setup => {
  const { modules = [] } = setup;
  const plugins =
    modules.length === 0
      ? undefined
      : (await import('../plugins/plugin-parts.js')).partsOfModules(modules);
  const extractor = new MixedExtractor(setup, plugins);
  return async task => {
    const result = { ...(await extractor.extract(task)), worker: threadId };
    const { state, edges } = result.news;
    return { result, transfer: [...buffersOf(result.sentences), state.buffer, edges.buffer] };
  };
});
