import { counted } from '../../contracts/counted';
import { unknownProduction } from '../../client';
import { audit as auditProduction, type Audit, type Difference, type ReadTask } from '../../client/books';
import { inMegabytes } from '../../client/wording/phrases';
import { createGatewayClient, type GatewayClient, GatewayError } from '../../gateway';
import { type Config } from '../../workers/config/config';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { openSessionIfUp } from '../session/session';
import { type Session } from '../session/open-session';
import { print, printJson, tell } from '../process/streams';

/** Compares a production's ledger, store, histories, and tasks at the gateway. Starts nothing and spends nothing. */
export async function audit(production: string, { json }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const session = await openSessionIfUp(config, store);
  const gateway = gatewayOf(config, session);
  try {
    const found = await auditProduction({
      store,
      account: config.account,
      production,
      ...(session === undefined ? {} : { temporal: session.dailies.temporal }),
      ...(gateway === undefined ? {} : { readTask: reader(gateway) }),
    });
    if (found === undefined) throw unknownProduction(production, await store.productions.ids());
    if (json === true) printJson(found);
    else {
      printAudit(found);
      if (gateway === undefined && config.temporalAddress === undefined) {
        tell(
          'The sandbox was not asked. To include its tasks, run `dailies up` in another terminal, then the audit again.',
        );
      }
    }
    return found.clean ? EXIT.completed : EXIT.incomplete;
  } finally {
    await gateway?.close();
    await session?.close();
  }
}

/** Undefined if no gateway is configured and the session has no embedded sandbox. */
function gatewayOf({ gateway }: Config, session: Session | undefined): GatewayClient | undefined {
  if (gateway !== null) {
    const { url, key, plainHttpHosts } = gateway;
    return createGatewayClient({ baseUrl: url, apiKey: key.reveal(), plainHttpHosts });
  }
  const { gatewayUrl, sandboxKey } = session?.set ?? {};
  return gatewayUrl == null || sandboxKey == null
    ? undefined
    : createGatewayClient({ baseUrl: gatewayUrl, apiKey: sandboxKey, plainHttpHosts: [] });
}

function reader(gateway: GatewayClient): ReadTask {
  return async (taskId, { id, workflow }) => {
    try {
      const reading = await gateway.read({ taskId, model: { id, ...(workflow === undefined ? {} : { workflow }) } });
      return { state: reading.state, credits: reading.state === 'pending' ? null : reading.credits };
    } catch (error) {
      if (error instanceof GatewayError) return undefined;
      throw error;
    }
  };
}

function printAudit({ production, differences, checked, notChecked }: Audit): void {
  const { takes, assets, sizeBytes, histories, archivedHistories, gatewayTasks } = checked;
  const count = counted(differences.length, 'difference');
  print([
    `${production}: ${differences.length === 0 ? 'the books agree' : count}${notChecked.length === 0 ? '' : ', as far as they were read'}`,
    ...alike(differences).flatMap(differencesInWords),
    `  looked at ${counted(takes, 'take')}, ${counted(assets, 'asset')} (${inMegabytes(sizeBytes)}), ` +
      `${counted(histories, 'history', 'histories')} ` +
      `(${archivedHistories} of them archived), ${counted(gatewayTasks, 'task')} at the gateway`,
    ...notChecked.map((line) => `  not looked at: ${line}`),
  ]);
}

/** Groups differences with the same kind and command, so that their meaning is printed once. */
function alike(differences: readonly Difference[]): readonly (readonly [Difference, ...Difference[]])[] {
  const groups = new Map<string, [Difference, ...Difference[]]>();
  for (const one of differences) {
    const key = `${one.kind} ${one.command ?? ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

function differencesInWords(group: readonly [Difference, ...Difference[]]): readonly string[] {
  const [{ kind, meaning, command }] = group;
  return [
    `  ${kind}: ${meaning}`,
    ...group.map(({ shot, take, what }) => `    ${shot === null ? '' : `${shot}, take ${take ?? '?'}: `}${what}`),
    ...(command === null ? [] : [`    type: ${command}`]),
  ];
}
