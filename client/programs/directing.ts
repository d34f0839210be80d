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
import { NO_WORKER } from '../pollers';
import { Refused } from '../refused';
import { type DecisionForMany, openUnclears, type ResolvedMany, resolveMany } from '../resolve-many';
import { type ProgramContext } from './context';
import { type Given, type GivenOptions, givenProduction } from './given';
import { InvalidInput } from './invalid-input';
import { jsonParameters } from './json-parameters';

/** What another take is to have otherwise; nothing for the same once more. */
export interface Changes {
  readonly prompt?: string;
  readonly model?: string;
  /** Parameters of the model, by name: what JSON can say. Null takes one away; one that is undefined stays. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export interface Directed {
  /** What follows: what is made stale, what is rendered anew, and what that is quoted at. */
  readonly follows: RenderPlan;
  /** Whether a running production follows it; else it is rendered again. */
  readonly revised: boolean;
}

/** What would follow from an edit, and by what it is known again. */
export interface PlannedEdit {
  readonly follows: RenderPlan;
  /** Names the versions that it leads from and to. */
  readonly version: string;
}

/**
 * What a program decides about shots. Nobody is asked: what it costs is paid for. `waitFor` tells when it has been done.
 *
 * All throw Refused for what cannot be done as things stand, also where no worker serves that would have to take it, and
 * InvalidInput for parameters that are wrong.
 */
export interface Directing {
  /** Approves a take of a shot in review. @param take default the one that stands. @returns its number. */
  approve(productionId: string, shotId: string, take?: number): Promise<number>;
  /** Has another take of a shot in review made. */
  reject(productionId: string, shotId: string, changes?: Changes): Promise<Directed>;
  /** Has another take of a shot made. */
  retake(productionId: string, shotId: string, changes?: Changes): Promise<Directed>;
  /** Has another take stand for a shot. */
  choose(productionId: string, shotId: string, take: number): Promise<Directed>;
  /**
   * Says how a parked shot goes on; for a single task the production is `generations`.
   *
   * @param take which of its takes, where several are parked.
   * @returns whether it goes on by itself; else the next render does it.
   */
  resolve(
    productionId: string,
    shotId: string,
    decision: Decision,
    take?: number,
  ): Promise<{ readonly goesOn: boolean }>;
  /**
   * Gives all unclear takes of a production or batch that nobody has decided about the same answer: `resubmit` pays for
   * each of them again. A row that is a production is a production of its own.
   */
  resolveAll(productionId: string, parkedFor: 'unclear', decision: DecisionForMany): Promise<ResolvedMany>;
  /**
   * What would follow if a production that runs followed another version of its file: its price, and what gets stale.
   * Changes nothing; the answer may be kept as JSON until somebody has said yes.
   *
   * @throws Refused if it does not run, or already follows this version; InvalidInput
   */
  planEdit(productionId: string, production: Given, options?: GivenOptions): Promise<PlannedEdit>;
  /**
   * Has a production that runs follow another version of its file, as `planEdit` has told.
   *
   * @param seen the answer of `planEdit`. @throws Refused if the plan has changed since, or costs more; InvalidInput
   */
  edit(productionId: string, production: Given, seen: PlannedEdit, options?: GivenOptions): Promise<Directed>;
  /** Every take that a production, or one of its shots, ever had. */
  takes(productionId: string, shotId?: string): Promise<readonly ListedTake[]>;
}

export function createDirecting({ config, store, client, quotes, hasWorker }: ProgramContext): Directing {
  const { account } = config;
  const known = (productionId: string): Promise<KnownProduction> => knownProduction(store, account, productionId);

  /** Only a worker can take an answer. */
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

/** What was rendered meanwhile may be paid for no more; nothing else may differ. */
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
