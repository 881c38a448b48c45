import { existsSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, it } from 'vitest';
import { describeNats, NatsServers, natsServers } from './server.js';

describeNats('one server of the tests', () => {
  const servers = natsServers();

  it('keeps its address and streams over a kill', async () => {
    const { url } = servers();
    const connection = await connect({ servers: url, reconnectTimeWait: 50 });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'KEPT', subjects: ['kept'] });
    await servers().kill();
    expect(servers().isRunning()).toBe(false);
    await servers().restart();
    expect(servers().url).toBe(url);
    const again = await connect({ servers: url });
    const names = (await (await jetstreamManager(again)).streams.list().next()).map(
      ({ config }) => config.name,
    );
    expect(names).toEqual(['KEPT']);
    await Promise.all([connection.close(), again.close()]);
  });
});

describeNats('a cluster of the tests', () => {
  it('elects another leader when one is killed, and is removed at the end', {
    tags: 'slow',
  }, async () => {
    const servers = await NatsServers.start({ servers: 3 });
    try {
      const first = await servers.leader();
      expect(first).toBeGreaterThanOrEqual(0);
      const connection = await connect({ servers: [...servers.urls] });
      const manager = await jetstreamManager(connection);
      const { cluster } = await manager.streams.add({
        ...{ name: 'THREE', subjects: ['three'], num_replicas: 3 },
      });
      expect(cluster?.replicas).toHaveLength(2);
      await connection.close();
      await servers.kill(first);
      await servers.ready();
      const second = await servers.leader();
      expect(second).not.toBe(first);
      await servers.restart(first);
      await servers.ready();
    } finally {
      await servers.end();
    }
    expect(existsSync(servers.folder)).toBe(false);
  });

  it('says why a server does not start', { tags: 'slow' }, async () => {
    await expect(NatsServers.start({ config: 'nonsense {' })).rejects.toThrow('nats-server ended');
  });
});
