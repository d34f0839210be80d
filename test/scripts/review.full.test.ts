import { existsSync } from 'node:fs';
import { until } from '../support/until';
import { type Ended, startAtTerminal } from './command';
import { accepted, HEAD, listed, place, rig, run, shot, states, write } from './directed-film';

/** Whole films are rendered, on machines that are busy with other tests. */
jest.setTimeout(600_000);

const reviewed = (id: string, from?: string): string => shot(id, from, ', review: true');

const atTerminal = (id: string): ReturnType<typeof startAtTerminal> => startAtTerminal(['review', id], place);

describe('dailies review', () => {
  it('approves one, rejects one after its price and a yes, leaves one for later, and ends at q', async () => {
    write('film', HEAD + ['one', 'two', 'three'].map((id) => reviewed(id)).join('') + shot('four', 'one'));
    expect((await run('render', 'film.yaml', '--quiet')).exitCode).toBe(3);
    const before = accepted();
    expect(before).toBe(3);

    const first = atTerminal('film');
    const shown = await first.answer(/one: a approve take 1, r reject, n next, q quit\?/, 'a');
    expect(shown).toMatch(/"one" waits for your approval \(1 of 3\)/);
    expect(shown).toMatch(/prompt +The sea one\./);
    expect(shown).toMatch(/cost +20 credits/);
    const file = /file +(\S+\.mp4)/.exec(shown)?.[1];
    expect(file !== undefined && existsSync(file)).toBe(true);

    // Declining at the prompt or at the price costs nothing.
    await first.answer(/two: a approve/, 'r');
    await first.answer(/Another prompt for "two"/, 'Fog.');
    const price = await first.answer(/Take "two" again\? \[y\/N\]/, 'n');
    expect(price).toMatch(/1 shot to render, 20 credits/);
    await first.answer(/two: a approve/, 'n');
    await first.answer(/three: a approve/, 'q');
    expect(await first.ended).toMatchObject({ exitCode: 3 });
    expect(accepted() - before).toBe((await rig.store.ledger.takes('film', 'four')).length);
    expect(await listed('film', 'one')).toMatchObject([{ chosen: true, approved: true }]);
    expect(await listed('film', 'two')).toHaveLength(1);

    const second = atTerminal('film');
    await second.answer(/two: a approve/, 'r');
    await second.answer(/Another prompt for "two"/, 'Fog.');
    await second.answer(/Take "two" again\? \[y\/N\]/, 'y');
    await second.answer(/three: a approve/, 'n');
    const ended = await untilEnd(second, /two: a approve take/);
    expect(ended).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('`dailies review film`') });
    const rendered = await run('render', 'film.yaml', '--json', '--quiet');
    expect(states(rendered)).toEqual(['completed', 'review', 'review', 'completed']);
    expect(await listed('film', 'two')).toMatchObject([{ take: 1 }, { take: 2, changes: [{ to: 'Fog.' }] }]);
    // Each of the film's shots once, and the agreed take.
    expect(accepted()).toBe(5);
  });

  it('is refused without a terminal, with the commands to type instead, and with --json', async () => {
    write('other', HEAD + reviewed('one'));
    await run('render', 'other.yaml', '--quiet');
    const refused = await run('review', 'other');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('no terminal');
    expect(refused.stderr).toContain('dailies approve other one --take 1 | dailies reject other one [--prompt TEXT]');
    expect(await run('review', 'other', '--json')).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('dailies status other --json'),
    });
  });

  it('refuses a decision about a shot that another person has decided meanwhile', async () => {
    write('raced', HEAD + reviewed('one'));
    await run('render', 'raced.yaml', '--quiet');
    const before = accepted();
    const review = atTerminal('raced');
    await review.answer(/one: a approve/, 'r');
    await review.answer(/Another prompt for "one"/, 'Rain.');
    await until(() => /Take "one" again\?/.test(review.stderr()));
    expect((await run('reject', 'raced', 'one', '--prompt', 'Fog.', '--yes', '--quiet')).exitCode).toBe(3);
    await review.answer(/Take "one" again\?/, 'y');
    const anew = await review.answer(/one: a approve/, 'q');
    expect(anew).toContain('Refused: ');
    expect(await review.ended).toMatchObject({ exitCode: 3 });
    expect(accepted() - before).toBe(1);
    expect((await listed('raced', 'one')).at(-1)).toMatchObject({ take: 2, changes: [{ to: 'Fog.' }] });
  });
});

/** The new take may complete before the last question is answered: then it is asked about too, and left. */
async function untilEnd(review: ReturnType<typeof startAtTerminal>, another: RegExp): Promise<Ended> {
  await review.answer(another, 'q').catch(() => undefined);
  return review.ended;
}
