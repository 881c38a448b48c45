import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { describeNats, natsServers } from '../server.js';
import { ended, killed, Training } from './processes.js';

const long = process.env.TAGSTREAM_FAULTS === 'long';

describeNats('training at a cluster of three servers', () => {
  const servers = natsServers({ servers: 3 });
  const epochs = long ? 60 : 8;
  const random = new Random(31);

  /** A server runs again, and all are of one mind. */
  async function back(server: number): Promise<void> {
    const ready = servers()
      .restart(server)
      .then(() => servers().ready());
    // At the end of the tests it has been killed.
    ready.catch(() => undefined);
    await ready;
  }

  it('makes the same bytes when leaders are killed under way', { tags: 'slow' }, async () => {
    const { folder, urls } = servers();
    const undisturbed = new Training(folder, urls, 'undisturbed', epochs);
    await ended(undisturbed.coordinator('--set', 'train.cluster.work=true'));
    const training = new Training(folder, urls, 'struck', epochs);
    const workers = [training.worker(), training.worker()];
    const coordinator = training.coordinator();
    let kills = 0;
    const most = long ? 20 : 2;
    while (coordinator.exitCode === null && kills < most) {
      await pause(1_200 + random.below(600));
      const leader = await servers().leader();
      if (leader < 0 || coordinator.exitCode !== null) continue;
      await servers().kill(leader);
      kills += 1;
      await pause(random.below(800));
      // A server that comes back after the last write may be behind for minutes: nobody waits for it.
      await Promise.race([back(leader), ended(coordinator)]);
    }
    await ended(coordinator);
    await Promise.all(workers.map(killed));
    console.log(`training: ${kills} leaders killed`);
    expect(training.bytes).toBe(undisturbed.bytes);
    expect(kills).toBeGreaterThan(0);
  });
});
