import * as z from 'zod';
import { givenText } from '../../../core/schema/option-kinds.js';

/** A secret by where it stands, so that the secret itself is in no file, log, checkpoint or list of processes. */
const secret = z.union([
  z.strictObject({ file: z.string().min(1).describe('a file with the secret as its only line') }),
  z.strictObject({ variable: z.string().min(1).describe('an environment variable') }),
]);

/** Where a secret stands. */
export type Secret = z.output<typeof secret>;

const address = z
  .string()
  .min(1)
  .refine(url => !url.includes('@'), {
    message: 'an address without user and password is expected: these belong under auth',
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
    { message: 'exactly one of token, user, nkey and credentials is expected' },
  )
  .refine(({ user, password }) => (user === undefined) === (password === undefined), {
    message: 'user and password are expected together',
  });

const tls = z.strictObject({
  ca: givenText('file of the certificate authority, PEM'),
  cert: givenText('file of the client certificate, PEM'),
  key: givenText('file of the key of the client certificate, PEM'),
});

/** How servers are reached. */
export const serverShape = {
  servers: z
    .union([address, z.array(address).min(1)])
    .default('localhost:4222')
    .describe('address of a server, or of several of a cluster: nats://HOST:PORT, tls://HOST:PORT'),
  auth: auth
    .optional()
    .describe('token, user and password, nkey, or credentials; secrets by file or variable'),
  tls: tls.optional().describe('requires TLS; files in PEM'),
  giveUp: z
    .number()
    .positive()
    .default(120)
    .describe('seconds without an answer of any server after which the run ends'),
};

const serverOptions = z.strictObject(serverShape);

/** How servers are reached, checked. */
export type ServerOptions = z.output<typeof serverOptions>;
