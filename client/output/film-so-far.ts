import { type Client, WorkflowFailedError, WorkflowIdConflictPolicy } from '@temporalio/client';
import { type AssembleFilmInput } from '../../contracts/activities';
import { type AssetRef } from '../../contracts/asset';
import { assembleWorkflowId } from '../../contracts/identifiers';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ShotState } from '../../contracts/states';
import { chosenTakeOf, type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { type Assets, filmHash, type Store, wantedFilm } from '../../store';
import { Refused } from '../wording/refused';
import { reviewCommand } from '../../contracts/commands';
import { type StartOptions, startWorkflow } from '../temporal/start-workflow';

export interface MissingShot {
  readonly shot: string;
  readonly state: ShotState;
  readonly reason: string | null;
}

/** The film that can be assembled from a production's current clips. */
export interface FilmSoFar {
  readonly input: AssembleFilmInput;
  /** Identifies the film. Equal clips that are assembled in the same way give the same key. */
  readonly key: string;
  /** In the film's order; empty if the film is complete. */
  readonly missing: readonly MissingShot[];
}

/**
 * Gathers the clips that a production has, whatever its state. Skipped shots do not count as missing.
 *
 * @throws Refused if the production makes no film, or if no clip is in the store.
 */
export async function filmSoFar(
  assets: Assets,
  production: FrozenProduction,
  status: ProductionStatus,
): Promise<FilmSoFar> {
  const outputs = new Map(production.shots.map(({ id, model }) => [id, model.output]));
  const clips: { shotId: string; asset: AssetRef }[] = [];
  const missing: MissingShot[] = [];
  for (const shot of status.shots) {
    const { id, state } = shot;
    if (outputs.get(id) !== 'video' || state === 'skipped') continue;
    const asset = state === 'completed' ? (chosenTakeOf(shot)?.asset ?? null) : null;
    if (asset !== null && (await assets.has(asset))) clips.push({ shotId: id, asset });
    else missing.push({ shot: id, state, reason: asset === null ? whyNotYet(status, shot) : DAMAGED });
  }
  const wanted = wantedFilm(
    production,
    clips.map(({ shotId, asset }) => ({ shotId, sha256: asset.sha256 })),
  );
  if (wanted === undefined)
    throw new Refused(`production "${production.id}" makes no film: none of its shots makes a video`);
  if (clips.length === 0) {
    if (missing.length === 0) throw new Refused(`every video shot of production "${production.id}" was skipped`);
    throw new Refused(
      [`no clip of production "${production.id}" is there yet:`, ...missing.map(missingInWords)].join('\n  '),
    );
  }
  return { input: { production: status.frozen, clips }, key: filmHash(wanted), missing };
}

export function missingInWords({ shot, state, reason }: MissingShot): string {
  return `${shot} (${state})${reason === null ? '' : `: ${reason}`}`;
}

const DAMAGED = 'its clip is missing or damaged in the store; see `dailies audit ID`';

/** The reason why a shot has no clip yet. A take in review is not part of the film until it is approved. */
function whyNotYet({ production }: ProductionStatus, shot: ShotStatus): string | null {
  return shot.state === 'review' ? `it waits for your approval: ${reviewCommand(production, shot)}` : shot.reason;
}

/**
 * Assembles a film, or joins its assembly. An identical film is not assembled again.
 *
 * @throws Refused with the message of the workflow's failure.
 */
export async function assembleFilm(
  {
    temporal,
    store,
    startOptions,
  }: { readonly temporal: Client; readonly store: Pick<Store, 'id'>; readonly startOptions: StartOptions },
  { input, key }: FilmSoFar,
): Promise<AssetRef> {
  const workflowId = assembleWorkflowId(store.id, `films/${key}`);
  try {
    const assembly = await startWorkflow(temporal, WORKFLOWS.assemble, {
      ...startOptions,
      workflowId,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      args: [input],
    });
    return await assembly.result();
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    throw new Refused(`the film cannot be assembled: ${rootCause(error)}`);
  }
}

/** The message of the innermost failure. */
function rootCause(error: Error): string {
  return error.cause instanceof Error ? rootCause(error.cause) : error.message;
}
