import { TagstreamError } from '../core/errors.js';
import { keepSecretsIn } from '../core/secrets.js';

/** Prefix of model addresses that distinguishes them from file names. */
export const addressStart = 'nats://';

/** The address of a model in a registry: the newest version of a name, one version, or an alias's version. */
export interface ModelAddress {
  readonly name: string;
  readonly alias?: string;
  /** Number of the version. */
  readonly number?: number;
  /** Id of the version: the first digits of its digest. */
  readonly id?: string;
}

/** Maximum length of model and alias names: they are part of subjects, whose length the servers limit. */
const longestName = 200;
const namePattern = new RegExp(`^[A-Za-z0-9_-]{1,${longestName}}$`);
const idPattern = /^[0-9a-f]{12}$/;

/** Whether a text names a model of a registry instead of a file. */
export function isModelAddress(text: string): boolean {
  return text.startsWith(addressStart);
}

/**
 * Parses the address `NAME`, `NAME@ALIAS`, `NAME@NUMBER` or `NAME@ID`, with or without the prefix `nats://`.
 *
 * @throws TagstreamError `usage`
 * @example
 * modelAddress('nats://ner@production') // => { name: 'ner', alias: 'production' }
 * modelAddress('ner@3') // => { name: 'ner', number: 3 }
 */
export function modelAddress(text: string): ModelAddress {
  keepSecretsIn(text);
  const given = isModelAddress(text) ? text.slice(addressStart.length) : text;
  const [name, which, ...more] = given.split('@');
  if (more.length > 0) throw notOne(text);
  const named = { name: modelName(name!) };
  if (which === undefined) return named;
  if (/^[1-9]\d*$/.test(which)) return { ...named, number: Number(which) };
  if (idPattern.test(which)) return { ...named, id: which };
  return { ...named, alias: aliasName(which) };
}

/** Formats an address. */
export function addressText({ name, alias, number, id }: ModelAddress): string {
  const which = alias ?? number ?? id;
  return which === undefined ? name : `${name}@${which}`;
}

/** @throws TagstreamError `usage` unless it is a valid model name */
export function modelName(text: string): string {
  if (namePattern.test(text)) return text;
  throw new TagstreamError('usage', `"${cut(text)}" is not the name of a model in a registry`, {
    fix: `use at most ${longestName} letters, digits, - and _`,
  });
}

/** @throws TagstreamError `usage` unless it is a valid alias */
export function aliasName(text: string): string {
  if (namePattern.test(text) && !/^\d+$/.test(text) && !idPattern.test(text)) return text;
  throw new TagstreamError('usage', `"${cut(text)}" is not an alias`, {
    fix: `use at most ${longestName} letters, digits, - and _; a number or twelve hexadecimal digits name a version`,
  });
}

/** Returns the beginning of a text that is too long to quote. */
function cut(text: string): string {
  return text.length > longestName ? `${text.slice(0, 60)}...` : text;
}

function notOne(text: string): TagstreamError {
  return new TagstreamError('usage', `"${cut(text)}" is not a model of a registry`, {
    fix: 'write NAME, NAME@ALIAS or NAME@VERSION',
  });
}

/**
 * Returns the short id of a model file, for people: the first twelve hexadecimal digits of its SHA-256.
 *
 * @example
 * versionId('sha256:4f1c9a2b3c4d5e6f') // => '4f1c9a2b3c4d'
 */
export function versionId(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}
