import { type Store, type TakeHistory } from '../../store';

/** A take as the ledger has it. */
export interface BookedTake {
  readonly production: string;
  readonly shot: string;
  readonly history: TakeHistory;
}

/** A take whose records cannot all be read. */
export interface BrokenTake {
  readonly production: string;
  readonly shot: string;
  readonly take: number;
  readonly reason: string;
}

export interface BookedTakes {
  readonly takes: readonly BookedTake[];
  readonly broken: readonly BrokenTake[];
}

/** All takes of a production, of every account; one that cannot be read hides no other. */
export async function bookedTakes(
  { ledger, records }: Pick<Store, 'ledger' | 'records'>,
  production: string,
): Promise<BookedTakes> {
  const takes: BookedTake[] = [];
  const broken: BrokenTake[] = [];
  for (const shot of (await ledger.shots(production)).toSorted()) {
    const numbers = (await records.list(`ledger/${production}/${shot}`)).map(Number).sort((a, b) => a - b);
    for (const take of numbers) {
      try {
        const history = await ledger.take({ productionId: production, shotId: shot, take });
        if (history !== undefined) takes.push({ production, shot, history });
      } catch (error) {
        broken.push({ production, shot, take, reason: error instanceof Error ? error.message : String(error) });
      }
    }
  }
  return { takes, broken };
}
