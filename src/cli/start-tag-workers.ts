import type { TaggingPool } from '../pipeline/tagging/tag-in-workers.js';
import { WorkerPool } from '../workers/worker-pool.js';

/** Starts workers that tag. It imports little, so that they start while the rest is being loaded. */
export function startTagWorkers(size: number): TaggingPool {
  const module = new URL('../pipeline/tagging/tag-worker.js', import.meta.url);
  return new WorkerPool(module, { size });
}
