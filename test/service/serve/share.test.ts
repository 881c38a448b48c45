import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/runtime/http/problem.js';
import { Share } from '../../../src/service/serve/share.js';

let time = 0;

function shareOf(most: number, mostOfClient = most) {
  time = 0;
  const gone: string[] = [];
  const share = new Share({ what: 'bytes', most, mostOfClient, yieldAfter: 10, now: () => time });
  const holder = (name: string, client?: string) => ({
    ...{ client, activeAt: time },
    giveWay: () => void gone.push(name),
  });
  return { share, holder, gone };
}

describe('a share', () => {
  it('is limited in total and for each client, and what is free can be taken again', () => {
    const { share, holder } = shareOf(100, 60);
    const [a, b, c] = [holder('a', 'x'), holder('b', 'x'), holder('c', 'y')];
    share.take(a, 40);
    expect(() => share.take(b, 30)).toThrow(Problem);
    expect(() => share.take(b, 30)).toThrow('its client has 40 bytes, of at most 60');
    share.take(b, 20);
    expect(() => share.take(c, 41)).toThrow('60 bytes, of at most 100');
    share.take(c, 40);
    share.free(a, 10);
    share.free(b);
    share.free(b);
    expect(share.used).toBe(70);
    share.free(a);
    share.free(c);
    expect(share.used).toBe(0);
  });

  it('lets a holder alone exceed it, so that no request is impossible', () => {
    const { share, holder } = shareOf(100, 60);
    const only = holder('only', 'x');
    share.take(only, 90);
    share.take(only, 90);
    expect(share.used).toBe(180);
    expect(() => share.take(holder('other', 'y'), 1)).toThrow(Problem);
  });

  it('makes room by those that are idle, the longest first, and by no other', () => {
    const { share, holder, gone } = shareOf(3);
    const early = holder('early');
    share.take(early, 1);
    time = 5;
    const later = holder('later');
    share.take(later, 1);
    const busy = { ...holder('busy'), activeAt: Number.POSITIVE_INFINITY };
    share.take(busy, 1);
    expect(() => share.take(holder('new'), 1)).toThrow(Problem);
    time = 14;
    share.take(holder('new'), 1);
    expect(gone).toEqual(['early']);
    expect(() => share.take(holder('newer'), 1)).toThrow(Problem);
    time = 1000;
    later.activeAt = 995;
    share.take(holder('newest'), 1);
    expect(gone).toEqual(['early', 'new']);
    expect(share.used).toBe(3);
  });

  it('makes room within the limit of a client by its own idle holders', () => {
    const { share, holder, gone } = shareOf(100, 2);
    share.take(holder('other', 'y'), 2);
    time = 1;
    share.take(holder('first', 'x'), 1);
    share.take(holder('second', 'x'), 1);
    time = 50;
    share.take(holder('third', 'x'), 1);
    expect(gone).toEqual(['first']);
  });
});
