import { type Decision } from '../../contracts/render/decision';
import { type ListedTake } from '../../contracts/render/listed-take';
import { type RenderPlan } from '../../contracts/render/render-plan';
import { checkReview } from '../directing/check-review';
import {
  carryOutProposal,
  type KnownProduction,
  knownProduction,
  knownRender,
  knownShot,
  listTakes,
  type Proposal,
  proposeChoice,
  proposeEdit,
  proposeRetake,
} from '../directing';
import { NO_WORKER } from '../temporal/pollers';
import { hasRecords } from '../records/has-records';
import { Refused, unknownProductionOrBatch } from '../wording/refused';
import { type DecisionForMany, readUnclearTakes, type ResolvedMany, resolveMany } from '../dailies/resolve-many';
import { type ProgramContext } from './context';
import { type Given, type GivenOptions, givenProduction } from './given';
import { InvalidInput } from './invalid-input';
import { jsonParameters } from './json-parameters';
import { checkAsSeen, type PlannedChange } from './planned-change';

/** Changes for another take. Without changes, the shot's request is sent again as it is. */
export interface Changes {
  readonly prompt?: string;
  readonly model?: string;
  /** Parameters of the model, by name, as JSON values. Null removes a parameter; undefined keeps it. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export interface Directed {
  /** The consequences: the shots that become stale, the takes to render, and their quote. */
  readonly follows: RenderPlan;
  /** True if the running production follows the change, false if the production is rendered again. */
  readonly revised: boolean;
}

/**
 * A program's decisions about shots. Decisions take effect, and may cost credits, without confirmation.
 * `Productions.waitFor` waits for the results.
 *
 * All functions throw Refused if the current state does not allow the call, or if the call needs a worker and none is
 * running. They throw InvalidInput for wrong parameters.
 */
export interface Directing {
  /** Approves a take of a shot in review. @param take default: the chosen take. @returns the take's number. */
  approve(productionId: string, shotId: string, take?: number): Promise<number>;
  /** Rejects a shot in review and makes another take. */
  reject(productionId: string, shotId: string, changes?: Changes): Promise<Directed>;
  /** Plans another take: the shots that it would make stale, and its cost. Changes nothing. */
  planRetake(productionId: string, shotId: string, changes?: Changes): Promise<PlannedChange>;
  /**
   * Makes another take.
   *
   * @param seen a plan that a person has agreed to.
   * @throws Refused if the plan has changed since, or costs more.
   */
  retake(productionId: string, shotId: string, changes?: Changes, seen?: PlannedChange): Promise<Directed>;
  /** Plans the choice of a take: its consequences and cost. Changes nothing. */
  planChoice(productionId: string, shotId: string, take: number): Promise<PlannedChange>;
  /** Chooses a take for the film. @param seen as for `retake`. */
  choose(productionId: string, shotId: string, take: number, seen?: PlannedChange): Promise<Directed>;
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
   * Gives all undecided unclear takes of a production or batch the same answer. `resubmit` sends each of them again,
   * and the gateway may charge both sendings. `resubmit` leaves out a take if another take of the same shot and render
   * has completed. Rows that are productions must be answered separately.
   *
   * @throws DecisionsStopped if an error ends the decisions early; its message tells how many takes were decided. If
   *   there is no other result, the error itself.
   */
  resolveAll(productionId: string, parkedFor: 'unclear', decision: DecisionForMany): Promise<ResolvedMany>;
  /**
   * Plans an edit of a running production: the price, and the shots that become stale. Changes nothing. The plan can be
   * kept as JSON until a person confirms it.
   *
   * @throws Refused if the production is not running; NothingToChange if the production already follows this version;
   *   InvalidInput
   */
  planEdit(productionId: string, production: Given, options?: GivenOptions): Promise<PlannedChange>;
  /**
   * Makes a running production follow another version of its file, as planned by `planEdit`.
   *
   * @param seen the result of `planEdit`. @throws Refused if the plan has changed since, or costs more; InvalidInput
   */
  edit(productionId: string, production: Given, seen: PlannedChange, options?: GivenOptions): Promise<Directed>;
  /** All takes of a production, or of one of its shots, that belong to this account. */
  takes(productionId: string, shotId?: string): Promise<readonly ListedTake[]>;
}

export function createDirecting({ config, store, client, quotes, hasWorker }: ProgramContext): Directing {
  const { account } = config;
  const known = (productionId: string): Promise<KnownProduction> => knownProduction(store, account, productionId);

  /** Throws Refused if no worker runs: only a worker can handle an update. */
  async function checkServed(): Promise<void> {
    if (!(await hasWorker())) throw new Refused(`nothing is decided. ${NO_WORKER}`);
  }
  async function carryOut(proposal: Proposal, seen?: PlannedChange): Promise<Directed> {
    checkAsSeen(seen, proposal);
    const { revised } = await carryOutProposal({ client, hasWorker }, proposal);
    return { follows: proposal.follows, revised };
  }
  async function retakeOf(
    production: KnownProduction,
    shotId: string,
    { prompt, model, parameters }: Changes,
  ): Promise<Proposal> {
    const changes = { prompt, model, parameters: jsonParameters(parameters) };
    const context = { store, account, quotes: quotes(), policy: config };
    const proposal = await proposeRetake(context, production, shotId, changes);
    if ('issues' in proposal) throw new InvalidInput(proposal.issues);
    return proposal;
  }
  const choiceOf = async (productionId: string, shotId: string, take: number): Promise<Proposal> =>
    proposeChoice({ store, account, quotes: quotes() }, await known(productionId), shotId, take);

  async function editOf(productionId: string, given: Given, options?: GivenOptions): Promise<Proposal> {
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
      const chosenTake = shots?.find(({ id }) => id === shotId)?.filmTake ?? null;
      return client.approve(productionId, shotId, take ?? chosenTake);
    },
    async reject(productionId, shotId, changes = {}) {
      const production = await known(productionId);
      knownShot(production, shotId);
      checkReview(productionId, shotId, await client.status(productionId));
      return carryOut(await retakeOf(production, shotId, changes));
    },
    planRetake: async (productionId, shotId, changes = {}) =>
      planned(await retakeOf(await known(productionId), shotId, changes)),
    retake: async (productionId, shotId, changes = {}, seen) =>
      carryOut(await retakeOf(await known(productionId), shotId, changes), seen),
    planChoice: async (productionId, shotId, take) => planned(await choiceOf(productionId, shotId, take)),
    choose: async (productionId, shotId, take, seen) => carryOut(await choiceOf(productionId, shotId, take), seen),
    planEdit: async (productionId, given, options) => planned(await editOf(productionId, given, options)),
    edit: async (productionId, given, seen, options) => carryOut(await editOf(productionId, given, options), seen),
    async resolve(productionId, shotId, decision, take) {
      await checkServed();
      return client.resolve(productionId, shotId, decision, take ?? null);
    },
    async resolveAll(productionId, _parkedFor, decision) {
      if (!(await hasRecords(store, productionId))) throw await unknownProductionOrBatch(store, productionId);
      await checkServed();
      const { takes } = await readUnclearTakes(store, { account, quotes: quotes(), decision }, productionId);
      return resolveMany(client, productionId, takes, decision);
    },
    async takes(productionId, shotId) {
      const production = await known(productionId);
      const listed = await listTakes(store, account, production);
      const found = listed.filter(({ shot }) => shotId === undefined || shot === shotId);
      // A shot that was removed from the file may have takes.
      if (shotId !== undefined && found.length === 0) knownShot(production, shotId);
      return found;
    },
  };
}

function planned({ follows, version }: Proposal): PlannedChange {
  return { follows, version };
}
