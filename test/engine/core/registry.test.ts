import { describe, expect, it } from 'vitest';
import { Registry } from '../../../src/engine/core/registry.js';

const own = new Registry('loss', [{ name: 'log' }, { name: 'hinge' }]);

describe('Registry', () => {
  it('grows into another one, and stays what it was', () => {
    const more = own
      .with([{ name: 'focal' }], 'the plug-in a')
      .with([{ name: 'ramp' }], 'the plug-in b');
    expect(more.names).toEqual(['log', 'hinge', 'focal', 'ramp']);
    expect(['log', 'focal', 'ramp', 'none'].map(name => more.ownerOf(name))).toEqual([
      'Tagstream',
      'the plug-in a',
      'the plug-in b',
      undefined,
    ]);
    expect([own.names, own.find('focal'), own.ownerOf('focal')]).toEqual([
      ['log', 'hinge'],
      undefined,
      undefined,
    ]);
  });

  it.each([
    [
      'of Tagstream',
      'log',
      'the plug-in b registers a loss "log", but Tagstream already has one of that name',
    ],
    [
      'of another',
      'focal',
      'the plug-in b registers a loss "focal", but the plug-in a already has one of that name',
    ],
    [
      'that is not free',
      'cg',
      'the plug-in b registers a loss "cg", but the moon already has one of that name',
    ],
  ])('refuses a name %s, and names both owners', (_, name, message) => {
    const taken = new Map([['cg', 'the moon']]);
    const more = own.with([{ name: 'focal' }], 'the plug-in a');
    expect(() => more.with([{ name }], 'the plug-in b', taken)).toThrow(message);
  });

  it('refuses two components of one name in one plug-in', () => {
    const twice = [{ name: 'focal' }, { name: 'focal' }];
    expect(() => own.with(twice, 'the plug-in a')).toThrow(
      'the plug-in a registers two loss components named "focal"',
    );
  });
});
