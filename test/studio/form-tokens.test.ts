import { createFormTokens, type FormTokens, type Outcome } from '../../studio/server/form-tokens';
import { Refused } from '../../client/wording/refused';

const PATH = '/productions/film/pause';
const PAUSED: Outcome = { done: 'Paused.', to: '/productions/film' };
const GOES_ON: Outcome = { done: 'It goes on.', to: '/productions/film' };

describe('tokens of forms', () => {
  let tokens: FormTokens;
  let acted: string[];

  beforeEach(() => {
    tokens = createFormTokens();
    acted = [];
  });

  const send = async (token: string, outcome: Outcome | string, fingerprint = 'same'): Promise<unknown> =>
    tokens.once({ token, path: PATH, fingerprint }, () => {
      acted.push(typeof outcome === 'string' ? outcome : outcome.done);
      return Promise.resolve(outcome);
    });
  const nonceOf = (token: string): string => token.split('.')[0] ?? '';

  it('acts once for a form that is sent again at once, and answers both with the outcome', async () => {
    const token = tokens.issue(PATH);
    const both = await Promise.all([send(token, PAUSED), send(token, PAUSED)]);
    expect(both).toEqual(Array(2).fill({ ...PAUSED, to: `/productions/film?done=${nonceOf(token)}` }));
    expect(await send(token, PAUSED)).toEqual(both[0]);
    expect(acted).toEqual(['Paused.']);
    expect(tokens.doneOf(nonceOf(token))).toBe('Paused.');
  });

  it('does not say that it is paused after it was resumed: to the old form again, and on the old address', async () => {
    const old = tokens.issue(PATH);
    await send(old, PAUSED);
    await send(tokens.issue(PATH), GOES_ON);
    expect(tokens.doneOf(nonceOf(old))).toBeUndefined();
    await expect(send(old, PAUSED)).rejects.toThrow(Refused);
    expect(acted).toEqual(['Paused.', 'It goes on.']);
  });

  it('does not say that other fields of a form were taken that was sent before', async () => {
    const token = tokens.issue(PATH);
    await send(token, PAUSED, 'credits=50');
    await expect(send(token, PAUSED, 'credits=60')).rejects.toThrow(/sent before/);
    expect(acted).toEqual(['Paused.']);
  });

  it('makes the page of a plan anew for what was typed after going back', async () => {
    const token = tokens.issue(PATH);
    expect(await send(token, 'plan of the sea', 'prompt=sea')).toBe('plan of the sea');
    expect(await send(token, 'plan of the moon', 'prompt=moon')).toBe('plan of the moon');
  });

  it('keeps what failed, since it is not known what has happened', async () => {
    const token = tokens.issue(PATH);
    const failing = (): Promise<Outcome> => {
      acted.push('tried');
      return Promise.reject(new Error('no answer'));
    };
    const again = async (): Promise<unknown> => tokens.once({ token, path: PATH, fingerprint: 'same' }, failing);
    await expect(again()).rejects.toThrow('no answer');
    await expect(again()).rejects.toThrow('no answer');
    expect(acted).toEqual(['tried']);
  });
});
