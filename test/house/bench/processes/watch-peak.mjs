import { readFileSync } from 'node:fs';

/** Milliseconds between two looks. */
const interval = 5;

/**
 * Looks at the high-water mark of a process in `/proc` again and again; the result ends that and gives
 * the last value, in bytes, or nothing where there is no `/proc`. May miss the last milliseconds.
 *
 * @param {number | undefined} pid
 * @returns {() => number | undefined}
 */
export function watchPeak(pid) {
  let peak;
  const look = () => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1];
      if (kibibytes !== undefined) peak = Number(kibibytes) * 1024;
    } catch {
      // The process has ended, or there is no /proc.
    }
  };
  look();
  const timer = setInterval(look, interval);
  return () => {
    clearInterval(timer);
    return peak;
  };
}
