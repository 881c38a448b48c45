import * as z from 'zod';
import { allOnResume } from '../core/schema/on-resume.js';
import { givenText } from '../core/schema/option-kinds.js';

/** A reference to a secret, which keeps the secret out of files, logs, checkpoints and process lists. */
const secret = z.union([
  z.strictObject({ file: z.string().min(1).describe('a file whose only line is the secret') }),
  z.strictObject({ variable: z.string().min(1).describe('an environment variable') }),
]);

/** Location of a secret. */
export type Secret = z.output<typeof secret>;

const address = z
  .string()
  .min(1)
  .refine(url => !url.includes('@'), {
    message: 'expected an address without user and password: give these under auth',
  });

const auth = z
  .strictObject({
    token: secret.optional(),
    user: z.string().min(1).optional(),
    password: secret.optional(),
    nkey: secret.optional().describe('the seed of an nkey'),
    credentials: givenText('a credentials file (JWT and nkey)'),
  })
  .refine(
    ({ token, user, nkey, credentials }) =>
      [token, user, nkey, credentials].filter(way => way !== undefined).length === 1,
    { message: 'expected exactly one of token, user, nkey and credentials' },
  )
  .refine(({ user, password }) => (user === undefined) === (password === undefined), {
    message: 'user and password go together',
  });

const tls = z.strictObject({
  ca: givenText('certificate authority, a PEM file'),
  cert: givenText('client certificate, a PEM file'),
  key: givenText('key of the client certificate, a PEM file'),
});

/** Options for connecting to servers. */
export const serverShape = allOnResume('place', {
  servers: z
    .union([address, z.array(address).min(1)])
    .default('localhost:4222')
    .describe('address of a server, or of several in a cluster: nats://HOST:PORT, tls://HOST:PORT'),
  auth: auth
    .optional()
    .describe(
      'token, user and password, nkey, or credentials; secrets come from a file or variable',
    ),
  tls: tls.optional().describe('requires TLS; PEM files'),
  giveUp: z
    .number()
    .positive()
    .default(120)
    .describe('the run ends after this many seconds without an answer from any server'),
});

/** Returns the option `replicas`. */
export function replicasOption() {
  return z.int().min(1).max(5).default(1).describe('replicas of a stream that this run creates');
}

const serverOptions = z.strictObject(serverShape);

/** Validated options for connecting to servers. */
export type ServerOptions = z.output<typeof serverOptions>;
