import pLimit from 'p-limit';

/** The work on items, and the degree of concurrency. */
export interface InOrderOptions<Item, Result> {
  /** Maximum number of items that are worked on, or whose results wait to be used. */
  readonly atMost: number;
  /** Works on an item; called in the order of the items, for several concurrently. */
  work(item: Item): Promise<Result>;
  /** Uses a result; called in the order of the items, one after the other. */
  use(result: Result): void | Promise<void>;
  /** Called once if `work` or `use` fails, so that the source of `items` can be ended. */
  onFailure?(): void;
}

/**
 * Works on items concurrently, and uses the results in the order of the items, each as soon as its turn
 * has come. No item is requested while `atMost` + 1 of them are held.
 *
 * After a failure no later result is used, and no further item is taken.
 *
 * @throws (rejects with) the first error in the order of the items, whether of `work`, `use` or `items`
 * @example
 * const used = [];
 * const work = async item => (await new Promise(done => setTimeout(done, item)), item);
 * await inOrder([9, 1, 5], { atMost: 2, work, use: result => void used.push(result) });
 * used // => [9, 1, 5]
 */
export async function inOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  options: InOrderOptions<Item, Result>,
): Promise<void> {
  const limit = pLimit(options.atMost);
  let last: Promise<void> = Promise.resolve();
  let failed = false;
  const fail = () => {
    if (!failed) options.onFailure?.();
    failed = true;
  };
  const step = async (item: Item, before: Promise<void>): Promise<void> => {
    const result = options.work(item);
    // A failure is handled when the item's turn comes.
    result.catch(() => undefined);
    await before;
    await options.use(await result);
  };
  try {
    for await (const item of items) {
      if (failed) break;
      await new Promise<void>(started => {
        void limit(() => {
          started();
          last = step(item, last);
          return last.catch(fail);
        });
      });
    }
  } finally {
    // An item's error takes precedence over an error of the iterable.
    await last;
  }
}
