import { counted } from '../../contracts/counted';
import { type LimitChange, LIMITS, applyLimitRequest, type LimitSettings } from '../../client/temporal/limits';
import { type ArbiterView } from '../../contracts/gateway/arbiter';
import { KNOWN_MODELS, knownModel } from '../../contracts/gateway/models';
import { type LimitSet } from '../../contracts/gateway/limits';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { didYouMean } from '../../client/wording/phrases';
import { table } from '../../client/wording/table';
import { hasWorker, openSessionIfUp } from '../session/session';
import { print, printJson, tell } from '../process/streams';

export interface LimitOptions extends Readonly<Partial<Record<keyof typeof LIMITS, number | 'none'>>> {
  readonly model?: string;
  readonly json?: boolean;
}

/** Changes the given limits of the account, or of `model`, and shows all limits. */
export async function limits({ model, json, ...options }: LimitOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const given = Object.entries(options).filter(([name]) => Object.hasOwn(LIMITS, name));
  const change: LimitChange = Object.fromEntries(given.map(([name, value]) => [name, value === 'none' ? null : value]));
  if (given.length > 0) await store.refuseCopy();
  const session = await openSessionIfUp(config, store);
  try {
    const arbiter = session !== undefined && (await hasWorker(session)) ? session.client.arbiter : undefined;
    const request = { ...change, ...(model === undefined ? {} : { model }) };
    const { limits: view, now } = await applyLimitRequest(store, config.account, arbiter, request);
    if (model !== undefined && knownModel(model) === undefined) tell(ofNoKnownModel(model));
    if (json === true) printJson(view);
    else print(inWords(view, now));
  } finally {
    await session?.close();
  }
  return EXIT.completed;
}

/** Only a warning: the gateway may have models that Dailies does not know. */
function ofNoKnownModel(model: string): string {
  const near = didYouMean(
    model,
    KNOWN_MODELS.flatMap(({ title, id }) => [title, id]),
  );
  return `Dailies does not know the model ${model}: its limits apply only to tasks that use exactly this name.${near}`;
}

function inWords({ account, models }: LimitSettings, now: ArbiterView | undefined): readonly string[] {
  const sets = [['the account', account] as const, ...Object.entries(models)];
  const rows = sets.map(([whose, set]) => [whose, limitsInWords(set)] as const);
  return [
    ...table(rows),
    ...(now?.learnedInFlight == null
      ? []
      : [`The gateway has throttled: at most ${counted(now.learnedInFlight, 'task')} in flight for now.`]),
  ];
}

const WORDS: Readonly<Record<keyof typeof LIMITS, string>> = {
  inFlight: 'in flight',
  perSecond: 'a second',
  perMinute: 'a minute',
  creditsPerDay: 'credits a day',
};

function limitsInWords(set: LimitSet): string {
  const words = Object.entries(WORDS).flatMap(([name, unit]) => {
    const value = set[name as keyof typeof LIMITS];
    return value === undefined ? [] : [`${value} ${unit}`];
  });
  return words.length === 0 ? 'no limit' : `at most ${words.join(', ')}`;
}
