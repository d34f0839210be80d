import { settlementShown } from '../../studio/pages/film/settlement';

describe('the settlement of an unclear take', () => {
  const unclear = { shot: 'sea', take: 1, since: '2026-11-22T01:00:00.000Z', reason: 'HTTP 500' };
  const shown = (state: 'running' | 'cancelled', command: string): string =>
    settlementShown({
      ...{ production: 'film', state, spent: { credits: 0, byThisRender: 0, tasksWithoutPrice: 0 } },
      ...{ collected: [], unclear: [{ ...unclear, command }], uncollected: [], failed: [], notStarted: [] },
    }).markup;

  it('leads to the page of the shot while the render runs', () => {
    const page = shown('running', 'dailies resolve film sea --resubmit');
    expect(page).toContain('Decide on the page of the shot.');
    expect(page).toContain('dailies resolve film sea --resubmit');
  });

  it('asks to render again first once the render has ended', () => {
    const page = shown('cancelled', 'dailies render film.yaml --id film');
    expect(page).toContain('Render again; then');
    expect(page).toContain('dailies render film.yaml --id film');
    expect(page).not.toContain('Decide on the page');
  });
});
