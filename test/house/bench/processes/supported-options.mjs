import { execFileSync } from 'node:child_process';
import { command } from './command.mjs';

/**
 * The long options that a command of `tagstream` has, by its help.
 *
 * @param {string} name as `tag`
 * @returns {Set<string>} without their dashes
 */
export function supportedOptions(name) {
  const [node, ...given] = command(name, '--help');
  const help = execFileSync(node, given, { encoding: 'utf8' });
  return new Set([...help.matchAll(/^\s+(?:-\w, )?--([\w-]+)/gm)].map(match => match[1]));
}
