import { basename, join } from 'node:path';
import { generationTake, resolveCommand, resolveWays, waitsSince } from '../../client';
import { takeName } from '../../client/records/out-names';
import { openOutFiles } from '../../client/records/out-files';
import { formatIssues } from '../../client/production-file';
import { freezeGeneration, type GenerationFlags } from '../../client/freeze/freeze-generation';
import { absolute } from '../../client/wording/working-folder';
import { type Priority } from '../../contracts/gateway/arbiter';
import { type AssetRef } from '../../contracts/asset';
import { GENERATIONS } from '../../contracts/identifiers';
import { type PlannedShot } from '../../contracts/render/plan';
import { type Parked, type TakeOutcome } from '../../contracts/workflows';
import { readText, type Store, type TakeHistory } from '../../store';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { listenForInterrupt } from '../process/interrupt';
import { checkGateway } from '../session/preflight';
import { followTask } from '../progress/follow-task';
import { tellWays } from '../wording/report';
import { table } from '../../client/wording/table';
import { VerbFailed } from '../process/run-verb';
import { LEAVING, openSession, tellOfHeld, tellOfSandbox } from '../session/session';
import { print, printJson, printText, tell } from '../process/streams';
import { INTERRUPTED_BEFORE } from '../renders/going-on';
import { askBeforeSpending } from '../session/which-ledger';

export interface GenerateOptions extends Pick<
  GenerationFlags,
  'model' | 'workflow' | 'prompt' | 'schema' | 'output' | 'id'
> {
  readonly set?: readonly string[];
  readonly file?: readonly string[];
  readonly execute?: boolean;
  readonly priority?: Priority;
  readonly out?: string;
  readonly json?: boolean;
}

/** Runs one task of any model. Writes the output to the out folder. Text is also printed on stdout. */
export async function generate(options: GenerateOptions): Promise<ExitCode> {
  const config = readConfig();
  const { interrupted, signal } = listenForInterrupt();
  const store = await openOwnStore(config);
  const { set, file, execute, priority, out, json, ...named } = options;
  const flags = { ...named, settings: set ?? [], files: file ?? [], folder: '.' };
  const checked = await freezeGeneration(flags, config, store);
  if (!checked.ok) throw new VerbFailed(EXIT.refused, formatIssues(checked.issues));
  const [shot] = checked.plan.shots;
  if (shot === undefined) throw new Error('a generation has one task');
  await askBeforeSpending(config, store);
  tellOfSandbox(config);
  await checkGateway(config);

  const session = await openSession(config, store);
  const progress = followTask(() => generationTake(store, config.account, checked.frozen), shot.id);
  let hasBegun = false;
  try {
    await tellOfHeld(session);
    if (signal.aborted) return interruptedBefore('the task was begun', json);
    hasBegun = true;
    tell(
      `Task "${shot.id}" of ${shot.model}. The same flags find this task again. To send the same request as a new task, give another --id.`,
    );
    const outcome = await Promise.race([
      session.client.generate({
        generationId: shot.id,
        production: checked.ref,
        shot,
        mode: execute === true ? 'execute' : 'submit',
        ...(priority === undefined ? {} : { priority }),
      }),
      interrupted,
      session.lost,
    ]);
    if (outcome !== 'interrupted' && 'for' in outcome) {
      const take = await generationTake(store, config.account, checked.frozen);
      return parked(shot, outcome, take, json);
    }
    if (outcome !== 'interrupted')
      return await report(store, shot.id, outcome, absolute(out ?? join('out', shot.id)), json);
    if (session.set !== null) tell(LEAVING);
  } finally {
    progress.stop();
    await session.close();
    if (signal.aborted)
      tell(hasBegun ? 'What was paid for is kept. Run the same command again to continue.' : INTERRUPTED_BEFORE);
  }
  return interruptedBefore('the task had ended', json);
}

function interruptedBefore(what: string, json = false): ExitCode {
  if (json) printJson({ error: `interrupted before ${what}` });
  return EXIT.interrupted;
}

function parked(
  { id, deadlineSeconds }: PlannedShot,
  { for: parkedFor, reason }: Parked,
  take: TakeHistory | undefined,
  json = false,
): ExitCode {
  const since = take === undefined ? new Date().toISOString() : waitsSince(take, parkedFor, deadlineSeconds);
  const command = resolveCommand(GENERATIONS, id, parkedFor);
  if (json) printJson({ id, state: 'parked', reason, parked: { for: parkedFor, since, command } });
  else print(`${id}: parked, ${reason}`);
  tellWays(`"${id}" waits since ${since}`, resolveWays(GENERATIONS, id, parkedFor));
  return EXIT.incomplete;
}

async function report(
  store: Store,
  id: string,
  { state, reason, take, output }: TakeOutcome,
  folder: string,
  json = false,
): Promise<ExitCode> {
  const taskId = take?.taskId ?? null;
  const credits = take?.credits ?? null;
  const asset = output?.asset ?? null;
  const text = asset?.mediaType === 'text/plain' ? await readText(store.assets, asset) : null;
  const path = asset === null || take === null ? null : await exportOutput(store, folder, id, take.take, asset);

  if (json) printJson({ id, state, reason, taskId, credits, text, asset: asset === null ? null : { path, ...asset } });
  else if (text !== null) printText(text);
  else print([`${id}: ${state}${reason === null ? '' : `, ${reason}`}`, ...table(rowsOf(path, asset, credits))]);
  for (const warning of output?.warnings ?? []) tell(warning);
  return state === 'completed' ? EXIT.completed : EXIT.incomplete;
}

function rowsOf(path: string | null, asset: AssetRef | null, credits: number | null): [string, string][] {
  const rows: [string, string][] = [];
  if (path !== null) rows.push(['file', path]);
  if (asset?.durationSeconds != null) rows.push(['length', `${asset.durationSeconds.toFixed(1)} s`]);
  if (asset?.width != null && asset.height !== null) rows.push(['size', `${asset.width} × ${asset.height}`]);
  rows.push(['credits', credits === null ? 'not reported' : String(credits)]);
  return rows;
}

async function exportOutput(store: Store, folder: string, id: string, take: number, asset: AssetRef): Promise<string> {
  const files = await openOutFiles(folder, store.assets);
  const name = basename(takeName(id, take, asset));
  await files.putAsset(name, asset);
  for (const moved of await files.done()) tell(`A file of yours stood in the way and was moved to ${moved}.`);
  return join(folder, name);
}
