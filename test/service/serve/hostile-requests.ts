import { gzipSync } from 'node:zlib';

/** Bytes that no service likes, and what may be answered. */
export interface HostileRequest {
  readonly name: string;
  /** Parts that are sent one after another, with a pause between them. */
  readonly parts: readonly Buffer[];
  /** The first line of the answer; an empty answer is a connection that the server closes. */
  readonly answer: RegExp;
  /** Whether the client resets the connection after the last part. */
  readonly resets?: boolean;
}

const host = 'Host: localhost\r\n';
const close = 'Connection: close\r\n';
const refused = /^HTTP\/1\.1 4\d\d /;
const refusedOrClosed = /^(?:HTTP\/1\.1 4\d\d |$)/;
const hidden = 'GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const get = (path: string, headers = '', method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\n${host}${close}${headers}\r\n`;
/** A request to tag, up to the blank line. */
const post = (headers: string, query = '') =>
  `POST /v1/tag${query} HTTP/1.1\r\n${host}${close}${headers}\r\n`;
const withBody = (type: string, body: string | Buffer, { headers = '', query = '' } = {}) => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const head = `Content-Type: ${type}\r\n${headers}Content-Length: ${bytes.length}\r\n`;
  return Buffer.concat([bytesOf(post(head, query)), bytes]);
};
const plain = 'Content-Type: text/plain\r\n';
const chunked = 'Transfer-Encoding: chunked\r\n';
const shown = (text: string) => JSON.stringify(text).slice(0, 60);

/** Rows of one kind: each case by what makes of it bytes. */
function rows<Case>(
  kind: string,
  cases: readonly Case[],
  bytes: (each: Case) => string | Buffer,
  answer = refused,
): HostileRequest[] {
  return cases.map((each, i) => {
    const made = bytes(each);
    return {
      name: `${kind} ${typeof each === 'string' ? shown(each) : i}`,
      parts: [typeof made === 'string' ? bytesOf(made) : made],
      answer,
    };
  });
}

const slowly = (text: string, every: number): Buffer[] =>
  Array.from({ length: Math.ceil(text.length / every) }, (_, i) =>
    bytesOf(text.slice(i * every, (i + 1) * every)),
  );

const record = '{"id":"a","text":"Anna saw Oslo","tokens":null,"x":[1,{"y":"\\u00e9"}]}';

/** What is not UTF-8: overlong, cut off, surrogates, beyond the last character, bytes that never occur. */
const notUtf8 = [
  ...['80', 'bf', 'c0', 'c1bf', 'c0af', 'c3', 'e0', 'e0a0', 'e08080', 'eda080', 'edbfbf', 'ef'],
  ...['f0', 'f09f', 'f09f98', 'f0808080', 'f4908080', 'f5808080', 'f88080', 'fe', 'ff', 'fffe'],
].map(digits => Buffer.from(digits, 'hex'));

const control = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).filter(
  character => character !== '\t',
);

/** A kilobyte of it is a megabyte of zeros. */
const bomb = gzipSync(Buffer.alloc(50_000_000));

const requests = (): HostileRequest[] => [
  ...rows(
    'request line',
    [
      ...['hello', 'GET', 'GET /livez HTTP/9.9', 'GET /livez HTTP/1.9'],
      ...['GET /livez http/1.1', 'GET  HTTP/1.1', 'GET /a b HTTP/1.1', 'G\0T /livez HTTP/1.1'],
      ...['PRI * HTTP/2.0', 'get /livez HTTP/1.1', 'GET /livez HTTP/1.1 x', ' GET /livez HTTP/1.1'],
      ...['GET /livez HTTP/11', 'GET livez HTTP/1.1', 'GET /\u00e9\0 HTTP/1.1', '{"text":"Anna"}'],
      ...['\x16\x03\x01\x02\x00\x01\x00\x01', 'SSH-2.0-x', 'HTTP/1.1 200 OK', '*1\r\n$4\r\nPING'],
    ],
    line => `${line}\r\n${host}${close}\r\n`,
    refusedOrClosed,
  ),
  ...rows(
    'method',
    [
      ...['BREW', 'TRACE', 'DELETE', 'PUT', 'PATCH', 'PROPFIND', 'LOCK', 'MKCOL', 'SEARCH', 'LINK'],
      ...['PURGE', 'SUBSCRIBE', 'REPORT', 'SOURCE', 'CONNECT', 'OPTIONS', 'GET', 'HEAD', 'QUERY'],
    ],
    method => get('/v1/tag', '', method),
    refusedOrClosed,
  ),
  ...rows(
    'path',
    [
      ...['/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/..%2f..%2fetc/passwd', '/%zz', '/%'],
      ...[
        '/..\\..\\etc\\passwd',
        '/v1/../etc/passwd',
        '/%00',
        '/livez%00',
        '/.git/config',
        '/.env',
      ],
      ...['//etc/passwd', '///', '/v1//models', '/v1/models/', '/V1/MODELS', '/v1/models%2f..'],
      ...['/%c0%ae%c0%ae/', '/%uff0e/', '/v1/tag/..;/models', '/__proto__', '/constructor', '/%25'],
      ...[
        '/\x7f',
        '/node_modules',
        '/dist/cli/main.js',
        '/proc/self/environ',
        '/file:///etc/passwd',
      ],
      ...['/v1/models;a=b', '/livez/../v1', `/${'a/'.repeat(5000)}`, `/${'%41'.repeat(3000)}`],
      `/${'a'.repeat(100_000)}`,
    ],
    path => get(path),
  ),
  ...rows(
    'host',
    [
      ...[
        'evil.example',
        'localhost.evil.example',
        'localhost@evil.example',
        '',
        'localhost:99999',
      ],
      ...[
        'localhost, evil.example',
        '[::1',
        'localhost\0',
        'http://localhost',
        'localhost/',
        '169.254.169.254',
      ],
      ...['localhost:80:80', '127.0.0.1.evil.example', '0x7f000001', 'xn--80ak6aa92e.com'],
    ],
    name => `GET /livez HTTP/1.1\r\nHost: ${name}\r\n${close}\r\n`,
  ),
  ...rows(
    'hosts',
    ['', `${host}${host}`, `${host}HOST: evil.example\r\n`],
    hosts => `GET /livez HTTP/1.1\r\n${hosts}${close}\r\n`,
  ),
  ...rows(
    'absolute target',
    [
      ...['http://evil.example', 'HTTP://evil.example:80', 'https://localhost.evil.example'],
      ...['http://localhost@evil.example', 'http://evil.example@localhost', 'http://'],
      ...['http://localhost:1', 'http://localhost\\.evil.example', 'ftp://localhost', 'localhost'],
    ],
    target => `GET ${target}/livez HTTP/1.1\r\n${host}${close}\r\n`,
  ),
  ...rows(
    'absolute target beside another host',
    ['http://localhost', 'HTTP://LOCALHOST', 'http://localhost:80', 'https://localhost'],
    target => `GET ${target}/livez HTTP/1.1\r\nHost: evil.example\r\n${close}\r\n`,
    /^HTTP\/1\.1 200 /,
  ),
  ...rows(
    'origin',
    [
      'null',
      'https://evil.example',
      'http://localhost.evil.example',
      'file://',
      '*',
      'http://localhost:1',
    ],
    origin => get('/v1/models', `Origin: ${origin}\r\n`),
  ),
  ...rows('site', ['cross-site', 'same-site', 'x'], site =>
    get('/v1/models', `Sec-Fetch-Site: ${site}\r\n`),
  ),
  // But for the line ends, which end the header.
  ...rows(
    'a control character in a header',
    control.filter(each => each !== '\n' && each !== '\r'),
    each => get('/livez', `X: a${each}b\r\n`),
    /^HTTP\/1\.1 (?:4\d\d |200 )/,
  ),
  ...rows(
    'header',
    [
      ...[
        'X',
        ': a',
        'X Y: a',
        'X\0: a',
        ' X: a',
        'X : a',
        '\u00e9: a',
        'X: a\rb',
        '(X): a',
        '"X": a',
      ],
    ],
    header => get('/livez', `${header}\r\n`),
    refusedOrClosed,
  ),
  ...rows(
    'headers of bytes',
    [17_000, 50_000, 100_000, 1_000_000],
    size => get('/livez', `X: ${'a'.repeat(size)}\r\n`),
    refusedOrClosed,
  ),
  ...rows(
    'headers in number',
    [100, 1000],
    number => get('/livez', 'X: a\r\n'.repeat(number)),
    /^HTTP\/1\.1 431 /,
  ),
  ...rows(
    'headers in greater number',
    [3000, 5000, 10_000, 50_000],
    number => get('/livez', 'X: abcdefg\r\n'.repeat(number)),
    refusedOrClosed,
  ),
  ...rows(
    'one long name of a header',
    [17_000, 100_000],
    size => get('/livez', `${'x'.repeat(size)}: a\r\n`),
    refusedOrClosed,
  ),
  ...rows(
    'length',
    [
      '',
      '-5',
      '+5',
      '5 5',
      '5,5',
      '5, 6',
      '0x5',
      '1e3',
      '5.0',
      '5a',
      '9'.repeat(30),
      'Infinity',
      '\u0665',
      '""',
      '5;',
    ],
    length => `${post(`${plain}Content-Length: ${length}\r\n`)}abcde`,
    refusedOrClosed,
  ),
  ...rows(
    'a body too long',
    ['100001', '1073741824', '9007199254740991', '999999999999999'],
    length => `${post(`${plain}Content-Length: ${length}\r\n`)}abcde`,
  ),
  ...rows(
    'lengths',
    ['3\r\nContent-Length: 4', '4\r\nContent-Length: 4, 4', '4\r\ncontent-length: 04'],
    length => `${post(`${plain}Content-Length: ${length}\r\n`)}abcd`,
  ),
  // A request inside a body must stay a part of the body.
  ...rows(
    'smuggling',
    [
      `Content-Length: 4\r\n${chunked}`,
      `${chunked}Content-Length: 4\r\n`,
      `Content-Length: ${hidden.length}\r\n${chunked}`,
      'Transfer-Encoding : chunked\r\n',
      ' Transfer-Encoding: chunked\r\n',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
      'Transfer-Encoding: identity\r\n',
      'Transfer-Encoding: chunked, identity\r\n',
      'Transfer-Encoding: xchunked\r\n',
      'Transfer-Encoding: chunkedx\r\n',
      'Transfer-Encoding: "chunked"\r\n',
      'Transfer-Encoding: \x0bchunked\r\n',
      'Transfer-Encoding\0: chunked\r\n',
      'X: a\nTransfer-Encoding: chunked\r\n',
      'X: a\rTransfer-Encoding: chunked\r\n',
      'Transfer-Encoding:\r\n chunked\r\nContent-Length: 4\r\n',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n',
      'Transfer-Encoding: gzip\r\n',
    ],
    headers => `POST /v1/tag HTTP/1.1\r\n${host}${plain}${headers}\r\n0\r\n\r\n${hidden}`,
    refusedOrClosed,
  ),
  ...rows(
    'chunk',
    [
      ...[
        'zz\r\nabc\r\n',
        '-1\r\nabc\r\n',
        '0x3\r\nabc\r\n',
        '+3\r\nabc\r\n',
        ' 3\r\nabc\r\n',
        '3\nabc\n',
      ],
      ...[
        '3\r\nabcd\r\n',
        'FFFFFFFFFFFFFFFFF\r\na',
        'FFFFFFFFFFFFFFFF\r\na',
        '3 3\r\nabc\r\n',
        '\r\nabc\r\n',
      ],
      ...['3\r\nab\r\n', `3;${'x'.repeat(100_000)}\r\nabc\r\n`, '3\0\r\nabc\r\n', '3\r\rabc\r\n'],
    ],
    chunk => `${post(`${plain}${chunked}`)}${chunk}0\r\n\r\n`,
    refusedOrClosed,
  ),
  ...rows(
    'chunks beyond the limit',
    [1, 100, 10_000],
    size => {
      const one = `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`;
      return `${post(`${plain}${chunked}`)}${one.repeat(Math.ceil(120_000 / size))}0\r\n\r\n`;
    },
    refusedOrClosed,
  ),
  ...rows(
    'trailers',
    [5000],
    number =>
      `${post(`${plain}${chunked}`)}3\r\nabc\r\n0\r\n${'X: abcdefg\r\n'.repeat(number)}\r\n`,
    /^(?:HTTP\/1\.1 (?:4\d\d|200) |$)/,
  ),
  ...rows(
    'type',
    [
      ...[
        '',
        'text',
        'text/html',
        'application/xml',
        'application/x-www-form-urlencoded',
        'image/png',
      ],
      ...[
        'multipart/form-data; boundary=x',
        'text/plain; charset=utf-16',
        'text/plain; charset=utf-7',
      ],
      ...['application/json; charset=latin1', 'application/json, text/plain', 'text/plainx', '*/*'],
      ...[
        '__proto__',
        'constructor',
        'application/javascript',
        'text/plain; charset="utf-32"',
        '\u00e9/\u00e9',
      ],
    ],
    type => withBody(type, '"Anna"'),
  ),
  ...rows(
    'encoding',
    [
      'gzip',
      'deflate',
      'br',
      'zstd',
      'compress',
      'x-gzip',
      'gzip, gzip',
      'identity, gzip',
      'aes128gcm',
    ],
    coding =>
      withBody('text/plain', bomb, {
        headers: `Content-Encoding: ${coding}\r\n`,
      }),
  ),
  ...rows(
    'accept',
    [
      'image/png',
      'a',
      ';',
      'text/plain',
      'application/json;q=0',
      'application/json;q=x',
      ',,,,',
      '__proto__',
      'a/b,'.repeat(3000),
    ],
    accept => withBody('text/plain', 'Anna', { headers: `Accept: ${accept}\r\n` }),
  ),
  ...rows(
    'expectation',
    ['x', '200-ok', '200-ok, x'],
    expectation => withBody('text/plain', 'Anna', { headers: `Expect: ${expectation}\r\n` }),
    refusedOrClosed,
  ),
  ...rows(
    'query',
    [
      ...['nbest=0', 'nbest=-1', 'nbest=1e3', 'nbest=99999999999999999999', 'nbest=', 'nbest=true'],
      ...[
        'marginals=x',
        'marginals=',
        'pairThreshold=0.5',
        'marginals=pairs&pairThreshold=2',
        'marginals=pairs&pairThreshold=-1',
        'scores=1',
        'scores=true&scores=true',
        'model=',
        'model=none',
      ],
      ...['model=../names', 'model=__proto__', 'model=names%00', '__proto__=1', 'constructor=2'],
      ...[
        'decoding=',
        'decoding=none',
        'timeout=0',
        'timeout=99999999',
        'output=all',
        'textField=',
      ],
      ...[
        'into=',
        'textField=a&into=a',
        'redact=',
        `redact=${'x'.repeat(200)}`,
        'transitions=none',
      ],
      ...[
        'output=tags&scores=true',
        'redact=x&onBad=pass',
        'onBad=ignore',
        'dictionary=true',
        '%',
        '=',
      ],
      ...[
        'toString=1',
        'a[]=1',
        'scores[]=true',
        `textField=${'a.'.repeat(150)}`,
        'modelVersion=2',
      ],
      Array.from({ length: 1500 }, (_, i) => `o${i}=1`).join('&'),
    ],
    query => withBody('text/plain', 'Anna', { query: `?${query}` }),
  ),
  // Each beginning of a record.
  ...rows(
    'a record cut off',
    Array.from({ length: record.length }, (_, i) => record.slice(0, i)),
    text => withBody('application/json', text),
  ),
  ...rows(
    'JSON',
    [
      ...[
        '',
        ' ',
        'nul',
        'NaN',
        '-',
        '01',
        "{'text':'a'}",
        '{"text":"a",}',
        '{text:"a"}',
        '{"text":"a"}}',
      ],
      ...[
        '{"text":"a"} {"text":"b"}',
        '[',
        ']',
        '[,]',
        '["a",]',
        '["a"',
        '"a',
        '"\\x"',
        '"\\ud8"',
        '"\t"',
      ],
      ...[
        '{"text":"a" "x":1}',
        '// a\n{"text":"a"}',
        '{"text":"a","x":1e}',
        '[{"text":"a"}',
        '5',
        'null',
      ],
      ...[
        'true',
        '{}',
        '[5]',
        '[null]',
        '[[]]',
        '["a",{"text":"b"}]',
        '[{"text":"b"},"a"]',
        '{"tokens":5}',
      ],
      ...[
        '{"tokens":{}}',
        '{"tokens":"a"}',
        '{"tokens":[1]}',
        '{"tokens":[[]]}',
        '{"tokens":[null]}',
      ],
      ...[
        '{"tokens":[""]}',
        '{"text":5}',
        '{"text":[]}',
        '{"text":{}}',
        '{"text":true}',
        '{"tokens":["a"],"columns":5}',
      ],
      ...[
        '{"tokens":["a"],"columns":{"p":[]}}',
        '{"tokens":["a"],"columns":{"p":"x"}}',
        '{"tokens":["a"],"columns":{"p":["x","y"]}}',
      ],
      `[${'{"text":"a"},'.repeat(10_001)}{"text":"a"}]`,
    ],
    text => withBody('application/json', text),
    // A record may be without a sentence, and a token may be empty where the reader takes it.
    /^HTTP\/1\.1 (?:4\d\d|200) /,
  ),
  ...rows('a deep array', [100, 5000, 45_000, 99_000], depth =>
    withBody('application/json', '['.repeat(depth)),
  ),
  ...rows(
    'deep JSON',
    [100, 5000, 45_000],
    depth =>
      withBody('application/json', `{"text":"a","x":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    /^HTTP\/1\.1 (?:4\d\d|200) /,
  ),
  ...rows(
    'deep objects',
    [100, 5000, 15_000],
    depth =>
      withBody(
        'application/json',
        `{"text":"a","x":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`,
      ),
    /^HTTP\/1\.1 (?:4\d\d|200) /,
  ),
  ...rows(
    'a prototype',
    ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'],
    key => withBody('application/json', `{"${key}":{"x":1},"text":"Anna"}`),
    /^HTTP\/1\.1 (?:4\d\d|200) /,
  ),
  ...rows('text that is not UTF-8', notUtf8, bytes =>
    withBody('text/plain', Buffer.concat([Buffer.from('Anna '), bytes, Buffer.from(' x')])),
  ),
  ...rows('a record that is not UTF-8', notUtf8, bytes =>
    withBody(
      'application/json',
      Buffer.concat([Buffer.from('{"text":"'), bytes, Buffer.from('"}')]),
    ),
  ),
  ...rows('a key that is not UTF-8', notUtf8, bytes =>
    withBody(
      'application/json',
      Buffer.concat([Buffer.from('{"'), bytes, Buffer.from('":1,"text":"a"}')]),
    ),
  ),
  ...rows('a long sentence', [501, 5000], length =>
    withBody('application/json', JSON.stringify({ tokens: Array(length).fill('a') })),
  ),
  ...rows(
    'an upgrade',
    ['websocket', 'h2c', 'TLS/1.0'],
    to => get('/livez').replace(close, `Connection: Upgrade\r\nUpgrade: ${to}\r\n`),
    /^HTTP\/1\.1 (?:4\d\d|200) /,
  ),
  { name: 'nothing at all', parts: [], answer: refusedOrClosed },
  { name: 'blank lines', parts: [bytesOf('\r\n'.repeat(5000))], answer: refusedOrClosed },
  {
    name: 'slow headers',
    parts: slowly(get('/livez', `X: ${'a'.repeat(200)}\r\n`), 1),
    answer: refusedOrClosed,
  },
  {
    name: 'headers that stop',
    parts: [bytesOf('POST /v1/tag HTTP/1.1\r\nHost: loc')],
    answer: refusedOrClosed,
  },
  ...[1, 3, 7].map(every => ({
    name: `a slow body, ${every} at a time`,
    parts: [
      bytesOf(post(`${plain}Content-Length: ${every * 600}\r\n`)),
      ...slowly('a'.repeat(every * 600), every),
    ],
    answer: /^HTTP\/1\.1 408 /,
  })),
  {
    name: 'a body that stops',
    parts: [bytesOf(`${post(`${plain}Content-Length: 10\r\n`)}abc`)],
    answer: /^HTTP\/1\.1 408 /,
  },
  {
    name: 'chunks that stop',
    parts: [bytesOf(`${post(`${plain}${chunked}`)}3\r\nabc\r\n`)],
    answer: /^HTTP\/1\.1 408 /,
  },
  {
    name: 'slow chunks',
    parts: [bytesOf(post(`${plain}${chunked}`)), ...slowly('1\r\na\r\n'.repeat(600), 6)],
    answer: /^HTTP\/1\.1 408 /,
  },
  ...Array.from({ length: 12 }, (_, i) => ({
    name: `a reset after ${i * 20} bytes`,
    parts: [withBody('text/plain', 'Anna saw Oslo. '.repeat(20)).subarray(0, i * 20)],
    answer: /^(?:HTTP\/1\.1 |$)/,
    resets: true,
  })),
  {
    name: '500 requests at once on a connection that is not read',
    parts: [bytesOf(`GET /metrics HTTP/1.1\r\n${host}\r\n`.repeat(500))],
    answer: /^(?:HTTP\/1\.1 200 |$)/,
    resets: true,
  },
];

/** Some 500 requests that are malformed or meant to harm. */
export function hostileRequests(): readonly HostileRequest[] {
  return requests();
}
