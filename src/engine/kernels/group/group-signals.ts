import { TagstreamError } from '../../core/errors.js';

/** Commands to the workers of a group. */
export const commands = {
  contribute: 1,
  apply: 2,
  round: 3,
  evaluate: 4,
  vectors: 5,
  restart: 6,
} as const;

export type Command = (typeof commands)[keyof typeof commands];

/** Indices of the words, each on its own cache line. */
const at = {
  phase: 0,
  command: 1,
  done: 16,
  met: 32,
  meetings: 48,
  failed: 64,
  length: 65,
  beat: 80,
  sleepers: 96,
};
const words = 112;
const textBytes = 16384;

/**
 * Milliseconds that a thread spins on a word before it sleeps. Waking takes a tenth as long, during which the other
 * thread waits, so one sleep causes the next. The time is halved after each unsuccessful spin, as with more
 * runnable threads than processors, and reset after a short wait or after several long ones.
 */
const patience = 0.5;
const longestImpatience = 4;
/** Number of reads of the word between two reads of the clock. */
const looks = 64;
/**
 * Milliseconds per sleep, and the number of sleeps without a heartbeat after which the supervisor
 * counts as dead.
 */
const sleepMilliseconds = 1000;
const deafSleeps = 60;

/** A failure as passed between threads. */
interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly problem?: string;
  readonly fix?: string;
  readonly stack?: string;
}

/**
 * The signals with which a group's threads start together, wait for each other and fail: words in shared memory, on
 * which a thread spins for up to half a millisecond before it sleeps. Member 0 is the main thread.
 *
 * A failure of one thread wakes all waiting threads, which throw it. A supervisor outside the group reports dead
 * threads, and proves with a heartbeat that it is alive itself.
 */
export class GroupSignals {
  readonly buffer: SharedArrayBuffer;
  readonly members: number;
  readonly #words: Int32Array;
  readonly #text: Uint8Array;
  #phase = 0;
  /** Number of consecutive waits that ended in sleep. */
  #vain = 0;

  constructor(members: number, buffer = new SharedArrayBuffer(words * 4 + textBytes)) {
    this.members = members;
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, words);
    this.#text = new Uint8Array(buffer, words * 4, textBytes);
  }

  /** Sends a command to the other members; called by the main thread. */
  begin(command: Command): void {
    Atomics.store(this.#words, at.done, 0);
    Atomics.store(this.#words, at.command, command);
    Atomics.add(this.#words, at.phase, 1);
    this.#wake(at.phase);
  }

  /**
   * Waits until all other members have executed the command; called by the main thread.
   *
   * @throws TagstreamError of the member that failed
   */
  finish(): void {
    const others = this.members - 1;
    this.#await(at.done, done => done === others);
  }

  /** Waits for the next command; called by the other members. */
  next(): Command {
    const before = this.#phase;
    this.#phase = this.#await(at.phase, phase => phase !== before);
    return Atomics.load(this.#words, at.command) as Command;
  }

  /** Reports the command as done; called by the other members. */
  done(): void {
    if (Atomics.add(this.#words, at.done, 1) === this.members - 2) {
      this.#wake(at.done);
    }
  }

  /** Waits until all members have called it. */
  meet(): void {
    const before = Atomics.load(this.#words, at.meetings);
    if (Atomics.add(this.#words, at.met, 1) === this.members - 1) {
      Atomics.store(this.#words, at.met, 0);
      Atomics.add(this.#words, at.meetings, 1);
      this.#wake(at.meetings);
    } else {
      this.#await(at.meetings, meetings => meetings !== before);
    }
  }

  /**
   * Reports that work cannot continue; called by any member. The first failure wins unless `force` is set, for
   * example if a thread died while reporting its own.
   */
  fail(error: unknown, force = false): void {
    const before = Atomics.compareExchange(this.#words, at.failed, 0, 1);
    if (before === 2 || (before === 1 && !force)) return;
    let text = new TextEncoder().encode(JSON.stringify(described(error)));
    if (text.length > textBytes) {
      text = new TextEncoder().encode(JSON.stringify({ name: 'Error', message: 'a long error' }));
    }
    this.#text.set(text);
    Atomics.store(this.#words, at.length, text.length);
    Atomics.store(this.#words, at.failed, 2);
    for (const word of [at.phase, at.done, at.meetings]) Atomics.notify(this.#words, word);
  }

  get hasFailed(): boolean {
    return Atomics.load(this.#words, at.failed) === 2;
  }

  /** Signals that the supervisor is alive; called by the supervisor. */
  beat(): void {
    Atomics.add(this.#words, at.beat, 1);
  }

  /** Waits until a word satisfies a condition; returns the word. */
  #await(word: number, isReached: (value: number) => boolean): number {
    const words = this.#words;
    const awake = performance.now() + patience * 2 ** -(this.#vain % longestImpatience);
    let hasSlept = false;
    let beat = -1;
    let deaf = 0;
    for (;;) {
      let value = Atomics.load(words, word);
      for (let look = 0; look < looks && !isReached(value); look += 1) {
        value = Atomics.load(words, word);
      }
      if (isReached(value)) {
        this.#vain = hasSlept ? this.#vain + 1 : 0;
        return value;
      }
      if (this.hasFailed) throw this.#failure();
      if (performance.now() < awake) continue;
      hasSlept = true;
      this.#sleep(word, value);
      if (Atomics.load(words, word) !== value) continue;
      const heard = Atomics.load(words, at.beat);
      deaf = heard === beat ? deaf + 1 : 0;
      beat = heard;
      if (deaf >= deafSleeps) throw silent();
    }
  }

  /** Sleeps until a word changes or the time is up. */
  #sleep(word: number, value: number): void {
    Atomics.add(this.#words, at.sleepers, 1);
    Atomics.wait(this.#words, word, value, sleepMilliseconds);
    Atomics.sub(this.#words, at.sleepers, 1);
  }

  /**
   * Wakes the threads that wait for a word to change; skipped without waiters, because notifying takes some
   * microseconds.
   */
  #wake(word: number): void {
    if (Atomics.load(this.#words, at.sleepers) > 0) Atomics.notify(this.#words, word);
  }

  #failure(): TagstreamError {
    const length = Atomics.load(this.#words, at.length);
    // Decoders reject views of shared memory.
    const text = new TextDecoder().decode(this.#text.slice(0, length));
    const failure = JSON.parse(text) as Failure;
    if (failure.code !== undefined) {
      return new TagstreamError(failure.code as 'stage', failure.problem!, {
        ...(failure.fix === undefined ? {} : { fix: failure.fix }),
      });
    }
    const cause = new Error(failure.message);
    cause.name = failure.name;
    if (failure.stack !== undefined) cause.stack = failure.stack;
    return new TagstreamError('stage', `a training thread has died: ${failure.message}`, {
      fix: 'resume from the last checkpoint, or train with workers: 1',
      cause,
    });
  }
}

function described(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  if (error instanceof TagstreamError) {
    const { code, problem, fix } = error;
    return { name, message, code, problem, ...(fix === undefined ? {} : { fix }) };
  }
  return { name, message, ...(stack === undefined ? {} : { stack: stack.slice(0, 2000) }) };
}

function silent(): TagstreamError {
  return new TagstreamError('stage', 'the supervisor of the training threads has ended', {
    fix: 'resume from the last checkpoint, or train with workers: 1',
  });
}
