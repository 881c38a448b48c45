import type { Delivery } from './delivery.js';

/** A delivery that is divided among as many items as will turn out. */
export interface CountedDelivery {
  /** The delivery of one more item. */
  share(): Delivery;
  /** There will be no more items. With none at all the whole is released and acknowledged. */
  close(): void;
}

/**
 * Divides a delivery among items whose number is not known before: it is released (acknowledged) when there
 * are no more to come and all have been, and rejected as soon as one of them is.
 *
 * @example
 * const calls = [];
 * const whole = { release: () => calls.push('release'), ack: () => calls.push('ack'), reject() {} };
 * const counted = countDelivery(whole);
 * counted.share().release();
 * calls // => []
 * counted.close();
 * calls // => ['release']
 */
export function countDelivery(whole: Delivery): CountedDelivery {
  // One more for `close`, so that nothing ends before it.
  let unreleased = 1;
  let unacknowledged = 1;
  let rejected = false;
  const released = () => {
    unreleased -= 1;
    if (unreleased === 0) whole.release();
  };
  const acknowledged = () => {
    unacknowledged -= 1;
    if (unacknowledged === 0 && !rejected) whole.ack();
  };
  return {
    share: () => {
      unreleased += 1;
      unacknowledged += 1;
      let isReleased = false;
      let isSettled = false;
      return {
        position: whole.position,
        release: () => {
          if (!isReleased) released();
          isReleased = true;
        },
        ack: () => {
          if (!isSettled) acknowledged();
          isSettled = true;
        },
        reject: error => {
          if (!rejected) whole.reject(error);
          rejected = true;
        },
      };
    },
    close: () => {
      released();
      acknowledged();
    },
  };
}
