import { Refused, takesOf } from '../../client';
import { didYouMean } from '../../client/wording/phrases';
import { unknownProductionOrBatch } from '../../client/wording/refused';
import { putOwnOutput } from '../../client/dailies/own-output';
import { type Decision } from '../../contracts/render/decision';
import { GENERATIONS, rowProductionId } from '../../contracts/identifiers';
import { type OutputKind } from '../../contracts/gateway/models';
import { isTaskId } from '../../gateway/addresses';
import { openUnclear } from '../../client/records/unclear-submit';
import { isSkipped, type ShotAddress, type Store, sumQuotes, type TakeHistory } from '../../store';
import { openOwnStore } from '../../workers/store/own-store';
import { quoteInWords } from '../../client/plan/plan-in-words';
import { type Config } from '../../workers/config/config';
import { giveAnswer } from '../renders/answer';
import { canAsk, confirm } from '../process/confirm';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { resolveAll, type ResolveOptions } from '../renders/resolve-all';
import { tell } from '../process/streams';
import { askBeforeSpending } from '../session/which-ledger';

/**
 * Decides how a parked shot continues. A worker checks the decision first. If no workflow waits for the decision, this
 * command checks it. A refused decision is not recorded.
 */
export async function resolve(
  productionId: string,
  shotId: string | undefined,
  options: ResolveOptions,
): Promise<ExitCode> {
  if (options.all === true || options.for !== undefined) {
    return resolveAll(productionId, shotId, options);
  }
  if (shotId === undefined) throw new Refused('say which shot, or --all --for unclear');
  const config = readConfig();
  const store = await openOwnStore(config);
  const output = await outputOf(store, config.account, { productionId, shotId });
  const decision = await decisionOf(output, options, store);
  if (decision.kind === 'resubmit') {
    await askBeforeSpending(config, store);
    await askAboutPrice(config, store, { productionId, shotId }, options);
  }
  const answered = { goesOn: false };
  const next = await giveAnswer(config, store, productionId, async (dailies) =>
    Object.assign(answered, await dailies.resolve(productionId, shotId, decision, options.take)),
  );
  const isLeftOut = decision.kind === 'skip' && !answered.goesOn;
  tell(`Decided: ${decision.kind}. ${isLeftOut ? 'Nothing waits for the take any more.' : next}`);
  return EXIT.completed;
}

/** At a terminal, asks the person to confirm the price of another submit. In a script, `--resubmit` is enough. */
async function askAboutPrice(
  { account, prices }: Config,
  store: Store,
  { productionId, shotId }: ShotAddress,
  { take, yes }: ResolveOptions,
): Promise<void> {
  if (yes === true || !canAsk()) return;
  const asked = mayBeSentAgain(await store.ledger.takes(productionId, shotId), take);
  const quotes = store.account(account).quotes(prices);
  const price = sumQuotes(await Promise.all(asked.map(({ intent }) => quotes(intent.model.id, intent.parameters))));
  const atMost = asked.length > 1 ? 'at most ' : '';
  if (!(await confirm(`Send "${shotId}" again, for ${atMost}${quoteInWords(price)}?`)))
    throw new Refused('nothing was decided');
}

/**
 * The takes that a resubmit may send again: the take with the given number. Without a number, they are the unclear and
 * skipped takes, and the newest take if it has no output. If there is no such take, it is the newest. Only the workflow
 * knows which takes are parked.
 */
export function mayBeSentAgain(takes: readonly TakeHistory[], take?: number): readonly TakeHistory[] {
  const newest = takes.slice(-1);
  const given = takes.filter((one) => one.take === take);
  if (take !== undefined) return given.length === 0 ? newest : given;
  const isOpen = (one: TakeHistory): boolean => one === newest[0] && one.output === undefined;
  const open = takes.filter((one) => openUnclear(one) !== undefined || isSkipped(one) || isOpen(one));
  return open.length === 0 ? newest : open;
}

/** The output kind of the shot's newest take. @throws Refused if the shot has no take: such a shot is not parked. */
async function outputOf(store: Store, account: string, { productionId, shotId }: ShotAddress): Promise<OutputKind> {
  const take = (await store.ledger.takes(productionId, shotId)).at(-1);
  if (take !== undefined) return take.intent.model.output;
  const ids = await store.productions.ids();
  const isBatch = (await store.batches.begun(productionId)) !== undefined;
  if (productionId !== GENERATIONS && !isBatch && !ids.includes(productionId)) {
    throw await unknownProductionOrBatch(store, productionId);
  }
  const ofRow = rowProductionId(productionId, shotId);
  if (isBatch && ids.includes(ofRow)) {
    throw new Refused(`row "${shotId}" of "${productionId}" is a production; see \`dailies status ${ofRow}\``);
  }
  const known = [...(await takesOf(store, account, productionId)).keys()];
  const [part, look] = isBatch ? ['row', 'batch status'] : ['shot', 'status'];
  throw new Refused(
    `"${productionId}" has no ${part} "${shotId}" that waits for anything; ` +
      `see \`dailies ${look} ${productionId}\`.${didYouMean(shotId, known)}`,
  );
}

async function decisionOf(output: OutputKind, options: ResolveOptions, store: Store): Promise<Decision> {
  const given = Object.entries(options).filter(([name, value]) => NAMES.includes(name) && value !== undefined);
  if (given.length !== 1) {
    const found =
      given.length === 0 ? 'there is none' : `there are ${given.map(([name]) => `--${name}`).join(' and ')}`;
    throw new Refused(`say one of --adopt TASK_ID, --resubmit, --skip, --use FILE, --wait; ${found}`);
  }
  if (options.adopt !== undefined) return { kind: 'adopt', taskId: checkedTaskId(options.adopt) };
  if (options.use !== undefined) return { kind: 'use', asset: await putOwnOutput(options.use, output, store) };
  if (options.resubmit === true) return { kind: 'resubmit', ...(options.yes === true ? { unread: true } : {}) };
  return options.skip === true ? { kind: 'skip' } : { kind: 'wait' };
}

const NAMES = ['adopt', 'resubmit', 'skip', 'use', 'wait'];

function checkedTaskId(taskId: string): string {
  if (isTaskId(taskId)) return taskId;
  throw new Refused(`${JSON.stringify(taskId)} cannot be a task id; copy the id from the gateway's own list of tasks`);
}
