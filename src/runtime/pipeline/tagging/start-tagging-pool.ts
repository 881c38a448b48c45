import { threadFile } from '../../thread-file.js';
import { WorkerPool } from '../../workers/worker-pool.js';
import type { TaggingPool } from './tagging-run.js';

/**
 * Starts tagging workers, in addition to this thread. Imports little, so that they start while the rest is being
 * loaded.
 */
export function startTaggingPool(size: number): TaggingPool {
  const own = async () => (await import('./tag-tasks.js')).tagTasks;
  return new WorkerPool(threadFile('runtime/pipeline/tagging/tag-worker'), { size, own });
}
