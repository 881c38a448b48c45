import { describe, expect, it } from 'vitest';
import { Scope } from '../../../src/engine/core/scope.js';

describe('Scope', () => {
  it('ends what was deferred once, the last first, and waits for it', async () => {
    const ended: string[] = [];
    const scope = new Scope();
    scope.defer(() => ended.push('first'));
    scope.defer(async () => {
      await Promise.resolve();
      ended.push('second');
    });
    await scope.dispose();
    await scope.dispose();
    expect(ended).toEqual(['second', 'first']);
  });

  it('ends the rest after one has failed, and rejects with the first error', async () => {
    const ended: string[] = [];
    const scope = new Scope();
    scope.defer(() => ended.push('first'));
    for (const message of ['later', 'sooner']) {
      scope.defer(() => Promise.reject(new Error(message)));
    }
    await expect(scope.dispose()).rejects.toThrow('sooner');
    expect(ended).toEqual(['first']);
  });

  it('ends a nested scope with itself, unless that has ended before', async () => {
    const ended: string[] = [];
    const scope = new Scope();
    const [early, late] = [scope.nested(), scope.nested()];
    early.defer(() => ended.push('early'));
    late.defer(() => ended.push('late'));
    await early.dispose();
    expect(ended).toEqual(['early']);
    await scope.dispose();
    expect(ended).toEqual(['early', 'late']);
  });
});
