/**
 * A stack of cleanup functions, run in reverse order: a replacement for `AsyncDisposableStack` in
 * Node versions without it.
 *
 * @example
 * const ended = [];
 * const scope = new Scope();
 * scope.defer(() => ended.push('source'));
 * scope.defer(() => ended.push('threads'));
 * await scope.dispose();
 * ended // => ['threads', 'source']
 */
export class Scope {
  readonly #endings: (() => unknown)[] = [];

  /** Adds a cleanup function; a promise that it returns is awaited. */
  defer(end: () => unknown): void {
    this.#endings.push(end);
  }

  /**
   * Returns a scope that can be disposed of earlier than this one, and at the latest is disposed of
   * with it.
   */
  nested(): Scope {
    const scope = new Scope();
    this.defer(() => scope.dispose());
    return scope;
  }

  /**
   * Runs every deferred function once, even after one of them has failed.
   *
   * @throws (rejects with) the first error
   */
  async dispose(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    for (let end = this.#endings.pop(); end !== undefined; end = this.#endings.pop()) {
      try {
        await end();
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure !== undefined) throw failure.error;
  }
}
