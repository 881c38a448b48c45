import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { ServerOptions } from '../../../src/engine/interfaces/server-options.js';
import { openConnection } from '../../../src/nats/connection/open-connection.js';
import { workspace } from '../../cli/commands/workspace.js';
import { describeNats, natsServers } from '../server.js';

interface KeyPair {
  getPublicKey(): string;
  getSeed(): Uint8Array;
  sign(data: Uint8Array): Uint8Array;
}

interface Keys {
  createUser(): KeyPair;
  createAccount(): KeyPair;
  createOperator(): KeyPair;
}

/** A package of the client, which it brings along. */
const keys = createRequire(import.meta.resolve('@nats-io/transport-node'))(
  '@nats-io/nkeys',
) as Keys;
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const folder = workspace();
const path = (file: string) => resolve(folder, file);

type Auth = ServerOptions['auth'];

/** What the servers say of an attempt to look at their account. */
async function attempt(servers: string, more: Partial<ServerOptions>): Promise<string> {
  const options = { servers, giveUp: 2, auth: undefined, tls: undefined, ...more };
  try {
    const connection = await openConnection(options, path);
    const { streams } = await connection.manager.getAccountInfo();
    await connection.core.close();
    return `${streams} streams`;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

function secretFile(name: string, secret: string): { file: string } {
  writeFileSync(path(name), `${secret}\n`);
  return { file: name };
}

describeNats('a token', () => {
  const servers = natsServers({ config: 'authorization: { token: of-the-test }' });

  it('is taken from a file or a variable, and never shown', async () => {
    const token = secretFile('token', 'of-the-test');
    expect(await attempt(servers().url, { auth: { token } })).toBe('0 streams');
    process.env.TAGSTREAM_TEST_TOKEN = 'of-the-test';
    const variable = { variable: 'TAGSTREAM_TEST_TOKEN' };
    expect(await attempt(servers().url, { auth: { token: variable } })).toBe('0 streams');
    delete process.env.TAGSTREAM_TEST_TOKEN;
    expect(await attempt(servers().url, { auth: { token: variable } })).toBe(
      'the variable TAGSTREAM_TEST_TOKEN has no token (set it before the run starts)',
    );
    const wrong = await attempt(servers().url, { auth: { token: secretFile('wrong', 'guessed') } });
    expect(wrong).toMatch(
      /^could not connect to nats:\/\/127.*Authorization Violation.*check the user/i,
    );
    expect(wrong).not.toContain('guessed');
    expect(await attempt(servers().url, {})).toMatch(/authorization/i);
  });
});

const user = keys.createUser();

describeNats('users', () => {
  const config = `authorization: { users: [
  { user: ben, password: of-ben }
  { nkey: ${user.getPublicKey()} }
] }`;
  const servers = natsServers({ config });

  it.each<[string, () => Auth]>([
    ['by a password', () => ({ user: 'ben', password: secretFile('password', 'of-ben') })],
    ['by an nkey', () => ({ nkey: secretFile('seed', text(user.getSeed())) })],
  ])('connect %s', async (_, auth) => {
    expect(await attempt(servers().url, { auth: auth() })).toBe('0 streams');
  });

  it('are refused with another key', async () => {
    const nkey = secretFile('other', text(keys.createUser().getSeed()));
    expect(await attempt(servers().url, { auth: { nkey } })).toMatch(/authorization/i);
  });
});

const operator = keys.createOperator();
const account = keys.createAccount();
const system = keys.createAccount();

/** A claim, signed by a key, as servers in operator mode take it. */
function signed(issuer: KeyPair, subject: KeyPair, claim: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = part({ typ: 'JWT', alg: 'ed25519-nkey' });
  const body = part({
    ...{ jti: 'test', iat: 1_700_000_000, iss: issuer.getPublicKey(), sub: subject.getPublicKey() },
    nats: { version: 2, ...claim },
  });
  const signature = issuer.sign(new TextEncoder().encode(`${head}.${body}`));
  return `${head}.${body}.${Buffer.from(signature).toString('base64url')}`;
}

describeNats('a credentials file', () => {
  const limits = { subs: -1, conn: -1, leaf: -1, imports: -1, exports: -1, data: -1, payload: -1 };
  const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const claim = { type: 'account', limits: { ...limits, wildcards: true, ...storage } };
  const config = `operator: ${signed(operator, operator, { type: 'operator' })}
resolver: MEMORY
system_account: ${system.getPublicKey()}
resolver_preload: {
  ${account.getPublicKey()}: ${signed(operator, account, claim)}
  ${system.getPublicKey()}: ${signed(operator, system, { type: 'account', limits: { ...limits, wildcards: true } })}
}`;
  const servers = natsServers({ config });

  it('connects', async () => {
    const token = signed(account, user, { type: 'user', subs: -1, data: -1, payload: -1 });
    writeFileSync(
      path('ben.creds'),
      `-----BEGIN NATS USER JWT-----
${token}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${text(user.getSeed())}
------END USER NKEY SEED------
`,
    );
    const auth = { credentials: 'ben.creds' };
    expect(await attempt(servers().url, { auth })).toBe('0 streams');
    expect(await attempt(servers().url, { auth: { credentials: 'none.creds' } })).toContain(
      'none.creds: the credentials cannot be read',
    );
  });
});

/** The configuration of a server with a certificate for a name, signed by `ca.pem` beside it. */
function certified(name: string): (made: string) => string {
  return made => {
    const file = (part: string) => join(made, part);
    const openssl = (...given: string[]) => execFileSync('openssl', given, { stdio: 'pipe' });
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const authority = ['-keyout', file('ca.key'), '-out', file('ca.pem'), '-subj', '/CN=test'];
    openssl('req', '-x509', '-days', '2', ...key, ...authority);
    const request = [
      '-keyout',
      file('server.key'),
      '-out',
      file('server.csr'),
      '-subj',
      '/CN=nats',
    ];
    openssl('req', ...key, ...request);
    writeFileSync(file('names'), `subjectAltName=DNS:${name}\n`);
    const by = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2'];
    const names = ['-extfile', file('names'), '-out', file('server.pem')];
    openssl('x509', '-req', '-in', file('server.csr'), ...by, ...names);
    return `tls: { cert_file: "${file('server.pem')}", key_file: "${file('server.key')}" }`;
  };
}

describeNats('TLS', () => {
  const servers = natsServers({ config: certified('localhost') });
  const elsewhere = natsServers({ config: certified('nats.example.org') });
  const addressOf = (url: string) => `tls://localhost:${new URL(url).port}`;

  it('is checked against the authority and the name of the server', async () => {
    const address = addressOf(servers().url);
    const tls = { ca: join(servers().folder, 'ca.pem') };
    expect(await attempt(address, { tls })).toBe('0 streams');
    expect(await attempt(address, { tls: {} })).toMatch(/certificate.*authority/i);
    expect(await attempt(address, { tls: { ca: 'none.pem' } })).toContain(
      'none.pem: tls: ca cannot be read',
    );
    const other = { tls: { ca: join(elsewhere().folder, 'ca.pem') } };
    expect(await attempt(addressOf(elsewhere().url), other)).toMatch(
      /could not connect to tls:\/\/localhost.*altname.*check that the server certificate names/i,
    );
  });

  it('is refused where the name cannot be checked', async () => {
    expect(await attempt('tls://127.0.0.1:4222', {})).toContain('it is an IP address');
    expect(await attempt('[::1]:4222', { tls: {} })).toContain('it is an IP address');
  });
});
