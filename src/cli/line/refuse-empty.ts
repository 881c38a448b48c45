import { TagstreamError } from '../../core/errors.js';

/**
 * Refuses arguments that are empty, as those of shell variables that are not set: an empty host would stand for all
 * addresses, an empty number for 0.
 *
 * @throws TagstreamError `usage`
 * @example
 * refuseEmpty(['tag', '--model', 'm.model']) // => undefined
 * (() => { try { refuseEmpty(['tag', '--model', '']); } catch (e) { return e.problem; } })() // => 'the argument after --model is empty'
 */
export function refuseEmpty(given: readonly string[]): void {
  const at = given.findIndex(argument => argument === '' || /^--[^=]+=$/.test(argument));
  if (at < 0) return;
  const before = given[at - 1];
  const problem =
    given[at] !== ''
      ? `the value of ${given[at]!.slice(0, -1)} is empty`
      : before === undefined
        ? 'the first argument is empty'
        : `the argument after ${before} is empty`;
  throw new TagstreamError('usage', problem, {
    fix: 'give a value or omit the option; an unset shell variable is empty',
  });
}
