import { type Priority } from '../../contracts/gateway/arbiter';
import { type Manifest } from '../../contracts/manifest';
import { type RenderPlan } from '../../contracts/render/render-plan';
import { isAtRest, type ProductionStatus, waitsForPeople } from '../../contracts/status';
import { settle, type Settlement } from '../books';
import { type CheckedProduction } from '../production-file';
import { freezeRender } from '../renders/freeze-render';
import { inStore, manifestOf } from '../status/manifest';
import { publish } from '../output/out-folder';
import { planFile } from '../plan/plan-file';
import { Refused, unknownProduction } from '../wording/refused';
import { absolute } from '../wording/working-folder';
import { statusInFull } from '../plan/status-in-full';
import { watchProduction } from '../dailies/watch-production';
import { checkedOptions } from './checked-options';
import { type ProgramContext } from './context';
import { type Given, type GivenOptions, givenProduction } from './given';
import { checkAsSeen, type PlannedChange } from './planned-change';

export interface RenderOptions extends WaitOptions, GivenOptions {
  /** Name of the production. Default: the file's own. */
  readonly id?: string;
  /** The largest number of shots that run at once. Default: the file's. */
  readonly maxInFlight?: number;
  /**
   * Priority among the account's waiting tasks. It has an effect only if the account has limits or the gateway throttles
   * it. Default: the file's.
   */
  readonly priority?: Priority;
  /** Approves reviews automatically. Default: false. */
  readonly unattended?: boolean;
  /** False to return as soon as the render has begun. Default: true. */
  readonly wait?: boolean;
  /**
   * A plan from `planRender` that a person has agreed to. The render is refused if the production has changed since,
   * needs more takes or credits, or has an unclear take that the plan does not list.
   */
  readonly seen?: PlannedChange | undefined;
}

export interface WaitOptions {
  /**
   * Folder that film, takes, manifest and contact sheet are copied to. Later commands for the production use this
   * folder too. Default: nothing is copied, and paths lead into the store.
   */
  readonly out?: string;
  /** Called about twice a second with the current status. */
  readonly onStatus?: (status: ProductionStatus) => void;
  /** If the signal aborts, the wait ends and the render continues. */
  readonly signal?: AbortSignal;
}

/** The manifest of a production after or during its render. */
export interface Rendered extends Manifest {
  /** True if only people can continue the production. The manifest's `shots` and `paused` show the reasons. */
  readonly waits: boolean;
}

export interface Productions {
  /**
   * Renders or continues a production, like `dailies render`. Resolves when the production has ended or only people can
   * continue it. If `wait` is false, resolves when the render has begun.
   *
   * @throws InvalidInput, Refused
   */
  renderProduction(production: Given, options?: RenderOptions): Promise<Rendered>;
  /** Waits for a begun production, as `renderProduction` does. @throws Refused if the production is unknown. */
  waitFor(productionId: string, options?: WaitOptions): Promise<Rendered>;
  /** What `dailies status --json` prints, without `lastReadAt`. @throws Refused if the production is unknown. */
  status(productionId: string): Promise<Manifest>;
  /** Plans a render and its price. Sends and stores nothing. @throws InvalidInput, Refused */
  plan(production: Given, options?: Pick<RenderOptions, 'id' | 'baseDir'>): Promise<RenderPlan>;
  /** Like `plan`, for the option `seen` of `renderProduction`. The plan can be kept as JSON. */
  planRender(production: Given, options?: Pick<RenderOptions, 'id' | 'baseDir'>): Promise<PlannedChange>;
  /**
   * Costs and results of a production according to the ledger, as `dailies cancel --json` prints them. Cancels nothing.
   *
   * @throws Refused if the production is unknown.
   */
  settlement(productionId: string): Promise<Settlement>;
  /**
   * Drains a production: the production pays for no new take, and collects the output of paid takes. `waitFor` waits
   * for the end. @throws Refused
   */
  cancel(productionId: string): Promise<void>;
}

export function createProductions(context: ProgramContext): Productions {
  const { config, store, client } = context;
  const { account } = config;

  async function known(productionId: string): Promise<ProductionStatus> {
    const status = await client.status(productionId);
    if (status === undefined) throw unknownProduction(productionId, await client.productions.ids());
    return status;
  }
  async function rememberFolder(productionId: string, out: string | undefined): Promise<void> {
    if (out !== undefined) await store.outPlaces.noteFolder(productionId, absolute(out));
  }
  async function rendered(status: ProductionStatus, out: string | undefined): Promise<Rendered> {
    const manifest =
      out !== undefined && isAtRest(status)
        ? (await publish({ store, account, status, folder: out, ffmpegPath: config.ffmpegPath })).manifest
        : await manifestOf(store, account, status, inStore(store));
    return { ...manifest, waits: waitsForPeople(status) };
  }
  async function waitFor(productionId: string, options: WaitOptions = {}): Promise<Rendered> {
    const { out, onStatus = () => undefined, signal = new AbortController().signal } = options;
    await known(productionId);
    await rememberFolder(productionId, out);
    await context.tellOfNoWorker();
    const last = await watchProduction(client, productionId, onStatus, signal, 'waiting');
    return rendered(last ?? (await known(productionId)), out);
  }

  async function planned(checked: CheckedProduction, origin: PlannedOrigin): Promise<PlannedChange> {
    const id = origin.id ?? checked.id;
    await client.refuseUnknownTasks(id).catch(unlessRefused);
    const isLost = (await client.isRunning(id).catch(unlessRefused)) === false;
    const planning = { store, account, quotes: context.quotes() };
    const { plan, version } = await planFile(planning, checked, { ...origin, isLost });
    return { follows: plan, version };
  }

  return {
    waitFor,
    async renderProduction(
      production,
      { id, maxInFlight, priority, unattended = false, wait = true, seen, baseDir, ...options } = {},
    ) {
      const flags = { maxInFlight: null, unattended, ...checkedOptions({ maxInFlight, priority }) };
      const { checked, file } = await givenProduction(production, config, { id, baseDir });
      if (seen !== undefined) checkAsSeen(seen, await planned(checked, { file, id }));
      const { request } = await freezeRender(store, checked, { file, id, flags });
      await client.render(request);
      if (wait) return waitFor(request.productionId, options);
      await rememberFolder(request.productionId, options.out);
      await context.tellOfNoWorker();
      return rendered(await known(request.productionId), undefined);
    },
    async status(productionId) {
      const quotes = context.quotes();
      return (await statusInFull({ store, account, quotes }, await known(productionId))).manifest;
    },
    async plan(production, { id, baseDir } = {}) {
      const { checked, file } = await givenProduction(production, config, { id, baseDir });
      return (await planned(checked, { file, id })).follows;
    },
    async planRender(production, { id, baseDir } = {}) {
      const { checked, file } = await givenProduction(production, config, { id, baseDir });
      return planned(checked, { file, id });
    },
    settlement: async (productionId) => settle(store, account, await known(productionId)),
    cancel: (productionId) => client.cancel(productionId),
  };
}

interface PlannedOrigin {
  readonly file: string | null;
  readonly id: string | undefined;
}

/** Ignores errors other than Refused, such as an unavailable Temporal, because a plan needs only the store. */
function unlessRefused(error: unknown): void {
  if (error instanceof Refused) throw error;
}
