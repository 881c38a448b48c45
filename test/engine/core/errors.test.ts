import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../src/engine/core/errors.js';
import { redacted } from '../../../src/engine/core/secrets.js';

/** Texts that names are made of, among them what addresses with passwords are. */
const repeated = [
  ...['a', 'A://', 'a://b:', '@', 'a@', '//', ':', ' ', '\n', "'", '1', 'a.', 'nats://a@'],
  ...['a:1/', '+', 'é', '\u{1f600}', '\t@', '://@'],
];

/** Texts that grow with a length, of two repeated parts. */
const texts = repeated.flatMap(one =>
  repeated.map(other => (length: number) => {
    const half = length / 2;
    return (
      one.repeat(half / one.length) + other.repeat(half / other.length) + (length % 2 ? '://' : '')
    );
  }),
);

describe('errors', () => {
  it('of any length have short texts, without halves of surrogate pairs', () => {
    for (const text of texts) {
      const name = text(100_001);
      const { message, problem, fix } = new TagstreamError('wrong-shape', `the column "${name}"?`, {
        fix: `name it ${name} or otherwise`,
      });
      expect(message.length).toBeLessThan(8_100);
      expect(problem).toMatch(/^the column ".*"\?$/s);
      expect(fix).toMatch(/^name it .* or otherwise$/s);
      expect(() => encodeURIComponent(message)).not.toThrow();
    }
  });

  it('keep the name of a column whole, up to a length', () => {
    const problem = `the column ${'a'.repeat(200)} is not known`;
    expect(new TagstreamError('unknown-column', problem).problem).toBe(problem);
  });

  it('cut a name after its secrets are hidden', () => {
    const password = 'p'.repeat(400);
    const { message } = new TagstreamError('connection', `cannot reach nats://anna:${password}@h`);
    expect(message).toBe('cannot reach nats://***@h');
  });

  it('once made, are as long when they get a place', () => {
    const error = new TagstreamError('stage', 'a '.repeat(10_000) + 'b'.repeat(10_000));
    expect(error.at({ source: 'x' }).problem).toBe(error.problem);
  });
});

describe('redacted', () => {
  it('hides users and passwords in addresses, within long texts as well', () => {
    for (const text of texts) {
      const around = text(1_000);
      const found = redacted(`${around} tls://anna:hunter2/@host:4222/a ${around}`);
      expect(found).not.toContain('hunter2');
      expect(found).toContain(' tls://***@host:4222/a ');
    }
  });

  it.each([
    ['https://example.com/@anna', 'https://example.com/@anna'],
    ['http://localhost:8080/@anna', 'http://localhost:8080/@anna'],
    ['http://localhost:a/@anna', 'http://***@anna'],
    ['1tls://a@b', '1tls://***@b'],
    ['1://a@b', '1://a@b'],
    ['(tls://a:b@c),tls://d@e', '(tls://***@c),tls://***@e'],
    ['tls://a@b tls://c@d', 'tls://***@b tls://***@d'],
    ['a://b://c@d', 'a://***@d'],
  ])('%s becomes %s', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });
});
