import { catchError, EMPTY, Observable, type OperatorFunction } from 'rxjs';

/**
 * Stages that let out all that came before an error of their source, batches that wait included, before
 * they pass the error on. Where the error comes of an item that they have just let out, nothing of what
 * they hold follows.
 *
 * @example
 * const broken = concat(of(1, 2, 3), throwError(() => new Error('broken')));
 * const seen = [];
 * broken.pipe(finishBeforeError(bufferCount(2))).subscribe({ next: x => seen.push(x), error: e => seen.push(e.message) });
 * seen // => [[1, 2], [3], 'broken']
 */
export function finishBeforeError<In, Out>(
  stages: OperatorFunction<In, Out>,
): OperatorFunction<In, Out> {
  return source =>
    new Observable(subscriber => {
      let failure: { readonly error: unknown } | undefined;
      let lettingOut = false;
      let cut = false;
      const ended = source.pipe(
        catchError((error: unknown) => {
          failure = { error };
          cut = lettingOut;
          return EMPTY;
        }),
      );
      return stages(ended).subscribe({
        next: item => {
          if (cut) return;
          lettingOut = true;
          subscriber.next(item);
          lettingOut = false;
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => {
          if (failure === undefined) subscriber.complete();
          else subscriber.error(failure.error);
        },
      });
    });
}
