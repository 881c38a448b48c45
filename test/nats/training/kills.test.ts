import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { describeNats, natsServers } from '../server.js';
import { ended, killed, Training } from './processes.js';

const long = process.env.TAGSTREAM_FAULTS === 'long';

describeNats('training by processes', () => {
  const servers = natsServers();
  const epochs = long ? 60 : 10;
  const sums = long ? 180 : 20;

  const alone = async () => {
    const training = new Training(servers().folder, servers().url, 'alone', epochs);
    await ended(training.coordinator('--set', 'train.cluster.work=true'));
    return training.bytes;
  };
  let reference: Promise<string> | undefined;

  // Where processes are killed, below, the bytes are the same as well.
  it.each(long ? [1, 2, 4] : [])(
    'makes the same bytes with %i workers',
    { tags: 'slow' },
    async count => {
      reference ??= alone();
      const expected = await reference;
      const training = new Training(servers().folder, servers().url, `by${count}`, epochs);
      const workers = Array.from({ length: count }, () => training.worker());
      await ended(training.coordinator());
      await Promise.all(workers.map(killed));
      expect(training.bytes).toBe(expected);
      expect(training.said).toContain(`0 of ${8 * epochs} tasks done here`);
    },
  );

  /** Kills processes at random moments, and starts each again, until there is a model. */
  async function withKills(training: Training, seed: number, ...more: readonly string[]) {
    const random = new Random(seed);
    const start = [
      () => training.coordinator(...more),
      () => training.worker(),
      () => training.worker(),
    ];
    const processes = start.map(begin => begin());
    const kills = { coordinators: 0, workers: 0 };
    const most = long ? 20 : 3;
    for (let i = 0; i < most; i += 1) {
      // Long enough for most to have begun: a process starts, connects and reads the corpus.
      await pause(600 + random.below(1_500));
      // A worker first and then the coordinator, however soon the training ends.
      const which = i < 2 ? 1 - i : random.below(3);
      if (processes[0]!.exitCode !== null) break;
      await killed(processes[which]!);
      kills[which === 0 ? 'coordinators' : 'workers'] += 1;
      processes[which] = start[which]!();
    }
    await ended(processes[0]!);
    await Promise.all(processes.map(killed));
    return kills;
  }

  it('makes the same bytes whoever is killed', { tags: 'slow' }, async () => {
    reference ??= alone();
    const expected = await reference;
    const training = new Training(servers().folder, servers().url, 'killed', epochs);
    const kills = await withKills(training, 20);
    expect(training.bytes).toBe(expected);
    expect(kills.coordinators).toBeGreaterThan(0);
    expect(kills.workers).toBeGreaterThan(0);
  });

  it('sums gradients to the bytes of one machine, whoever is killed', {
    tags: 'slow',
  }, async () => {
    const single = new Training(servers().folder, servers().url, 'one', sums, true);
    await ended(single.alone());
    const training = new Training(servers().folder, servers().url, 'sums', sums, true);
    const kills = await withKills(training, 23, '--resume');
    expect(training.bytes).toBe(single.bytes);
    expect(kills.coordinators + kills.workers).toBeGreaterThan(1);
  });
});
