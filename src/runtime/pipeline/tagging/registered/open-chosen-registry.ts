import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { TagstreamError } from '../../../../engine/core/errors.js';
import { schemaMessages } from '../../../../engine/core/schema/schema-messages.js';
import { keepSecretsIn } from '../../../../engine/core/secrets.js';
import type { RegisteredModels } from '../../../../engine/interfaces/registered-models.js';
import { serverShape } from '../../../../engine/interfaces/server-options.js';
import { readBytes } from '../../../../formats/reading/read-bytes.js';
import { openNatsModels } from '../../../../nats/registry/nats-models.js';
import { defaultBucket, type RegistryOptions } from '../../../../nats/registry/open-registry.js';
import { parseYaml } from '../../file/yaml-document.js';
import type { RegistryChoice } from '../../setup/run-options.js';

const fileShape = z.strictObject({
  ...serverShape,
  bucket: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,200}$/, { message: 'up to 200 letters, digits, - and _ are expected' })
    .default(defaultBucket),
});

/** Whether missing buckets of a registry are created, and how. */
export type NewBuckets = Pick<RegistryOptions, 'create' | 'replicas'>;

/**
 * Opens the chosen registry.
 *
 * @throws (rejects with) TagstreamError `config`, `file`, `connection`
 */
export async function openChosenRegistry(
  choice: RegistryChoice,
  buckets: NewBuckets = {},
): Promise<RegisteredModels> {
  const file = choice.nats ?? process.env.TAGSTREAM_NATS;
  const folder = file === undefined ? process.cwd() : dirname(resolve(file));
  const options = registryOptions(file, choice.servers);
  return openNatsModels({ ...options, ...buckets }, name => resolve(folder, name));
}

function registryOptions(
  file: string | undefined,
  servers: readonly string[] | undefined,
): RegistryOptions {
  const document =
    file === undefined ? undefined : parseYaml(new TextDecoder().decode(readBytes(file)), file);
  const value = { ...((document?.value ?? {}) as object), ...(servers && { servers }) };
  keepSecretsIn(value);
  const result = fileShape.safeParse(value, { error: schemaMessages });
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  const source = path[0] === 'servers' && servers !== undefined ? '--servers' : file;
  throw new TagstreamError('config', [...path, message].join(': '), {
    place:
      source === file && document !== undefined
        ? document.place(path as (string | number)[])
        : { source: source ?? '--servers' },
    fix: 'it has servers, auth, tls, giveUp and bucket, as a pipeline has them under nats',
  });
}
