import { type ProductionStatus } from '../../contracts/status';
import { CHANGED_MEANWHILE } from '../../workflows/progress/revision';
import { refuseUnknownTasks } from '../books/unknown-tasks';
import { lastVersion } from '../records/last-version';
import { endStalePause, refuseWhilePaused } from '../status/paused';
import { Refused } from '../wording/refused';
import { type RenderContext } from './context';
import { joinRender } from './join-render';
import { type Change, type Note, type RenderRequest } from './request';
import { reviseRender } from './revise-render';
import { checkPayer, isRunning } from './running-render';
import { startRender } from './start-render';

/** Renders of productions. A production has at most one running render; other requests join or revise this render. */
export interface Renders {
  /**
   * Starts a render, joins a running render, or continues an interrupted render.
   *
   * @throws Refused if the production is paused, or as `refuseUnknownTasks` and `joinRender` do.
   */
  render(request: RenderRequest): Promise<{ readonly attached: boolean }>;
  /**
   * Makes a running production follow another version of itself. If the production is not running, renders that
   * version. The decision (`change.note`) is recorded right before the update or start, so a version that is refused
   * earlier leaves no record.
   *
   * @param again shots to run again although their request has not changed, for example because a person has chosen
   *   another take.
   * @throws Refused if the last version is no longer the one that the change replaces, or as `refuseUnknownTasks` and
   *   `reviseRender` do.
   */
  direct(change: Change, again: readonly string[]): Promise<{ readonly revised: boolean }>;
  isRunning(productionId: string): Promise<boolean>;
  /** @throws Refused if the production runs for another account. */
  checkPayer(productionId: string): Promise<void>;
}

export interface RendersOptions extends RenderContext {
  /** The status from Temporal or else from the store. */
  readonly status: (productionId: string) => Promise<ProductionStatus | undefined>;
}

const NOTHING: Note = () => Promise.resolve();

export function createRenders({ status, ...context }: RendersOptions): Renders {
  const { store } = context;
  const { holds } = store;

  /**
   * Renders an ended production, or revises a render that another command has just begun.
   *
   * @returns true if the function revised a render, false if it started a render.
   */
  async function renderChange(change: Change, again: readonly string[], note: Note): Promise<boolean> {
    const { productionId, replaces } = change;
    const last = await lastVersion(store.productions, productionId);
    if (replaces !== undefined && last?.version !== replaces) throw new Refused(CHANGED_MEANWHILE);
    // Only the pause of an ended production ends here. A running production stays paused, and buys nothing.
    await endStalePause(store, productionId, () => status(productionId));
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
      const noteOnce = once(change.note ?? NOTHING);
      const note = noteOnce.run;
      try {
        const revised =
          ((await isRunning(context, productionId)) && (await reviseRender(context, change, again, note))) ||
          (await renderChange(change, again, note));
        await holds.release(productionId);
        return { revised };
      } catch (error) {
        // Two commands ran at the same time. The decision is recorded, so the message says when it takes effect.
        if (!(error instanceof Refused) || !noteOnce.hasRun()) throw error;
        throw new Refused(
          `${error.message}. Your decision is recorded, and the next render of "${productionId}" follows it`,
        );
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
