import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Job, oldContent } from './jobs.js';

/**
 * What a killed process may leave: temporary files with its process id, as `removeAtExit` documents; half a
 * checkpoint until the next one is written, as `FileCheckpointStore` does; and its lock, which is taken over.
 */
const orphan =
  /(^|\/)\.+[^/]*\.\d+-(\w+-)?\d+\.tmp(\.old)?$|\/\.tmp-[^/]+(\/|$)|(^|\/)\.[^/]*lock$/;

/** Makes the folder of a job anew, with older content in the place of its results. */
export function freshFolder(job: Job, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const name of job.results) writeFileSync(join(folder, name), oldContent);
  if (job.pipeline !== undefined) writeFileSync(join(folder, 'pipeline.yaml'), job.pipeline);
}

/** Expects each result to be there with its older content or in full, or not while its `.part` is reopened. */
export function expectWholeResults(job: Job, folder: string, whole: string, why: string): void {
  for (const name of job.results) {
    const path = join(folder, name);
    if (!existsSync(path) && existsSync(`${path}.part`)) continue;
    const found = readFileSync(path);
    const isWhole = found.equals(readFileSync(join(whole, name)));
    expect(isWhole || found.toString() === oldContent, `${name} is not whole: ${why}`).toBe(true);
  }
}

/**
 * Expects a folder to be as the undisturbed run left its own: the same results to the byte, each rejected record
 * once, and no further files but what killed processes may leave.
 *
 * @returns these
 */
export function expectSameFolder(job: Job, folder: string, whole: string, why: string): string[] {
  for (const name of job.results) {
    const isSame = readFileSync(join(folder, name)).equals(readFileSync(join(whole, name)));
    expect(isSame, `${name} is another file: ${why}`).toBe(true);
  }
  if (job.deadLetters !== undefined) {
    const [found, expected] = [letters(job, folder), letters(job, whole)];
    expect(found, `rejected records: ${why}`).toEqual(expected);
  }
  const known = new Set(namesIn(job, whole));
  const further = namesIn(job, folder).filter(name => !known.has(name));
  const leftover = further.filter(name => !orphan.test(name));
  expect(leftover, `files that are left: ${why}`).toEqual([]);
  return further;
}

/** All files, without the numbers that depend on how often a run was interrupted. */
function namesIn(job: Job, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => {
    if (name.startsWith(`${job.checkpoints}/`)) return name.replace(/gen-\d+/, 'gen');
    return job.deadLetters === undefined
      ? name
      : name.replace(new RegExp(`^${job.deadLetters}\\.\\d+$`), job.deadLetters);
  });
}

/** Rejected records without the moment at which they were written, in an order of their own. */
function letters(job: Job, folder: string): string[] {
  return readdirSync(folder)
    .filter(name => name.startsWith(job.deadLetters!))
    .flatMap(name => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map(line => {
      const { time, ...letter } = JSON.parse(line) as Record<string, unknown>;
      expect(typeof time).toBe('string');
      return JSON.stringify(letter);
    })
    .sort();
}
