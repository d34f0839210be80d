import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { type RenderContext } from '../../../client/renders/context';
import { startRender } from '../../../client/renders/start-render';
import { type Begun, type Store } from '../../../store';
import { newStore } from '../../books/store-with-takes';
import { betaShot, film, planOf } from '../../support/rig';

describe('a render that does not start', () => {
  const FILM = film('film', [betaShot('dawn')]);
  let store: Store;
  let before: Begun;

  const start = async (start: () => Promise<unknown>, note: () => Promise<void> = () => Promise.resolve()) => {
    const context = { temporal: { options: {}, workflow: { start } }, store, account: 'sandbox', startOptions: {} };
    const request = { productionId: 'film', production: await store.putJson(FILM), plan: planOf(FILM) };
    return startRender(context as unknown as RenderContext, request, note);
  };
  const alreadyStarted = () =>
    Promise.reject(new WorkflowExecutionAlreadyStartedError('running', 'film', 'production'));
  const begun = async (): Promise<Begun> => (await store.productions.begun('film'))!;

  beforeEach(async () => {
    store = await newStore();
    await start(() => Promise.resolve());
    before = await begun();
  });

  it('leaves the record of the earlier render', async () => {
    expect(await start(alreadyStarted)).toBe(false);
    expect(await begun()).toEqual(before);
  });

  it('leaves the record of the render that another command has started meanwhile', async () => {
    const others = { ...before, renderId: 'render of another command' };
    const refused = async () => {
      await store.productions.begin('film', others);
      return alreadyStarted();
    };
    expect(await start(refused)).toBe(false);
    expect(await begun()).toEqual(others);
  });

  it('leaves the record of the earlier render if a step before the start fails', async () => {
    const started = jest.fn();
    await expect(start(started, () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full');
    expect(started).not.toHaveBeenCalled();
    expect(await begun()).toEqual(before);
  });
});
