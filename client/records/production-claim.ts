import { realpath } from 'node:fs/promises';
import { GENERATIONS } from '../../contracts/identifiers';
import { type StoreView } from '../../store';
import { Refused, unknownProduction } from '../wording/refused';
import { triggerAgainCommand } from '../wording/commands';

export interface ProductionClaim {
  readonly productionId: string;
  /** Absolute path of the production file; null if a program gave the production as an object. */
  readonly path: string | null;
  /** True if the person gave the id. This file then takes over an id that belongs to another file. */
  readonly takeOver: boolean;
}

/**
 * Checks that a production file may use an id. Records nothing: the id belongs to the file once a render has begun.
 *
 * @throws Refused if the id is reserved, names a batch, a batch's row or a schedule's run, or belongs to another file
 * and is not taken over. Also refuses an unfinished fork: its render would pay for takes that the fork is going to reuse.
 */
export async function checkClaim(
  { productions, batches, runs }: Pick<StoreView, 'productions' | 'batches' | 'runs'>,
  { productionId, path, takeOver }: ProductionClaim,
): Promise<void> {
  if (productionId === GENERATIONS) {
    throw new Refused(
      `"${GENERATIONS}" is reserved for the tasks of \`dailies generate\`; choose another name with --id`,
    );
  }
  if ((await batches.begun(productionId)) !== undefined) {
    throw new Refused(`"${productionId}" is a batch; give the production another name with --id`);
  }
  const fork = await productions.fork(productionId);
  if (fork?.done === false) {
    throw new Refused(
      `"${productionId}" is an unfinished fork; type first: dailies fork ${fork.of} ${productionId}` +
        (fork.from === null ? '' : ` --from ${fork.from}`),
    );
  }
  const run = await runs.byId(productionId);
  if (run !== undefined) {
    throw new Refused(
      `"${productionId}" is a run of the schedule "${run.schedule}" and has no file of its own; ` +
        `\`${triggerAgainCommand(run.schedule, productionId)}\` renders it again`,
    );
  }
  const batchId = (await productions.begun(productionId))?.batch;
  if (batchId !== undefined) {
    throw new Refused(`"${productionId}" is a row of the batch "${batchId}"; choose another name with --id`);
  }
  const origin = await productions.origin(productionId);
  if (origin === undefined || takeOver || (await isSameOrigin(origin, path))) return;
  throw new Refused(
    `production "${productionId}" was last rendered from ${originInWords(origin)}, and this is ${originInWords(path)}; ` +
      `give this one another id with --id, or let it take over this id with --id ${productionId}`,
  );
}

/** @throws Refused if the production was never rendered. */
export async function checkWasRendered(
  { productions }: Pick<StoreView, 'productions'>,
  productionId: string,
): Promise<void> {
  const forked = await productions.fork(productionId);
  if (((await productions.begun(productionId)) ?? (await productions.archived(productionId))) !== undefined) return;
  throw forked === undefined
    ? unknownProduction(productionId, await productions.ids())
    : new Refused(
        `production "${productionId}" is a fork of "${forked.of}" and was not rendered yet; ` +
          `type: dailies render FILE --id ${productionId}`,
      );
}

/** @param path null if a program gave the production as an object. */
export function originInWords(path: string | null): string {
  return path ?? 'an object that a program gave';
}

/** Whether two renders come from the same file, or both from a program (null). */
export async function isSameOrigin(one: string | null, other: string | null): Promise<boolean> {
  return one === other || (one !== null && other !== null && (await isSameFile(one, other)));
}

/** Whether two paths lead to the same file, also through a symbolic link. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  try {
    return (await realpath(one)) === (await realpath(other));
  } catch {
    // One of the paths does not resolve.
    return false;
  }
}
