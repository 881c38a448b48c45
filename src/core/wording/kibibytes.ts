import { grouped } from './grouped.js';

/**
 * A size in KiB, rounded up.
 *
 * @example
 * kibibytes(2_000_000) // => '1,954 KiB'
 */
export function kibibytes(bytes: number): string {
  return `${grouped(Math.ceil(bytes / 1024))} KiB`;
}
