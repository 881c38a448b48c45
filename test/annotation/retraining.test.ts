import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Retraining } from '../../src/annotation/session/learning.js';
import { readModel } from '../../src/engine/models/files/model-file.js';
import { goldTags, sampleText } from './sample-session.js';

/** The priorities of the threads of this process. */
function priorities(): number[] {
  return readdirSync('/proc/self/task').flatMap(thread => {
    try {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
      return [Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])];
    } catch {
      return [];
    }
  });
}

describe.runIf(process.platform === 'linux')('retraining', () => {
  it('leaves the cores to what a person waits for: its thread alone is nicer', async () => {
    const lines = Array.from({ length: 30 }, (_, record) => {
      const tokens = sampleText(record).split(' ');
      return JSON.stringify({ tokens, tags: goldTags(tokens), _annotation: { record } });
    });
    const own = getPriority();
    const retraining = new Retraining();
    const task = { lines, preset: 'ner' as const, seed: 1 };
    let isDone = false;
    const trained = retraining.run(task, 30).finally(() => {
      isDone = true;
    });
    const nicer = new Set<number>();
    while (!isDone) {
      for (const priority of priorities()) if (priority > own) nicer.add(priority);
      await setTimeout(2);
    }
    expect([...nicer]).toEqual([Math.min(19, own + 5)]);
    expect(getPriority()).toBe(own);
    expect(readModel((await trained)!).labels.names).toContain('B-PER');
  });
});
