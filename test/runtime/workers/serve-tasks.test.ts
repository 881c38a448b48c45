import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

const module = new URL('../../../dist/runtime/workers/serve-tasks.js', import.meta.url);

/** Lets a new thread give way, and returns its priority then. */
async function priorityAfter(niceness: number): Promise<number> {
  const program = `
    import { getPriority } from 'node:os';
    import { parentPort } from 'node:worker_threads';
    const { giveWay } = await import('${module.href}');
    giveWay(${niceness});
    parentPort.postMessage(getPriority());
  `;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`));
  const [priority] = await once(worker, 'message');
  return priority;
}

it.skipIf(process.platform !== 'linux')('lowers the priority of its thread alone', async () => {
  const own = getPriority();
  expect(await priorityAfter(10)).toBe(Math.min(19, own + 10));
  expect(await priorityAfter(100)).toBe(19);
  expect(getPriority()).toBe(own);
});
