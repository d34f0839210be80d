import { html } from '../../client/contact-sheet/html';
import { inboxShown } from '../../studio/pages/review';

describe('the items of the review inbox', () => {
  it('have ids of their own, whatever the ids of films and shots are', () => {
    const waiting = { review: null, parked: { since: '2026-11-22T01:00:00.000Z' }, reason: 'it failed' };
    const item = (film: string, shot: string) => ({
      film: { id: film, status: { title: film } },
      shot: { id: shot, status: waiting, prompt: null, shown: undefined, takes: [] },
    });
    const args = [[item('ad', 'dawn-wide'), item('ad-dawn', 'wide')], { token: () => html`` }];
    const shown = inboxShown(...(args as unknown as Parameters<typeof inboxShown>)).markup;
    const ids = [...shown.matchAll(/id="(item-[^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(2);
  });
});
