import { expect, it } from 'vitest';
import { TrainingStore } from '../../../src/nats/training/training-store.js';
import { describeNats, natsServers } from '../server.js';

describeNats('the store of a training', () => {
  const servers = natsServers();
  const keys = ['run.job', 'run.sentences.0', 'run.result.1.0', 'run.result.1.1'];

  const open = (stream: string) =>
    TrainingStore.open(
      { servers: servers().url, stream, create: true, replicas: 1, ackWait: 30, giveUp: 60 },
      file => file,
    );

  it('has the data of every key that is left when its removal is broken off', async () => {
    let removed = 0;
    for (let requests = 0; removed < keys.length; requests += 1) {
      const store = await open('broken');
      for (const key of keys) await store.write(key, Buffer.from(key));
      const { streams } = store.connection.manager;
      const purge = streams.purge.bind(streams);
      let left = requests;
      const died = new Promise<void>(resolve => {
        streams.purge = (name, options) => {
          left -= 1;
          if (left >= 0) return purge(name, options);
          resolve();
          return new Promise(() => {});
        };
      });
      await Promise.race([store.remove('run'), died]);
      streams.purge = purge;
      const sizes = await Promise.all(keys.map(key => store.size(key)));
      removed = sizes.filter(size => size === undefined).length;
      for (const [i, key] of keys.entries()) {
        const bytes = await store.read(key);
        expect(bytes?.length, `${key} after ${requests} requests`).toBe(sizes[i]);
      }
      await store.close();
    }
  });

  it('keeps nothing of what was removed', async () => {
    const store = await open('whole');
    for (const key of [...keys, 'other.job']) await store.write(key, Buffer.from(key));
    await store.remove('run');
    expect(await Promise.all(keys.map(key => store.read(key)))).toEqual(keys.map(() => undefined));
    expect(`${await store.read('other.job')}`).toBe('other.job');
    const { manager } = store.connection;
    const counts = await Promise.all(
      ['KV_whole', 'OBJ_whole'].map(
        async name => (await manager.streams.info(name)).state.messages,
      ),
    );
    expect(counts).toEqual([1, 2]);
    await store.close();
  });
});
