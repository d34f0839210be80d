import { createAccountPrograms } from '../../../client/programs/account';
import { type ProgramContext } from '../../../client/programs/context';

describe('the closed gates', () => {
  it('let no submit through while the last one may still be under way', async () => {
    const at = (minute: string): string => `2026-11-22T01:${minute}:00.000Z`;
    const closing = (until: string) => ({
      ...{ reason: 'no answer', since: at('00'), tryAt: at('05'), tryAnywayAt: at('30') },
      lastProbe: { at: at('20'), until },
    });
    const open = (until: string) => {
      const gate = { read: () => Promise.resolve(closing(until)) };
      const account = { gate, closedModelGates: () => Promise.resolve([]) };
      const context = { config: { account: 'sandbox' }, store: { account: () => account } };
      return createAccountPrograms(context as unknown as ProgramContext).closedGates();
    };
    expect(await open(at('40'))).toMatchObject([{ triesAt: at('40'), triesAnywayAt: at('40') }]);
    expect(await open(at('25'))).toMatchObject([{ triesAt: at('25'), triesAnywayAt: at('30') }]);
  });
});
