import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects garbage, and shrinks the memory of young objects, which stays as large as it became while a corpus was read;
 * resolves when that is done. The engine only collects garbage when objects are created, but a batch optimizer creates
 * few for minutes. Cost: about 50 ms, on the next turn of the event loop.
 */
export async function collectGarbage(): Promise<void> {
  try {
    // The engine does the same when memory is short.
    const { Session } = await import('node:inspector');
    const session = new Session();
    session.connect();
    await new Promise(resolve => session.post('HeapProfiler.collectGarbage', resolve));
    session.disconnect();
  } catch {
    // This Node has no inspector.
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
  }
}
