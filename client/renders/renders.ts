import { type ProductionStatus } from '../../contracts/status';
import { createHolds } from '../../store';
import { CHANGED_MEANWHILE } from '../../workflows/progress/revision';
import { refuseUnknownTasks } from '../books/unknown-tasks';
import { lastVersion } from '../last-version';
import { endOutlivedPause, refuseWhilePaused } from '../paused';
import { createProductionRecords } from '../production-records';
import { Refused } from '../refused';
import { type RenderContext } from './context';
import { joinRender } from './join-render';
import { type Change, type Note, type RenderRequest } from './request';
import { reviseRender } from './revise-render';
import { checkPayer, isRunning } from './running-render';
import { startRender } from './start-render';

/** Renders of productions: one runs at a time for each, and others join it or revise it. */
export interface Renders {
  /** Starts a render, or attaches to the one that is running. One that was interrupted goes on; a paused one refuses. */
  render(request: RenderRequest): Promise<{ readonly attached: boolean }>;
  /**
   * Has a running production follow another version of itself, or renders that version where none runs. Nothing is noted
   * before it is known to be taken.
   *
   * @param again shots to look at again although nothing in them has changed, as after another choice.
   * @throws Refused where another version than the one that it replaces is the last one by now.
   */
  direct(change: Change, again: readonly string[]): Promise<{ readonly revised: boolean }>;
  isRunning(productionId: string): Promise<boolean>;
  /** @throws Refused where it runs for another account. */
  checkPayer(productionId: string): Promise<void>;
}

export interface RendersOptions extends RenderContext {
  /** By Temporal's account or else the store's. */
  readonly status: (productionId: string) => Promise<ProductionStatus | undefined>;
}

const NOTHING: Note = () => Promise.resolve();

export function createRenders({ status, ...context }: RendersOptions): Renders {
  const { store } = context;
  const holds = createHolds(store.records);

  /** Renders what has ended, or revises what another command has just begun. @returns whether it revised. */
  async function renderChange(change: Change, again: readonly string[], note: Note): Promise<boolean> {
    const { productionId, replaces } = change;
    const last = await lastVersion(createProductionRecords(store), productionId);
    if (replaces !== undefined && last?.version !== replaces) throw new Refused(CHANGED_MEANWHILE);
    // One that is paused and runs may be directed too: it stays paused, and buys nothing until it is resumed.
    await endOutlivedPause(store, productionId, () => status(productionId));
    if (await startRender(context, change, note)) return false;
    if (await reviseRender(context, change, again, note)) return true;
    throw new Refused(CHANGED_MEANWHILE);
  }

  return {
    isRunning: (productionId) => isRunning(context, productionId),
    checkPayer: (productionId) => checkPayer(context, productionId),
    async render(request) {
      const { productionId } = request;
      await refuseWhilePaused(store, 'production', productionId, () => status(productionId));
      await refuseUnknownTasks(context, productionId);
      const attached = (await isRunning(context, productionId)) || !(await startRender(context, request, NOTHING));
      if (attached) await joinRender(context, request);
      await holds.release(productionId);
      return { attached };
    },
    async direct(change, again) {
      const { productionId } = change;
      await refuseUnknownTasks(context, productionId);
      const noting = once(change.note ?? NOTHING);
      const note = noting.run;
      try {
        const revised =
          ((await isRunning(context, productionId)) && (await reviseRender(context, change, again, note))) ||
          (await renderChange(change, again, note));
        await holds.release(productionId);
        return { revised };
      } catch (error) {
        // Two commands within the same moment: what is on record is told, since a later render goes by it.
        if (!(error instanceof Refused) || !noting.hasRun()) throw error;
        throw new Refused(`${error.message}. What you decided is noted, and the next render of its file follows it`);
      }
    },
  };
}

function once(note: Note): { readonly run: Note; readonly hasRun: () => boolean } {
  let hasRun = false;
  return {
    hasRun: () => hasRun,
    async run() {
      if (!hasRun) await note();
      hasRun = true;
    },
  };
}
