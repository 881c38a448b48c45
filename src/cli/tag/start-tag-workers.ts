import type { TaggingPool } from '../../pipeline/tagging/tag-in-workers.js';
import { threadFile } from '../../workers/thread-file.js';
import { WorkerPool } from '../../workers/worker-pool.js';

/**
 * Starts workers that tag, this thread among them. It imports little, so that they start while the rest is being
 * loaded.
 */
export function startTagWorkers(size: number): TaggingPool {
  const own = async () => (await import('../../pipeline/tagging/tag-tasks.js')).tagTasks;
  return new WorkerPool(threadFile('pipeline/tagging/tag-worker'), { size, own });
}
