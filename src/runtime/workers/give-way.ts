import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of this thread, so that those that others wait for get the processors first. On Linux only: on
 * other systems the priority would apply to the whole process.
 *
 * @param niceness steps below the priority of the process; the lowest is 19
 */
export function giveWay(niceness: number): void {
  if (process.platform === 'linux') setPriority(0, Math.min(19, getPriority() + niceness));
}
