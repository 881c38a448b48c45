import { Observable, type OperatorFunction, Subject, type Subscriber, takeUntil } from 'rxjs';
import { kinds, requireArgument } from '../core/schema/require-argument.js';

/**
 * Returns an operator whose stages each new version replaces while the stream runs.
 *
 * An item goes through the version that is current when it arrives. A replaced version first emits all items that it
 * holds, as at the end of a stream; items that arrive meanwhile wait for the next version. So no item is lost or
 * duplicated, and the order is kept. No reference to a replaced version remains.
 *
 * Fails with the errors of `versions`, and ignores their completion.
 *
 * @example
 * const versions = new BehaviorSubject(map(x => `a${x}`));
 * const items = new Subject();
 * const seen = [];
 * items.pipe(replaceable(versions), toArray()).subscribe(all => seen.push(...all));
 * items.next(1);
 * versions.next(map(x => `b${x}`));
 * items.next(2);
 * items.complete();
 * seen // => ['a1', 'b2']
 */
export function replaceable<In, Out>(
  versions: Observable<OperatorFunction<In, Out>>,
): OperatorFunction<In, Out> {
  requireArgument('replaceable: the versions', versions, kinds.observable);
  return source =>
    new Observable(subscriber => {
      new Replacing<In, Out>(subscriber).run(source, versions);
    });
}

/** One subscription: each version in turn processes a part of the stream. */
class Replacing<In, Out> {
  readonly #subscriber: Subscriber<Out>;
  /** Subject of the current version's items; absent while the version flushes. */
  #part: Subject<In> | undefined;
  /** Whether the current version is being flushed. */
  #finishing = false;
  /** The newest version, until it becomes current. */
  #next: OperatorFunction<In, Out> | undefined;
  /** Items waiting for the next version. */
  #held: In[] = [];
  /** Ends a part as the source has ended. */
  #end: ((part: Subject<In>) => void) | undefined;

  constructor(subscriber: Subscriber<Out>) {
    this.#subscriber = subscriber;
  }

  run(source: Observable<In>, versions: Observable<OperatorFunction<In, Out>>): void {
    // Stops a source that emits everything during subscription.
    const over = new Subject<void>();
    this.#subscriber.add(() => over.next());
    versions.pipe(takeUntil(over)).subscribe({
      next: version => this.#replace(version),
      error: (error: unknown) => this.#subscriber.error(error),
    });
    source.pipe(takeUntil(over)).subscribe({
      next: item => this.#add(item),
      error: (error: unknown) => this.#endWith(part => part.error(error)),
      complete: () => this.#endWith(part => part.complete()),
    });
  }

  #add(item: In): void {
    if (this.#part !== undefined && this.#held.length === 0) this.#part.next(item);
    else this.#held.push(item);
  }

  #endWith(end: (part: Subject<In>) => void): void {
    this.#end = end;
    if (this.#part !== undefined && this.#held.length === 0) end(this.#part);
  }

  #replace(version: OperatorFunction<In, Out>): void {
    this.#next = version;
    const part = this.#part;
    if (part !== undefined) {
      this.#part = undefined;
      this.#finishing = true;
      part.complete();
    } else if (!this.#finishing) {
      this.#begin();
    }
  }

  /** Makes the newest version current, with the waiting items. */
  #begin(): void {
    const version = this.#next!;
    this.#next = undefined;
    const part = new Subject<In>();
    this.#part = part;
    const subscription = version(part).subscribe({
      next: item => this.#subscriber.next(item),
      error: (error: unknown) => this.#subscriber.error(error),
      complete: () => this.#finished(part),
    });
    this.#subscriber.add(subscription);
    while (this.#held.length > 0 && this.#part === part) part.next(this.#held.shift()!);
    if (this.#part === part) this.#end?.(part);
  }

  /** Called when the current version has flushed everything. */
  #finished(part: Subject<In>): void {
    if (this.#finishing) {
      this.#finishing = false;
      this.#begin();
    } else if (this.#part === part) {
      // At the end of the source, or if the version accepts no more items.
      this.#subscriber.complete();
    }
  }
}
