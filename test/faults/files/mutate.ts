import type { Random } from '../../../src/engine/core/random.js';
import { checksum } from '../../../src/engine/kernels/byte-checks.js';

/** Bytes damaged in one way or several: what disks, networks and editors do. */
export function mutated(random: Random, whole: Uint8Array): { kind: string; bytes: Buffer } {
  const bytes = Buffer.from(whole);
  const [kind, change] = ways[random.below(ways.length)]!;
  const changed = change(random, bytes);
  return { kind, bytes: changed.equals(bytes) ? Buffer.concat([changed, Buffer.of(7)]) : changed };
}

type Way = (random: Random, bytes: Buffer) => Buffer;

const ways: readonly (readonly [string, Way])[] = [
  ['bit flips', flip],
  ['bit flips', flip],
  ['bytes in the front', (random, bytes) => flip(random, bytes, 64)],
  ['truncated', (random, bytes) => bytes.subarray(0, random.below(bytes.length))],
  ['inserted', insert],
  ['removed', (random, bytes) => splice(random, bytes, () => Buffer.alloc(0))],
  ['duplicated', (random, bytes) => splice(random, bytes, part => Buffer.concat([part, part]))],
  ['zeroed', (random, bytes) => splice(random, bytes, part => Buffer.alloc(part.length))],
  ['swapped', swap],
  ['huge number', hugeNumber],
];

function flip(random: Random, bytes: Buffer, within = bytes.length): Buffer {
  const copy = Buffer.from(bytes);
  for (let n = random.below(8); n >= 0; n -= 1) {
    copy[random.below(Math.min(within, copy.length))]! ^= 1 << random.below(8);
  }
  return copy;
}

function insert(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length);
  const more = Buffer.from(
    Uint8Array.from({ length: 1 + random.below(40) }, () => random.below(256)),
  );
  return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
}

function splice(random: Random, bytes: Buffer, change: (part: Buffer) => Buffer): Buffer {
  const from = random.below(bytes.length);
  const to = Math.min(bytes.length, from + 1 + random.below(300));
  return Buffer.concat([
    bytes.subarray(0, from),
    change(bytes.subarray(from, to)),
    bytes.subarray(to),
  ]);
}

function swap(random: Random, bytes: Buffer): Buffer {
  const size = 1 + random.below(Math.min(64, bytes.length >> 2));
  const first = random.below((bytes.length >> 1) - size);
  const second = (bytes.length >> 1) + random.below((bytes.length >> 1) - size);
  const copy = Buffer.from(bytes);
  bytes.copy(copy, first, second, second + size);
  bytes.copy(copy, second, first, first + size);
  return copy;
}

function hugeNumber(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = 4 * random.below(Math.min(8, copy.length >> 2));
  copy.writeUInt32LE([0xffffffff, 0x7fffffff, 0x80000000, 2 ** 26][random.below(4)]!, at);
  return copy;
}

/** A value somewhere in a JSON value, replaced by what does not belong there; the input is changed. */
export function mutateJson(random: Random, root: Record<string, unknown>): string {
  const places: [holder: Record<string, unknown>, key: string, path: string][] = [];
  const walk = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key, `${path}.${key}`]);
      walk((value as Record<string, unknown>)[key], `${path}.${key}`);
    }
  };
  walk(root, '');
  const [holder, key, path] = places[random.below(places.length)]!;
  if (random.below(8) === 0) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
    return `${path} removed`;
  }
  const next = strange[random.below(strange.length)]!(holder[key]);
  holder[key] = next;
  return path;
}

const strange: readonly ((value: unknown) => unknown)[] = [
  () => null,
  () => -1,
  () => 2 ** 31,
  () => 2 ** 53,
  () => 0.5,
  () => 1e300,
  () => '',
  () => '__proto__',
  () => [],
  () => ({}),
  () => true,
  () => JSON.parse('{"__proto__":{"length":1}}') as unknown,
  () => JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) as unknown,
  value => (typeof value === 'number' ? value + 1 : [value]),
  value => (typeof value === 'number' ? value - 1 : [value, value]),
  value => (typeof value === 'number' ? value * 65_536 : { value }),
];

/** A model file with another header in front of the same sections; lengths and checksum are right. */
export function sealedHeader(header: unknown, whole: Uint8Array): Uint8Array {
  const view = new DataView(whole.buffer, whole.byteOffset);
  const rest = whole.subarray(24 + view.getUint32(8, true));
  const json = Buffer.from(JSON.stringify(header));
  return sealedText(
    Buffer.concat([json, Buffer.alloc((8 - (json.length % 8)) % 8, 0x20)]),
    rest,
    view.getUint32(4, true),
  );
}

/** The same with a header that may be no JSON. */
export function sealedText(json: Uint8Array, rest: Uint8Array, version = 1): Uint8Array {
  const bytes = Buffer.concat([Buffer.alloc(24), json, rest]);
  bytes.write('TSGM');
  bytes.writeUInt32LE(version, 4);
  bytes.writeUInt32LE(json.length, 8);
  bytes.writeUInt32LE(checksum(json), 12);
  bytes.writeUInt32LE(bytes.length, 16);
  return bytes;
}
