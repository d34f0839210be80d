import { settlementShown } from '../../studio/pages/film/settlement';

describe('the settlement of an unclear take', () => {
  const unclear = { shot: 'sea', take: 1, since: '2026-11-22T01:00:00.000Z', reason: 'HTTP 500' };
  const shown = (state: 'running' | 'cancelled', command: string, isCurrent = true): string =>
    settlementShown({
      ...{ production: 'film', state, spent: { credits: 0, byThisRender: 0, tasksWithoutPrice: 0 } },
      ...{ collected: [], unclear: [{ ...unclear, isCurrent, command }], uncollected: [], failed: [], notStarted: [] },
    }).markup;

  it('leads to the page of the shot while the render runs', () => {
    const page = shown('running', 'dailies resolve film sea --resubmit');
    expect(page).toContain('Decide on the page of the shot.');
    expect(page).toContain('dailies resolve film sea --resubmit');
  });

  it('does not ask to render again if no render waits for the take', () => {
    const page = shown('cancelled', 'dailies resolve film sea --take 1 --skip', false);
    expect(page).toContain('No render waits for this take.');
    expect(page).not.toContain('Render again');
  });

  it('asks to render again first once the render has ended', () => {
    const page = shown('cancelled', 'dailies render film.yaml --id film');
    expect(page).toContain('Render again; then');
    expect(page).toContain('dailies render film.yaml --id film');
    expect(page).not.toContain('Decide on the page');
  });
});
