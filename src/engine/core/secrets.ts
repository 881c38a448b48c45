/** Text shown instead of a secret. */
const mask = '***';

/** Secret texts, the longest first. */
let known: readonly { readonly text: string; readonly pattern: RegExp }[] = [];

/**
 * Minimum number of characters of secrets that are hidden within words; shorter ones are hidden
 * only as whole words.
 */
const longEnough = 8;

/** Minimum number of characters of path segments that are also hidden individually. */
const longStep = 6;

/** Minimum number of characters of a text that is hidden wherever it occurs. */
const shortest = 3;

/** Texts without white space and quotes, up to their last `@`: the places of users and passwords in addresses. */
const beforeAt = /(?<![^\s"'`])[^\s"'`]+@/g;

/**
 * The scheme of an address and its `user:password` part, in a text that ends after its last `@`. A password may
 * contain unescaped reserved characters.
 */
const userInfo =
  /(?<![a-z\d+.-])([\d+.-]*[a-z][a-z\d+.-]*:\/\/)(?:[^/?#]*@|[^/?#@:]*:(?!\d+[/?#]).*$)/gis;

/** Names of options with secret values, in lower case without `-` and `_`. */
const secretNames =
  /(?:password|passwd|passphrase|secret|secretkey|apikey|accesskey|privatekey|accesstoken|authtoken|credentials?|authorization|bearer|nkey|jwt)$|^(?:pass|pwd|token|auth)$/;

/** Parts of names, between `_`, that mark an environment variable as secret. */
const secretPart =
  /^(?:\w*(?:pass(?:word|wd|phrase)?|secrets?|token|apikey|credentials?|jwt)|pw|key|creds?|auth|authorization|bearer|nkey|private)\d*$/i;

/**
 * Returns whether an option with this name has a secret value.
 *
 * @example
 * [isSecretName('password'), isSecretName('api_key'), isSecretName('tokens')] // => [true, true, false]
 */
export function isSecretName(name: string): boolean {
  return secretNames.test(name.toLowerCase().replace(/[-_]/g, ''));
}

/**
 * Returns whether an environment variable is named like a secret.
 *
 * @example
 * [isSecretVariable('NATS_PASSWORD'), isSecretVariable('TAGSTREAM_CORPORA')] // => [true, false]
 */
export function isSecretVariable(name: string): boolean {
  return (
    !/_(?:file|path|dir|column)$/i.test(name) && name.split('_').some(part => secretPart.test(part))
  );
}

/**
 * Makes `redacted` hide a text from now on, in every form in which messages quote it.
 *
 * Texts of fewer than three characters are ignored: hiding them would garble every message.
 */
export function keepSecret(text: string): void {
  const lines = text.split(/\r?\n/).filter(line => line.trim().length >= longEnough);
  // A message about a path may name only its folder.
  const steps = text.split(/[\\/]/).filter(step => step.length >= longStep);
  for (const part of new Set([text, text.trim(), ...lines, ...steps])) {
    for (const form of formsOf(part)) add(form);
  }
}

/**
 * Registers the secrets in a parsed options file: values of secret options, users and passwords in
 * addresses, and keys.
 */
export function keepSecretsIn(value: unknown, name = ''): void {
  if (Array.isArray(value)) for (const item of value) keepSecretsIn(item, name);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) keepSecretsIn(item, key);
  } else if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    // A reference to a variable is not secret, though its value may be.
    if (/\$\{[A-Za-z_]/.test(text)) return;
    if (isSecretName(name) ? !isFileOfCredentials(name, text) : isKey(text)) keepSecret(text);
    keepUserInfo(text, name);
  }
}

/** Registers the values after secret names in a text that cannot be parsed. */
export function keepSecretsInText(text: string): void {
  for (const [, name, value] of text.matchAll(/(?<![\w-])([\w-]+)["']?\s*[:=]\s*(\S[^\r\n]*)/g)) {
    if (!isSecretName(name!)) continue;
    for (const part of [value!, ...value!.split(/[\s,{}[\]"'*&!|>%@`#]+/)]) keepSecret(part);
  }
}

/**
 * Returns a text with known secrets and the user and password of all addresses hidden.
 *
 * @example
 * redacted('cannot connect to nats://anna:s3cret@host:4222') // => 'cannot connect to nats://***@host:4222'
 */
export function redacted(text: string): string {
  let found = text.includes('://') ? text.replace(beforeAt, withoutUserInfo) : text;
  for (const { text: secret, pattern } of known) {
    if (found.includes(secret)) found = found.replace(pattern, mask);
  }
  return found;
}

function withoutUserInfo(text: string): string {
  return text.includes('://') ? text.replace(userInfo, `$1${mask}@`) : text;
}

/**
 * Returns plain data without secrets: without the texts hidden by `redacted`, and without the
 * values of secret options.
 *
 * @param drops whether the keys of secrets are left out
 * @example
 * withoutSecrets({ user: 'anna', password: 's3cret' }) // => ({ user: 'anna', password: '***' })
 * withoutSecrets({ user: 'anna', password: 's3cret' }, true) // => ({ user: 'anna' })
 */
export function withoutSecrets<Value>(value: Value, drops = false): Value {
  return hidden(value, '', drops) as Value;
}

/** Redacts the texts of an error and of its causes in place, which keeps their classes. */
export function redactError(error: unknown): void {
  const seen = new Set<unknown>();
  const waiting = [error];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (!(at instanceof Error) || seen.has(at)) continue;
    seen.add(at);
    waiting.push(at.cause, ...((at as AggregateError).errors ?? []));
    // A stack trace is formatted on first access, which is slow.
    if (known.length === 0 && !at.message.includes('://')) continue;
    for (const property of ['message', 'stack'] as const) {
      const text = at[property];
      const clean = typeof text === 'string' ? redacted(text) : text;
      if (clean !== text) Reflect.set(at, property, clean);
    }
  }
}

function hidden(value: unknown, name: string, drops: boolean): unknown {
  if (Array.isArray(value)) return value.map(item => hidden(item, name, drops));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => [key, hidden(item, key, drops)]);
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  }
  const isText = typeof value === 'string';
  if (!isText && typeof value !== 'number') return value;
  if (isSecretName(name) && !isFileOfCredentials(name, String(value))) {
    return drops ? undefined : mask;
  }
  return isText ? redacted(value) : value;
}

/**
 * Returns whether a text is a file name under `credentials`, rather than the content of such a
 * file.
 */
function isFileOfCredentials(name: string, text: string): boolean {
  return (
    /^credentials?$/i.test(name) &&
    text.length < 1000 &&
    !isKey(text) &&
    !/[\r\n]/.test(text) &&
    /[/\\]|\.\w{1,8}$/.test(text)
  );
}

/** Returns whether a text looks like a key, a certificate or a token. */
function isKey(text: string): boolean {
  return text.includes('-----BEGIN') || /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

/** Returns whether a text is the address of a registry model. */
function isRegistered(text: string): boolean {
  return /^nats:\/\/[\w.-]+@[\w.-]+$/.test(text);
}

function keepUserInfo(text: string, name: string): void {
  const isServer = /^(?:servers?|urls?|hosts?|address|nats)$/i.test(name);
  if (!isServer && isRegistered(text)) return;
  const isAddress =
    text.includes('://') || isServer || /^[\w.+-]+:[^\s@]+@[\w.-]+(?::\d+)?$/.test(text);
  if (!isAddress || !text.includes('@')) return;
  for (const address of text.split(/[\s,]+/)) {
    const end = address.lastIndexOf('@');
    if (end < 0) continue;
    const user = address.slice(0, end).replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
    const colon = user.indexOf(':');
    keepSecret(user);
    keepSecret(user.slice(colon + 1));
  }
}

/** Returns the forms of a text: unchanged, as quoted in JSON, and as escaped in URLs. */
function formsOf(text: string): string[] {
  const forms = [text, JSON.stringify(text).slice(1, -1)];
  for (const form of [encodeURIComponent, decodeURIComponent]) {
    try {
      forms.push(form(text));
    } catch {
      // The text contains a lone surrogate, or a % that is not an escape.
    }
  }
  return forms;
}

function add(text: string): void {
  if (text.length < shortest || known.some(secret => secret.text === text)) return;
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const source = text.length < longEnough ? `(?<![\\w])${escaped}(?![\\w])` : escaped;
  known = [...known, { text, pattern: new RegExp(source, 'g') }].sort(
    (a, b) => b.text.length - a.text.length,
  );
}
