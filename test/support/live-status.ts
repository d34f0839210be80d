import { type ProductionStatus } from '../../contracts/status';
import { type Rig } from './rig';
import { until } from './until';

/** The status from the workflow itself. If Temporal loses the query, the store answers, and this asks again. */
export function liveStatusOf({ client }: Pick<Rig, 'client'>, id: string): Promise<ProductionStatus> {
  return until(async () => {
    const status = await client.status(id);
    return status !== undefined && status.fromStore !== true && status;
  });
}
