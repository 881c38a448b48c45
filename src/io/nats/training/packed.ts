import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { deflateRaw, inflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Plain data and typed arrays as bytes, compressed at the fastest level: the usual one saves 6 % more bytes in three times
 * the time, on changes of a perceptron. */
export async function packed(data: unknown): Promise<Uint8Array> {
  return deflate(serialize(data), { level: 1 });
}

/** What was packed. */
export async function unpacked<Data>(bytes: Uint8Array): Promise<Data> {
  return deserialize(await inflate(bytes)) as Data;
}

/** A digest of plain data and typed arrays, in 32 hexadecimal digits. */
export function digestOf(...data: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const item of data) hash.update(serialize(item));
  return hash.digest('hex').slice(0, 32);
}
