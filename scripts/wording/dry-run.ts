import { wantsLastFrame } from '../../activities/request/task-parameters';
import { type AssetRef } from '../../contracts/asset';
import { frameInWords } from '../../contracts/file/frame-links';
import { type FileSource, type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { taskPath } from '../../gateway/addresses';
import { requestBody } from '../../gateway/envelope';

/** A submit request to the gateway, with placeholders for file contents and for other shots' frames and texts. */
export interface PlannedRequest {
  readonly shot: string;
  readonly method: 'POST';
  readonly path: string;
  readonly body: unknown;
}

/**
 * One submit request for each shot, in the film's order, for a render without earlier takes. A quick model's task is
 * usually sent to the execute address, with the same body.
 *
 * Frames and texts of other shots do not exist yet. Placeholders such as `<last frame of dawn>` replace them.
 */
export function plannedRequests(production: FrozenProduction): readonly PlannedRequest[] {
  return production.shots.map((shot) => plannedRequest(production, shot));
}

function plannedRequest(production: FrozenProduction, shot: FrozenShot): PlannedRequest {
  const files = Object.entries(shot.files).map(([parameter, source]) => [
    parameter,
    Array.isArray(source) ? source.map(fileInWords) : fileInWords(source),
  ]);
  const parameters = {
    ...shot.parameters,
    ...(Object.fromEntries(files) as Record<string, unknown>),
    ...Object.fromEntries(Object.entries(shot.texts ?? {}).map(([parameter, text]) => [parameter, `<${text.shot}>`])),
    ...(wantsLastFrame(production, shot) ? { returnLastFrame: true } : {}),
  };
  const { id, workflow } = shot.model;
  const model = { id, ...(workflow === undefined ? {} : { workflow }) };
  return {
    shot: shot.id,
    method: 'POST',
    path: taskPath(model, 'submit'),
    body: JSON.parse(requestBody({ model, parameters })) as unknown,
  };
}

function fileInWords(source: FileSource): string {
  switch (source.kind) {
    case 'address':
      return source.url;
    case 'asset':
      return `data:${source.asset.mediaType};base64,<${source.name}, ${bytesInWords(source.asset)}>`;
    case 'link':
      return `<${frameInWords(source)}${source.anchor === undefined ? '' : ', anchored'}>`;
  }
}

function bytesInWords({ sizeBytes, sha256 }: AssetRef): string {
  return `${sizeBytes} bytes, sha256 ${sha256.slice(0, 12)}`;
}
