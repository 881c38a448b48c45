import * as z from 'zod/mini';
import { TagstreamError } from '../../core/errors.js';
import { deepestJson, jsonDepth } from '../../core/json-depth.js';
import { hashing } from '../files/hashing.js';
import { sectionType } from './sections.js';

/** Version of the directory's layout that this code writes and reads. */
export const formatVersion = 1;

const size = z.int().check(z.nonnegative());

/** Taken as it is: a copy made by the schema would leave out a key `__proto__`. */
const jsonObject = z.custom<Record<string, unknown>>(
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
);

const manifestSchema = z.strictObject({
  format: z.literal(formatVersion),
  /** Name, size and checksum of each file beside the manifest. */
  files: z.record(z.string(), z.strictObject({ bytes: size, sha256: z.string() })),
  parts: z.array(
    z.strictObject({
      name: z.string(),
      json: jsonObject,
      /** Arrays in the order of the binary file, one after the other. */
      sections: z.array(z.strictObject({ name: z.string(), type: sectionType, length: size })),
    }),
  ),
});

export type Manifest = z.output<typeof manifestSchema>;
export type ManifestPart = Manifest['parts'][number];

const head = '{"sha256":"';
const hashLength = 64;

/**
 * The text of a manifest file: the body's JSON text with its own SHA-256 put in front as one more
 * member, so that a damaged manifest is found out as well.
 *
 * @param body JSON text of an object with at least one member
 */
export function sealManifest(body: string): string {
  return `${head}${sha256(body)}",${body.slice(1)}\n`;
}

/**
 * The manifest that a text holds.
 *
 * @throws TagstreamError `checkpoint` if it is damaged, or of another format version
 */
export function readManifest(text: string): Manifest {
  const hash = text.slice(head.length, head.length + hashLength);
  const body = `{${text.slice(head.length + hashLength + 2, -1)}`;
  if (text !== `${head}${hash}",${body.slice(1)}\n` || sha256(body) !== hash) {
    throw new TagstreamError('checkpoint', 'the manifest is damaged: its SHA-256 does not match');
  }
  const value = parsed(body);
  if (value.format !== formatVersion) {
    const problem = `the checkpoint has format ${String(value.format)}, expected ${formatVersion}`;
    throw new TagstreamError('checkpoint', problem, {
      fix: 'resume with the version of Tagstream that wrote it',
    });
  }
  const result = manifestSchema.safeParse(value);
  if (result.success && !repeatsName(result.data)) return result.data;
  throw new TagstreamError('checkpoint', 'the manifest is not in the format of this version', {
    cause: result.error,
  });
}

function parsed(body: string): { format?: unknown } {
  if (jsonDepth(body) <= deepestJson) {
    try {
      return JSON.parse(body) as { format?: unknown };
    } catch {
      // Said below.
    }
  }
  throw new TagstreamError('checkpoint', 'the manifest is not JSON in the format of this version');
}

function repeatsName({ parts }: Manifest): boolean {
  const repeats = (items: readonly { name: string }[]) =>
    new Set(items.map(({ name }) => name)).size < items.length;
  return repeats(parts) || parts.some(({ sections }) => repeats(sections));
}

function sha256(text: string): string {
  return hashing().createHash('sha256').update(text).digest('hex');
}
