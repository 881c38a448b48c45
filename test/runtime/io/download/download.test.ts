import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { download } from '../../../../src/runtime/io/download/download.js';
import { type DownloadOptions, nextAddress } from '../../../../src/runtime/io/download/transfer.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { fileServer, type ServedFile, sha256 } from './file-server.js';

const server = await fileServer();
const root = workspace();
const body = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 251));
let folder = '';
let count = 0;

beforeEach(() => {
  count += 1;
  folder = join(root, String(count));
  mkdirSync(folder);
  server.requests.length = 0;
});

const target = () => join(folder, 'file');
const get = (
  file: Omit<ServedFile, 'body'> & { body?: Buffer },
  options: Partial<DownloadOptions> = {},
) => {
  const part = `${options.target ?? target()}.part`;
  server.files.set('/file', { body, part, ...file });
  return download({ url: `${server.url}/file`, target: target(), pause: 1, ...options });
};
const checked = { sha256: sha256(body), bytes: body.length };
const whole = () => expect(readFileSync(target()).equals(body)).toBe(true);
const ranges = () => server.requests.map(request => request.split(' ')[1] ?? '');

describe('download', () => {
  it('writes the file, and says what it is', async () => {
    const steps: (number | undefined)[] = [];
    const found = await get({}, { onProgress: (received, total) => steps.push(received, total) });
    expect(found).toEqual(checked);
    expect(steps.slice(-2)).toEqual([body.length, body.length]);
    expect(readdirSync(folder)).toEqual(['file']);
    whole();
  });

  it('takes slow small chunks, and a body without a length', async () => {
    await get({ chunk: 3001, unsized: true }, checked);
    whole();
  });

  it('continues where a connection broke, in the same call', async () => {
    await get({ breaks: [100_000, 50_000], etag: '"a"' }, checked);
    expect(ranges()).toEqual(['', 'bytes=100000-', 'bytes=150000-']);
    whole();
  });

  it('continues where the last call ended, and keeps what has come of a broken one', async () => {
    const broken = get({ breaks: [1000, 0, 0] }, { ...checked, retries: 1 });
    await expect(broken).rejects.toThrow(/1000 bytes are kept \(run the command again: it resumes/);
    expect(existsSync(target())).toBe(false);
    expect(readdirSync(folder)).toContain('file.part');
    server.requests.length = 0;
    await get({}, checked);
    expect(ranges()).toEqual(['bytes=1000-']);
    expect(readdirSync(folder)).toEqual(['file']);
    whole();
  });

  it('begins anew where the server gives no parts, or has another version', async () => {
    writeFileSync(`${target()}.part`, body.subarray(0, 500));
    await get({ ranges: false }, checked);
    whole();
    await expect(get({ breaks: [700, 0], etag: '"old"' }, { retries: 1 })).rejects.toThrow(
      '700 bytes',
    );
    server.requests.length = 0;
    const other = Buffer.from('another version');
    await get({ body: other, etag: '"new"' });
    expect(ranges()).toEqual(['bytes=700-']);
    expect(readFileSync(target()).equals(other)).toBe(true);
  });

  it('never puts parts together that nothing would check', async () => {
    writeFileSync(`${target()}.part`, 'something else');
    await get({});
    expect(ranges()).toEqual(['']);
    whole();
  });

  it('finds out by the digest that what was there is of another file', async () => {
    writeFileSync(`${target()}.part`, 'x'.repeat(1000));
    await expect(get({}, checked)).rejects.toThrow(/its SHA-256 is [0-9a-f]{64}, expected .*/);
    expect(readdirSync(folder)).toEqual(['file.wrong']);
    await get({}, checked);
    whole();
  });

  it('asks for nothing where all already exists', async () => {
    writeFileSync(`${target()}.part`, body);
    await get({}, checked);
    expect(server.requests).toEqual([]);
    whole();
    writeFileSync(`${target()}.part`, body);
    await get({}, { sha256: checked.sha256 });
    expect(ranges()).toEqual(['bytes=300000-']);
    whole();
  });

  it('puts a file aside that is not the one that was expected', async () => {
    const wrong = { sha256: 'a'.repeat(64) };
    await expect(get({}, wrong)).rejects.toThrow(
      /expected a{64} \(the file differs from the catalogue; the download is in .*file\.wrong\)/,
    );
    expect(readFileSync(`${target()}.wrong`).equals(body)).toBe(true);
    await expect(get({}, { bytes: 300_001 })).rejects.toThrow(
      'received 300000 bytes, expected 300001',
    );
    expect(existsSync(target())).toBe(false);
  });

  it('takes no more than was expected', async () => {
    await expect(get({}, { bytes: 1000 })).rejects.toThrow('more than the expected 1000 bytes');
    // Whatever the server says of its size.
    await expect(get({}, { most: 5000 })).rejects.toThrow('more than the expected 5000');
    await expect(get({ unsized: true }, { most: 5000 })).rejects.toThrow(
      'more than the expected 5000',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('follows redirects, and reports what the server answered', async () => {
    server.files.set('/elsewhere', { body, redirect: '/file' });
    server.files.set('/file', { body });
    await download({ url: `${server.url}/elsewhere`, target: target(), ...checked });
    whole();
    server.files.set('/round', { body, redirect: '/round' });
    const round = download({ url: `${server.url}/round`, target: join(folder, 'round') });
    await expect(round).rejects.toThrow('more than 10 redirects');
    server.files.set('/away', { body, redirect: 'file:///etc/hostname' });
    const away = download({ url: `${server.url}/away`, target: join(folder, 'away') });
    await expect(away).rejects.toThrow(/it redirects to file:\/\/\/.* \(only http and https/);
    const lost = download({ url: `${server.url}/none`, target: join(folder, 'none') });
    await expect(lost).rejects.toThrow(
      /cannot fetch .*\/none: the server answered 404 Not Found \(the file has moved/,
    );
    await expect(get({ statuses: [403] })).rejects.toThrow('the server answered 403 Forbidden');
    expect(server.requests.filter(path => path === '/none')).toHaveLength(1);
  });

  it('follows no redirect from an encrypted address to another', () => {
    const [from, plain] = ['https://a.example/x/y', 'http://b.example/z'];
    expect(nextAddress(from, from, '../z?q')).toBe('https://a.example/z?q');
    expect(nextAddress(plain, plain, '//a.example/')).toBe('http://a.example/');
    expect(() => nextAddress(from, from, plain)).toThrow(
      `cannot fetch ${from}: it redirects to ${plain} (only https redirects are followed)`,
    );
    // Also where the address that was named was plain, and an encrypted one came between.
    expect(() => nextAddress(plain, from, plain)).toThrow('only https redirects');
    expect(() => nextAddress(from, from, 'http://')).toThrow('it redirects to http://');
  });

  it('asks again after 429 and 503, but not for ever', async () => {
    await get({ statuses: [503, 429] }, checked);
    whole();
    const always = get({ statuses: [503, 503, 503] }, { retries: 2, target: join(folder, 'b') });
    await expect(always).rejects.toThrow('the server answered 503 Service Unavailable');
    expect(server.requests).toHaveLength(6);
  });

  it('gives a silent server up, and says where none answers', async () => {
    const silent = get({ silentAfter: 100 }, { patience: 100, retries: 0 });
    await expect(silent).rejects.toThrow('no data for 0.1 s; 100 bytes are kept');
    const nobody = download({ url: 'http://127.0.0.1:1/x', target: target(), retries: 0 });
    await expect(nobody).rejects.toThrow(
      /cannot fetch .*:1\/x: .*(check that this machine is online|run the command)/,
    );
  });

  it('says where it cannot write', async () => {
    writeFileSync(join(folder, 'plain'), '');
    const inside = get({}, { target: join(folder, 'plain/file') });
    await expect(inside).rejects.toThrow(/cannot write .*plain\/file/);
  });
});
