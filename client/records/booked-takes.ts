import { fewAtOnce, readableTakes, type Store, type TakeHistory } from '../../store';

/** A take and its history in the ledger. */
export interface BookedTake {
  readonly production: string;
  readonly shot: string;
  readonly history: TakeHistory;
}

/** A take with unreadable records, for audits and reports. */
export interface UnreadableTake {
  readonly production: string;
  readonly shot: string;
  readonly take: number;
  readonly reason: string;
  readonly lacksIntent?: true;
}

export interface BookedTakes {
  readonly takes: readonly BookedTake[];
  readonly broken: readonly UnreadableTake[];
}

/** All takes of a production, from all accounts. */
export function bookedTakes(store: Pick<Store, 'ledger'>, production: string): Promise<BookedTakes> {
  return bookedTakesOfAll(store, [production]);
}

/** All takes of several productions, from all accounts. Limits how many shots are read at once in total. */
export async function bookedTakesOfAll(
  { ledger }: Pick<Store, 'ledger'>,
  productions: readonly string[],
): Promise<BookedTakes> {
  const takes: BookedTake[] = [];
  const broken: UnreadableTake[] = [];
  const addresses = await fewAtOnce(productions, async (production) =>
    (await ledger.shots(production)).toSorted().map((shot) => ({ production, shot })),
  );
  const shots = await fewAtOnce(addresses.flat(), async ({ production, shot }) => ({
    ...{ production, shot },
    read: await readableTakes(ledger, { productionId: production, shotId: shot }),
  }));
  for (const { production, shot, read } of shots) {
    takes.push(...read.takes.map((history) => ({ production, shot, history })));
    broken.push(
      ...read.broken.map(({ take, reason, lacksIntent }) => ({
        ...{ production, shot, take, reason },
        ...(lacksIntent ? { lacksIntent } : {}),
      })),
    );
  }
  return { takes, broken };
}
