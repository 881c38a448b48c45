// The client library alone: fetches the messages of a stream, stores each under an id in another, and confirms
// it when it is stored, 256 at a time. Arguments: server, stream to read, stream to write.

import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

const [servers, from, to] = process.argv.slice(2);
const connection = await connect({ servers });
const manager = await jetstreamManager(connection);
const client = jetstream(connection);
await manager.streams.add({ name: to, subjects: [to] });
await manager.consumers.add(from, { durable_name: to, ack_policy: 'explicit' });
const consumer = await client.consumers.get(from, to);
const { num_pending: all } = await consumer.info();
for (let done = 0; done < all; ) {
  const batch = [];
  for await (const message of await consumer.fetch({ max_messages: 256 })) {
    const id = `${from}.${message.seq}`;
    const stored = client.publish(to, message.data, { msgID: id });
    batch.push(stored.then(() => message.ackAck()));
    if (batch.length + done === all) break;
  }
  await Promise.all(batch);
  done += batch.length;
}
await connection.close();
