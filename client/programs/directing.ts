import { type Decision } from '../../contracts/decision';
import { type ListedTake } from '../../contracts/listed-take';
import { type RenderPlan } from '../../contracts/render-plan';
import { checkReview } from '../directing/check-review';
import {
  carryOutProposal,
  type KnownProduction,
  knownProduction,
  knownRender,
  knownShot,
  listTakes,
  type EditProposal,
  type Proposal,
  proposeChoice,
  proposeEdit,
  proposeRetake,
} from '../directing';
import { NO_WORKER } from '../temporal/pollers';
import { Refused } from '../wording/refused';
import { type DecisionForMany, openUnclears, type ResolvedMany, resolveMany } from '../dailies/resolve-many';
import { type ProgramContext } from './context';
import { type Given, type GivenOptions, givenProduction } from './given';
import { InvalidInput } from './invalid-input';
import { jsonParameters } from './json-parameters';

/** Changes for another take. Without any, the same request is sent again. */
export interface Changes {
  readonly prompt?: string;
  readonly model?: string;
  /** Parameters of the model, by name, as JSON values. Null removes one; undefined keeps it. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export interface Directed {
  /** The consequences: which shots become stale, what is rendered, and what it is quoted at. */
  readonly follows: RenderPlan;
  /** True if a running production follows it, false if it is rendered again. */
  readonly revised: boolean;
}

/** The consequences of an edit, and its version. */
export interface PlannedEdit {
  readonly follows: RenderPlan;
  /** Identifies the versions before and after the edit. */
  readonly version: string;
}

/**
 * A program's decisions about shots. Nothing asks for confirmation; their costs are paid. `waitFor` waits for the
 * results.
 *
 * All throw Refused if the current state does not allow it, also if a worker is needed and none is there, and
 * InvalidInput for wrong parameters.
 */
export interface Directing {
  /** Approves a take of a shot in review. @param take default: the chosen one. @returns its number. */
  approve(productionId: string, shotId: string, take?: number): Promise<number>;
  /** Rejects a shot in review and makes another take. */
  reject(productionId: string, shotId: string, changes?: Changes): Promise<Directed>;
  retake(productionId: string, shotId: string, changes?: Changes): Promise<Directed>;
  choose(productionId: string, shotId: string, take: number): Promise<Directed>;
  /**
   * Decides how a parked shot continues. A single task has the production id `generations`.
   *
   * @param take needed if several takes of the shot are parked.
   * @returns `goesOn`: true if the shot continues by itself, false if the next render continues it.
   */
  resolve(
    productionId: string,
    shotId: string,
    decision: Decision,
    take?: number,
  ): Promise<{ readonly goesOn: boolean }>;
  /**
   * Gives all undecided unclear takes of a production or batch the same answer. `resubmit` pays for each of them again.
   * Rows that are productions must be answered separately.
   */
  resolveAll(productionId: string, parkedFor: 'unclear', decision: DecisionForMany): Promise<ResolvedMany>;
  /**
   * Plans an edit of a running production: its price, and which shots become stale. Changes nothing; the plan can be
   * kept as JSON until it is confirmed.
   *
   * @throws Refused if the production is not running, or already follows this version; InvalidInput
   */
  planEdit(productionId: string, production: Given, options?: GivenOptions): Promise<PlannedEdit>;
  /**
   * Makes a running production follow another version of its file, as planned by `planEdit`.
   *
   * @param seen the result of `planEdit`. @throws Refused if the plan has changed since, or costs more; InvalidInput
   */
  edit(productionId: string, production: Given, seen: PlannedEdit, options?: GivenOptions): Promise<Directed>;
  /** All takes of a production, or of one of its shots. */
  takes(productionId: string, shotId?: string): Promise<readonly ListedTake[]>;
}

export function createDirecting({ config, store, client, quotes, hasWorker }: ProgramContext): Directing {
  const { account } = config;
  const known = (productionId: string): Promise<KnownProduction> => knownProduction(store, account, productionId);

  /** Only a worker can handle an update. */
  async function checkServed(): Promise<void> {
    if (!(await hasWorker())) throw new Refused(`nothing is decided. ${NO_WORKER}`);
  }
  async function carryOut(proposal: Proposal): Promise<Directed> {
    const { revised } = await carryOutProposal({ client, hasWorker }, proposal);
    return { follows: proposal.follows, revised };
  }
  async function retakeOf(
    production: KnownProduction,
    shotId: string,
    { prompt, model, parameters }: Changes,
  ): Promise<Directed> {
    const changes = { prompt, model, parameters: jsonParameters(parameters) };
    const context = { store, account, quotes: quotes(), policy: config };
    const proposal = await proposeRetake(context, production, shotId, changes);
    if ('issues' in proposal) throw new InvalidInput(proposal.issues);
    return carryOut(proposal);
  }

  async function editOf(productionId: string, given: Given, options?: GivenOptions): Promise<EditProposal> {
    const { checked, file } = await givenProduction(given, config, { id: productionId, ...options });
    const context = { store, account, quotes: quotes() };
    return proposeEdit(context, await known(productionId), file, checked);
  }

  return {
    async approve(productionId, shotId, take) {
      const render = await knownRender(store, account, productionId);
      knownShot(render, shotId);
      if (!render.isOpen) throw new Refused(`production "${productionId}" is not running; there is nothing to approve`);
      await checkServed();
      const shots = take === undefined ? (await client.status(productionId))?.shots : [];
      const stands = shots?.find(({ id }) => id === shotId)?.filmTake ?? null;
      return client.approve(productionId, shotId, take ?? stands);
    },
    async reject(productionId, shotId, changes = {}) {
      const production = await known(productionId);
      knownShot(production, shotId);
      checkReview(productionId, shotId, await client.status(productionId));
      return retakeOf(production, shotId, changes);
    },
    retake: async (productionId, shotId, changes = {}) => retakeOf(await known(productionId), shotId, changes),
    async choose(productionId, shotId, take) {
      const context = { store, account, quotes: quotes() };
      return carryOut(await proposeChoice(context, await known(productionId), shotId, take));
    },
    planEdit: async (productionId, given, options) => plannedEdit(await editOf(productionId, given, options)),
    async edit(productionId, given, seen, options) {
      const proposal = await editOf(productionId, given, options);
      const now = plannedEdit(proposal);
      if (!isAsSeen(seen, now)) throw new Refused(NOT_AS_SEEN);
      return carryOut(proposal);
    },
    async resolve(productionId, shotId, decision, take) {
      await checkServed();
      return client.resolve(productionId, shotId, decision, take ?? null);
    },
    async resolveAll(productionId, _parkedFor, decision) {
      await checkServed();
      const { takes } = await openUnclears(store, { account, quotes: quotes() }, productionId);
      return resolveMany(client, productionId, takes, decision);
    },
    async takes(productionId, shotId) {
      const production = await known(productionId);
      if (shotId !== undefined) knownShot(production, shotId);
      const listed = await listTakes(store, account, production);
      return listed.filter(({ shot }) => shotId === undefined || shot === shotId);
    },
  };
}

const NOT_AS_SEEN =
  'nothing has changed. What would follow is not what was planned: the production or its file has changed since, or it ' +
  'would cost more; plan the edit again';

function plannedEdit({ follows, version }: EditProposal): PlannedEdit {
  return { follows, version };
}

/** The edit may pay for fewer takes, because some were rendered meanwhile. Nothing else may differ. */
function isAsSeen(seen: PlannedEdit, now: PlannedEdit): boolean {
  const paid = ({ follows }: PlannedEdit): ReadonlyMap<string, number> =>
    new Map(follows.shots.map(({ shot, newTakes }) => [shot, newTakes]));
  const before = paid(seen);
  const isNoMore = [...paid(now)].every(([shot, takes]) => takes <= (before.get(shot) ?? 0));
  return seen.version === now.version && isNoMore && costsNoMore(seen.follows.quote, now.follows.quote);
}

function costsNoMore(seen: RenderPlan['quote'], now: RenderPlan['quote']): boolean {
  const known = ({ credits, estimated }: RenderPlan['quote']): number => credits + (estimated?.credits ?? 0);
  return now.unknown <= seen.unknown && known(now) <= known(seen);
}
