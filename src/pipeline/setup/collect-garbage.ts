import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects garbage, and shrinks the memory of young objects, which the engine keeps as large as reading a corpus made it;
 * resolves when that is done. The engine does so itself as objects are created; a batch optimizer creates few for
 * minutes. Cost: some 50 ms, at the next turn of the event loop.
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
    // A Node without its inspector.
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
  }
}
