import { Refused } from '../../client';
import { hasRecords } from '../../client/records/has-records';
import { unknownProductionOrBatch } from '../../client/wording/refused';
import {
  type DecisionForMany,
  DecisionsStopped,
  type UnclearTakes,
  readUnclearTakes,
  type ResolvedMany,
  resolveMany,
} from '../../client/dailies/resolve-many';
import { counted } from '../../contracts/counted';
import { type Store } from '../../store';
import { openOwnStore } from '../../workers/store/own-store';
import { giveAnswer } from './answer';
import { readConfig } from '../process/command-config';
import { confirm } from '../process/confirm';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { quoteInWords } from '../../client/plan/plan-in-words';
import { tell } from '../process/streams';
import { askBeforeSpending } from '../session/which-ledger';

export interface ResolveOptions {
  readonly adopt?: string;
  readonly resubmit?: boolean;
  readonly skip?: boolean;
  readonly use?: string;
  readonly wait?: boolean;
  /**
   * Skips the confirmation. With `resubmit` for one take, also submits if the earlier task cannot be read at the
   * gateway, or if the output of that task can now be collected.
   */
  readonly yes?: boolean;
  /** Number of the take, if several are parked. */
  readonly take?: number;
  /** Gives the same answer to all takes that are parked for the reason `for`. */
  readonly all?: boolean;
  readonly for?: 'unclear';
}

/** Maximum number of refusals that are listed. */
const SHOWN = 10;

/** Prints the possible cost, asks for confirmation, and makes one decision for all unclear takes. */
export async function resolveAll(
  productionId: string,
  shotId: string | undefined,
  options: ResolveOptions,
): Promise<ExitCode> {
  const decision = checkedDecision(shotId, options);
  const config = readConfig();
  const store = await openOwnStore(config);
  const quotes = store.account(config.account).quotes(config.prices);
  const unclear = await readUnclearTakes(store, { account: config.account, quotes, decision }, productionId);
  if (unclear.takes.length === 0) throw await nothingUnclear(store, productionId);
  tell(costInWords(productionId, unclear, decision));
  const question = decision.kind === 'resubmit' ? 'Send all of them again?' : 'Leave all of them out?';
  if (options.yes !== true && !(await confirm(question))) {
    tell('Nothing has changed.');
    return EXIT.completed;
  }
  if (decision.kind === 'resubmit') await askBeforeSpending(config, store);
  let resolved: ResolvedMany | undefined;
  const next = await giveAnswer(config, store, productionId, async (dailies) => {
    resolved = await resolveMany(dailies, productionId, unclear.takes, decision).catch((error: unknown) => {
      if (!(error instanceof DecisionsStopped)) throw error;
      tellOfRefused(error.made);
      tell(`Decided: ${decision.kind}, for ${error.made.decided} of ${unclear.takes.length}, before this error:`);
      for (const another of error.errors.slice(1)) tell(another instanceof Error ? another.message : String(another));
      throw error.cause;
    });
    return resolved;
  });
  const { decided = 0, refused = [] } = resolved ?? {};
  tellOfRefused({ refused });
  if (decided === 0) throw new Refused(`nothing is decided: ${decision.kind} was refused for all ${refused.length}`);
  tell(`Decided: ${decision.kind}, for ${decided} of ${unclear.takes.length}. ${next}`);
  return refused.length === 0 ? EXIT.completed : EXIT.incomplete;
}

function tellOfRefused({ refused }: Pick<ResolvedMany, 'refused'>): void {
  for (const { shotId, take, reason } of refused.slice(0, SHOWN)) tell(`Take ${take} of "${shotId}": ${reason}`);
  if (refused.length > SHOWN) tell(`… and ${refused.length - SHOWN} more.`);
}

function checkedDecision(shotId: string | undefined, options: ResolveOptions): DecisionForMany {
  if (options.all !== true) throw new Refused('--for goes with --all');
  if (options.for === undefined) throw new Refused('say which takes to answer: --all --for unclear');
  if (shotId !== undefined) throw new Refused(`--all answers for every shot; omit "${shotId}" or --all`);
  const others = (['adopt', 'use', 'wait', 'take'] as const).filter((name) => options[name] !== undefined);
  if (others.length > 0)
    throw new Refused(`--all does not go with --${others.join(' and --')}: they are about one take`);
  if ((options.resubmit === true) === (options.skip === true)) throw new Refused('say one of --resubmit, --skip');
  return options.resubmit === true ? { kind: 'resubmit' } : { kind: 'skip' };
}

function costInWords(productionId: string, { takes, quote }: UnclearTakes, { kind }: DecisionForMany): string {
  const cost = quoteInWords(quote);
  const them = takes.length === 1 ? 'it' : 'them';
  const unclear = counted(takes.length, 'unclear take');
  const charged = `"${productionId}" has ${unclear}. The gateway may have charged for ${them}: ${cost}.`;
  if (kind === 'skip') return `${charged} To leave ${them} out costs nothing more.`;
  const all = takes.length === 1 ? 'it' : 'all of them';
  const again = `To send ${all} again may cost as much once more: ${cost}.`;
  return `${charged} ${again} Look at the gateway's own list of tasks first.`;
}

async function nothingUnclear(store: Store, productionId: string): Promise<Refused> {
  if (!(await hasRecords(store, productionId))) return unknownProductionOrBatch(store, productionId);
  const isBatch = (await store.batches.begun(productionId)) !== undefined;
  const rows = isBatch ? '; rows that are productions are resolved one production at a time' : '';
  return new Refused(`"${productionId}" has no unclear take that still needs a decision${rows}`);
}
