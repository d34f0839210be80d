/** The typed HTTP client of the media-generation gateway: one attempt per call, HTTP facts in its errors. */
export { hostAndPort } from './address-guard';
export { type ModelAddress } from './addresses';
export { createGatewayClient, type GatewayClient, type GatewayClientOptions, type PaidCallOptions } from './client';
export { orAborted } from './deadline';
export { type Download, type DownloadPolicy, type DownloadRequest, openDownload } from './download';
export { DownloadError, type DownloadFailure } from './download-error';
export { checkHook, HookError, type HookFailure, type HookPolicy, postHook } from './hook';
export { type TaskReading, type TaskRequest } from './envelope';
export { type Acceptance, GatewayError } from './errors';
export { createRedact, type Redact } from './redaction';
export { readResult, type ResultFile, type TaskResultReading } from './readings';
export { type GatewayLook, lookAtGateway, type TaskToRead } from './look';
export { RETRY_AFTER_MAX_MS } from './retry-after';
export { isAboutTheRequest, readRefusal, REFUSALS, submitRefusal } from './statuses';
export { SUBMIT_TOTAL_MS, type Timeouts } from './timeouts';
