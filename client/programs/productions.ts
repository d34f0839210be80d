import { type Priority } from '../../contracts/arbiter';
import { type Manifest } from '../../contracts/manifest';
import { type RenderPlan } from '../../contracts/render-plan';
import { type ProductionStatus } from '../../contracts/status';
import { freezeRender } from '../freeze-render';
import { inStore, manifestOf } from '../manifest';
import { publish } from '../out-folder';
import { planFile } from '../plan-file';
import { Refused, unknownProduction } from '../refused';
import { statusInFull } from '../status-in-full';
import { waitsForPeople } from '../../contracts/status';
import { watchProduction } from '../watch-production';
import { checkedOptions } from './checked-options';
import { type ProgramContext } from './context';
import { type Given, type GivenOptions, givenProduction } from './given';

export interface RenderOptions extends WaitOptions, GivenOptions {
  /** Name of the production. Default: the file's own. */
  readonly id?: string;
  /** Most shots under way at once. Default: the file's. */
  readonly maxInFlight?: number;
  /** Whose turn comes first where the account has limits. Default: the file's. */
  readonly priority?: Priority;
  /** Approves by itself what is to be reviewed. Default: false. */
  readonly unattended?: boolean;
  /** False to return once it has begun. Default: true. */
  readonly wait?: boolean;
}

export interface WaitOptions {
  /** Folder that film, takes, manifest and contact sheet are copied to. Default: they are named where the store has them. */
  readonly out?: string;
  /** Told how it goes on, twice a second. */
  readonly onStatus?: (status: ProductionStatus) => void;
  /** Ends the waiting, not the render. */
  readonly signal?: AbortSignal;
}

/** A production as its render left it, or goes on. */
export interface Rendered extends Manifest {
  /** Whether only people can make it go on: its shots say who waits for what. */
  readonly waits: boolean;
}

/** What a program does with whole productions. */
export interface Productions {
  /**
   * Renders a production, given by its file or as an object, or goes on with it, as `dailies render`. Resolves when it
   * has ended, or only people can
   * make it go on.
   *
   * @throws InvalidInput, Refused
   */
  renderProduction(production: Given, options?: RenderOptions): Promise<Rendered>;
  /** Waits for a production that was begun, as `renderProduction` does. @throws Refused for one that is unknown. */
  waitFor(productionId: string, options?: WaitOptions): Promise<Rendered>;
  /** As `dailies status --json`. @throws Refused for a production that is unknown. */
  status(productionId: string): Promise<Manifest>;
  /** What rendering it would do and cost; sends and stores nothing. @throws InvalidInput, Refused */
  plan(production: Given, options?: Pick<RenderOptions, 'id' | 'baseDir'>): Promise<RenderPlan>;
  /** Pays for nothing new, and collects what is paid for; `waitFor` tells when that is done. @throws Refused */
  cancel(productionId: string): Promise<void>;
}

export function createProductions(context: ProgramContext): Productions {
  const { config, store, client } = context;
  const { account } = config;

  async function known(productionId: string): Promise<ProductionStatus> {
    const status = await client.status(productionId);
    if (status === undefined) throw unknownProduction(productionId, await client.records.ids());
    return status;
  }
  async function rendered(status: ProductionStatus, out: string | undefined): Promise<Rendered> {
    const waits = waitsForPeople(status);
    if (out === undefined || (status.state === 'running' && !waits)) {
      return { ...(await manifestOf(store, account, status, inStore(store))), waits };
    }
    const request = { store, account, status, folder: out };
    const { ffmpegPath } = config;
    const { manifest } = await publish(ffmpegPath === undefined ? request : { ...request, ffmpegPath });
    return { ...manifest, waits };
  }
  async function waitFor(productionId: string, options: WaitOptions = {}): Promise<Rendered> {
    const { out, onStatus = () => undefined, signal = new AbortController().signal } = options;
    await known(productionId);
    await context.tellOfNoWorker();
    const last = await watchProduction(client, productionId, onStatus, signal, 'waiting');
    return rendered(last ?? (await known(productionId)), out);
  }

  return {
    waitFor,
    async renderProduction(
      production,
      { id, maxInFlight, priority, unattended = false, wait = true, baseDir, ...options } = {},
    ) {
      const flags = { maxInFlight: null, unattended, ...checkedOptions({ maxInFlight, priority }) };
      const { checked, file } = await givenProduction(production, config, { id, baseDir });
      const { request } = await freezeRender(store, checked, { file, id, flags });
      await client.render(request);
      if (wait) return waitFor(request.productionId, options);
      await context.tellOfNoWorker();
      return rendered(await known(request.productionId), undefined);
    },
    async status(productionId) {
      const quotes = context.quotes();
      return (await statusInFull({ store, account, quotes }, await known(productionId))).manifest;
    },
    async plan(production, { id, baseDir } = {}) {
      const { checked, file } = await givenProduction(production, config, { id, baseDir });
      await client.refuseUnknownTasks(id ?? checked.id).catch(unlessRefused);
      return (await planFile({ store, account, quotes: context.quotes() }, checked, { file, id })).plan;
    },
    cancel: (productionId) => client.cancel(productionId),
  };
}

/** A plan is made of what the store knows, also while Temporal is away. */
function unlessRefused(error: unknown): void {
  if (error instanceof Refused) throw error;
}
