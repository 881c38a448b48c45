/**
 * What has to be ended with something, in the reverse order of its beginning: `AsyncDisposableStack` for the versions of
 * Node that have none.
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

  /** Adds what is to be done in the end; a promise that it returns is awaited. */
  defer(end: () => unknown): void {
    this.#endings.push(end);
  }

  /** A scope that can end earlier than this one, and ends with it at the latest. */
  nested(): Scope {
    const scope = new Scope();
    this.defer(() => scope.dispose());
    return scope;
  }

  /**
   * Does all that was deferred, each once, also after one of them has failed.
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
